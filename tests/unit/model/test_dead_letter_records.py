"""Where dead letters go, and what is refused when a source or sink is built."""

from __future__ import annotations

from typing import Any

import pytest

from kafkastream.errors import DefinitionError
from kafkastream.model.connectors.dead_letter_topics import DeadLetter, SourceRecord, dead_letter_sink, fitting
from kafkastream.model.connectors.kafka_sink import DeliveryGuarantee, ExpiredMarker, KafkaSink, KafkaSinkBuilder
from kafkastream.model.connectors.kafka_source import KafkaSource
from kafkastream.model.connectors.kafka_source_builder import KafkaSourceBuilder
from kafkastream.model.connectors.record_serialization import KafkaRecordSerializationSchema
from kafkastream.model.connectors.subscription import TopicPartition
from kafkastream.model.formats import SimpleStringSchema

SECRETS = {"security.protocol": "SASL_SSL", "sasl.jaas.config": "secret", "ssl.truststore.location": "/ca.pem"}


def source() -> KafkaSourceBuilder[Any]:
    builder = KafkaSource.builder().set_bootstrap_servers("b:1").set_value_only_deserializer(SimpleStringSchema())
    return builder.set_group_id("readers").set_properties(SECRETS)


def sink() -> KafkaSinkBuilder[Any]:
    schema = KafkaRecordSerializationSchema.builder().set_topic("out")
    builder = KafkaSink.builder().set_bootstrap_servers("b:2")
    return builder.set_record_serializer(schema.set_value_serialization_schema(SimpleStringSchema()).build())


@pytest.mark.parametrize(
    "builder",
    [
        source().set_topics("a", "b").set_dead_letter_topic("b"),
        source().set_partitions([TopicPartition("b", 0)]).set_dead_letter_topic("b"),
        source().set_topics("a").set_dead_letter_topic(""),
        sink().set_dead_letter_topic("out"),
        sink().set_dead_letter_topic(""),
    ],
    ids=["a topic read", "a partition read", "none", "the topic written", "no topic"],
)
def test_dead_letters_need_a_topic_of_their_own(builder: Any) -> None:
    with pytest.raises(DefinitionError, match="must be a topic of its own"):
        builder.build()


def test_letters_of_a_source_go_to_its_own_brokers_at_least_once() -> None:
    unsure = sink().set_delivery_guarantee(DeliveryGuarantee.NONE).build()
    made = dead_letter_sink("dead", source().set_topics("in").build(), [unsure])
    assert made.delivery_guarantee is DeliveryGuarantee.AT_LEAST_ONCE
    assert dict(made.properties) == {"bootstrap.servers": "b:1", **SECRETS}
    assert "secret" not in repr(made)


def test_letters_of_a_source_are_as_sure_as_the_surest_sink() -> None:
    surest = sink().set_delivery_guarantee(DeliveryGuarantee.EXACTLY_ONCE).set_transactional_id_prefix("mine")
    surest.set_property("on.expired.marker", "replay")
    made = dead_letter_sink("dead", source().set_topics("in").build(), [sink().build(), surest.build()])
    assert made.delivery_guarantee is DeliveryGuarantee.EXACTLY_ONCE
    assert made.transactional_id_prefix == "mine"
    assert made.on_expired_marker is ExpiredMarker.REPLAY


@pytest.mark.parametrize("timestamp", [None, -1, 0])
def test_a_record_without_a_time_has_that_of_writing(timestamp: int | None) -> None:
    record = SourceRecord(None, topic="in", partition=0, offset=0, timestamp=timestamp)
    assert DeadLetter(record, "in", "why").to_record("dead").timestamp is None


def test_a_letter_too_large_is_written_without_its_value() -> None:
    letter = DeadLetter(SourceRecord(b"v" * 2000, key=b"k", topic="in", partition=0, offset=0), "in", "why")
    whole, cut = fitting(letter.to_record("dead"), lambda _: 3000), fitting(letter.to_record("dead"), lambda _: 1000)
    assert (whole.value, whole.key) == (b"v" * 2000, b"k")
    assert (cut.value, cut.key) == (None, b"k")
    assert cut.headers == (*whole.headers, ("kafkastream.error.left.out", b"the value, 2,000 bytes"))
