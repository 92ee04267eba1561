"""An order is converted with the rate at its time, once both watermarks have passed it."""

from decimal import Decimal

from kafkastream.testing import JobTestDriver


def test_the_rate_of_the_time_of_the_order_applies() -> None:
    with JobTestDriver.of("examples/cookbook/temporal_join.py") as driver:
        orders, rates, converted = map(driver.table, ("orders", "rates", "converted"))
        rates.send(("USD", "0.50", "2024-05-01 10:00:00"))
        rates.send(("USD", "0.75", "2024-05-01 10:00:10"))
        orders.send((1, 10, "USD", "2024-05-01 10:00:05"))
        assert converted.changes == []
        orders.send((2, 10, "USD", "2024-05-01 10:00:30"))
        rates.send(("USD", "0.90", "2024-05-01 10:01:00"))
        assert converted.changes == [("+I", 1, Decimal("5.00"))]
        driver.finish()
        assert converted.changes[1:] == [("+I", 2, Decimal("7.50"))]
