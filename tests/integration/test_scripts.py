"""Programs as users start them: a script, its helper modules beside it, Ctrl-C, an error at the end."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from kafkastream.testing import KafkaBroker

HELPER = "def shout(text):\n    return text.upper() + '!'\n"

JOB = """
import sys
from dataclasses import dataclass

import helper
from kafkastream import (
    KafkaOffsetsInitializer, KafkaSource, SimpleStringSchema, StreamExecutionEnvironment, Types, WatermarkStrategy
)


@dataclass
class Line:
    text: str


def parsed(text):
    if text == "bad":
        raise KeyError("no such line")
    return Line(text)


def source():
    builder = KafkaSource.builder().set_bootstrap_servers(sys.argv[1]).set_topics(sys.argv[2])
    return builder.set_value_only_deserializer(SimpleStringSchema())


def lines(source):
    return env.from_source(source, WatermarkStrategy.no_watermarks(), "lines").map(parsed).name("parse")


env = StreamExecutionEnvironment.get_execution_environment().set_parallelism(1)
bounded = lines(source().set_bounded(KafkaOffsetsInitializer.latest()).build())
print(list(bounded.map(lambda line: Line(helper.shout(line.text))).execute_and_collect()), flush=True)
lines(source().build()).map(lambda line: helper.shout(line.text), Types.STRING()).print()
env.execute("lines")
print("not reached")
"""


@pytest.fixture
def script(tmp_path: Path) -> Path:
    (tmp_path / "helper.py").write_text(HELPER)
    job = tmp_path / "job.py"
    job.write_text(JOB)
    return job


def started(script: Path, kafka: KafkaBroker, topic: str) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, str(script), kafka.bootstrap_servers, topic],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )


def test_script_with_a_module_beside_it_runs_until_ctrl_c(kafka: KafkaBroker, topic: str, script: Path) -> None:
    kafka.produce(topic, ["hello"])
    with started(script, kafka, topic) as program:
        assert program.stdout is not None
        assert program.stdout.readline() == "[Line(text='HELLO!')]\n"
        assert program.stdout.readline() == "HELLO!\n"
        os.killpg(program.pid, signal.SIGINT)  # as a terminal does: the whole group hears it
        out, errors = program.communicate(timeout=120)
    assert (out, program.returncode) == ("", 130)
    assert errors == "\nStopping after the running micro-batch; Ctrl-C again stops at once.\n"


def test_error_of_a_script_is_the_users_own(kafka: KafkaBroker, topic: str, script: Path) -> None:
    kafka.produce(topic, ["fine", "bad"])
    with started(script, kafka, topic) as program:
        out, errors = program.communicate(timeout=120)
    assert (out, program.returncode) == ("", 1)
    assert (
        "UserFunctionError: [user-function] the function of operator 'parse' raised KeyError: 'no such line'" in errors
    )
    assert f"at topic {topic}, partition 0, offset 1; element 'bad'" in errors
    assert "in parsed" in errors
    for foreign in ("Py4J", "py4j", "java.", "org.apache", "pyspark", "scala"):
        assert foreign not in errors
