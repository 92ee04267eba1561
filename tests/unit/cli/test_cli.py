from __future__ import annotations

import json
import socket
import subprocess
import sys
from importlib.metadata import version
from pathlib import Path

import click
import pytest
from click.testing import CliRunner, Result

from kafkastream.cli import main
from kafkastream.spark.cdc import plan


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


DOCUMENT = """
source:
  type: kafka
  properties.bootstrap.servers: 'localhost:9'
  properties.default.api.timeout.ms: 100
  properties.group.id: g
  topic: '${kafka.topic}'
sink: {type: postgres, username: '${secret_values.user}', password: '${pw}', url: 'postgresql://a:b@h/d'}
route:
  - {source-table: a.b, sink-table: c}
pipeline:
  dirty-data.collector: {type: logger}
"""


def checked(tmp_path: Path, *options: str) -> Result:
    (tmp_path / "job.yaml").write_text(DOCUMENT)
    (tmp_path / "some.yaml").write_text("{kafka: {topic: some}, secret_values: {user: hidden-1}, pw: hidden-2}")
    (tmp_path / "more.yaml").write_text("kafka.topic: more")
    return CliRunner().invoke(main, ["pipeline", "-f", str(tmp_path / "job.yaml"), "--check", *options])


def test_a_pipeline_is_shown_without_its_secrets(tmp_path: Path) -> None:
    files = ["--variables", str(tmp_path / "some.yaml"), "--variables", str(tmp_path / "more.yaml")]
    result = checked(tmp_path, *files)
    assert result.exit_code == 1
    assert result.stderr.startswith("error: [broker-unreachable] no Kafka broker answered within 0.1 s")
    shown = [" ".join(line.split()) for line in result.stdout.splitlines()]
    assert {"topic more", "username ***", "password ***", "url postgresql://***@h/d", "sink-table c"} <= set(shown)
    assert "hidden" not in result.stdout
    assert "topic given" in " ".join(checked(tmp_path, *files, "--set", "kafka.topic=given").stdout.split())


def test_a_pipeline_that_is_wrong_is_told_in_words(tmp_path: Path) -> None:
    result = checked(tmp_path, "--set", "kafka.topic=a")
    assert (result.exit_code, result.stdout) == (1, "")
    assert result.stderr.startswith("error: [invalid-definition] undefined variable 'secret_values.user'\n")
    assert "job.yaml, line 8, column " in result.stderr


VALUES = r"""
source:
  type: values
  tables: CREATE TABLE shop.orders_1 (id INT, name STRING); CREATE TABLE shop.items (sku STRING)
transform:
  - {source-table: shop.orders_1, primary-keys: id}
route:
  - {source-table: shop.orders_\.*, sink-table: ods.orders}
sink: {type: values}
"""


def test_a_check_tells_tables_and_routes_without_spark(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(plan, "spark_session", lambda: pytest.fail("Spark was started"))
    (tmp_path / "job.yaml").write_text(VALUES)
    result = CliRunner().invoke(main, ["pipeline", "-f", str(tmp_path / "job.yaml"), "--check"])
    assert (result.exit_code, result.stderr) == (0, "")
    shown = [" ".join(line.split()) for line in result.stdout.splitlines() if "──" not in line]
    assert [line for line in shown[shown.index("Source table shop.orders_1") :] if line] == [
        *["Source table shop.orders_1", "column type key", "id INT", "name STRING"],
        *["Source table shop.items", "column type key", "sku STRING"],
        *["Routes", "source table sink table", "shop.orders_1 ods.orders", "shop.items shop.items"],
        *["Sink table ods.orders", "column type key", "id INT NOT NULL primary", "name STRING"],
        *["Sink table shop.items", "column type key", "sku STRING"],
        "A start would change nothing in the sink.",
    ]


def test_a_check_fails_as_a_start_does(tmp_path: Path) -> None:
    (tmp_path / "job.yaml").write_text(VALUES.replace("primary-keys: id", "primary-keys: no_such"))
    result = CliRunner().invoke(main, ["pipeline", "-f", str(tmp_path / "job.yaml"), "--check"])
    assert result.exit_code == 1
    assert "key column 'no_such' is not a column of the table" in result.stderr


@pytest.mark.parametrize("options", [["--set", "a"], ["--set", "=b"], ["--variables", "nowhere.yaml"]])
def test_malformed_variables_are_refused(tmp_path: Path, options: list[str]) -> None:
    assert checked(tmp_path, *options).exit_code == 2


@pytest.mark.parametrize(
    ("text", "reason"), [("a: [1]", "a value that is not text"), ("- a", "not a mapping"), ("\xff", "UTF-8")]
)
def test_malformed_files_of_variables_are_told(tmp_path: Path, text: str, reason: str) -> None:
    file = tmp_path / "bad.yaml"
    file.write_bytes(text.encode("latin-1"))
    result = checked(tmp_path, "--variables", str(file))
    assert result.exit_code == 1
    assert reason in result.stderr
    assert str(file) in result.stderr


def test_a_pipeline_needs_a_document() -> None:
    result = CliRunner().invoke(main, ["pipeline"])
    assert result.exit_code == 2
    assert "'--file'" in result.stderr


def test_the_schema_of_pipelines_is_printed() -> None:
    result = CliRunner().invoke(main, ["pipeline", "--schema"])
    assert json.loads(result.stdout)["required"] == ["source", "sink"]
