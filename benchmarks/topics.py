"""The topics of the benchmark: filled with orders, and checked for what a job has written."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Mapping
from contextlib import closing
from types import MappingProxyType

from confluent_kafka import OFFSET_BEGINNING, Consumer, Message, Producer, TopicPartition

from benchmarks.contenders import Contender
from benchmarks.orders import changed, compact, is_dear, order, order_id, price, projected, time_ms
from benchmarks.serving import GUARANTEES, JSON_ROWS, PYTHON, SQL_FILTER, Task
from kafkastream.testing import KafkaBroker

__all__ = [
    "PARTITIONS",
    "WrongOutputError",
    "check_count",
    "check_output",
    "count",
    "create",
    "fill",
    "last_value",
    "new_consumer",
    "values",
    "write",
]

PARTITIONS = 4

_SAMPLE = 250
_REQUEST_S = 30.0
_ROOM_EVERY = 10_000
_QUIET_S = 2.0
_ID_AT = len('{"id": ')


class WrongOutputError(Exception):
    """A contender has not written what it should have."""


def create(
    kafka: KafkaBroker, topic: str, config: Mapping[str, str] = MappingProxyType({}), partitions: int = PARTITIONS
) -> None:
    """Make a topic that keeps its records, old as their timestamps are."""
    kafka.create_topic(topic, partitions, {"retention.ms": "-1", **config})


def fill(bootstrap_servers: str, topic: str, records: int, record: Callable[[int], str] = order) -> None:
    """Write the first ``records`` orders, dealt out to the partitions in turn.

    Args:
        bootstrap_servers: The broker.
        topic: Where to.
        records: How many.
        record: Makes the value of a number's record, if it is no order.

    Raises:
        WrongOutputError: Not all of them are there.
    """
    write(bootstrap_servers, topic, records, record)
    with closing(new_consumer(bootstrap_servers)) as consumer:
        check_count(consumer, topic, records)


def write(
    bootstrap_servers: str, topic: str, records: int, record: Callable[[int], str], partitions: int = PARTITIONS
) -> None:
    """Write records, dealt out to the partitions in turn.

    Args:
        bootstrap_servers: The broker.
        topic: Topic, which may hold others already.
        records: Number of records.
        record: Makes the value of a number's record.
        partitions: Number of the topic's partitions.
    """
    producer = Producer({"bootstrap.servers": bootstrap_servers, "linger.ms": 20, "queue.buffering.max.messages": 0})
    for number in range(records):
        producer.produce(topic, record(number), partition=number % partitions, timestamp=time_ms(number))
        if number % _ROOM_EVERY == 0:
            producer.flush(_REQUEST_S)
    producer.flush(_REQUEST_S)


def check_output(task: Task, contender: Contender) -> None:
    """Count all records by the topic's offsets, and look closely at some.

    Raises:
        WrongOutputError: Records are missing, too many, or not as they should be.
    """
    with closing(new_consumer(task.bootstrap_servers)) as consumer:
        if task.workload == GUARANTEES:  # ends of transactions have offsets, too
            _check_committed(consumer, task.topic_out, task.records)
            return
        check_count(consumer, task.topic_out, _expected_count(task.records, task.workload))
        for message in _sample(consumer, task.topic_out):
            _check_record(message, task.workload, keeps_time=contender.keeps_time)


def values(bootstrap_servers: str, topic: str) -> Iterator[bytes]:
    """The values of all records of a topic that nobody writes to with transactions.

    Raises:
        TimeoutError: The broker does not give them.
    """
    with closing(new_consumer(bootstrap_servers)) as consumer:
        ranges = [_offsets(consumer, topic, partition) for partition in range(PARTITIONS)]
        left = sum(end - start for start, end in ranges)
        consumer.assign([TopicPartition(topic, partition, OFFSET_BEGINNING) for partition in range(PARTITIONS)])
        while left:
            messages = consumer.consume(min(left, 100_000), _REQUEST_S)
            if not messages:
                raise TimeoutError(f"the broker has not given the last {left} records of topic {topic}")
            left -= len(messages)
            yield from (message.value() or b"" for message in messages)


def _expected_count(records: int, workload: str) -> int:
    kept = workload in (JSON_ROWS, SQL_FILTER)
    return sum(is_dear(price(number)) for number in range(records)) if kept else records


def _expected(number: int, workload: str) -> str:
    made = {PYTHON: changed, JSON_ROWS: compact, SQL_FILTER: projected}.get(workload, str)
    return made(order(number))


def new_consumer(bootstrap_servers: str) -> Consumer:
    """Return a consumer that looks at what is there."""
    return Consumer({"bootstrap.servers": bootstrap_servers, "group.id": "check", "enable.auto.commit": False})


def check_count(consumer: Consumer, topic: str, records: int) -> None:
    """Count the records of a topic by its offsets.

    Raises:
        WrongOutputError: There are more or fewer.
    """
    found = count(consumer, topic)
    if found != records:
        raise WrongOutputError(f"topic {topic} holds {found} records instead of {records}")


def count(consumer: Consumer, topic: str) -> int:
    """Return the number of a topic's records, by its offsets."""
    ranges = [_offsets(consumer, topic, partition) for partition in range(PARTITIONS)]
    return sum(end - start for start, end in ranges)


