"""Programs that end while their jobs run: ``kafkastream run`` waits and tells, plain Python stops the jobs and says so."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from kafkastream import cli
from kafkastream.spark.job import job_lines
from kafkastream.testing import KafkaBroker
from kafkastream.testing.pytest_plugin import NewTopic

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

INSERT = """
import sys
from kafkastream.table import EnvironmentSettings, TableEnvironment

servers, numbers, doubled = sys.argv[1:]
t_env = TableEnvironment.create(EnvironmentSettings.in_streaming_mode())
for name, topic in ("numbers", numbers), ("doubled", doubled):
    t_env.execute_sql(f'''CREATE TABLE {name} (n BIGINT) WITH (
        'connector' = 'kafka', 'topic' = '{topic}', 'properties.bootstrap.servers' = '{servers}', 'format' = 'json',
        'scan.startup.mode' = 'earliest-offset', 'scan.bounded.mode' = 'latest-offset')''')
t_env.execute_sql("INSERT INTO doubled SELECT n * 2 FROM numbers")
"""

COUNT = """
import sys
import tempfile
from pathlib import Path

from kafkastream.common import Types, WatermarkStrategy
from kafkastream.common.serialization import SimpleStringSchema
from kafkastream.datastream import StreamExecutionEnvironment
from kafkastream.datastream.connectors.kafka import KafkaOffsetsInitializer, KafkaSource
from kafkastream.testing import wait_until

servers, topic = sys.argv[1:]
builder = KafkaSource.builder().set_bootstrap_servers(servers).set_topics(topic)
builder.set_bounded(KafkaOffsetsInitializer.latest()).set_property("spark.maxOffsetsPerTrigger", "1")
env = StreamExecutionEnvironment.get_execution_environment()
env.set_parallelism(1)
lines = env.from_source(
    builder.set_value_only_deserializer(SimpleStringSchema()).build(), WatermarkStrategy.no_watermarks(), "in"
)
lines.key_by(len, Types.INT()).reduce(max).print()
env.execute("longest")
temporary = Path(tempfile.gettempdir())
wait_until(lambda: list(temporary.glob("kafkastream-*/in/state/0/0/*.zip")), 120, "a snapshot after the job")
"""

CLEANED = """
import os
import shutil
from pathlib import Path

from kafkastream.common import Types
from kafkastream.datastream import StreamExecutionEnvironment


def counted():
    env = StreamExecutionEnvironment.get_execution_environment()
    env.from_collection([1, 2]).key_by(lambda n: n, Types.INT()).reduce(max).print()
    env.execute("counts")


counted()
for folder in Path(os.environ["SPARK_LOCAL_DIRS"]).glob("blockmgr-*"):
    shutil.rmtree(folder)
counted()
"""

FAILING = """
from kafkastream import StreamExecutionEnvironment

env = StreamExecutionEnvironment.get_execution_environment()
env.from_collection([1, 0]).map(lambda n: 1 // n).name("divide").print()
env.execute_async("divisions")
"""


def run_here(*arguments: str) -> object:
    """Run a script by ``kafkastream run`` in this process, and give its exit code."""
    return cli.main(["run", *arguments], prog_name="kafkastream", standalone_mode=False)


def run_by_python(script: Path, text: str, *arguments: str, **variables: str) -> subprocess.CompletedProcess[str]:
    """Run a program in a Python of its own, to its end."""
    script.write_text(text)
    command = [sys.executable, str(script), *arguments]
    environment = {**os.environ, **variables}
    return subprocess.run(command, capture_output=True, text=True, timeout=170, check=False, env=environment)


@pytest.fixture
def temporary(tmp_path: Path) -> Path:
    """A folder for the temporary files of a program."""
    folder = tmp_path / "temporary"
    folder.mkdir()
    return folder


@pytest.fixture(autouse=True)
def surroundings(spark: SparkSession, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "argv", [])
    monkeypatch.setattr(sys, "path", list(sys.path))


def test_insert_at_the_end_of_a_script_is_waited_for(
    kafka: KafkaBroker,
    new_topic: NewTopic,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setattr(job_lines, "_IN_LOG_S", 0.1)
    numbers, doubled = new_topic(partitions=2), new_topic()
    kafka.produce(numbers, ['{"n": 1}', '{"n": 2}', '{"n": 3}'])
    script = tmp_path / "job.py"
    script.write_text(INSERT)
    assert not run_here(str(script), kafka.bootstrap_servers, numbers, doubled)
    assert sorted(record.value or b"" for record in kafka.consume(doubled)) == [b'{"n":2}', b'{"n":4}', b'{"n":6}']
    lines = [line.split(" ", 2)[2] for line in capsys.readouterr().err.splitlines()]
    job = "job 'insert-into_default_catalog.default_database.doubled'"
    starts, goes_on, *progress, ended = lines
    assert re.fullmatch(f"{job} starts: topic {numbers} → topic {doubled}. Spark UI: http://.*", starts)
    assert goes_on.startswith(f"{job} continues, though its program has ended")
    assert all(line.startswith(f"{job}: ") for line in progress)
    assert re.search(r"of 3 records \(\d+ %\)", progress[-1])
    assert re.fullmatch(f"{job} has finished after .* s: 3 records", ended)


def test_job_that_fails_behind_the_program_is_its_error(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    script = tmp_path / "job.py"
    script.write_text(FAILING)
    assert run_here(str(script)) == 1
    error = capsys.readouterr().err.partition("error: ")[2]
    assert error.startswith("[user-function] the function of operator 'divide' raised ZeroDivisionError")
    assert "<lambda>" in error


def test_plain_python_stops_the_job_and_says_so(
    kafka: KafkaBroker, new_topic: NewTopic, tmp_path: Path, temporary: Path
) -> None:
    numbers, doubled = new_topic(), new_topic()
    kafka.produce(numbers, ['{"n": 1}'])
    arguments = (kafka.bootstrap_servers, numbers, doubled)
    done = run_by_python(tmp_path / "job.py", INSERT, *arguments, TMPDIR=str(temporary))
    assert (done.returncode, done.stdout) == (0, "")
    stopped, *advice = done.stderr.splitlines()
    assert stopped.startswith("job 'insert-into_default_catalog.default_database.doubled' is stopped before its end")
    assert len(advice) == 2
    assert not list(temporary.glob("kafkastream-*"))  # its checkpoint folder is gone


def test_deleted_folder_of_spark_is_the_error(tmp_path: Path) -> None:
    """As a system does that cleans its temporary folder."""
    done = run_by_python(tmp_path / "job.py", CLEANED, SPARK_LOCAL_DIRS=str(tmp_path))
    assert done.returncode == 1
    error = done.stderr.partition("StorageError: ")[2]
    assert error.startswith(f"[storage] Spark's temporary folder {tmp_path}/blockmgr-")
    assert "set spark.local.dir" in error


@pytest.mark.nightly  # Spark's maintenance of state stores runs once a minute
def test_snapshot_that_spark_saves_after_the_job_goes_with_the_program(
    kafka: KafkaBroker, new_topic: NewTopic, tmp_path: Path, temporary: Path
) -> None:
    """A snapshot is due after ten micro-batches, and is saved by the next maintenance."""
    lines = new_topic()
    kafka.produce(lines, list(map(str, range(15))))
    done = run_by_python(tmp_path / "job.py", COUNT, kafka.bootstrap_servers, lines, TMPDIR=str(temporary))
    assert (done.returncode, done.stderr) == (0, "")
    assert not list(temporary.glob("kafkastream-*"))
