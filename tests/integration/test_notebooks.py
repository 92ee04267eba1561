"""Cells of a notebook in a real kernel: a job is shown in place, and Ctrl-C stops the job or its start, not the kernel."""

from __future__ import annotations

import socket
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any, final

import attrs
import pytest
from jupyter_client.blocking.client import BlockingKernelClient
from jupyter_client.manager import KernelManager

from kafkastream.testing import KafkaBroker, wait_until
from kafkastream.testing.pytest_plugin import NewTopic

_QUERIES = """
from pyspark.sql import SparkSession
threads = SparkSession.getActiveSession()._jvm.Thread.getAllStackTraces().keySet()
print([thread.getName() for thread in threads if "stream execution" in thread.getName()])
"""
_SECOND_JOB = """
env = StreamExecutionEnvironment.get_execution_environment().set_parallelism(1)
env.from_collection([1, 2]).map(lambda n: n + 1).print()
env.execute("second").is_job_execution_result()
"""


@final
@attrs.define
class Cell:
    """Outputs of a cell so far."""

    text: str = ""
    """Text on standard output and standard error, and of the result."""
    error: str = ""
    """Name of the exception that has ended the cell."""
    shown: list[str] = attrs.field(factory=list)
    """HTML of the display that the cell has begun: how it was shown at first, and each refreshed state."""
    is_done: bool = False


@final
class Notebook:
    """Runs cells in a kernel, and keeps what a notebook would show."""

    def __init__(self, kernel: KernelManager, client: BlockingKernelClient) -> None:
        self._kernel = kernel
        self._client = client
        self._cells: dict[str, Cell] = {}
        self._displays: dict[str, Cell] = {}

    def begin(self, code: str) -> Cell:
        """Begin to run a cell."""
        cell = self._cells[self._client.execute(code)] = Cell()
        return cell

    def run(self, code: str) -> Cell:
        """Run a cell to its end."""
        cell = self.begin(code)
        self.until(lambda: cell.is_done, f"the end of the cell {code}")
        return cell

    def interrupt(self) -> None:
        """Interrupt the kernel, as the button of a notebook does."""
        self._kernel.interrupt_kernel()

    def stop(self, cell: Cell) -> None:
        """Interrupt the kernel, and wait for the end of the running cell."""
        self.interrupt()
        self.until(lambda: cell.is_done, "the end of the cell")

    def until(self, condition: Callable[[], object], what: str) -> None:
        """Read messages of the kernel until a condition holds."""
        deadline = time.monotonic() + 120
        while not condition():
            if time.monotonic() > deadline:
                raise TimeoutError(f"{what}; so far: {self._cells}")
            if self._client.iopub_channel.socket.poll(100):  # ms
                self._read(self._client.get_iopub_msg(timeout=1))

    def _read(self, message: Mapping[str, Any]) -> None:
        content, cell = message["content"], self._cells.get(message["parent_header"].get("msg_id"), Cell())
        match message["msg_type"]:
            case "stream":
                cell.text += content["text"]
            case "execute_result":
                cell.text += content["data"]["text/plain"]
            case "error":
                cell.error = content["ename"]
            case "display_data" | "update_display_data" if "display_id" in content["transient"]:
                begun_by = self._displays.setdefault(content["transient"]["display_id"], cell)
                begun_by.shown.append(content["data"]["text/html"])
            case "status":
                cell.is_done = content["execution_state"] == "idle"


@contextmanager
def opened(kafka: KafkaBroker) -> Iterator[Notebook]:
    """A notebook with a kernel of its own, whose first cell has imported what the tests use, and started no Spark."""
    kernel = KernelManager(kernel_name="python3")
    kernel.start_kernel()
    client = kernel.blocking_client()
    client.start_channels()
    try:
        client.wait_for_ready(timeout=60)
        notebook = Notebook(kernel, client)
        assert notebook.run(_IMPORTS.replace("SERVERS", kafka.bootstrap_servers)).error == ""
        yield notebook
    finally:
        client.stop_channels()
        kernel.shutdown_kernel(now=True)


