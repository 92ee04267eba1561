"""Streams into part files."""

from __future__ import annotations

import os
import runpy
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from pyspark.sql import SparkSession

from kafkastream.common import Encoder, Row, SimpleStringSchema, Types, WatermarkStrategy
from kafkastream.common.configuration import Configuration
from kafkastream.datastream import StreamExecutionEnvironment
from kafkastream.datastream.connectors.file_system import (
    BucketAssigner,
    FileSink,
    FileSource,
    OutputFileConfig,
    RollingPolicy,
    StreamingFileSink,
)
from kafkastream.datastream.connectors.kafka import KafkaOffsetsInitializer, KafkaSource
from kafkastream.datastream.formats.parquet import ParquetBulkWriters, ParquetColumnarRowInputFormat
from kafkastream.errors import JobError, StorageError
from kafkastream.table.types import DataTypes
from kafkastream.testing import KafkaBroker, Record, wait_until
from kafkastream.testing.pytest_plugin import NewTopic

KILLED = """
import os, pathlib, signal, sys

from kafkastream.common import Encoder, SimpleStringSchema, Types, WatermarkStrategy
from kafkastream.common.configuration import Configuration
from kafkastream.datastream import StreamExecutionEnvironment
from kafkastream.datastream.connectors.file_system import BucketAssigner, FileSink, RollingPolicy
from kafkastream.datastream.connectors.kafka import KafkaOffsetsInitializer, KafkaSource

servers, topic, folder, mode = sys.argv[1:]
renamed = pathlib.Path.replace


def replace(self, target):
    renamed(self, target)
    if self.name.startswith(".part-"):
        os.kill(os.getpid(), signal.SIGKILL)


if mode == "killed":
    pathlib.Path.replace = replace
builder = KafkaSource.builder().set_bootstrap_servers(servers).set_topics(topic)
source = builder.set_bounded(KafkaOffsetsInitializer.latest()).set_value_only_deserializer(SimpleStringSchema()).build()
configuration = Configuration().set_string("execution.checkpointing.dir", f"{folder}/checkpoint")
env = StreamExecutionEnvironment.get_execution_environment(configuration)
words = env.from_source(source, WatermarkStrategy.no_watermarks(), "words")
marked = words.flat_map(lambda word: [f"{mode} {word}"] * (3 if mode == "killed" else 1), Types.STRING())
builder = FileSink.for_row_format(f"{folder}/out", Encoder.simple_string_encoder())
builder.with_bucket_assigner(BucketAssigner.date_time_bucket_assigner(f"yyyy-MM'-{mode}'"))
builder.with_rolling_policy(RollingPolicy.default_rolling_policy(part_size=1))
marked.sink_to(builder.build()).uid("files")
env.execute("copy")
"""


def files(folder: Path) -> list[Path]:
    return sorted(path for path in folder.rglob("*") if path.is_file())


def lines(folder: Path) -> list[str]:
    return sorted(line for path in files(folder) if path.name[0] != "." for line in path.read_text().splitlines())


def source(kafka: KafkaBroker, topic: str) -> KafkaSource[str]:
    builder = KafkaSource.builder().set_bootstrap_servers(kafka.bootstrap_servers).set_topics(topic)
    bounded = builder.set_bounded(KafkaOffsetsInitializer.latest())
    return bounded.set_value_only_deserializer(SimpleStringSchema()).build()


def sink(folder: Path) -> FileSink:
    builder = FileSink.for_row_format(str(folder), Encoder.simple_string_encoder())
    return builder.with_bucket_assigner(BucketAssigner.base_path_bucket_assigner()).build()


@pytest.mark.usefixtures("spark")
def test_elements_are_written_as_flink_shows_them(tmp_path: Path) -> None:
    env = StreamExecutionEnvironment.get_execution_environment()
    pairs = Types.TUPLE([Types.STRING(), Types.BOOLEAN()])
    env.from_collection([("a", True)], pairs).sink_to(sink(tmp_path / "tuples"))
    env.from_collection([Row("é", 1.5)], Types.ROW([Types.STRING(), Types.DOUBLE()])).sink_to(sink(tmp_path / "rows"))
    counted = env.from_collection([("a", 1), ("b", 1), ("a", 1)], Types.TUPLE([Types.STRING(), Types.INT()]))
    summed = counted.key_by(lambda pair: pair[0]).reduce(lambda one, other: (one[0], one[1] + other[1]))
    builder = StreamingFileSink.for_row_format(f"file://{tmp_path}/sums", Encoder.simple_string_encoder("UTF-16"))
    named = OutputFileConfig.builder().with_part_prefix("sum").with_part_suffix(".txt").build()
    policy = RollingPolicy.on_checkpoint_rolling_policy()
    builder = builder.with_output_file_config(named).with_rolling_policy(policy).with_bucket_check_interval(5)
    builder = builder.with_bucket_assigner(BucketAssigner.date_time_bucket_assigner("yyyy", "UTC"))
    with pytest.warns(DeprecationWarning, match="Use FileSink"):
        summed.add_sink(builder.build())
    env.execute("values")
    assert lines(tmp_path / "tuples") == ["(a,true)"]
    assert lines(tmp_path / "rows") == ["+I[é, 1.5]"]
    written = b"".join(path.read_bytes() for path in files(tmp_path / "sums"))
    texts = [line.removesuffix(b"\n").decode("utf-16-be") for line in written.split(b"\xfe\xff")[1:]]
    assert sorted(texts) == ["(a,1)", "(a,2)", "(b,1)"]
    assert {path.parent.name.isdigit() for path in files(tmp_path / "sums")} == {True}
    assert {(path.name[:4], path.suffix) for path in files(tmp_path / "sums")} == {("sum-", ".txt")}


