"""Each event reaches the topic of its type."""

from kafkastream.testing import JobTestDriver


def test_events_reach_the_topic_of_their_type() -> None:
    with JobTestDriver.of("examples/cookbook/fan_out.py") as driver:
        for event in ('{"type": "click"}', '{"type": "refund"}', "{}"):
            driver.send("events", event)
        assert driver.values("clicks") == [b'{"type": "click"}']
        assert driver.values("other-events") == [b'{"type": "refund"}', b"{}"]
