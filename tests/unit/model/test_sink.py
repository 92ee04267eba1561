from __future__ import annotations

import pickle

import pytest

from kafkastream.errors import DefinitionError
from kafkastream.model.connectors.kafka_sink import (
    DeliveryGuarantee,
    KafkaSink,
    KafkaSinkBuilder,
    TransactionNamingStrategy,
)
from kafkastream.model.connectors.partitioners import FlinkFixedPartitioner
from kafkastream.model.connectors.record_serialization import (
    KafkaRecordSerializationSchema,
    KafkaSinkContext,
    ProducerRecord,
)
from kafkastream.model.formats import SimpleStringSchema

TEXT = SimpleStringSchema()


class Own(KafkaRecordSerializationSchema[str]):
    def serialize(self, element: str, context: KafkaSinkContext, timestamp: int | None) -> ProducerRecord | None:
        return ProducerRecord("t", element.encode())


def records() -> KafkaRecordSerializationSchema[str]:
    return KafkaRecordSerializationSchema.builder().set_topic("t").set_value_serialization_schema(TEXT).build()


def complete() -> KafkaSinkBuilder[str]:
    return KafkaSink.builder().set_bootstrap_servers("b:9092").set_record_serializer(records())


def test_builders_give_the_values_that_the_constructors_give() -> None:
    assert complete().build() == KafkaSink(record_serializer=records(), properties={"bootstrap.servers": "b:9092"})


def test_sinks_are_values() -> None:
    def partitioned() -> KafkaSink[str]:
        builder = KafkaRecordSerializationSchema.builder().set_topic("t").set_partitioner(FlinkFixedPartitioner())
        return complete().set_record_serializer(builder.set_value_serialization_schema(TEXT).build()).build()

    sink = partitioned()
    assert {sink} == {partitioned()}
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
    with pytest.raises(DefinitionError, match=r"value of KafkaSinkBuilder\.set_property must be a str, not an int"):
        complete().set_property("linger.ms", 5)  # type: ignore[arg-type]  # what this test is about
    assert "hidden" not in repr(complete().set_property("sasl.password", "hidden").build())


def test_a_builder_in_place_of_what_it_builds_is_told() -> None:
    builder = KafkaRecordSerializationSchema.builder().set_topic("t").set_value_serialization_schema(TEXT)
    with pytest.raises(DefinitionError, match="must be a KafkaRecordSerializationSchema") as raised:
        complete().set_record_serializer(builder).build()  # type: ignore[arg-type]  # what this test is about
    assert "build()" in raised.value.now


def test_pooled_transactions_need_exposed_topics_as_in_flink() -> None:
    builder = complete().set_transactional_id_prefix("p").set_delivery_guarantee(DeliveryGuarantee.EXACTLY_ONCE)
    pooling = builder.set_transaction_naming_strategy(TransactionNamingStrategy.POOLING)
    assert pooling.build().transaction_naming_strategy is TransactionNamingStrategy.POOLING
    own = Own()
    pooling.set_record_serializer(own)
    with pytest.raises(DefinitionError, match="POOLING naming strategy, the recordSerializer needs to expose"):
        pooling.build()
    own.topic = "t"
    assert pooling.build().record_serializer is own


def test_names_of_transactions_do_not_matter_without_transactions() -> None:
    pooling = complete().set_transaction_naming_strategy(TransactionNamingStrategy.POOLING)
    pooling.set_record_serializer(Own()).build()
    assert complete().build().transaction_naming_strategy is TransactionNamingStrategy.INCREMENTING


def test_serializers_among_the_properties_are_no_error() -> None:
    given = {"key.serializer": "A", "value.serializer": "B"}
    assert dict(complete().set_kafka_producer_config(given).build().properties).items() >= given.items()


@pytest.mark.parametrize("given", ["exactly-once", "EXACTLY_ONCE", None, True])
def test_guarantee_is_one_of_its_members(given: object) -> None:
    """A text would be taken for no guarantee at all."""
    with pytest.raises(DefinitionError, match=r"must be a DeliveryGuarantee(?s:.)*DeliveryGuarantee\.EXACTLY_ONCE"):
        complete().set_delivery_guarantee(given)  # type: ignore[arg-type]
    with pytest.raises(DefinitionError, match="is not a DeliveryGuarantee"):
        KafkaSink(delivery_guarantee=given)  # type: ignore[arg-type]