_IMPORTS = """
from kafkastream.common import SimpleStringSchema, WatermarkStrategy
from kafkastream.datastream import StreamExecutionEnvironment
from kafkastream.datastream.connectors.kafka import KafkaRecordSerializationSchema, KafkaSink, KafkaSource
from kafkastream.table import EnvironmentSettings, TableEnvironment

def texts(topic):
    builder = KafkaSource.builder().set_bootstrap_servers("SERVERS").set_topics(topic).set_group_id("notebook")
    return builder.set_value_only_deserializer(SimpleStringSchema()).build()

def copy(source, target):
    env = StreamExecutionEnvironment.get_execution_environment()
    records = KafkaRecordSerializationSchema.builder().set_topic(target)
    records = records.set_value_serialization_schema(SimpleStringSchema()).build()
    sink = KafkaSink.builder().set_bootstrap_servers("SERVERS").set_record_serializer(records).build()
    env.from_source(texts(source), WatermarkStrategy.no_watermarks(), source).map(str.upper).sink_to(sink)
    return env

def words(topic, target="none"):
    t_env = TableEnvironment.create(EnvironmentSettings.in_streaming_mode())
    for name, text in ("words", topic), ("copies", target):
        t_env.execute_sql(f\"\"\"CREATE TABLE {name} (word STRING) WITH (
            'connector' = 'kafka', 'topic' = '{text}', 'properties.bootstrap.servers' = 'SERVERS',
            'scan.startup.mode' = 'earliest-offset', 'format' = 'raw'
        )\"\"\")
    t_env.get_config().set("pipeline.name", "awaited")
    return t_env.from_path("words")
"""


@pytest.fixture(scope="module")
def notebook(kafka: KafkaBroker, quick_python: str) -> Iterator[Notebook]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PYSPARK_PYTHON", quick_python)
        with opened(kafka) as notebook:
            notebook.run(_SECOND_JOB)  # Spark has started when the tests begin
            yield notebook


@pytest.fixture
def words(kafka: KafkaBroker, new_topic: NewTopic) -> str:
    topic = new_topic()
    kafka.produce(topic, ["hello"])
    return topic


def assert_usable(notebook: Notebook) -> None:
    """The kernel computes, a further job runs, and no query is left."""
    assert notebook.run("1 + 1").text == "2"
    second = notebook.run(_SECOND_JOB)
    assert (second.error, second.text) == ("", "2\n3\nTrue")
    assert notebook.run(_QUERIES).text == "[]\n"


def test_ctrl_c_stops_a_job_that_is_executed(
    notebook: Notebook, kafka: KafkaBroker, words: str, new_topic: NewTopic
) -> None:
    target = new_topic()
    cell = notebook.begin(f"copy({words!r}, {target!r}).execute()")
    kafka.consume(target, count=1)
    notebook.stop(cell)
    assert (cell.error, cell.text) == (
        "KeyboardInterrupt",
        "\nStopping after the running micro-batch; Ctrl-C again stops at once.\n",
    )
    assert_usable(notebook)


def test_ctrl_c_stops_a_job_whose_result_is_awaited(
    notebook: Notebook, kafka: KafkaBroker, words: str, new_topic: NewTopic
) -> None:
    target = new_topic()
    notebook.run(f"client = copy({words!r}, {target!r}).execute_async()")
    cell = notebook.begin("client.get_job_execution_result().result()")
    kafka.consume(target, count=1)
    notebook.stop(cell)
    assert cell.error == "KeyboardInterrupt"
    assert notebook.run("print(client.get_job_status().result().name)").text == "CANCELED\n"
    assert_usable(notebook)


def test_second_ctrl_c_does_not_wait_for_the_micro_batch(notebook: Notebook, words: str, tmp_path: Path) -> None:
    begun = tmp_path / "begun"
    notebook.run(f"""
import pathlib, threading
def endless(word):
    pathlib.Path({str(begun)!r}).touch()
    threading.Event().wait()
env = StreamExecutionEnvironment.get_execution_environment()
env.from_source(texts({words!r}), WatermarkStrategy.no_watermarks(), "words").map(endless).print()
client = env.execute_async("endless")
""")
    cell = notebook.begin("client.get_job_execution_result().result()")
    wait_until(begun.exists, 60, "the start of the micro-batch")
    notebook.interrupt()
    notebook.until(lambda: "Ctrl-C again" in cell.text, "the first Ctrl-C")
    assert not cell.is_done
    notebook.stop(cell)
    assert cell.error == "KeyboardInterrupt"
    # Without the second one, a job would wait for 30 s.
    assert notebook.run("client.get_job_execution_result().result(20) is not None").text == "True"
    assert_usable(notebook)


