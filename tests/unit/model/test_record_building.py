from __future__ import annotations

import pickle
from typing import Any

import pytest

from kafkastream.errors import DefinitionError, UnsupportedFeatureError
from kafkastream.model.connectors.partitioners import FlinkFixedPartitioner, KafkaPartitioner, RoundRobinPartitioner
from kafkastream.model.connectors.record_builders import (
    BuiltRecordSerializationSchema,
    KafkaRecordSerializationSchemaBuilder,
)
from kafkastream.model.connectors.record_serialization import (
    HeaderProvider,
    KafkaRecordSerializationSchema,
    KafkaSinkContext,
    ProducerRecord,
    TopicSelector,
)
from kafkastream.model.formats import InitializationContext, SerializationSchema, SimpleStringSchema
from kafkastream.model.formats.kafka_serializers import KafkaSerializerSchema

TEXT = SimpleStringSchema()
STRING = "org.apache.kafka.common.serialization.StringSerializer"
CONTEXT = KafkaSinkContext(5, 8, lambda _: [0, 1, 2])


class Constant(TopicSelector[object]):
    def apply(self, data: object) -> str:
        return "constant"


class Opened(SerializationSchema[str], HeaderProvider[str], KafkaPartitioner[str]):
    """All parts in one; it remembers what it was opened with."""

    def __init__(self) -> None:
        self.calls: list[Any] = []

    def open(self, *given: Any) -> None:
        self.calls.append(given)

    def serialize(self, element: str) -> bytes:
        return element.encode()

    def get_headers(self, element: str) -> Any:
        return [("h", element.encode())]

    def partition(self, record: str, key: bytes | None, value: bytes | None, target_topic: str, partitions: Any) -> int:
        self.calls.append((record, key, value, target_topic, partitions))
        return int(partitions[-1])


def builder() -> KafkaRecordSerializationSchemaBuilder[Any]:
    return KafkaRecordSerializationSchema.builder()


def test_the_builder_gives_the_value_that_the_constructor_gives() -> None:
    built = builder().set_topic("t").set_partitioner(FlinkFixedPartitioner()).set_value_serialization_schema(TEXT)
    same = BuiltRecordSerializationSchema(topic="t", value_schema=TEXT, partitioner=FlinkFixedPartitioner())
    assert {built.build()} == {same}
    assert pickle.loads(pickle.dumps(same)) == same


def test_everything_missing_is_said_at_once() -> None:
    with pytest.raises(DefinitionError, match="No value serializer is configured; No topic selector is configured"):
        builder().build()


def set_of(setter: str, argument: Any) -> Any:
    begun = builder() if "topic" in setter else builder().set_topic("t")
    return getattr(begun, setter)(argument)


SETTERS: dict[str, tuple[Any, str]] = {
    "set_topic": ("t", "Topic selector"),
    "set_topic_selector": (Constant(), "Topic selector"),
    "set_key_serialization_schema": (TEXT, "Key serializer"),
    "set_kafka_key_serializer": (STRING, "Key serializer"),
    "set_value_serialization_schema": (TEXT, "Value serializer"),
    "set_kafka_value_serializer": (STRING, "Value serializer"),
}


@pytest.mark.parametrize("second", SETTERS)
@pytest.mark.parametrize("first", SETTERS)
def test_each_part_of_a_record_is_set_once(first: str, second: str) -> None:
    begun = set_of(first, SETTERS[first][0])
    if SETTERS[first][1] == SETTERS[second][1]:
        with pytest.raises(DefinitionError, match=f"{SETTERS[first][1]} already set"):
            getattr(begun, second)(SETTERS[second][0])
    elif "topic" not in second:
        getattr(begun, second)(SETTERS[second][0])


def test_partitioner_and_headers_may_be_set_again() -> None:
    begun = builder().set_topic("t").set_partitioner(FlinkFixedPartitioner()).set_header_provider(Opened())
    begun.set_partitioner(RoundRobinPartitioner()).set_header_provider(Opened())
    assert begun.set_value_serialization_schema(TEXT).build().partitioner == RoundRobinPartitioner()


@pytest.mark.parametrize("setter", ["set_kafka_key_serializer", "set_kafka_value_serializer"])
def test_kafkas_serializers_come_after_the_topic(setter: str) -> None:
    with pytest.raises(DefinitionError, match=f"{setter} comes after set_topic or set_topic_selector"):
        getattr(builder(), setter)(STRING)
    getattr(builder().set_topic_selector(Constant()), setter)(STRING)
    with pytest.raises(UnsupportedFeatureError, match=r"com\.example\.Mine"):
        getattr(builder().set_topic("t"), setter)("com.example.Mine")


def test_kafkas_serializers_stand_for_schemas() -> None:
    settings = {"serializer.encoding": "UTF-8"}
    built = builder().set_topic("t").set_kafka_key_serializer(STRING).set_kafka_value_serializer(STRING, settings)
    assert built.build().key_schema == KafkaSerializerSchema(STRING, {}, is_key=True)
    assert built.build().value_schema == KafkaSerializerSchema(STRING, settings)


@pytest.mark.parametrize("selector", [Constant(), lambda _: "constant"])
def test_selectors_are_classes_or_functions(selector: Any) -> None:
    selected = builder().set_topic_selector(selector).set_value_serialization_schema(TEXT).build()
    assert selected.topic is None
    assert selected.topic_of("x") == "constant"


def test_other_selectors_and_partitioners_are_type_errors() -> None:
    with pytest.raises(TypeError, match="a TopicSelector or a function of 1 argument, not 'topic'"):
        builder().set_topic_selector("topic")  # type: ignore[arg-type]  # what this test is about
    with pytest.raises(
        TypeError, match="a KafkaPartitioner, not 'fixed'\n  Write a class that extends KafkaPartitioner"
    ):
        builder().set_partitioner("fixed")  # type: ignore[arg-type]  # what this test is about


def test_all_parts_are_opened_and_make_one_record() -> None:
    key, value, headers, partitioner = Opened(), Opened(), Opened(), Opened()
    begun = builder().set_topic("t").set_key_serialization_schema(key).set_header_provider(headers)
    schema = begun.set_partitioner(partitioner).set_value_serialization_schema(value).build()
    schema.open(InitializationContext(), CONTEXT)
    assert key.calls == value.calls == headers.calls == [(InitializationContext(),)]
    record = schema.serialize("a", CONTEXT, 7)
    assert record == ProducerRecord("t", b"a", key=b"a", partition=2, timestamp=7, headers=(("h", b"a"),))
    assert partitioner.calls == [(5, 8), ("a", b"a", b"a", "t", [0, 1, 2])]


@pytest.mark.parametrize(("event_time", "written"), [(None, None), (-1, None), (0, 0), (5, 5)])
def test_event_time_is_written_unless_it_is_negative(event_time: int | None, written: int | None) -> None:
    schema = builder().set_topic("t").set_value_serialization_schema(TEXT).build()
    assert schema.serialize("a", CONTEXT, event_time).timestamp == written
    silent = BuiltRecordSerializationSchema(topic="t", value_schema=TEXT, writes_timestamps=False)
    assert silent.serialize("a", CONTEXT, event_time).timestamp is None


@pytest.mark.parametrize(
    "setter", ["set_key_serialization_schema", "set_value_serialization_schema", "set_header_provider"]
)
def test_a_function_is_no_part_though_it_is_in_java(setter: str) -> None:
    with pytest.raises(TypeError, match=r"not the function <lambda>\n  Write a class that extends \w+"):
        getattr(KafkaRecordSerializationSchema.builder(), setter)(lambda element: element)
