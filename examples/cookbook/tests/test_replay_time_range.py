"""The records of the time range are written again, with their times."""

from kafkastream.testing import JobTestDriver


def test_records_of_the_range_are_replayed() -> None:
    with JobTestDriver.of("examples/cookbook/replay_time_range.py", "--from", "2000", "--until", "4000") as driver:
        for second in range(1, 6):
            driver.send("orders", f"order {second}", timestamp=second * 1000)
        assert [(record.value, record.timestamp_ms) for record in driver.topic("replayed-orders")] == [
            (b"order 2", 2_000),
            (b"order 3", 3_000),
        ]