def test_ctrl_c_cancels_a_query_that_is_printed(notebook: Notebook, words: str) -> None:
    cell = notebook.begin(f"words({words!r}).execute().print()")
    notebook.until(lambda: "hello" in cell.text, "the first row")
    notebook.stop(cell)
    assert cell.error == "KeyboardInterrupt"
    assert_usable(notebook)


def test_ctrl_c_cancels_a_query_whose_first_rows_are_awaited(notebook: Notebook, topic: str) -> None:
    cell = notebook.begin(f"result = words({topic!r}).execute(); print('waits'); result")
    notebook.until(lambda: "waits" in cell.text, "the start of the query")
    notebook.stop(cell)
    assert cell.error == "KeyboardInterrupt"
    assert_usable(notebook)


def test_ctrl_c_in_the_cell_that_starts_spark_leaves_other_jobs_alone(
    kafka: KafkaBroker, words: str, new_topic: NewTopic, monkeypatch: pytest.MonkeyPatch, quick_python: str
) -> None:
    monkeypatch.setenv("PYSPARK_PYTHON", quick_python)
    target = new_topic()
    with opened(kafka) as notebook:
        cell = notebook.begin(
            f"client = copy({words!r}, {target!r}).execute_async(); words({words!r}).execute().print()"
        )
        notebook.until(lambda: "hello" in cell.text, "the first row")
        notebook.stop(cell)
        assert cell.error == "KeyboardInterrupt"
        kafka.produce(words, ["world"])
        wait_until(lambda: len(kafka.consume(target, count=2)) == 2, 60, "the record after Ctrl-C")
        assert notebook.run("print(client.get_job_status().result().name)").text == "RUNNING\n"
        assert "stream execution" in notebook.run(_QUERIES).text
        notebook.run("client.cancel().result()")
        assert_usable(notebook)


_STAGES = {
    "the imports": "'pandas.core' in sys.modules",
    "the JVM": "any('org.apache.spark' in ' '.join(one.cmdline()) for one in psutil.Process().children())",
    "the Spark context": "sys.modules['pyspark'].SparkContext._active_spark_context",
    "the job": "sys.modules['kafkastream.spark.job.live_runs'].LIVE_RUNS.context('tests', 0).runs",
}
"""Stages of a start, and what a thread of the kernel finds as soon as they have begun."""


def test_ctrl_c_while_spark_starts_leaves_a_kernel_that_starts_it(
    kafka: KafkaBroker,
    words: str,
    new_topic: NewTopic,
    monkeypatch: pytest.MonkeyPatch,
    quick_python: str,
    tmp_path: Path,
) -> None:
    monkeypatch.setenv("PYSPARK_PYTHON", quick_python)
    target = new_topic()
    with opened(kafka) as notebook:
        notebook.run(_TOUCH_WHEN)
        for stage, has_begun in _STAGES.items():
            mark = tmp_path / stage
            cell = notebook.begin(f"touch_when({str(mark)!r}, {has_begun!r}); copy({words!r}, {target!r}).execute()")
            wait_until(mark.exists, 60, stage)
            notebook.stop(cell)
            assert (stage, cell.error) == (stage, "KeyboardInterrupt")
        assert_usable(notebook)


_TOUCH_WHEN = """
import pathlib, psutil, sys, threading, time

def touch_when(path, condition):
    def run():
        while True:
            try:
                if eval(condition):
                    break
            except Exception:  # not imported yet, or a process that has ended
                pass
            time.sleep(0.01)
        pathlib.Path(path).touch()
    threading.Thread(target=run, daemon=True).start()
"""


