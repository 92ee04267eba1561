"""Checkpoint directories that cannot be written, are full, or are gone for a while: an error with path and cause, or a restart."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from kafkastream.common import JobStatus, RestartStrategies, Types
from kafkastream.datastream import StreamExecutionEnvironment
from kafkastream.errors import StorageError
from kafkastream.testing import wait_until
from kafkastream.testing.pytest_plugin import NewTopic
from tests.integration.conftest import fill

if TYPE_CHECKING:
    from tests.integration.conftest import Parts, Read


def test_directory_that_cannot_be_made_is_named_with_the_cause(
    env: StreamExecutionEnvironment, read: Read, parts: Parts, topic: str, tmp_path: Path
) -> None:
    (tmp_path / "file").touch()
    env.get_checkpoint_config().set_checkpoint_storage_dir((tmp_path / "file").as_uri())
    parts.kafka.produce(topic, ["a"])
    with pytest.raises(StorageError) as raised:
        list(read(parts.bounded(topic)).map(str.upper).execute_and_collect("upper"))
    assert str(tmp_path / "file") in str(raised.value)
    assert "ot a directory" in raised.value.what
    assert "java" not in str(raised.value)


def test_full_disk_is_the_error_of_a_start(
    env: StreamExecutionEnvironment, read: Read, parts: Parts, topic: str, small_disk: Path
) -> None:
    fill(small_disk)
    env.get_checkpoint_config().set_checkpoint_storage_dir(small_disk.as_uri())
    with pytest.raises(StorageError, match="No space left on device") as raised:
        list(read(parts.bounded(topic)).map(str.upper).execute_and_collect("upper"))
    assert str(small_disk / "upper") in str(raised.value)
    assert "java" not in str(raised.value)


def test_job_goes_on_when_its_disk_has_space_again(
    env: StreamExecutionEnvironment, read: Read, parts: Parts, new_topic: NewTopic, small_disk: Path
) -> None:
    source, target = new_topic(), new_topic()
    env.enable_checkpointing(100).get_checkpoint_config().set_checkpoint_storage_dir(small_disk.as_uri())
    env.set_restart_strategy(RestartStrategies.fixed_delay_restart(1000, 300))
    keyed = read(parts.endless(source)).key_by(lambda value: value[0], Types.STRING())
    keyed.reduce(lambda one, other: one + other).sink_to(parts.sink(target))
    job = env.execute_async("full")
    try:
        parts.kafka.produce(source, ["a1"])
        wait_until(lambda: parts.values(target) == ["a1"], 60, "the first sum")
        wait_until(lambda: list(small_disk.rglob("commits/0")), 30, "the end of the first micro-batch")
        filler = fill(small_disk)
        parts.kafka.produce(source, ["a2"])
        wait_until(lambda: job.get_job_status().result() is JobStatus.RESTARTING, 60, "the failure")
        filler.unlink()
        wait_until(lambda: "a1a2" in parts.values(target), 60, "what came when the disk was full")
        parts.kafka.produce(source, ["a3"])
        wait_until(lambda: "a1a2a3" in parts.values(target), 60, "what came since")
        assert set(parts.values(target)) == {"a1", "a1a2", "a1a2a3"}
    finally:
        job.cancel().result(60)


def test_job_goes_on_when_its_directory_was_gone_for_a_while(
    env: StreamExecutionEnvironment, read: Read, parts: Parts, new_topic: NewTopic, tmp_path: Path
) -> None:
    source, target = new_topic(), new_topic()
    directory, away = tmp_path / "checkpoints", tmp_path / "away"
    env.enable_checkpointing(100).get_checkpoint_config().set_checkpoint_storage_dir(directory.as_uri())
    env.set_restart_strategy(RestartStrategies.fixed_delay_restart(1000, 300))
    read(parts.endless(source)).map(str.upper, Types.STRING()).sink_to(parts.sink(target))
    job = env.execute_async("away")
    try:
        parts.kafka.produce(source, ["a"])
        assert parts.values(target, count=1) == ["A"]
        wait_until(lambda: list(directory.rglob("commits/0")), 30, "the end of the first micro-batch")
        directory.rename(away)
        directory.touch()  # what is written there fails, also for root
        parts.kafka.produce(source, ["b"])
        wait_until(lambda: job.get_job_status().result() is JobStatus.RESTARTING, 60, "the failure")
        directory.unlink()  # from now on it is an empty place, as of a file system that is not mounted
        failed = int(str(job.get_metrics()["away.numRestarts"]))
        wait_until(lambda: int(str(job.get_metrics()["away.numRestarts"])) > failed + 1, 60, "restarts in vain")
        assert parts.values(target).count("A") == 1
        away.rename(directory)
        parts.kafka.produce(source, ["c"])
        wait_until(lambda: set(parts.values(target)) == {"A", "B", "C"}, 60, "what came since")
        assert parts.values(target).count("A") == 1
    finally:
        job.cancel().result(60)
