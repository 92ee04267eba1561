"""What a job keeps beside Spark's checkpoint, when it was killed at any point of writing it."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from kafkastream.common import Types
from kafkastream.datastream import StreamExecutionEnvironment
from kafkastream.errors import JobError, UnknownTopicError
from kafkastream.model.connectors.subscription import TopicPartition
from kafkastream.model.job.job_result import JobSettings
from kafkastream.spark.checkpoint.folder import CheckpointFolder, OffsetRange
from kafkastream.spark.checkpoint.record import JOB_FILE, JobRecord
from kafkastream.spark.internals.checkpoints import LOCAL_FILES
from kafkastream.spark.session.query_settings import settings

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

    from tests.integration.conftest import Parts, Read

FIRST = {"orders": OffsetRange({TopicPartition("t", 0): 3}, {TopicPartition("t", 0): 5}), "others": OffsetRange({})}
SECOND = {"orders": OffsetRange({TopicPartition("t", 0): 5}, finished=True), "others": OffsetRange({})}


@pytest.fixture
def folder(spark: SparkSession, tmp_path: Path) -> CheckpointFolder:
    return CheckpointFolder.of(spark, JobSettings(name="my-job", checkpoint_dir=tmp_path.as_uri()))


def test_what_was_recorded_last_is_found(folder: CheckpointFolder, tmp_path: Path) -> None:
    assert folder.offset_ranges("q") == {}
    for offset_ranges in (FIRST, SECOND):
        folder.record("q", offset_ranges)
        assert folder.offset_ranges("q") == offset_ranges
    assert folder.offset_ranges("other") == {}
    assert (tmp_path / "my-job" / "q.extents.json").exists()


def test_job_that_does_not_start_leaves_no_temporary_folder(
    read: Read, parts: Parts, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    with pytest.raises(UnknownTopicError):
        read(parts.bounded("no-such-topic")).execute_and_collect()
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("location", ["", "/"])
def test_queries_write_to_a_local_disk_without_a_process_for_each_file(
    location: str, spark: SparkSession, tmp_path: Path
) -> None:
    directory = f"{tmp_path}{location}" if location else None
    assert CheckpointFolder.of(spark, JobSettings(name="local", checkpoint_dir=directory)).settings() == LOCAL_FILES


def test_queries_write_elsewhere_as_the_program_or_spark_says(folder: CheckpointFolder, spark: SparkSession) -> None:
    remote = JobSettings(name="remote", checkpoint_dir="hdfs://localhost:1/checkpoints")
    assert CheckpointFolder.of(spark, remote).settings() == {}
    with settings(spark, dict.fromkeys(LOCAL_FILES, "manager.of.the.Program")):
        assert folder.settings() == {}


def test_query_begins_with_the_settings_of_its_folder(
    read: Read, parts: Parts, topic: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(CheckpointFolder, "settings", lambda _: dict.fromkeys(LOCAL_FILES, "no.such.Manager"))
    with pytest.raises(JobError, match=r"no\.such\.Manager"):
        list(read(parts.bounded(topic)).execute_and_collect())


def test_spark_begins_anew_after_a_finished_run_only(folder: CheckpointFolder, tmp_path: Path) -> None:
    of_spark = tmp_path / "my-job" / "q" / "offsets"
    of_spark.mkdir(parents=True)
    folder.record("q", FIRST)
    folder.offset_ranges("q")
    assert of_spark.exists()
    folder.record("q", SECOND)
    folder.offset_ranges("q")
    assert not of_spark.exists()


def test_kill_while_it_is_written_loses_nothing(folder: CheckpointFolder, tmp_path: Path) -> None:
    file = tmp_path / "my-job" / "q.extents.json"
    unfinished = file.with_name(file.name + "~")
    folder.record("q", FIRST)
    before = file.read_text()
    unfinished.write_text(before[:7])  # killed while the new one was written
    assert folder.offset_ranges("q") == FIRST
    unfinished.write_text(before)
    file.unlink()  # killed after the old one was deleted
    assert folder.offset_ranges("q") == FIRST
    unfinished.write_text(before[:7])  # killed in the very first write
    assert folder.offset_ranges("q") == {}


def test_kill_while_the_record_is_written_loses_nothing(folder: CheckpointFolder, tmp_path: Path) -> None:
    file = tmp_path / "my-job" / JOB_FILE
    unfinished = file.with_name(file.name + "~")
    file.parent.mkdir()
    record = JobRecord(job="my-job")
    unfinished.write_text(record.text()[:9])  # killed in the very first write
    assert folder.job_record() is None
    folder.keep_record(record)
    file.rename(unfinished)  # killed after the old one was deleted
    assert folder.job_record() == record


def test_temporary_folder_goes_with_the_job(spark: SparkSession) -> None:
    folder = CheckpointFolder.of(spark, JobSettings(name="my-job"))
    folder.record("q", FIRST)
    assert folder.offset_ranges("q") == FIRST
    folder.clean()
    assert not Path(folder.path.removeprefix("file://")).exists()


@pytest.mark.parametrize("is_left_unfinished", [False, True])
def test_state_is_found_where_a_folder_was_moved_to(
    folder: CheckpointFolder, tmp_path: Path, *, is_left_unfinished: bool
) -> None:
    metadata = tmp_path / "my-job" / "q" / "state" / "0" / "_metadata" / "v2"
    metadata.mkdir(parents=True)
    text = 'v2\n{"stateSchemaFilePaths":["file:%s/q/state/0/_stateSchema/default/0_a"]}'
    (metadata / "0").write_text(text % "/before/my-job")
    folder.relocate_state("q")
    assert (metadata / "0").read_text() == text % (tmp_path / "my-job")
    if is_left_unfinished:
        (metadata / ".0.crc").unlink()
        (metadata / "0").rename(metadata / "0~")
    folder.relocate_state("q")
    assert (metadata / "0").read_text() == text % (tmp_path / "my-job")


@pytest.mark.parametrize("told", [None, "false"])
def test_state_is_kept_as_changes_unless_told_otherwise(
    spark: SparkSession,
    env: StreamExecutionEnvironment,
    read: Read,
    parts: Parts,
    topic: str,
    tmp_path: Path,
    told: str | None,
) -> None:
    key = "spark.sql.streaming.stateStore.rocksdb.changelogCheckpointing.enabled"
    env.get_checkpoint_config().set_checkpoint_storage_dir(tmp_path.as_uri())
    parts.kafka.produce(topic, ["a"])
    keyed = read(parts.bounded(topic)).key_by(lambda value: value, Types.STRING())
    if told is not None:
        spark.conf.set(key, told)
    try:
        list(keyed.reduce(lambda one, other: one + other).execute_and_collect("changes"))
    finally:
        spark.conf.unset(key)
    assert list(tmp_path.rglob("state/0/*/1_*.zip"))
    assert bool(list(tmp_path.rglob("state/0/*/1_*.changelog"))) is (told is None)