def test_rows_come_back_from_parquet_files(spark: SparkSession, tmp_path: Path) -> None:
    row = DataTypes.ROW([DataTypes.FIELD('i"d', DataTypes.BIGINT()), DataTypes.FIELD("name", DataTypes.STRING())])
    env = StreamExecutionEnvironment.get_execution_environment()
    type_info = Types.ROW_NAMED(['i"d', "name"], [Types.LONG(), Types.STRING()])
    rows = env.from_collection([Row(1, "a"), Row(None, None)], type_info)
    rows.sink_to(FileSink.for_bulk_format(str(tmp_path), ParquetBulkWriters.for_row_type(row)).build())
    env.execute("written")
    assert {tuple(one) for one in spark.read.parquet(str(tmp_path / "*")).collect()} == {(1, "a"), (None, None)}
    source = FileSource.for_bulk_file_format(ParquetColumnarRowInputFormat(row), str(tmp_path)).build()
    read = env.from_source(source, WatermarkStrategy.no_watermarks(), "files")
    assert read.get_type() == type_info
    with read.map(lambda one: one.name, Types.STRING()).execute_and_collect() as found:
        assert sorted(found, key=str) == [None, "a"]


@pytest.mark.usefixtures("spark")
def test_records_are_written_once_though_a_worker_is_killed_and_the_job_fails(
    kafka: KafkaBroker, new_topic: NewTopic, tmp_path: Path
) -> None:
    topic, out, killed, failed = new_topic(partitions=2), tmp_path / "out", tmp_path / "killed", tmp_path / "failed"
    kafka.produce(topic, [Record("a", partition=0), Record("bb", partition=0), Record("slow", partition=1)])

    def fail_when_the_other_task_has_written(word: str) -> str:
        if word == "slow" and not failed.exists():
            wait_until(lambda: any(path.stat().st_size for path in files(out)), 60, "the other task")
            if not killed.exists():
                killed.touch()
                os.kill(os.getpid(), signal.SIGKILL)
            failed.touch()
            raise ValueError("the other task has written")
        return word

    def start() -> None:
        configuration = Configuration().set_string("execution.checkpointing.dir", str(tmp_path / "checkpoint"))
        env = StreamExecutionEnvironment.get_execution_environment(configuration)
        words = env.from_source(source(kafka, topic), WatermarkStrategy.no_watermarks(), "words")
        words.map(fail_when_the_other_task_has_written, Types.STRING()).sink_to(sink(out)).uid("files")
        env.execute("copy")

    with pytest.raises(JobError, match="the other task has written"):
        start()
    assert [path.name[0] for path in files(out)] == ["."]
    start()
    assert lines(out) == ["a", "bb", "slow"]
    assert [path.name[:5] for path in files(out)] == ["part-", "part-"]
    kafka.produce(topic, [Record("dddd", partition=0)])
    start()
    assert lines(out) == ["a", "bb", "dddd", "slow"]


@pytest.mark.usefixtures("spark")
def test_files_of_a_repeated_micro_batch_take_the_place_of_the_first_ones(
    kafka: KafkaBroker, new_topic: NewTopic, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    topic, program = new_topic(partitions=1), tmp_path / "job.py"
    program.write_text(KILLED)
    kafka.produce(topic, ["a", "b"])

    arguments = [str(program), kafka.bootstrap_servers, topic, str(tmp_path)]
    killed = subprocess.run([sys.executable, *arguments, "killed"], check=False, capture_output=True)
    assert killed.returncode == -signal.SIGKILL
    assert lines(tmp_path / "out") == ["killed a"]
    assert len(files(tmp_path / "out")) == 6
    monkeypatch.setattr(sys, "argv", [*arguments, "repeated"])
    runpy.run_path(str(program), run_name="__main__")  # in this JVM, which is here already
    assert lines(tmp_path / "out") == ["repeated a", "repeated b"]
    assert len(files(tmp_path / "out")) == 2


@pytest.mark.usefixtures("spark")
def test_what_cannot_be_written_fails_the_job(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    env = StreamExecutionEnvironment.get_execution_environment()
    env.from_collection(["a"], Types.STRING()).sink_to(sink(tmp_path / "file"))
    with pytest.raises(StorageError, match="cannot write files: File exists"):
        env.execute("no directory")
    nothing: Any = None
    env.from_collection([nothing], Types.STRING()).sink_to(sink(tmp_path / "none"))
    with pytest.raises(JobError, match="no text of None"):
        env.execute("no text")
    assert not lines(tmp_path / "none")
