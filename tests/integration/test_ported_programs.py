"""Java programs, ported and run on Spark: they print what Flink does."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Final

import pytest

from kafkastream.port.program import port_program
from kafkastream.testing import KafkaBroker

PROGRAMS: Final = Path(__file__).parents[1] / "unit" / "port" / "programs"


def output_of(name: str, folder: Path, *arguments: str) -> Sequence[str]:
    """Port a program, run it, and return the lines that it prints."""
    script = folder / f"{name.lower()}.py"
    script.write_text(port_program([PROGRAMS / f"{name}.java"]).text, encoding="utf-8")
    command = [sys.executable, "-m", "kafkastream", "run", "-q", str(script), *arguments]
    run = subprocess.run(command, capture_output=True, text=True, check=False)
    assert run.returncode == 0, run.stderr
    return run.stdout.splitlines()


@pytest.mark.nightly
def test_words_are_counted(kafka: KafkaBroker, tmp_path: Path) -> None:
    lines = output_of("WordCount", tmp_path, "--shortest", "3")
    assert lines == ["not: 1", "that: 1", "the: 1", "question: 1"]


def test_state_timers_and_side_outputs(kafka: KafkaBroker, tmp_path: Path) -> None:
    assert sorted(output_of("SmallThenLarge", tmp_path)) == ["alert> ann: 612.25", "broken> cid"]


@pytest.mark.nightly
def test_windows_with_late_elements(kafka: KafkaBroker, tmp_path: Path) -> None:
    lines = output_of("SensorAverages", tmp_path)
    assert sorted(lines) == ["a@10=77.0", "a@20=32.0", "b@10=50.0"]
