from __future__ import annotations

import pickle
from typing import Any

import pytest

from kafkastream.errors import DefinitionError, UnsupportedFeatureError
from kafkastream.spec.formats import SimpleStringSchema
from kafkastream.spec.sink import (
    DeliveryGuarantee,
    KafkaRecordSerializationSchema,
    KafkaRecordSerializationSchemaBuilder,
    KafkaSink,
    KafkaSinkBuilder,
    TopicSelector,
)

TEXT = SimpleStringSchema()


class Constant(TopicSelector[object]):
    def apply(self, data: object) -> str:
        return "constant"


def records() -> KafkaRecordSerializationSchema[str]:
    return KafkaRecordSerializationSchema.builder().set_topic("t").set_value_serialization_schema(TEXT).build()


def complete() -> KafkaSinkBuilder[str]:
    return KafkaSink.builder().set_bootstrap_servers("b:9092").set_record_serializer(records())


def test_builders_give_the_values_that_the_constructors_give() -> None:
    assert records() == KafkaRecordSerializationSchema(topic="t", value_schema=TEXT)
    assert complete().build() == KafkaSink(record_serializer=records(), properties={"bootstrap.servers": "b:9092"})


def test_sinks_are_values() -> None:
    sink = complete().build()
    assert {sink} == {complete().build()}
    assert pickle.loads(pickle.dumps(sink)) == sink


def test_guarantee_is_none_unless_set() -> None:
    assert complete().build().delivery_guarantee is DeliveryGuarantee.NONE
    assert {guarantee.value for guarantee in DeliveryGuarantee} == {"exactly-once", "at-least-once", "none"}


def test_everything_missing_is_said_at_once() -> None:
    with pytest.raises(DefinitionError) as raised:
        KafkaSink.builder().build()
    assert raised.value.what == (
        "Property bootstrap.servers is required but not provided; recordSerializer is required but not provided"
    )
    with pytest.raises(DefinitionError, match="No value serializer is configured; No topic selector is configured"):
        KafkaRecordSerializationSchema.builder().build()


def test_exactly_once_needs_a_prefix() -> None:
    builder = complete().set_delivery_guarantee(DeliveryGuarantee.EXACTLY_ONCE)
    with pytest.raises(DefinitionError, match="requires a transactionalIdPrefix to be set"):
        builder.build()
    assert builder.set_transactional_id_prefix("p").build().transactional_id_prefix == "p"


def test_prefix_has_a_longest_length_in_bytes() -> None:
    complete().set_transactional_id_prefix("x" * 64_000).build()
    with pytest.raises(DefinitionError, match="The configured prefix is too long"):
        complete().set_transactional_id_prefix("ä" * 32_001).build()


def test_later_properties_win() -> None:
    sink = complete().set_property("acks", "1").set_kafka_producer_config({"acks": "all", "linger.ms": "5"}).build()
    assert sink.properties == {"bootstrap.servers": "b:9092", "acks": "all", "linger.ms": "5"}


def test_values_of_properties_are_text_and_secrets_stay_hidden() -> None:
    with pytest.raises(DefinitionError, match=r"property linger\.ms is of type int"):
        complete().set_property("linger.ms", 5)  # type: ignore[arg-type]  # what this test is about
    assert "hidden" not in repr(complete().set_property("sasl.password", "hidden").build())


SETTERS: dict[str, tuple[Any, str]] = {
    "set_topic": ("t", "Topic selector"),
    "set_topic_selector": (Constant(), "Topic selector"),
    "set_key_serialization_schema": (TEXT, "Key serializer"),
    "set_value_serialization_schema": (TEXT, "Value serializer"),
}


@pytest.mark.parametrize("setter", SETTERS)
def test_each_part_of_a_record_is_set_once(setter: str) -> None:
    argument, what = SETTERS[setter]
    builder = getattr(KafkaRecordSerializationSchema.builder(), setter)(argument)
    with pytest.raises(DefinitionError, match=f"{what} already set"):
        getattr(builder, setter)(argument)


def test_topic_and_selector_exclude_each_other() -> None:
    with pytest.raises(DefinitionError, match="Topic selector already set"):
        KafkaRecordSerializationSchema.builder().set_topic("t").set_topic_selector(Constant())


@pytest.mark.parametrize("selector", [Constant(), lambda _: "constant"])
def test_selectors_are_classes_or_functions(selector: Any) -> None:
    builder = KafkaRecordSerializationSchema.builder().set_topic_selector(selector)
    assert builder.set_value_serialization_schema(TEXT).build().topic_of("x") == "constant"
    assert records().topic_of("x") == "t"


def test_other_selectors_are_type_errors() -> None:
    with pytest.raises(TypeError, match="a function or a TopicSelector, not 'topic'"):
        KafkaRecordSerializationSchema.builder().set_topic_selector("topic")  # type: ignore[arg-type]  # what this test is about


def test_partitioners_are_refused_with_what_works() -> None:
    builder: KafkaRecordSerializationSchemaBuilder[Any] = KafkaRecordSerializationSchema.builder()
    with pytest.raises(UnsupportedFeatureError, match="partitioner of one's own") as raised:
        builder.set_partitioner(object())
    assert raised.value.now.startswith("Set a key")
