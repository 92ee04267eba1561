"""Jobs of tests in this process, by the test driver: their sources, sinks, records and results."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Final, TypeVar

from kafkastream import (
    DeliveryGuarantee,
    KafkaRecordSerializationSchema,
    KafkaSink,
    KafkaSource,
    SimpleStringSchema,
    StreamExecutionEnvironment,
    WatermarkStrategy,
)
from kafkastream.common import DeserializationSchema, SerializationSchema
from kafkastream.datastream import AggregateFunction, DataStream
from kafkastream.datastream.connectors.kafka import KafkaRecordDeserializationSchema
from kafkastream.model.graph.job_graph import CollectSink
from kafkastream.testing import JobTestDriver, Record

__all__ = ["NO_WATERMARKS", "Mean", "elements", "lines", "send", "send_record", "sink", "sink_of", "source"]

T = TypeVar("T")

SERVERS: Final = "broker:9092"
NO_WATERMARKS: Final[WatermarkStrategy[Any]] = WatermarkStrategy.no_watermarks()


class Mean(AggregateFunction[int, tuple[int, int], float]):
    """The mean of whole numbers."""

    def create_accumulator(self) -> tuple[int, int]:
        return 0, 0

    def add(self, value: int, accumulator: tuple[int, int]) -> tuple[int, int]:
        return accumulator[0] + value, accumulator[1] + 1

    def get_result(self, accumulator: tuple[int, int]) -> float:
        return accumulator[0] / accumulator[1]

    def merge(self, acc_a: tuple[int, int], acc_b: tuple[int, int]) -> tuple[int, int]:
        return acc_a[0] + acc_b[0], acc_a[1] + acc_b[1]


def source(
    topic: str,
    schema: DeserializationSchema[Any] | KafkaRecordDeserializationSchema[Any] | None = None,
    *,
    dead_letters: str | None = None,
) -> KafkaSource[Any]:
    """Return a source of the values of a topic, as text without a schema, or of its records."""
    builder = KafkaSource.builder().set_bootstrap_servers(SERVERS).set_topics(topic)
    if dead_letters is not None:
        builder.set_dead_letter_topic(dead_letters)
    if isinstance(schema, KafkaRecordDeserializationSchema):
        return builder.set_deserializer(schema).build()
    return builder.set_value_only_deserializer(schema or SimpleStringSchema()).build()


def sink(
    topic: str,
    schema: SerializationSchema[Any] | None = None,
    *,
    guarantee: DeliveryGuarantee = DeliveryGuarantee.AT_LEAST_ONCE,
) -> KafkaSink[Any]:
    """Return a sink of values, as text without a schema."""
    serializer = KafkaRecordSerializationSchema.builder().set_topic(topic)
    return sink_of(
        serializer.set_value_serialization_schema(schema or SimpleStringSchema()).build(), guarantee=guarantee
    )


def sink_of(
    serializer: KafkaRecordSerializationSchema[Any],
    *,
    guarantee: DeliveryGuarantee = DeliveryGuarantee.AT_LEAST_ONCE,
    dead_letters: str | None = None,
) -> KafkaSink[Any]:
    """Return a sink of records."""
    builder = KafkaSink.builder().set_bootstrap_servers(SERVERS).set_record_serializer(serializer)
    if dead_letters is not None:
        builder.set_dead_letter_topic(dead_letters)
    return builder.set_delivery_guarantee(guarantee).set_transactional_id_prefix("tx").build()


def lines(env: StreamExecutionEnvironment, **options: Any) -> DataStream[str]:
    """Return the text in the topic ``lines``, without watermarks."""
    return env.from_source(source("lines", **options), NO_WATERMARKS, "lines")


def send(driver: JobTestDriver, topic: str, records: Iterable[Record]) -> None:
    """Send records as one micro-batch."""
    with driver.micro_batch():
        for record in records:
            send_record(driver, topic, record)


def send_record(driver: JobTestDriver, topic: str, record: Record) -> None:
    """Send a record."""
    driver.send(
        topic,
        record.value,
        key=record.key,
        headers=record.headers,
        timestamp=record.timestamp_ms,
        partition=record.partition or 0,
    )


def elements(stream: DataStream[T]) -> list[T]:
    """Return the elements of a bounded stream, as ``execute_and_collect`` does on Spark."""
    stream._end("elements", CollectSink())
    with JobTestDriver.of(stream.get_execution_environment()) as driver:
        return driver.sink("elements")
