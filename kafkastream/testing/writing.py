"""Produces records to a topic, each one acknowledged."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, final

from kafkastream.errors import DeliveryError
from kafkastream.testing.records import Record

if TYPE_CHECKING:
    from confluent_kafka import KafkaError, Message, Producer

__all__ = ["write_records"]

_BACK_OFF_S = 0.05


def write_records(
    client: Mapping[str, str], topic: str, records: Iterable[Record | str | bytes], timeout_s: float
) -> tuple[tuple[int, int], ...]:
    """Produce records in order, and return partition and offset of each.

    Args:
        client: librdkafka properties.
        topic: Topic to write to.
        records: Records.
        timeout_s: Delivery timeout of a record in s.

    Raises:
        DeliveryError: A record could not be delivered.
    """
    receipts: list[_Receipt] = []
    with _producer(client, timeout_s) as producer:
        for record in records:
            receipts.append(_Receipt())
            _send(producer, topic, record if isinstance(record, Record) else Record(record), receipts[-1])
        producer.flush()
    _check(topic, receipts)
    return tuple(receipt.place for receipt in receipts)


@final
class _Receipt:
    """Partition and offset of a delivered record, or the error."""

    __slots__ = ("failure", "place")

    def __init__(self) -> None:
        self.failure = "no answer"
        self.place = (-1, -1)

    def __call__(self, error: KafkaError | None, message: Message) -> None:
        self.failure = error.str() if error is not None else ""
        self.place = (message.partition() or 0, message.offset() or 0)


def _producer(client: Mapping[str, str], timeout_s: float) -> Producer:
    from confluent_kafka import Producer

    timeout_ms = int(timeout_s * 1000)
    return Producer(
        {
            **client,
            # Same partitions as Java's default partitioner:
            # https://github.com/confluentinc/librdkafka/blob/master/CONFIGURATION.md
            "partitioner": "murmur2_random",
            "max.in.flight": 1,  # keeps the order on retries; idempotence does too, but takes a second to start
            "linger.ms": 1,
            "message.timeout.ms": timeout_ms,
            "topic.metadata.propagation.max.ms": min(timeout_ms, 2000),
            "log_level": 0,
        }
    )


def _send(producer: Producer, topic: str, record: Record, receipt: _Receipt) -> None:
    while not _queued(producer, topic, record, receipt):
        producer.poll(_BACK_OFF_S)


def _queued(producer: Producer, topic: str, record: Record, receipt: _Receipt) -> bool:
    """Queue a record; return False if the producer's queue is full."""
    try:
        producer.produce(
            topic,
            value=record.value,
            key=record.key,
            headers=list(record.headers),
            partition=-1 if record.partition is None else record.partition,
            timestamp=record.timestamp_ms or 0,
            on_delivery=receipt,
        )
    except BufferError:
        return False
    return True


def _check(topic: str, receipts: list[_Receipt]) -> None:
    failures = [receipt.failure for receipt in receipts if receipt.failure]
    if failures:
        raise DeliveryError(
            f"{len(failures)} of {len(receipts)} records could not be written to topic {topic!r}",
            where=", ".join(dict.fromkeys(failures)),
            now="Check that the topic and its partitions exist and the broker runs.",
        )