def test_ctrl_c_while_jars_are_fetched_leaves_a_kernel_that_fetches_them(
    kafka: KafkaBroker, monkeypatch: pytest.MonkeyPatch, quick_python: str, tmp_path: Path
) -> None:
    monkeypatch.setenv("PYSPARK_PYTHON", quick_python)
    settings = tmp_path / "ivysettings.xml"
    with opened(kafka) as notebook, socket.create_server(("localhost", 0)) as silent_registry:
        settings.write_text(
            '<ivysettings><settings defaultResolver="silent"/><resolvers><ibiblio name="silent" m2compatible="true" '
            f'root="http://localhost:{silent_registry.getsockname()[1]}/"/></resolvers></ivysettings>'
        )
        names = {"KAFKASTREAM_JARS_DIR": str(tmp_path / "jars"), "KAFKASTREAM_IVY_SETTINGS": str(settings)}
        cell = notebook.begin(f"import os\nbefore = dict(os.environ)\nos.environ.update({names})\n{_SECOND_JOB}")
        silent_registry.settimeout(60)
        with silent_registry.accept()[0]:
            notebook.stop(cell)
        assert cell.error == "KeyboardInterrupt"
        assert not list(tmp_path.glob("jars/**/*.jar"))
        notebook.run(
            f"os.environ.update(before)\n[os.environ.pop(name) for name in {list(names)} if name not in before]"
        )
        assert_usable(notebook)


def test_job_is_shown_in_place_until_its_end(
    notebook: Notebook, kafka: KafkaBroker, words: str, new_topic: NewTopic
) -> None:
    target = new_topic()
    cell = notebook.run(f"client = copy({words!r}, {target!r}).execute_async('in place'); client")
    assert cell.text == ""
    kafka.produce(words, ["world"])
    notebook.until(lambda: "<td>RUNNING</td><td>2</td>" in cell.shown[-1], "both records")
    notebook.run("client.cancel().result()")
    notebook.until(lambda: "<td>CANCELED</td>" in cell.shown[-1], "the end of the job")
    assert len(cell.shown) == len(set(cell.shown))
    assert all(html.startswith("<table>") and "<td>in place</td>" in html for html in cell.shown)


@pytest.mark.parametrize(
    "awaited",
    [
        "copy({words!r}, {target!r}).execute('awaited')",
        "copy({words!r}, {target!r}).execute_async('awaited').get_job_execution_result().result()",
        "words({words!r}, {target!r}).execute_insert('copies').wait()",
    ],
    ids=["execute", "result", "insert"],
)
def test_job_that_a_cell_awaits_is_shown_in_place_until_its_end(
    notebook: Notebook, kafka: KafkaBroker, words: str, new_topic: NewTopic, awaited: str
) -> None:
    target = new_topic()
    cell = notebook.begin(awaited.format(words=words, target=target))
    kafka.consume(target, count=1)
    kafka.produce(words, ["world"])
    notebook.until(lambda: cell.shown and "<td>RUNNING</td><td>2</td>" in cell.shown[-1], "both records")
    notebook.stop(cell)
    assert "<td>CANCELED</td><td>2</td>" in cell.shown[-1]
    assert all(html.startswith("<table>") and "<td>awaited</td>" in html for html in cell.shown)


def test_job_without_progress_is_not_shown(notebook: Notebook) -> None:
    cell = notebook.run("""
from kafkastream.common import Configuration
env = StreamExecutionEnvironment.get_execution_environment(Configuration().set_string("kafkastream.progress", "off"))
env.set_parallelism(1).from_collection([1]).print()
env.execute("silent").is_job_execution_result()
""")
    assert (cell.error, cell.text, cell.shown) == ("", "1\nTrue", [])


def test_job_that_has_failed_shows_its_error(notebook: Notebook, words: str) -> None:
    cell = notebook.run("""
env = StreamExecutionEnvironment.get_execution_environment()
env.from_collection([1]).map(lambda n: 1 / (n - 1)).print()
client = env.execute_async("failing")
client
""")
    notebook.until(lambda: "<td>FAILED</td>" in cell.shown[-1], "the failure")
    assert "ZeroDivisionError" in cell.shown[-1]
    assert notebook.run("1 + 1").text == "2"
