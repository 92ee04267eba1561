from __future__ import annotations

import logging
import os
import subprocess
import sys
from importlib.metadata import requires
from pathlib import Path

import pytest

from kafkastream.errors import SetupError
from kafkastream.spark.session.spark_versions import TESTED, check_spark, warn_of_leak


@pytest.fixture(autouse=True)
def _nothing_told_yet() -> None:
    check_spark.cache_clear()
    warn_of_leak.cache_clear()


def test_tested_versions_are_those_that_are_installed() -> None:
    (declared,) = (one for one in requires("kafkastream") or () if one.startswith("pyspark"))
    assert set(declared.removeprefix("pyspark").split(",")) == set(TESTED.split(","))


@pytest.mark.parametrize("version", ["4.2.0", "4.2.1", "4.3.0", "4.3.0-vendor-1"])
def test_sparks_that_jobs_run_on_are_not_remarked_on(version: str, caplog: pytest.LogCaptureFixture) -> None:
    check_spark(version, version)
    assert caplog.messages == []


def test_newer_spark_is_remarked_on_once(caplog: pytest.LogCaptureFixture) -> None:
    check_spark("4.4.0", "4.4.0")
    check_spark("4.4.0", "4.4.0")
    assert caplog.messages == [f"Spark 4.4.0 is newer than those that kafkastream is tested with ({TESTED})"]
    assert caplog.records[0].levelno == logging.WARNING


def test_spark_of_another_minor_version_than_pysparks_is_refused() -> None:
    check_spark("4.2.0", "4.2.1")
    with pytest.raises(SetupError, match=r"Spark 4\.3\.0 cannot be used by pyspark 4\.2\.1"):
        check_spark("4.3.0", "4.2.1")


@pytest.mark.parametrize("version", ["3.5.9", "4.1.4", "4.1.4-vendor"])
def test_older_spark_is_refused(version: str) -> None:
    with pytest.raises(SetupError, match=f"Spark {version} is too old") as raised:
        check_spark(version, version)
    assert f'pip install "pyspark{TESTED}"' in raised.value.now


def test_older_spark_is_refused_before_it_starts(tmp_path: Path) -> None:
    jars = tmp_path / "jars"
    jars.mkdir()
    for jar in ("ivy-2.5.3.jar", "spark-core_2.13-4.1.4.jar"):
        (jars / jar).touch()
    program = "from kafkastream.spark.session.session import spark_session; spark_session()"
    environment = {**os.environ, "SPARK_HOME": str(tmp_path)}
    run = subprocess.run([sys.executable, "-c", program], env=environment, capture_output=True, text=True, check=False)
    assert run.returncode == 1
    assert f"[setup] Spark 4.1.4 is too old\n  at SPARK_HOME={tmp_path}\n" in run.stderr


def test_leak_of_state_is_told_once(caplog: pytest.LogCaptureFixture) -> None:
    for version in ("4.2.1", "4.2.0", "4.2.0", "4.3.0"):
        warn_of_leak(version)
    (message,) = caplog.messages
    assert message.startswith("Spark 4.2.0 leaks a socket")
    assert "SPARK-58932" in message
