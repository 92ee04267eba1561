"""A JVM, Spark's or a broker's, writes an archive of its classes when it ends, and the next one on the machine maps it."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import psutil
import pytest

from kafkastream.spark.session.jars import broker_jars, connector_jars
from kafkastream.testing import EmbeddedKafka, wait_until

PROGRAM = """
import pathlib
from kafkastream.spark.session.session import spark_session

session = spark_session()
assert session.range(3).count() == 3
maps = pathlib.Path(f"/proc/{session.sparkContext._gateway.proc.pid}/maps").read_text()
print(*{line.split("/")[-1] for line in maps.splitlines() if "kafkastream-archives" in line and ".jsa" in line})
"""


@pytest.mark.nightly
@pytest.mark.skipif(sys.platform != "linux", reason="reads the maps of a process")
@pytest.mark.usefixtures("java")
def test_the_second_start_maps_the_archive_of_the_first(tmp_path: Path) -> None:
    connector = connector_jars()[0].parent
    jars = tmp_path / "kafkastream-archives"
    folder = jars / connector.parent.name
    shutil.copytree(connector, folder / connector.name)
    environment = {**os.environ, "KAFKASTREAM_JARS_DIR": str(jars), "SPARK_SUBMIT_OPTS": ""}

    def run() -> str:
        done = subprocess.run(
            [sys.executable, "-c", PROGRAM], env=environment, capture_output=True, text=True, check=True
        )
        assert not done.stderr
        return done.stdout.strip()

    assert run() == ""
    wait_until(lambda: any(folder.glob("*.new")), 120, "the archive, which the JVM writes after the program's end")
    (fresh,) = folder.glob("*.new")
    wait_until(lambda: run() == f"{fresh.stem}.jsa", 120, "a start after the JVM has ended")
    assert list(folder.glob("*.new")) == []


@pytest.mark.nightly
@pytest.mark.skipif(sys.platform != "linux", reason="reads the maps of a process")
@pytest.mark.usefixtures("java")
def test_the_second_broker_maps_the_archive_of_the_first(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    jars = broker_jars()[0].parent
    folder = tmp_path / jars.parent.name / jars.name
    shutil.copytree(jars, folder, ignore=shutil.ignore_patterns("classes-*"))
    monkeypatch.setenv("KAFKASTREAM_JARS_DIR", str(tmp_path))
    with EmbeddedKafka() as kafka:
        assert archives_in_memory(kafka, folder) == set()
    (fresh,) = folder.glob("*.new")
    with EmbeddedKafka() as kafka:
        assert archives_in_memory(kafka, folder) == {f"{fresh.stem}.jsa"}
    assert list(folder.glob("*.new")) == []


def archives_in_memory(kafka: EmbeddedKafka, folder: Path) -> set[str]:
    """Return the names of a folder's archives that a broker has mapped."""
    javas = (one for one in psutil.Process().children(recursive=True) if one.name() == "java")
    (broker,) = (one for one in javas if one.cmdline()[-1].startswith(str(kafka.directory)))
    maps = Path(f"/proc/{broker.pid}/maps").read_text()
    return {Path(line).name for line in maps.splitlines() if str(folder) in line and line.endswith(".jsa")}
