from __future__ import annotations

import time
from typing import Any

import pytest

from kafkastream.common import SimpleStringSchema, WatermarkStrategy
from kafkastream.datastream import StreamExecutionEnvironment
from kafkastream.datastream.connectors.kafka import (
    DeliveryGuarantee,
    FlinkFixedPartitioner,
    FlinkKafkaConsumer,
    FlinkKafkaProducer,
    KafkaOffsetResetStrategy,
    KafkaOffsetsInitializer,
    KafkaSink,
    KafkaTopicPartition,
    Semantic,
)
from kafkastream.errors import DefinitionError, UnsupportedFeatureError
from kafkastream.model.connectors.record_builders import BuiltRecordSerializationSchema
from kafkastream.model.connectors.subscription import TopicList

SERVERS = {"bootstrap.servers": "k:9092"}
GROUP = {**SERVERS, "group.id": "g"}


def consumer(properties: dict[str, str] | None = None, topics: Any = "t") -> FlinkKafkaConsumer[str]:
    return FlinkKafkaConsumer(topics, SimpleStringSchema(), properties or GROUP)


@pytest.mark.parametrize("reset", ["earliest", "latest", "none"])
def test_it_begins_at_the_groups_offsets_and_resets_as_the_property_says(reset: str) -> None:
    strategy = getattr(KafkaOffsetResetStrategy, reset.upper())
    begun = consumer({**GROUP, "auto.offset.reset": reset})
    assert begun.to_source().starting_offsets == KafkaOffsetsInitializer.committed_offsets(strategy)
    partition = KafkaTopicPartition("t", 0)
    specific = begun.set_start_from_specific_offsets({partition: 5}).to_source().starting_offsets
    assert specific == KafkaOffsetsInitializer.offsets({partition: 5}, strategy)
    assert (
        begun.set_start_from_group_offsets().to_source() == consumer({**GROUP, "auto.offset.reset": reset}).to_source()
    )


def test_without_reset_it_begins_at_the_end() -> None:
    latest = KafkaOffsetsInitializer.committed_offsets(KafkaOffsetResetStrategy.LATEST)
    assert consumer().to_source().starting_offsets == latest


def test_other_starts_need_no_group() -> None:
    begun = consumer(SERVERS)
    assert begun.set_start_from_earliest().to_source().starting_offsets == KafkaOffsetsInitializer.earliest()
    assert begun.set_start_from_latest().to_source().starting_offsets == KafkaOffsetsInitializer.latest()
    assert begun.set_start_from_timestamp(7).to_source().starting_offsets == KafkaOffsetsInitializer.timestamp(7)
    with pytest.raises(DefinitionError, match=r"group\.id is required"):
        begun.set_start_from_group_offsets().to_source()


def test_times_to_come_are_refused() -> None:
    with pytest.raises(DefinitionError, match=r"Startup time\[\d+\] must be before current time\[\d+\]"):
        consumer().set_start_from_timestamp(round(time.time() * 1000) + 60_000)
    with pytest.raises(DefinitionError, match="negative"):
        consumer().set_start_from_timestamp(-1)


def test_offsets_are_committed_with_checkpoints_or_by_kafkas_client() -> None:
    properties = consumer().to_source().consumer_properties
    assert (properties["commit.offsets.on.checkpoint"], properties["enable.auto.commit"]) == ("true", "true")
    silent = consumer({**GROUP, "enable.auto.commit": "false"}).set_commit_offsets_on_checkpoints(False)
    properties = silent.to_source().consumer_properties
    assert (properties["commit.offsets.on.checkpoint"], properties["enable.auto.commit"]) == ("false", "false")


def test_partitions_are_discovered_only_when_asked_for() -> None:
    assert not consumer().to_source().discovers_partitions
    asked = {**GROUP, "flink.partition-discovery.interval-millis": "1000"}
    assert consumer(asked).to_source().discovers_partitions


def test_what_is_flinks_own_does_not_reach_kafka() -> None:
    own = {**GROUP, "flink.poll-timeout": "100", "flink.disable-metrics": "true"}
    properties = consumer(own).to_source().consumer_properties
    assert not [key for key in properties if key.startswith("flink.")]
    assert properties["register.consumer.metrics"] == "false"


