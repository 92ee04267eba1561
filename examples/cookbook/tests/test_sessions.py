"""A visit ends when the watermark is half an hour behind its last click."""

from datetime import datetime

from kafkastream.testing import JobTestDriver


def test_a_pause_of_half_an_hour_ends_a_visit() -> None:
    with JobTestDriver.of("examples/cookbook/sessions.py") as driver:
        for time in ("10:00:00", "10:29:59", "10:59:58"):
            driver.table("clicks").send({"user": "ann", "page": "/", "ts": f"2024-05-01 {time}"})
        driver.table("clicks").send({"user": "bob", "page": "/", "ts": "2024-05-01 11:30:04"})
        begin, end = datetime(2024, 5, 1, 10), datetime(2024, 5, 1, 10, 59, 58)
        assert driver.table("visits").changes == [("+I", "ann", begin, end, 3)]
