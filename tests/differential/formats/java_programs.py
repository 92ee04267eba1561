"""Runs the Java programs of this folder: each prints a line of JSON for each line of JSON that it reads."""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import platformdirs

__all__ = ["answers", "artifact_jars"]

_FOLDER = Path(__file__).parent


def answers(program: str, classpath: Sequence[Path], questions: Iterable[Any]) -> list[Any]:
    """Return the answers of a Java program of this folder."""
    command = ["java", "-cp", os.pathsep.join(map(str, classpath)), str(_FOLDER / program)]
    text = "".join(json.dumps(question) + "\n" for question in questions)
    done = subprocess.run(command, input=text, check=True, stdout=subprocess.PIPE, text=True, encoding="utf-8")
    return list(map(json.loads, done.stdout.removesuffix("\n").split("\n")))


def artifact_jars(artifacts: Iterable[str]) -> list[Path]:
    """Return the jars of Maven's artifacts, fetched if they are not there yet."""
    folder = Path(platformdirs.user_cache_dir("kafkastream")) / "differential"
    jars = []
    for artifact in artifacts:
        _, name, version = artifact.split(":")
        jars.append(folder / f"{name}-{version}.jar")
        if not jars[-1].exists():
            command = ["mvn", "-q", "dependency:copy", f"-Dartifact={artifact}", f"-DoutputDirectory={folder}"]
            subprocess.run(command, check=True)
    return jars
