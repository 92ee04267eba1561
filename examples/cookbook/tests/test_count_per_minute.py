"""A minute is counted when the watermark passes its end; an order after that does not count."""

from datetime import datetime
from decimal import Decimal

from kafkastream.testing import JobTestDriver


def test_a_minute_is_counted_once_it_is_over() -> None:
    with JobTestDriver.of("examples/cookbook/count_per_minute.py") as driver:
        orders, counts = driver.table("orders"), driver.table("counts")
        orders.send({"customer": "ann", "amount": "10.00", "ts": "2024-05-01 10:00:01"})
        orders.send({"customer": "ann", "amount": "30.50", "ts": "2024-05-01 10:00:40"})
        assert counts.changes == []
        orders.send({"customer": "bob", "amount": "5.00", "ts": "2024-05-01 10:01:05"})
        assert counts.changes == [("+I", "ann", datetime(2024, 5, 1, 10, 0), 2, Decimal("40.50"))]
        orders.send({"customer": "ann", "amount": "1.00", "ts": "2024-05-01 10:00:59"})
        driver.finish()
        assert counts.changes[1:] == [("+I", "bob", datetime(2024, 5, 1, 10, 1), 1, Decimal("5.00"))]
