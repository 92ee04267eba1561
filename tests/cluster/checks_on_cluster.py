"""What a job on a cluster is refused for; ``test_cluster.py`` runs these in a driver of such a cluster."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import pytest
from pyspark.sql import SparkSession

from kafkastream.common import Encoder, SimpleStringSchema, Types, WatermarkStrategy
from kafkastream.datastream import DataStream, StreamExecutionEnvironment
from kafkastream.datastream.connectors.file_system import FileSink
from kafkastream.datastream.connectors.kafka import (
    DeliveryGuarantee,
    KafkaOffsetsInitializer,
    KafkaRecordSerializationSchema,
    KafkaSink,
    KafkaSource,
)
from kafkastream.errors import DefinitionError, SetupError, WorkerDependencyError
from kafkastream.spark.session.master import is_cluster
from kafkastream.testing import KafkaBroker


@pytest.fixture
def lines(spark: SparkSession, kafka: KafkaBroker, topic: str) -> DataStream[str]:
    """The lines of a topic that is empty."""
    assert is_cluster(str(spark.sparkContext.master))
    source = (
        KafkaSource.builder().set_bootstrap_servers(kafka.bootstrap_servers).set_topics(topic).set_group_id("lines")
    )
    source.set_bounded(KafkaOffsetsInitializer.latest()).set_value_only_deserializer(SimpleStringSchema())
    env = StreamExecutionEnvironment.get_execution_environment()
    return env.from_source(source.build(), WatermarkStrategy.no_watermarks(), "lines")


def written(lines: DataStream[str], kafka: KafkaBroker, topic: str) -> None:
    records = KafkaRecordSerializationSchema.builder().set_topic(topic)
    sink = KafkaSink.builder().set_bootstrap_servers(kafka.bootstrap_servers)
    sink.set_record_serializer(records.set_value_serialization_schema(SimpleStringSchema()).build())
    lines.sink_to(sink.set_delivery_guarantee(DeliveryGuarantee.AT_LEAST_ONCE).build())


def counted(lines: DataStream[str]) -> DataStream[Any]:
    return lines.map(lambda line: (line, 1)).key_by(lambda pair: pair[0]).reduce(lambda a, b: (a[0], a[1] + b[1]))


def test_neither_state_nor_guarantee_needs_a_checkpoint_directory(lines: DataStream[str]) -> None:
    with lines.map(str.upper, Types.STRING()).execute_and_collect() as upper:
        assert list(upper) == []


def test_state_without_a_checkpoint_directory_is_refused(lines: DataStream[str]) -> None:
    counted(lines).print()
    with pytest.raises(DefinitionError, match="a job with state has no checkpoint directory; on a cluster"):
        lines.get_execution_environment().execute("counts")


def test_a_guarantee_without_a_checkpoint_directory_is_refused(
    lines: DataStream[str], kafka: KafkaBroker, topic: str
) -> None:
    written(lines, kafka, topic)
    with pytest.raises(DefinitionError, match="a job with an AT_LEAST_ONCE sink has no checkpoint directory"):
        lines.get_execution_environment().execute("copies")


def test_files_without_a_checkpoint_directory_are_refused(lines: DataStream[str], tmp_path: Path) -> None:
    lines.sink_to(FileSink.for_row_format(tmp_path.as_uri(), Encoder.simple_string_encoder()).build())
    with pytest.raises(DefinitionError, match="a job with an EXACTLY_ONCE sink has no checkpoint directory"):
        lines.get_execution_environment().execute("files")


def test_a_directory_that_executors_do_not_share_is_refused(lines: DataStream[str], tmp_path: Path) -> None:
    # Another directory for each process, under one path: as a local path on other machines.
    elsewhere = Path("/proc/self/cwd") / tmp_path.name
    counted(lines).print()
    env = lines.get_execution_environment()
    env.get_checkpoint_config().set_checkpoint_storage_dir(elsewhere.as_uri())
    with pytest.raises(SetupError, match="does not reach the checkpoint directory: No such file or directory"):
        env.execute("counts")
    assert list(Path(tmp_path.name).iterdir()) == []


def test_executors_that_lack_the_package_are_told_of(
    lines: DataStream[str], spark: SparkSession, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(spark.sparkContext, "pythonExec", getattr(sys, "_base_executable"))  # noqa: B009 - no type of it
    lines.print()
    with pytest.raises(WorkerDependencyError, match=r"workers lack the module 'kafkastream'(?s:.)*kafkastream pack"):
        lines.get_execution_environment().execute("lines")
