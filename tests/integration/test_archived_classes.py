"""Spark's JVM writes an archive of its classes when it ends, and the next one on the machine has it in its memory."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from kafkastream.spark.session.jars import connector_jars
from kafkastream.testing import wait_until

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
