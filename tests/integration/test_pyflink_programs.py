"""Programs that say ``from pyflink…`` run as they are: by ``kafkastream run``, and by a launcher of two lines."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from kafkastream import alias, cli
from kafkastream.spark.session.jars import connector_jars
from kafkastream.testing import KafkaBroker

FUNCTIONS = """
from pyflink.common import Row, Types
from pyflink.datastream import KeyedProcessFunction, RuntimeContext
from pyflink.datastream.state import ValueStateDescriptor


class Count(KeyedProcessFunction):
    def open(self, runtime_context: RuntimeContext):
        self.count = runtime_context.get_state(ValueStateDescriptor("count", Types.LONG()))

    def process_element(self, value, ctx: "KeyedProcessFunction.Context"):
        count = (self.count.value() or 0) + 1
        self.count.update(count)
        yield Row(ctx.get_current_key(), count)
"""

JOB = """
import logging
import sys

from functions import Count
from pyflink.common import Encoder, Types, WatermarkStrategy
from pyflink.common.serialization import SimpleStringSchema
from pyflink.datastream import StreamExecutionEnvironment
from pyflink.datastream.connectors.file_system import FileSink, OutputFileConfig, RollingPolicy
from pyflink.datastream.connectors.kafka import KafkaOffsetsInitializer, KafkaSource


def split(line):
    from pyflink.common import Row  # a name that only the workers ask for

    yield from (Row(word=word) for word in line.split())


def word_count(servers, topic, output_path=None):
    env = StreamExecutionEnvironment.get_execution_environment()
    env.set_parallelism(1)
    env.add_jars("file:///opt/flink/lib/flink-sql-connector-kafka.jar")
    source = (
        KafkaSource.builder()
        .set_bootstrap_servers(servers)
        .set_topics(topic)
        .set_starting_offsets(KafkaOffsetsInitializer.earliest())
        .set_bounded(KafkaOffsetsInitializer.latest())
        .set_value_only_deserializer(SimpleStringSchema())
        .build()
    )
    lines = env.from_source(source, WatermarkStrategy.no_watermarks(), "lines")
    counts = lines.flat_map(split).key_by(lambda row: row.word, Types.STRING()).process(Count())
    if output_path is None:
        counts.map(lambda row: f"{row[0]} {row[1]}", Types.STRING()).print()
    else:
        counts.sink_to(FileSink.for_row_format(output_path, Encoder.simple_string_encoder()).build())
    env.execute()


if __name__ == "__main__":
    logging.basicConfig(stream=sys.stderr, level=logging.WARNING)
    word_count(*sys.argv[1:])
