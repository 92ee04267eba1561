"""A payment within an hour is matched; without one, the order is reported when the hour is over."""

from decimal import Decimal

from kafkastream.testing import JobTestDriver


def test_an_order_that_is_not_paid_in_time_is_reported() -> None:
    with JobTestDriver.of("examples/cookbook/interval_join.py") as driver:
        orders, payments, checked = map(driver.table, ("orders", "payments", "checked"))
        orders.send((1, "2024-05-01 10:00:00"))
        orders.send((2, "2024-05-01 10:00:10"))
        payments.send((1, "9.50", "2024-05-01 10:30:00"))
        assert checked.changes == [("+I", 1, Decimal("9.50"))]
        orders.send((3, "2024-05-01 11:10:00"))  # the watermark is the lower one of both tables
        assert len(checked.changes) == 1
        payments.send((3, "4.00", "2024-05-01 11:10:00"))
        assert checked.changes[1:] == [("+I", 3, Decimal("4.00")), ("+I", 2, None)]
