"""An order waits in state for its customer; the orders after it do not."""

from kafkastream.testing import JobTestDriver


def test_orders_wait_for_their_customer() -> None:
    with JobTestDriver.of("examples/cookbook/enrich_from_topic.py") as driver:
        driver.send("orders", "ann cup")
        assert driver.operator("enrich").get("waiting", "ann") == ["ann cup"]
        driver.send("customers", "ann Oslo")
        assert driver.operator("enrich").get("waiting", "ann") == []
        driver.send("orders", "ann pan")
        assert driver.values("enriched-orders") == [b"ann cup Oslo", b"ann pan Oslo"]
