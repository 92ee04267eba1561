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
from tests.differential.formats.questions import questions

__all__ = ["asked"]

_ANSWERS = Path(__file__).with_name("flink_formats.json.xz")


def asked(ask: str) -> list[dict[str, Any]]:
    """Return the questions of a kind, with the ``value`` or the ``error`` of Flink."""
    return [question for question in json.loads(lzma.decompress(_ANSWERS.read_bytes())) if question["ask"] == ask]


def _flink_jars(python: str) -> list[Path]:
    code = "import pathlib, pyflink; print(pathlib.Path(pyflink.__file__).parent)"
    folder = Path(subprocess.run([python, "-c", code], check=True, capture_output=True, text=True).stdout.strip())
    return [*sorted(folder.glob("lib/*.jar")), *sorted(folder.glob("opt/flink-python-*.jar"))]


if __name__ == "__main__":
    every = list(questions())
    found = answers("FlinkFormats.java", _flink_jars(sys.argv[1]), every)
    content = [{**question, **answer} for question, answer in zip(every, found, strict=True)]
    _ANSWERS.write_bytes(lzma.compress(json.dumps(content).encode(), preset=9))
