"""Programs as users start them: a script, its helper modules beside it, signals, slow starts, an error at the end."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path

import pytest

from kafkastream.spark.session.jars import connector_jars
from kafkastream.testing import KafkaBroker, wait_until

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


def source():
    builder = KafkaSource.builder().set_bootstrap_servers(sys.argv[1]).set_topics(sys.argv[2])
    return builder.set_value_only_deserializer(SimpleStringSchema())


def lines(source):
    return env.from_source(source, WatermarkStrategy.no_watermarks(), "lines").map(Line)


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


def started(
    script: Path,
    kafka: KafkaBroker,
    topic: str,
    environment: Mapping[str, str] | None = None,
    command: Sequence[str] = (sys.executable,),
) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [*command, str(script), kafka.bootstrap_servers, topic],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
        env={**os.environ, **(environment or {})},
    )


@contextmanager
def at_work(script: Path, kafka: KafkaBroker, topic: str) -> Iterator[subprocess.Popen[str]]:
    """The script, once both of its jobs have written something."""
    kafka.produce(topic, ["hello"])
    with started(script, kafka, topic) as program:
        assert program.stdout is not None
        assert program.stdout.readline() == "[Line(text='HELLO!')]\n"
        assert program.stdout.readline() == "HELLO!\n"
        yield program


def jvm_of(program: subprocess.Popen[str]) -> int:
    """The process of Spark's JVM, once it is there."""
    children = Path(f"/proc/{program.pid}/task/{program.pid}/children")
    found = wait_until(lambda: [int(pid) for pid in children.read_text().split() if is_java(int(pid))], 60, "the JVM")
    return found[0]


def is_java(pid: int) -> bool:
    """Whether it is Spark's JVM, not one that is asked for its version."""
    try:
        program, *arguments = Path(f"/proc/{pid}/cmdline").read_bytes().split(b"\0")
    except OSError:
        return False
    return b"java" in program and b"org.apache.spark.deploy.SparkSubmit" in arguments


@pytest.mark.own_python
def test_script_with_a_module_beside_it_runs_until_ctrl_c(kafka: KafkaBroker, topic: str, script: Path) -> None:
    with at_work(script, kafka, topic) as program:
        os.killpg(program.pid, signal.SIGINT)  # as a terminal does: the whole group hears it
        out, errors = program.communicate(timeout=120)
    assert (out, program.returncode) == ("", 130)
    assert errors == "\nStopping after the running micro-batch; Ctrl-C again stops at once.\n"


def test_ctrl_c_stops_a_job_whose_result_is_awaited(kafka: KafkaBroker, topic: str, script: Path) -> None:
    awaited = 'env.execute_async("lines").get_job_execution_result().result()'
    script.write_text(JOB.replace('env.execute("lines")', awaited))
    with at_work(script, kafka, topic) as program:
        os.killpg(program.pid, signal.SIGINT)
        out, errors = program.communicate(timeout=120)
    assert (out, program.returncode) == ("", 130)
    assert errors == "\nStopping after the running micro-batch; Ctrl-C again stops at once.\n"


def test_sigterm_stops_after_the_micro_batch(kafka: KafkaBroker, topic: str, script: Path) -> None:
    with at_work(script, kafka, topic) as program:
        program.terminate()
        out, errors = program.communicate(timeout=120)
    assert (out, program.returncode) == ("", 143)
    assert errors == "\nStopping after the running micro-batch; another SIGTERM stops at once.\n"


def test_sigterm_to_spark_submit_stops_after_the_micro_batch(
    kafka: KafkaBroker, topic: str, tmp_path: Path, quick_python: str
) -> None:
    kafka.produce(topic, ["hello"])
    job = tmp_path / "job.py"  # without a module beside it, which spark-submit does not ship by itself
    job.write_text(COUNT.replace(".set_bounded(KafkaOffsetsInitializer.latest())", ""))
    submit = str(Path(sys.executable).with_name("spark-submit"))
    jars = ",".join(map(str, connector_jars()))
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    quiet = "spark.log.level=ERROR"
    command = [submit, "--master", "local[2]", "--conf", quiet, "--jars", jars]
    with started(job, kafka, topic, {"PYSPARK_PYTHON": quick_python, "PATH": path}, command) as program:
        assert program.stdout is not None
        assert program.stdout.readline() == "('hello', 1)\n"
        program.terminate()  # the JVM, which runs the script
        out, errors = program.communicate(timeout=120)
    assert program.returncode == 143
    # spark-submit writes what the program writes to standard error to its own standard output
    assert out == "\nStopping after the running micro-batch; another SIGTERM stops at once.\n", errors


def test_sigterm_while_spark_starts_ends_the_program_and_the_jvm(kafka: KafkaBroker, topic: str, script: Path) -> None:
    with started(script, kafka, topic) as program:
        jvm = jvm_of(program)
        assert b"MALLOC_ARENA_MAX=2" in Path(f"/proc/{jvm}/environ").read_bytes().split(b"\0")
        program.terminate()
        assert program.communicate(timeout=60) == ("", "")
    assert program.returncode == 143
    wait_until(lambda: not is_java(jvm), 30, "the end of the JVM")


