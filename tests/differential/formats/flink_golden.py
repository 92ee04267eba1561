"""Writes what Flink's formats make of messages: ``python -m tests.differential.formats.flink_golden PYTHON``.

PYTHON has apache-flink, whose jars have the classes.
"""

from __future__ import annotations

import json
import lzma
import subprocess
import sys
from pathlib import Path
from typing import Any

from tests.differential.formats.java_programs import answers
from tests.differential.formats.questions import hostile_questions, questions

__all__ = ["asked", "hostile"]

_ANSWERS = Path(__file__).with_name("flink_formats.json.xz")
_HOSTILE_ANSWERS = Path(__file__).with_name("flink_hostile.json.xz")


def asked(ask: str) -> list[dict[str, Any]]:
    """Return the questions of a kind, with the ``value`` or the ``error`` of Flink."""
    return _answered(_ANSWERS, ask)


def hostile(ask: str) -> list[dict[str, Any]]:
    """Return the questions of a kind about messages that no honest producer writes, as ``asked``."""
    return _answered(_HOSTILE_ANSWERS, ask)


def _answered(path: Path, ask: str) -> list[dict[str, Any]]:
    return [question for question in json.loads(lzma.decompress(path.read_bytes())) if question["ask"] == ask]


def _flink_jars(python: str) -> list[Path]:
    code = "import pathlib, pyflink; print(pathlib.Path(pyflink.__file__).parent)"
    folder = Path(subprocess.run([python, "-c", code], check=True, capture_output=True, text=True).stdout.strip())
    return [*sorted(folder.glob("lib/*.jar")), *sorted(folder.glob("opt/flink-python-*.jar"))]


def _write_answers(path: Path, asked_of_flink: list[dict[str, Any]], jars: list[Path]) -> None:
    found = answers("FlinkFormats.java", jars, asked_of_flink)
    content = [{**question, **answer} for question, answer in zip(asked_of_flink, found, strict=True)]
    path.write_bytes(lzma.compress(json.dumps(content).encode(), preset=9))


if __name__ == "__main__":
    flink = _flink_jars(sys.argv[1])
    _write_answers(_ANSWERS, list(questions()), flink)
    _write_answers(_HOSTILE_ANSWERS, list(hostile_questions()), flink)
