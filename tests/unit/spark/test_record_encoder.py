"""What a sink makes of a batch before a record reaches the client."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import islice, repeat
from typing import Any

import pytest

from kafkastream.kafka.producer import BY_KEY, Records
from kafkastream.model.connectors.partitioners import FlinkFixedPartitioner, KafkaPartitioner, RoundRobinPartitioner
from kafkastream.model.connectors.record_builders import BuiltRecordSerializationSchema
from kafkastream.model.connectors.record_serialization import (
    HeaderProvider,
    KafkaRecordSerializationSchema,
    KafkaSinkContext,
    ProducerRecord,
)
from kafkastream.model.formats import ByteArraySchema, InitializationContext, SerializationSchema, SimpleStringSchema
from kafkastream.model.functions.runtime_context import RuntimeContext
from kafkastream.spark.worker.batches import Batch, ElementError
from kafkastream.spark.worker.record_encoder import RecordEncoder, _written_times

TEXT = SimpleStringSchema()
PARTITIONS = {"t": [0, 1, 2], "u": [0]}


class Tagged(HeaderProvider[str]):
    def get_headers(self, element: str) -> Any:
        return (("tag", element.encode()),)


class Latin(SerializationSchema[str]):
    charset = ""

    def open(self, context: InitializationContext) -> None:
        self.charset = "latin-1"

    def serialize(self, element: str) -> bytes:
        return element.encode(self.charset)


class Wrong(KafkaPartitioner[Any]):
    def __init__(self, answer: Any) -> None:
        self.answer = answer

    def partition(self, record: Any, key: Any, value: Any, target_topic: str, partitions: list[int]) -> Any:
        return 0 if record == "a" else self.answer


class LastOfBytes(KafkaPartitioner[Any]):
    def partition(self, record: Any, key: Any, value: Any, target_topic: str, partitions: list[int]) -> int:
        assert isinstance(value, bytes)
        assert isinstance(key, bytes)
        return partitions[-1]


class Own(KafkaRecordSerializationSchema[Any]):
    """What it is given is what it returns; without records, it says what it was opened with."""

    def open(self, context: InitializationContext, sink_context: KafkaSinkContext) -> None:
        self.opened = (context, sink_context.get_parallel_instance_id(), sink_context.get_partitions_for_topic("t"))

    def serialize(self, element: Any, context: KafkaSinkContext, timestamp: int | None) -> Any:
        return element(timestamp) if callable(element) else element


def batch(*values: Any, timestamps: list[int | None] | None = None) -> Batch:
    return Batch(values, timestamps or [5] * len(values), range(len(values)))


def opened(schema: KafkaRecordSerializationSchema[Any], subtask: int = 1) -> RecordEncoder:
    encoder = RecordEncoder(schema)
    encoder.open(RuntimeContext(task_name="sink", subtask=subtask, parallelism=2), PARTITIONS.__getitem__)
    return encoder


def built(**parts: Any) -> BuiltRecordSerializationSchema[Any]:
    return BuiltRecordSerializationSchema(**{"topic": "t", "value_schema": TEXT, **parts})


def columns(records: Records) -> list[list[Any]]:
    return [list(islice(repeat(()) if column is None else column, records.number)) for column in records]


def as_records(records: Records) -> Iterable[ProducerRecord]:
    def data(value: bytes | str | None) -> bytes | None:
        return value.encode() if isinstance(value, str) else value

    for topic, value, key, partition, timestamp, headers in zip(*columns(records), strict=True):
        yield ProducerRecord(
            topic,
            data(value),
            key=data(key),
            partition=None if partition == BY_KEY else partition,
            timestamp=timestamp or None,
            headers=headers,
        )


def test_none_and_negative_times_become_the_time_of_writing() -> None:
    assert _written_times([5, None, -1]) == [5, 0, 0]


def test_event_time_zero_is_refused_with_its_element() -> None:
    with pytest.raises(ElementError) as raised:
        _written_times([5, 0])
    assert raised.value.index == 1
    assert "event time 0" in str(raised.value.__cause__)


@pytest.mark.parametrize(
    "parts",
    [
        {},
        {"value_schema": Latin()},
        {"key_schema": TEXT, "header_provider": Tagged()},
        {"topic": None, "topic_selector": lambda element: "tu"[len(element) % 2]},
        {"partitioner": FlinkFixedPartitioner(), "key_schema": Latin()},
        {"partitioner": LastOfBytes(), "key_schema": TEXT, "topic": None, "topic_selector": lambda _: "t"},
        {"writes_timestamps": False},
    ],
    ids=lambda parts: " ".join(parts) or "value only",
)
def test_columns_say_what_the_schema_says_of_each_element(parts: dict[str, Any]) -> None:
    schema = built(**parts)
    given = batch("a", "bc", "é", timestamps=[5, None, -1])
    made = list(as_records(opened(schema).encode(given)))
    context = KafkaSinkContext(1, 2, PARTITIONS.__getitem__)
    one_by_one = zip(given.values, given.timestamps, strict=True)
    assert made == [schema.serialize(element, context, timestamp) for element, timestamp in one_by_one]


def test_halves_of_surrogate_pairs_are_question_marks() -> None:
    records = opened(built()).encode(batch("a", "\ud800", "é"))
    assert list(records.values) == [b"a", b"?", "é".encode()]


def test_plain_values_are_handed_on_as_they_are() -> None:
    elements = batch("a", "b")
    records = opened(built()).encode(elements)
    assert records.values is elements.values
    assert records.number == 2
    assert records.headers is None


def test_records_can_be_read_twice() -> None:
    for schema in (built(partitioner=RoundRobinPartitioner(), key_schema=TEXT), Own()):
        records = opened(schema).encode(batch(*("ab" if schema.topic else [ProducerRecord("t", b"a")] * 2)))
        assert columns(records) == columns(records)


@pytest.mark.parametrize("answer", [3, -1, "0", None, True, 1.0], ids=repr)
def test_partitioner_must_choose_a_partition_of_the_topic(answer: Any) -> None:
    with pytest.raises(ElementError) as raised:
        opened(built(partitioner=Wrong(answer))).encode(batch("a", "b"))
    assert raised.value.index == 1
    assert str(raised.value.__cause__) == (
        f"the partitioner Wrong chose {answer!r} for topic 't', whose partitions are 0, 1, 2"
    )


def test_own_schema_is_opened_and_asked_for_each_record() -> None:
    schema = Own()
    encoder = opened(schema)
    assert schema.opened == (InitializationContext(), 1, [0, 1, 2])
    first = ProducerRecord("t", b"a", key=b"k", partition=2, timestamp=7, headers=(("h", None),))
    records = encoder.encode(batch(first, None, ProducerRecord("u", None)))
    assert records.number == 2
    assert list(as_records(records)) == [first, ProducerRecord("u", None)]


def test_own_schema_sees_event_times() -> None:
    times: list[int | None] = [5, None, -3]
    given = batch(*[lambda time: ProducerRecord("t", repr(time).encode())] * 3, timestamps=times)
    assert opened(Own()).encode(given).values == [b"5", b"None", b"-3"]


def test_own_schema_may_skip_all() -> None:
    assert opened(Own()).encode(batch(None, None)).number == 0


@pytest.mark.parametrize(
    ("result", "said"),
    [
        (b"a", "serialize returned neither a ProducerRecord nor None, its result is of type bytes"),
        (ProducerRecord("t", "a"), "the record's value is of type str, not bytes or None"),  # type: ignore[arg-type]
        (ProducerRecord("t", b"a", key=1), "the record's key is of type int, not bytes or None"),  # type: ignore[arg-type]
        (ProducerRecord(7, b"a"), "the record's topic is of type int, not str"),  # type: ignore[arg-type]
        (ProducerRecord("t", b"a", partition=0.5), "the record's partition is of type float, not int or None"),  # type: ignore[arg-type]
        (ProducerRecord("t", b"a", timestamp=0), "event time 0 (1970-01-01) cannot be written"),
    ],
    ids=["no record", "value", "key", "topic", "partition", "time"],
)
def test_wrong_records_of_an_own_schema_are_told_with_their_element(result: Any, said: str) -> None:
    with pytest.raises(ElementError) as raised:
        opened(Own()).encode(batch(None, ProducerRecord("t", b"a"), result))
    assert raised.value.index == 2
    assert said in str(raised.value.__cause__)


def test_bytes_must_be_bytes() -> None:
    with pytest.raises(ElementError) as raised:
        opened(built(value_schema=ByteArraySchema())).encode(batch(b"a", "b"))
    assert raised.value.index == 1


@pytest.mark.parametrize(
    ("headers", "reason"),
    [
        ({"a": b"1"}, "the headers are of type dict, not pairs of str and bytes"),
        (None, "the headers are of type NoneType"),
        ([("a", 1)], "a header is a pair of str and bytes, or None, not ('a', 1)"),
        ([("a", "1")], "or None, not ('a', '1')"),
        ([("a",)], "or None, not ('a',)"),
    ],
)
def test_headers_that_are_none_are_told_with_their_element(headers: Any, reason: str) -> None:
    class Headers(HeaderProvider[str]):
        def get_headers(self, element: str) -> Any:
            return headers if element == "b" else (("null", None),)

    schema = built(topic="t", value_schema=TEXT, header_provider=Headers())
    with pytest.raises(ElementError) as raised:
        opened(schema).encode(Batch(["a", "b"], [None, None], [0, 1]))
    assert raised.value.index == 1
    assert reason in str(raised.value.__cause__)