def test_jvm_that_is_killed_is_the_error(kafka: KafkaBroker, topic: str, script: Path) -> None:
    with at_work(script, kafka, topic) as program:
        os.kill(jvm_of(program), signal.SIGKILL)
        began = time.monotonic()
        out, errors = program.communicate(timeout=60)
    assert time.monotonic() - began < 30
    assert (out, program.returncode) == ("", 1)
    assert errors.startswith('Traceback (most recent call last):\n  File "'), errors
    *_, what, where, memory, again = errors.splitlines()
    assert what == "kafkastream.errors.SparkLostError: [spark-lost] Spark's JVM was killed by SIGKILL"
    assert where == "  at job 'lines'"
    assert "out of memory" in memory
    assert again.startswith("  Start the program again")
    for foreign in ("Py4J", "py4j", "java.", "org.apache", "is closed", "failed:", "EOFError"):
        assert foreign not in errors


COUNT = """
import sys
from kafkastream import (
    KafkaOffsetsInitializer, KafkaSource, SimpleStringSchema, StreamExecutionEnvironment, Types, WatermarkStrategy
)

builder = KafkaSource.builder().set_bootstrap_servers(sys.argv[1]).set_topics(sys.argv[2])
builder.set_value_only_deserializer(SimpleStringSchema()).set_bounded(KafkaOffsetsInitializer.latest())
env = StreamExecutionEnvironment.get_execution_environment().set_parallelism(1)
words = env.from_source(builder.build(), WatermarkStrategy.no_watermarks(), "words").map(lambda word: (word, 1))
words.key_by(lambda pair: pair[0]).reduce(lambda one, other: (one[0], one[1] + other[1])).print()
env.execute("count")
"""

FAILING = """

def parsed(text):
    if text == "bad":
        raise KeyError("no such line")
    return text


env.from_source(builder.build(), WatermarkStrategy.no_watermarks(), "words").map(parsed).name("parse").print()
env.execute("parse")
"""

SLOW_PYTHON = """#!/bin/sh
# the first process that declares state is slower than Spark waits
case "$*" in *transform_with_state_driver_worker*) if mkdir {folder}/tried 2> {folder}/again; then sleep 10.5; fi;; esac
exec {python} "$@"
"""


def test_workers_that_start_slowly_are_tried_again_and_an_error_is_the_users_own(
    kafka: KafkaBroker, topic: str, tmp_path: Path, quick_python: str
) -> None:
    kafka.produce(topic, ["a", "bad", "a"])
    job, slow = tmp_path / "job.py", tmp_path / "python"
    job.write_text(COUNT + FAILING)
    slow.write_text(SLOW_PYTHON.format(folder=tmp_path, python=quick_python))
    slow.chmod(0o755)
    with started(job, kafka, topic, {"PYSPARK_PYTHON": str(slow)}) as program:
        out, errors = program.communicate(timeout=180)
    slowly, traceback, *_ = errors.splitlines()
    assert slowly == "this machine is busy, and Spark's Python workers start slowly: job 'count' tries again"
    assert (sorted(out.splitlines()), program.returncode) == (["('a', 1)", "('a', 2)", "('bad', 1)"], 1)
    assert (tmp_path / "again").exists()
    assert traceback == "Traceback (most recent call last):"
    assert (
        "UserFunctionError: [user-function] the function of operator 'parse' raised KeyError: 'no such line'" in errors
    )
    assert f"at topic {topic}, partition 0, offset 1; element 'bad'" in errors
    assert "in parsed" in errors
    for foreign in ("Py4J", "py4j", "java.", "org.apache", "pyspark", "scala"):
        assert foreign not in errors


def test_sparks_failure_to_start_is_told_in_its_own_words(kafka: KafkaBroker, topic: str, script: Path) -> None:
    cases = {
        "--driver-memory 1m pyspark-shell": "Too small maximum heap",
        "--nonsense pyspark-shell": "Error: Unrecognized option: --nonsense",
        "--conf spark.driver.bindAddress=192.0.2.99 pyspark-shell": "Cannot assign requested address",
    }
    for arguments, said in cases.items():
        with started(script, kafka, topic, {"PYSPARK_SUBMIT_ARGS": arguments}) as program:
            out, errors = program.communicate(timeout=60)
        assert (out, program.returncode) == ("", 1)
        assert "kafkastream.errors.SetupError: [setup] Spark" in errors
        assert said in errors.partition("SetupError")[2], errors
        assert "\tat " not in errors


@pytest.mark.parametrize(
    ("variable", "value", "now"),
    [("SPARK_REMOTE", "sc://localhost", "spark-submit with --master"), ("PYSPARK_PIN_THREAD", "false", "Unset")],
)
def test_surroundings_that_do_not_work_are_refused_by_name(
    kafka: KafkaBroker, topic: str, script: Path, variable: str, value: str, now: str
) -> None:
    with started(script, kafka, topic, {variable: value}) as program:
        out, errors = program.communicate(timeout=60)
    assert (out, program.returncode) == ("", 1)
    told = errors.partition("UnsupportedFeatureError: ")[2]
    assert variable in told
    assert now in told
