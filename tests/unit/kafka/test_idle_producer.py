"""A producer that no task uses for a while: what it tells of itself does not pile up."""

from __future__ import annotations

from kafkastream.kafka.producer import RecordProducer
from kafkastream.testing import wait_until


def test_idle_producer_is_heard() -> None:
    producer = RecordProducer({"bootstrap.servers": "127.0.0.1:1", "statistics.interval.ms": "50"}, "sink")
    told = producer.statistics._statistics
    for _ in range(2):
        wait_until(lambda told=told: producer.statistics._statistics is not told, 30, "statistics")  # type: ignore[misc]
        told = producer.statistics._statistics
    assert len(producer.client) < 100  # what waits to be heard
