"""Warnings at the start: guarantees that end with the program, and parallelism that is not applied."""

from __future__ import annotations

from typing import Any

import pytest

from kafkastream.common import Encoder, SimpleStringSchema, Types, WatermarkStrategy
from kafkastream.common.typeinfo import RowTypeInfo
from kafkastream.datastream import DataStream, StreamExecutionEnvironment
from kafkastream.datastream.connectors.file_system import FileSink
from kafkastream.datastream.connectors.jdbc import JdbcConnectionOptions, JdbcSink
from kafkastream.datastream.connectors.kafka import (
    DeliveryGuarantee,
    KafkaOffsetsInitializer,
    KafkaRecordSerializationSchema,
    KafkaSink,
    KafkaSource,
)
from kafkastream.spark.job.start_warnings import checkpoint_needs, start_warnings


def lines(*, bounded: bool = False) -> DataStream[str]:
    builder = KafkaSource.builder().set_bootstrap_servers("localhost:9092").set_topics("lines").set_group_id("g")
    if bounded:
        builder.set_bounded(KafkaOffsetsInitializer.latest())
    source = builder.set_value_only_deserializer(SimpleStringSchema()).build()
    env = StreamExecutionEnvironment.get_execution_environment()
    return env.from_source(source, WatermarkStrategy.no_watermarks(), "lines")


def kafka_sink(guarantee: DeliveryGuarantee) -> KafkaSink[Any]:
    schema = (
        KafkaRecordSerializationSchema.builder().set_topic("t").set_value_serialization_schema(SimpleStringSchema())
    )
    builder = KafkaSink.builder().set_bootstrap_servers("localhost:9092").set_record_serializer(schema.build())
    return builder.set_delivery_guarantee(guarantee).set_transactional_id_prefix("t").build()


def file_sink() -> FileSink:
    return FileSink.for_row_format("file:///data/lines", Encoder.simple_string_encoder()).build()


def warnings(stream: DataStream[Any], **settings: str) -> list[str]:
    env = stream.get_execution_environment()
    for key, value in settings.items():
        env.get_configuration().set_string(key.replace("_", "."), value)
    return list(start_warnings(list(env._graph().components()), env._settings("job"), 4))


def counted(stream: DataStream[str]) -> DataStream[Any]:
    return stream.key_by(str).reduce(lambda one, other: one + other)


PLAIN = DeliveryGuarantee.NONE
LOST = (
    "state and an EXACTLY_ONCE sink, but no checkpoint directory: when the program ends, its progress is lost, and the "
    "next start begins at the starting offsets, without state; set execution.checkpointing.dir"
)


def test_state_and_guarantees_need_a_checkpoint_directory() -> None:
    stream = lines()
    counted(stream).sink_to(kafka_sink(DeliveryGuarantee.EXACTLY_ONCE))
    assert warnings(stream) == [LOST]
    assert warnings(stream, execution_checkpointing_dir="file:///data") == []


def test_the_guarantee_is_asked_of_every_sink() -> None:
    options = JdbcConnectionOptions.JdbcConnectionOptionsBuilder().with_url("jdbc:postgresql://db/shop").build()
    row = RowTypeInfo([Types.STRING()], ["line"])
    jdbc = JdbcSink.sink("INSERT INTO lines VALUES (?)", row, options)
    for sink, guarantee in [
        (kafka_sink(DeliveryGuarantee.AT_LEAST_ONCE), ["an AT_LEAST_ONCE sink"]),
        (kafka_sink(PLAIN), []),
        (file_sink(), ["an EXACTLY_ONCE sink"]),
        (jdbc, ["an EXACTLY_ONCE sink"]),
    ]:
        stream = lines()
        stream.sink_to(sink)
        (part,) = stream.get_execution_environment()._graph().components()
        assert list(checkpoint_needs(part)) == guarantee


def test_trials_are_not_warned_of() -> None:
    shown, bounded, plain = lines(), lines(bounded=True), lines()
    counted(shown).print()
    counted(bounded).sink_to(kafka_sink(DeliveryGuarantee.EXACTLY_ONCE))
    plain.map(str.upper, Types.STRING()).sink_to(kafka_sink(PLAIN))
    assert warnings(shown) == warnings(bounded) == warnings(plain) == []


@pytest.mark.parametrize(("own", "warned"), [(2, True), (3, False)])
def test_the_parallelism_of_an_operator_on_keys_is_the_jobs(own: int, warned: bool) -> None:
    stream = lines()
    counted(stream).name("counts").set_parallelism(own).sink_to(kafka_sink(PLAIN))
    settings = {"execution_checkpointing_dir": "file:///data", "parallelism_default": "3"}
    text = "the parallelism of 'counts' (2) is not applied: operators on keyed streams have that of the job, which is 3"
    assert warnings(stream, **settings) == ([text] if warned else [])
