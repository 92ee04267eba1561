"""The window of a minute closes when the watermark passes its end; what comes later is kept."""

from kafkastream.testing import JobTestDriver


def test_an_order_after_the_watermark_is_kept() -> None:
    with JobTestDriver.of("examples/cookbook/late_records.py") as driver:
        for second in (10, 20, 65):  # the watermark is 5 s behind
            driver.send("orders", '{"customer": "ann"}', timestamp=second * 1000)
        assert driver.values("counts") == [b'{"customer": "ann", "until": 60000, "orders": 2}']
        driver.send("orders", '{"customer": "ann", "is": "late"}', timestamp=30_000)
        assert driver.values("late-orders") == [b'{"customer": "ann", "is": "late"}']
