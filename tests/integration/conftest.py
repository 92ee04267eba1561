"""Short words for the usual parts of a job."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterator, Mapping
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol, final

import attrs
import pytest

from kafkastream.common import SerializationSchema, SimpleStringSchema, WatermarkStrategy
from kafkastream.datastream import DataStream, StreamExecutionEnvironment
from kafkastream.datastream.connectors.kafka import (
    DeliveryGuarantee,
    KafkaOffsetsInitializer,
    KafkaRecordDeserializationSchema,
    KafkaRecordSerializationSchema,
    KafkaSink,
    KafkaSource,
    KafkaSourceBuilder,
)
from kafkastream.table import EnvironmentSettings, TableEnvironment

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

    from kafkastream.testing import KafkaBroker
    from kafkastream.testing.pytest_plugin import NewTopic


@final
@attrs.frozen
class Parts:
    """Sources and sinks on one broker, with all that does not matter to a test filled in."""

    kafka: KafkaBroker

    def unbound(self, *topics: str) -> KafkaSourceBuilder[Any]:
        """A source's builder that still lacks a deserializer."""
        builder = KafkaSource.builder().set_bootstrap_servers(self.kafka.bootstrap_servers).set_group_id("readers")
        return builder.set_topics(*topics) if topics else builder

    def text(self, builder: KafkaSourceBuilder[Any]) -> KafkaSource[str]:
        """A source of text."""
        return builder.set_value_only_deserializer(SimpleStringSchema()).build()

    def endless(self, *topics: str) -> KafkaSource[str]:
        """A source of text without an end."""
        return self.text(self.unbound(*topics))

    def bounded(self, *topics: str) -> KafkaSource[str]:
        """A source of the text that is there now."""
        return self.text(self.unbound(*topics).set_bounded(KafkaOffsetsInitializer.latest()))

    def bounded_as(self, schema: KafkaRecordDeserializationSchema[Any], *topics: str) -> KafkaSource[Any]:
        """A source of what is there now, as ``schema`` reads it."""
        return self.unbound(*topics).set_bounded(KafkaOffsetsInitializer.latest()).set_deserializer(schema).build()

    def sink(
        self,
        topic: str,
        schema: SerializationSchema[Any] | None = None,
        properties: Mapping[str, str] | None = None,
    ) -> KafkaSink[Any]:
        """A sink of values, text unless there is a schema."""
        return self.sink_of(self.serializer(topic, schema), properties)

    def serializer(
        self, topic: str, schema: SerializationSchema[Any] | None = None
    ) -> KafkaRecordSerializationSchema[Any]:
        """Records of nothing but a value, text unless there is a schema."""
        builder = KafkaRecordSerializationSchema.builder().set_topic(topic)
        return builder.set_value_serialization_schema(schema or SimpleStringSchema()).build()

    def sink_of(
        self,
        serializer: KafkaRecordSerializationSchema[Any],
        properties: Mapping[str, str] | None = None,
        guarantee: DeliveryGuarantee = DeliveryGuarantee.AT_LEAST_ONCE,
        dead_letters: str | None = None,
    ) -> KafkaSink[Any]:
        """A sink of records, with a topic of dead letters if there is one."""
        builder = KafkaSink.builder().set_bootstrap_servers(self.kafka.bootstrap_servers)
        builder.set_kafka_producer_config(properties or {}).set_delivery_guarantee(guarantee)
        builder.set_transactional_id_prefix("tests").set_record_serializer(serializer)
        return (builder if dead_letters is None else builder.set_dead_letter_topic(dead_letters)).build()

    def values(self, topic: str, count: int = 0) -> list[str | None]:
        """The values in a topic as text, sorted, once there are ``count``."""
        records = self.kafka.consume(topic, count=count)
        return sorted((None if record.value is None else record.value.decode() for record in records), key=str)


@pytest.fixture
def parts(kafka: KafkaBroker) -> Parts:
    """Sources and sinks on the tests' broker."""
    return Parts(kafka)


@pytest.fixture
def env(spark: SparkSession) -> StreamExecutionEnvironment:
    """A fresh environment on the tests' session; KAFKASTREAM_TEST_LATENCY runs its jobs in latency mode where they can."""
    env = StreamExecutionEnvironment.get_execution_environment()
    return env.set_buffer_timeout(0) if "KAFKASTREAM_TEST_LATENCY" in os.environ else env


@pytest.fixture
def two_subtasks(env: StreamExecutionEnvironment) -> None:
    """Jobs of the environment have two subtasks."""
    env.set_parallelism(2)


@pytest.fixture
def two(new_topic: NewTopic) -> str:
    """A topic with two partitions."""
    return new_topic(partitions=2)


class Read(Protocol):
    """Begins a stream of the test's environment."""

    def __call__(self, source: KafkaSource[Any], name: str = "records") -> DataStream[Any]:
        """The stream of ``source``, without watermarks."""
        ...


@pytest.fixture
def read(env: StreamExecutionEnvironment) -> Read:
    """A stream of a source without watermarks: ``read(source)``."""

    def stream(source: KafkaSource[Any], name: str = "records") -> DataStream[Any]:
        return env.from_source(source, WatermarkStrategy.no_watermarks(), name)

    return stream


@pytest.fixture
def t_env(spark: SparkSession) -> TableEnvironment:
    """The door to SQL."""
    t_env = TableEnvironment.create(EnvironmentSettings.in_streaming_mode())
    t_env.get_config().set("parallelism.default", "2").set("table.local-time-zone", "UTC")
    return t_env


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """A file system of 4 MiB, where this user may mount one."""
    disk = tmp_path / "disk"
    disk.mkdir()
    mounted = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", "size=4m", "tmpfs", str(disk)], capture_output=True, check=False
    )
    if mounted.returncode:
        pytest.skip(f"mount: {mounted.stderr.decode().strip()}")
    yield disk
    subprocess.run(["umount", "--lazy", str(disk)], check=True)


def fill(disk: Path) -> Path:
    """Leave no space; returns what has taken it."""
    with (disk / "filler").open("wb", buffering=0) as filler, suppress(OSError):
        while True:
            filler.write(bytes(4096))
    return disk / "filler"