def last_value(consumer: Consumer, topic: str) -> bytes:
    """Return the value of the last record of a topic's first partition that has any.

    Raises:
        WrongOutputError: The topic is empty.
        TimeoutError: The broker does not give it.
    """
    for partition in range(PARTITIONS):
        start, end = _offsets(consumer, topic, partition)
        if end > start:
            (last,) = _in_a_row(consumer, TopicPartition(topic, partition, end - 1), 1)
            return last.value() or b""
    raise WrongOutputError(f"topic {topic} is empty")


def _check_committed(consumer: Consumer, topic: str, records: int) -> None:
    """Read all committed records: each order is to be there once."""
    consumer.assign([TopicPartition(topic, partition, OFFSET_BEGINNING) for partition in range(PARTITIONS)])
    seen = bytearray(records)
    while messages := consumer.consume(100_000, _QUIET_S):
        for message in messages:
            number = _number(message)
            if seen[number]:
                raise WrongOutputError(f"order {number} is in topic {topic} twice")
            seen[number] = 1
    if sum(seen) != records:
        raise WrongOutputError(f"topic {topic} holds {sum(seen)} committed records instead of {records}")


def _number(message: Message) -> int:
    """The order's, without a parser: there are millions."""
    value = message.value()
    return int(value[_ID_AT : value.index(b",")]) if isinstance(value, bytes) else -1


def _offsets(consumer: Consumer, topic: str, partition: int) -> tuple[int, int]:
    found = consumer.get_watermark_offsets(TopicPartition(topic, partition), timeout=_REQUEST_S)
    if found is None:
        raise TimeoutError(f"the broker did not tell the offsets of topic {topic}")
    return found


def _sample(consumer: Consumer, topic: str) -> Iterator[Message]:
    """Some records in a row, from anywhere in each partition."""
    for partition in range(PARTITIONS):
        start, end = _offsets(consumer, topic, partition)
        count = min(_SAMPLE, end - start)
        if count:
            yield from _in_a_row(consumer, TopicPartition(topic, partition, random.randint(start, end - count)), count)


def _in_a_row(consumer: Consumer, first: TopicPartition, count: int) -> list[Message]:
    """Return so many records of a partition from an offset on."""
    consumer.assign([first])
    messages = consumer.consume(count, _REQUEST_S)
    if len(messages) != count:
        raise TimeoutError(f"the broker gave {len(messages)} of {count} records of topic {first.topic}")
    return messages


def _check_record(message: Message, workload: str, *, keeps_time: bool) -> None:
    value = message.value()
    text = value.decode() if isinstance(value, bytes) else ""
    number = order_id(text)
    expected = _expected(number, workload)
    if text != expected:
        raise WrongOutputError(f"{text} stands in topic {message.topic()} instead of {expected}")
    if keeps_time and message.timestamp()[1] != time_ms(number):
        raise WrongOutputError(f"order {number} in topic {message.topic()} has lost its timestamp")
