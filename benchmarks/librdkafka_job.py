"""The floor: one process that consumes and produces, with no engine and no fault tolerance."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from confluent_kafka import Consumer, KafkaException, Message, Producer, TopicPartition

from benchmarks.orders import changed
from benchmarks.serving import PYTHON, SINK_PROPERTIES, Task, serve

_BATCH = 10_000
_CONSUME_S = 60.0
_FLUSH_S = 60.0
_ROOM_S = 0.1
_DEFAULT_PARTITION = -1


def run(task: Task) -> None:
    """Take the records of one topic to another, with their timestamps."""
    producer = _producer(task)
    of_value: Callable[[bytes], bytes | str] = changed_value if task.workload == PYTHON else bytes
    for messages in _batches(task):
        for message in messages:
            _produce(producer, task.topic_out, of_value(_value(message)), message.timestamp()[1])
        producer.poll(0)
    if producer.flush(_FLUSH_S):
        raise TimeoutError("records were not delivered")


def changed_value(value: bytes) -> str:
    """The user's function on what the client gives."""
    return changed(value.decode())


def _producer(task: Task) -> Producer:
    return Producer(
        {
            **SINK_PROPERTIES,
            "bootstrap.servers": task.bootstrap_servers,
            "queue.buffering.max.messages": 0,
            "queue.buffering.max.kbytes": 131_072,
            "delivery.report.only.error": True,
        }
    )


def _batches(task: Task) -> Iterator[list[Message]]:
    consumer = Consumer({"bootstrap.servers": task.bootstrap_servers, "group.id": "benchmark"})
    partitions = consumer.list_topics(task.topic_in).topics[task.topic_in].partitions
    consumer.assign([TopicPartition(task.topic_in, partition, 0) for partition in partitions])
    left = task.records
    while left:
        messages = consumer.consume(min(left, _BATCH), _CONSUME_S)
        if not messages:
            raise TimeoutError(f"{left} records are missing in topic {task.topic_in}")
        left -= len(messages)
        yield messages
    consumer.close()


def _value(message: Message) -> bytes:
    value = message.value()
    if not isinstance(value, bytes):
        raise KafkaException(message.error())
    return value


def _produce(producer: Producer, topic: str, value: bytes | str, timestamp: int) -> None:
    while True:
        try:
            return producer.produce(topic, value, None, _DEFAULT_PARTITION, None, None, timestamp)
        except BufferError:
            producer.poll(_ROOM_S)


if __name__ == "__main__":
    serve(run)
