"""The plugin, in a pytest of its own on a machine without Java."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

TEST = """
def test_needs_a_broker(topic):
    raise AssertionError("there is no broker")
"""


@pytest.fixture
def environment(tmp_path: Path) -> dict[str, str]:
    (tmp_path / "test_it.py").write_text(TEST)
    kept = {
        name: value for name, value in os.environ.items() if name not in {"CI", "KAFKASTREAM_TEST_BOOTSTRAP_SERVERS"}
    }
    return {**kept, "JAVA_HOME": str(tmp_path), "KAFKASTREAM_JARS_DIR": str(tmp_path / "jars")}


def run_pytest(folder: Path, environment: dict[str, str]) -> str:
    command = [sys.executable, "-m", "pytest", "-rs", "-p", "no:cacheprovider", str(folder / "test_it.py")]
    return subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, check=False).stdout


def test_laptop_without_java_skips_and_says_so(tmp_path: Path, environment: dict[str, str]) -> None:
    output = run_pytest(tmp_path, environment)
    assert "1 skipped" in output
    assert "no Kafka broker for the tests" in output
    assert "need Java 17" in output


def test_ci_without_java_fails(tmp_path: Path, environment: dict[str, str]) -> None:
    output = run_pytest(tmp_path, {**environment, "CI": "true"})
    assert "1 error" in output
    assert "need Java 17" in output


def test_plugin_alone_imports_neither_client_nor_spark() -> None:
    code = """
import sys, kafkastream.testing.pytest_plugin
sys.exit(str({"confluent_kafka", "pyspark", "rich", "pandas"} & set(sys.modules) or ""))
"""
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert run.stderr.strip() == ""
