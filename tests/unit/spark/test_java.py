from __future__ import annotations

from pathlib import Path

import pytest

from kafkastream.errors import JavaNotFoundError
from kafkastream.spark.session.java_home import find_java


def java_home(folder: Path, answer: str) -> str:
    java = folder / "bin" / "java"
    java.parent.mkdir(parents=True)
    java.write_text(f"#!/bin/sh\necho '{answer}' >&2\n")
    java.chmod(0o755)
    return str(folder)


def test_java_home_comes_before_path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("JAVA_HOME", java_home(tmp_path, 'openjdk version "21.0.1" 2023-10-17'))
    assert find_java() == tmp_path / "bin" / "java"


def test_java_of_path_is_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("JAVA_HOME", raising=False)
    monkeypatch.setenv("PATH", java_home(tmp_path, 'openjdk version "17.0.15"') + "/bin")
    assert find_java() == tmp_path / "bin" / "java"


@pytest.mark.parametrize(
    ("answer", "found"),
    [
        ('java version "1.8.0_402"', "is Java 8;"),
        ('openjdk version "11.0.2"', "is Java 11;"),
        ("no runtime", "is not a working"),
    ],
)
def test_old_java_is_refused(answer: str, found: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("JAVA_HOME", java_home(tmp_path, answer))
    with pytest.raises(JavaNotFoundError, match=found) as raised:
        find_java()
    assert "apt install" in raised.value.now


def test_missing_java_is_told_with_its_place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("JAVA_HOME", str(tmp_path))
    with pytest.raises(JavaNotFoundError, match=f"no java in JAVA_HOME={tmp_path}"):
        find_java()