"""

LAUNCHER = """
import kafkastream.as_pyflink
import runpy; runpy.run_module("job", run_name="__main__")
"""

COUNTS = "to 1\nbe 1\nor 1\nnot 1\nto 2\nbe 2\n"


@pytest.fixture
def program(tmp_path: Path) -> Path:
    (tmp_path / "functions.py").write_text(FUNCTIONS)
    (tmp_path / "job.py").write_text(JOB)
    (tmp_path / "launcher.py").write_text(LAUNCHER)
    return tmp_path


def run(*command: str | Path, python: str = sys.executable) -> subprocess.CompletedProcess[str]:
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    surroundings = {**os.environ, "PATH": path, "PYSPARK_PYTHON": python}
    return subprocess.run(command, capture_output=True, text=True, check=False, env=surroundings)


def kafkastream_run(*arguments: str | Path) -> subprocess.CompletedProcess[str]:
    return run(sys.executable, "-m", "kafkastream", "run", *arguments)


def test_kafkastream_run(kafka: KafkaBroker, topic: str, program: Path) -> None:
    kafka.produce(topic, ["to be or", "not to be"])
    done = kafkastream_run(program / "job.py", kafka.bootstrap_servers, topic)
    assert (done.stdout, done.returncode) == (COUNTS, 0), done.stderr


@pytest.mark.nightly
def test_spark_submit_with_a_launcher(kafka: KafkaBroker, topic: str, program: Path, quick_python: str) -> None:
    kafka.produce(topic, ["to be or", "not to be"])
    given: list[str] = [
        "--master",
        "local[2]",
        "--conf",
        "spark.log.level=ERROR",
        "--jars",
        ",".join(map(str, connector_jars())),
    ]
    files: list[str | Path] = [
        "--py-files",
        f"{program / 'job.py'},{program / 'functions.py'}",
        program / "launcher.py",
    ]
    done = run("spark-submit", *given, *files, kafka.bootstrap_servers, topic, python=quick_python)
    # spark-submit writes what the program writes to standard error to its own standard output
    (warning,) = [line for line in done.stdout.splitlines(keepends=True) if "pipeline.jars" in line]
    assert "no effect on Spark: pipeline.jars" in warning
    assert (done.stdout.replace(warning, ""), done.returncode) == (COUNTS, 0), done.stderr


def test_class_that_is_not_to_be_had_is_told_where_it_is_used(program: Path) -> None:
    path = "connectors.file_system import FileSink, OutputFileConfig, RollingPolicy"
    text = JOB.replace(path, "connectors.elasticsearch import ElasticsearchSink as FileSink")
    (program / "job.py").write_text(text)
    done = kafkastream_run(program / "job.py", "localhost:9092", "lines", "out")
    assert (done.stdout, done.returncode) == ("", 1)
    assert "job.py, line 37:\nerror: [unsupported-feature] ElasticsearchSink is not supported\n" in done.stderr
    assert "Traceback" not in done.stderr


def test_import_error_is_the_programs_own(program: Path) -> None:
    (program / "job.py").write_text("import functions\nfrom pyflink.datastream import NoSuchStream\n")
    for option in ([], ["--as-pyflink"]):
        done = kafkastream_run(*option, program / "job.py")
        assert (done.stdout, done.returncode) == ("", 1)
        _head, place, _line, error = done.stderr.splitlines()[:4]
        assert place == f'  File "{program / "job.py"}", line 2, in <module>'
        assert error.startswith("ImportError: cannot import name 'NoSuchStream' from 'kafkastream.datastream'")
    without = kafkastream_run("--no-as-pyflink", program / "job.py")
    assert without.stderr.splitlines()[-1] == "ModuleNotFoundError: No module named 'pyflink'"
    assert "kafkastream" not in without.stderr


SHOUTS = """
from pyflink.table import DataTypes
from pyflink.table.udf import ScalarFunction, udf


class Shout(ScalarFunction):
    def eval(self, text):
        from pyflink.common import Row  # a name that only the workers ask for

        return Row(text.upper())[0]


shout = udf(Shout(), result_type=DataTypes.STRING())
"""
SCRIPT = """
SET 'python.files' = '{module}';
CREATE TEMPORARY FUNCTION shout AS 'shouts.shout' LANGUAGE PYTHON;
SELECT shout('from sql');
"""
PIPELINE = """
source:
  type: values
  tables: CREATE TABLE shop.orders (id BIGINT, name STRING, PRIMARY KEY (id) NOT ENFORCED)
  changes:
    - insert: shop.orders
      after: {{id: 1, name: from a pipeline}}
transform:
  - source-table: shop.orders
    projection: id, shout(name) AS name
sink:
  type: values
pipeline:
  python.files: {module}
  user-defined-function:
    - name: shout
      classpath: shouts.shout
"""


@pytest.mark.usefixtures("spark")
def test_modules_of_functions_import_pyflink(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sys, "meta_path", [finder for finder in sys.meta_path if finder is not alias._ALIAS])
    monkeypatch.setattr(sys, "path", list(sys.path))
    module = tmp_path / "shouts.py"
    module.write_text(SHOUTS)
    for command, name, text in (("sql", "job.sql", SCRIPT), ("pipeline", "job.yaml", PIPELINE)):
        (tmp_path / name).write_text(text.format(module=module))
        cli.main([command, "-f", str(tmp_path / name)], prog_name="kafkastream", standalone_mode=False)
        sys.modules.pop("shouts", None)
    printed = capsys.readouterr().out
    assert "FROM SQL" in printed
    assert "FROM A PIPELINE" in printed
