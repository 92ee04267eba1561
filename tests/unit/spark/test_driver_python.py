from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from kafkastream.errors import SetupError
from kafkastream.spark.session.driver_python import provide_python

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


def relative(path: Path) -> str:
    return os.path.relpath(path, Path.cwd())


def test_driver_starts_its_own_python_where_executors_have_theirs(
    spark: SparkSession, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    python, context = tmp_path / "env" / "bin" / "python", spark.sparkContext
    monkeypatch.setattr(context, "pythonExec", relative(python))
    monkeypatch.setattr(context, "environment", {})
    provide_python(context)
    run = [str(python), "-c", "import sys; print(sys.prefix, sys.argv)", "-m", "a b"]
    shown = subprocess.run(run, env=context.environment, capture_output=True, text=True, check=True).stdout
    assert shown == f"{sys.prefix} ['-c', '-m', 'a b']\n"


def test_a_python_that_is_there_stays(spark: SparkSession, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    python = tmp_path / "python"
    python.write_text("mine")
    monkeypatch.setattr(spark.sparkContext, "pythonExec", relative(python))
    provide_python(spark.sparkContext)
    assert python.read_text() == "mine"


def test_directory_that_cannot_be_written_to_is_told(
    spark: SparkSession, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "env").write_text("a file")
    monkeypatch.setattr(spark.sparkContext, "pythonExec", relative(tmp_path / "env" / "bin" / "python"))
    with pytest.raises(SetupError, match=r"cannot start the executors' Python(?s:.)*env/bin/python"):
        provide_python(spark.sparkContext)
