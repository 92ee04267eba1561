"""Undocumented names of Spark work on both ends of the range of versions."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from kafkastream.testing import KafkaBroker
from tests.smoke import probes
from tests.smoke.test_newest import PYTHON, ROOT, environment

__all__ = ["environment"]


@pytest.fixture
def full_topic(kafka: KafkaBroker, topic: str) -> str:
    kafka.produce(topic, ["a"])
    return topic


@pytest.mark.usefixtures("spark")
def test_internals_work_on_this_spark(kafka: KafkaBroker, full_topic: str, tmp_path: Path) -> None:
    assert probes.failures(kafka.bootstrap_servers, full_topic, tmp_path) == []


def test_internals_work_on_the_newest_spark(
    environment: dict[str, str], kafka: KafkaBroker, full_topic: str, tmp_path: Path
) -> None:
    run = subprocess.run(
        [PYTHON, probes.__file__, kafka.bootstrap_servers, full_topic, tmp_path],
        env=environment | {"PYTHONPATH": str(ROOT)},
        cwd=tmp_path,
        capture_output=True,
        text=True,
        timeout=100,
        check=False,
    )
    assert run.returncode == 0, run.stderr
