"""Checkpoint directories that cannot be written, or are gone for a while: an error with path and cause, or a restart."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from kafkastream.common import JobStatus, RestartStrategies, Types
from kafkastream.datastream import StreamExecutionEnvironment
from kafkastream.errors import StorageError
from kafkastream.testing import wait_until
from kafkastream.testing.pytest_plugin import NewTopic

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