@pytest.mark.parametrize("topics", ["t", ["t"], ("t",)])
def test_topics_are_one_or_several(topics: Any) -> None:
    assert consumer(topics=topics).to_source().subscription == TopicList(["t"])


def test_add_source_takes_it_with_its_watermarks() -> None:
    env = StreamExecutionEnvironment.get_execution_environment()
    strategy = WatermarkStrategy.for_monotonous_timestamps()
    env.add_source(consumer().assign_timestamps_and_watermarks(strategy), "legacy").print()
    assert "legacy" in env.get_execution_plan()
    with pytest.raises(TypeError, match="must be a FlinkKafkaConsumer, not 't'"):
        env.add_source("t")  # type: ignore[arg-type]  # what this test is about


def test_unknown_reset_is_refused() -> None:
    with pytest.raises(DefinitionError, match=r"auto\.offset\.reset = 'smallest' is not one of"):
        consumer({**GROUP, "auto.offset.reset": "smallest"}).to_source()


def producer(*more: Any, **named: Any) -> FlinkKafkaProducer[str]:
    return FlinkKafkaProducer("t", SimpleStringSchema(), SERVERS, *more, **named)


def written(**parts: Any) -> BuiltRecordSerializationSchema[str]:
    return BuiltRecordSerializationSchema(
        **{"topic": "t", "value_schema": SimpleStringSchema(), "writes_timestamps": False, **parts}
    )


def test_producer_is_a_sink_with_flinks_old_defaults() -> None:
    assert producer().to_sink() == KafkaSink(
        record_serializer=written(),
        delivery_guarantee=DeliveryGuarantee.AT_LEAST_ONCE,
        transactional_id_prefix="FlinkKafkaProducer-t",
        properties=SERVERS,
    )


@pytest.mark.parametrize("semantic", Semantic)
def test_semantics_are_guarantees(semantic: Semantic) -> None:
    for one in (producer(5, semantic), producer(semantic=semantic), producer(semantic)):
        assert one.to_sink().delivery_guarantee is DeliveryGuarantee[semantic.name]
    assert FlinkKafkaProducer.Semantic is Semantic


def test_setters_of_the_producer_reach_the_sink() -> None:
    stamped = producer(partitioner=FlinkFixedPartitioner()).set_write_timestamp_to_kafka(True)
    assert stamped.to_sink().record_serializer == written(writes_timestamps=True, partitioner=FlinkFixedPartitioner())
    assert producer().set_transactional_id_prefix("p").to_sink().transactional_id_prefix == "p"
    ignored = producer().ignore_failures_after_transaction_timeout().set_log_failures_only(False)
    assert ignored.set_flush_on_checkpoint(True).to_sink() == producer().to_sink()


def test_without_flush_nothing_is_promised_but_by_transactions() -> None:
    unflushed = [producer(semantic).set_flush_on_checkpoint(False).to_sink() for semantic in Semantic]
    assert [sink.delivery_guarantee.name for sink in unflushed] == ["EXACTLY_ONCE", "NONE", "NONE"]


def test_failures_are_never_only_logged() -> None:
    with pytest.raises(UnsupportedFeatureError, match="failures cannot be only logged"):
        producer().set_log_failures_only(True)


def test_producer_says_all_that_is_wrong() -> None:
    with pytest.raises(DefinitionError) as raised:
        FlinkKafkaProducer("t", SimpleStringSchema(), {}, 0)
    assert raised.value.what == (
        "bootstrap.servers must be supplied in the producer config properties; kafkaProducersPoolSize must be non empty"
    )


def test_flinks_own_settings_stay_with_the_producer() -> None:
    own = FlinkKafkaProducer("t", SimpleStringSchema(), {**SERVERS, "flink.disable-metrics": "true"})
    assert own.to_sink().properties == SERVERS


def test_add_sink_takes_it() -> None:
    env = StreamExecutionEnvironment.get_execution_environment()
    env.from_elements("a").add_sink(producer())
    assert "Sink: Unnamed" in env.get_execution_plan()
    with pytest.raises(
        TypeError, match="must be a FlinkKafkaProducer or a JdbcSink or a StreamingFileSink, not a KafkaSink"
    ):
        env.from_elements("a").add_sink(producer().to_sink())  # type: ignore[arg-type]  # what this test is about
