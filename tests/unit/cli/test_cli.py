from __future__ import annotations

import socket
import subprocess
import sys
from importlib.metadata import version
from pathlib import Path

import click
import pytest
from click.testing import CliRunner

from kafkastream.cli import main


def test_version_is_the_packages() -> None:
    assert CliRunner().invoke(main, ["--version"]).output == f"kafkastream, version {version('kafkastream')}\n"


@pytest.mark.parametrize("command", sorted(main.commands))
def test_every_command_shows_an_example(command: str) -> None:
    result = CliRunner().invoke(main, [command, "--help"])
    assert result.exit_code == 0
    assert f"kafkastream {command}" in result.output.partition("Example:")[2]


@pytest.mark.parametrize("topic", ["", ":3", "orders:", "orders:0", "orders:many", "a:1:2"])
def test_malformed_topic_is_refused(topic: str) -> None:
    result = CliRunner().invoke(main, ["broker", "--topic", topic])
    assert result.exit_code == 2
    assert "Invalid value for '--topic'" in result.stderr


def test_own_errors_are_told_without_traceback(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("JAVA_HOME", str(tmp_path))
    monkeypatch.setenv("KAFKASTREAM_JARS_DIR", str(tmp_path / "jars"))
    result = CliRunner().invoke(main, ["jars"])
    assert (result.exit_code, result.stdout) == (1, "")
    assert result.stderr.startswith("error: [java-not-found] no java in")


def test_jars_say_when_java_is_missing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("JAVA_HOME", str(tmp_path))
    result = CliRunner().invoke(main, ["jars"])
    assert (result.exit_code, result.stdout) == (1, "")
    assert "[java-not-found]" in result.stderr


def test_bugs_keep_their_traceback() -> None:
    @click.command("broken")
    def broken() -> None:
        raise ZeroDivisionError

    group = type(main)("group", commands={"broken": broken})
    assert isinstance(CliRunner().invoke(group, ["broken"]).exception, ZeroDivisionError)


def test_module_runs_as_a_program() -> None:
    run = subprocess.run([sys.executable, "-m", "kafkastream", "--help"], capture_output=True, text=True, check=False)
    assert (run.returncode, run.stderr) == (0, "")
    assert "python -m kafkastream" in run.stdout


def test_port_in_use_is_one_error() -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        result = CliRunner().invoke(main, ["broker", "--port", str(port)])
    assert (result.exit_code, result.stdout) == (1, "")
    assert result.stderr.splitlines()[0] == f"error: [setup] port {port} is in use"
    assert len(result.stderr.splitlines()) == 3
