"""A device is reported a minute after its last record, once."""

from kafkastream.testing import JobTestDriver


def test_a_silent_device_is_reported_once() -> None:
    with JobTestDriver.of("examples/cookbook/alert_on_silence.py") as driver:
        for device, second in (("pump", 1), ("fan", 2), ("fan", 50), ("fan", 67)):
            driver.send("measurements", f"{device} 7", timestamp=second * 1000)
        assert driver.values("alerts") == [b"pump is silent at 61000"]
        assert [(timer.key, timer.timestamp) for timer in driver.operator("silence").timers()] == [
            ("fan", 62_000),
            ("fan", 110_000),
            ("fan", 127_000),
        ]
        driver.finish()
        assert driver.values("alerts")[1:] == [b"fan is silent at 127000"]
