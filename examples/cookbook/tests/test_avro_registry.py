"""Large orders pass; the test sends rows, so it needs no registry."""

from kafkastream.testing import JobTestDriver


def test_large_orders_pass() -> None:
    with JobTestDriver.of("examples/cookbook/avro_registry.py") as driver:
        driver.table("orders").send((1, "cup", 99.5))
        driver.table("orders").send((2, "pan", 100.0))
        assert driver.table("large_orders").changes == [("+I", 2, "pan")]
