"""A checkpoint folder has one owner: a second start is refused, a crashed owner is in nobody's way."""

from __future__ import annotations

import json
import os
import platform
import subprocess
import sys
import threading
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import psutil
import pytest

from kafkastream.common import JobClient, JobStatus, WatermarkStrategy
from kafkastream.datastream import StreamExecutionEnvironment
from kafkastream.errors import JobError
from kafkastream.spark.checkpoint import owner
from kafkastream.testing import wait_until

if TYPE_CHECKING:
    from tests.integration.conftest import Parts

Start = Callable[[], JobClient]


@pytest.fixture
def start(env: StreamExecutionEnvironment, parts: Parts, topic: str, tmp_path: Path) -> Start:
    env.enable_checkpointing(1000).get_checkpoint_config().set_checkpoint_storage_dir(tmp_path.as_uri())

    def job() -> JobClient:
        stream = env.from_source(parts.endless(topic), WatermarkStrategy.no_watermarks(), "in")
        stream.print()
        client = env.execute_async("owned")
        assert client is not None
        return client

    return job


@pytest.fixture
def owner_file(tmp_path: Path) -> Path:
    folder = tmp_path / "owned"
    folder.mkdir()
    return folder / owner.OWNER_FILE


def written(file: Path, **record: Any) -> None:
    process = psutil.Process()
    known = {"token": "t", "host": platform.node(), "pid": process.pid, "process_began": process.create_time()}
    file.with_name(f".{file.name}.crc").unlink(missing_ok=True)  # that of Hadoop's last write
    file.write_text(json.dumps({**known, **record}))


def is_ended(client: JobClient) -> None:
    client.cancel().result(60)


def test_second_start_is_refused_and_the_first_goes_on(start: Start, owner_file: Path) -> None:
    first = start()
    with pytest.raises(JobError, match=rf"job 'owned' runs already, as process {os.getpid()} on host"):
        start()
    assert first.get_job_status().result() is JobStatus.RUNNING
    is_ended(first)
    assert not owner_file.exists()
    is_ended(start())


def test_folder_is_for_its_owner_alone(start: Start, tmp_path: Path) -> None:
    is_ended(start())
    assert (tmp_path / "owned").stat().st_mode & 0o777 == 0o700


@pytest.mark.parametrize("left", ["a dead process", "a process id that came again", "this process", "half a file"])
def test_crashed_owner_on_this_host_is_in_nobodys_way(start: Start, owner_file: Path, left: str) -> None:
    ended = subprocess.Popen([sys.executable, "-c", ""])
    ended.wait()
    match left:
        case "a dead process":
            written(owner_file, pid=ended.pid)
        case "a process id that came again":
            written(owner_file, pid=os.getppid(), process_began=1.0)
        case "this process":
            written(owner_file)
        case _:
            owner_file.write_text('{"token": "t", "ho')
    is_ended(start())


def test_living_process_of_this_host_is_the_owner(start: Start, owner_file: Path) -> None:
    with subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE) as other:
        written(owner_file, pid=other.pid, process_began=psutil.Process(other.pid).create_time())
        with pytest.raises(JobError, match=f"process {other.pid} on host"):
            start()
        other.kill()
    is_ended(start())


def test_owner_on_another_host_is_watched(start: Start, owner_file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(owner, "PATIENCE_S", 3.0)
    over = threading.Event()

    def beat() -> None:
        beats = 0
        while not over.wait(0.2):
            beats += 1
            fresh = owner_file.with_name("fresh")
            written(fresh, host="elsewhere", beats=beats)
            fresh.replace(owner_file)

    written(owner_file, host="elsewhere")
    other = threading.Thread(target=beat)
    other.start()
    try:
        with pytest.raises(JobError, match="on host elsewhere"):
            start()
    finally:
        over.set()
        other.join()
    is_ended(start())


def test_owner_that_lost_its_folder_ends(start: Start, owner_file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(owner, "BEAT_S", 0.2)
    client = start()

    def is_lost() -> bool:
        written(owner_file, token="another", host="elsewhere")  # a beat that is being written may take its place
        return client.get_job_status().result() is JobStatus.FAILED

    wait_until(is_lost, 60, "the end of the job")
    with pytest.raises(JobError, match="on host elsewhere"):
        client.get_job_execution_result().result(60)
    assert json.loads(owner_file.read_text())["token"] == "another"
