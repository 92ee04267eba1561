"""Cells of a notebook in a real kernel: a job is shown in place, and Ctrl-C stops the job, but not the kernel."""

from __future__ import annotations

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
    is_done: bool = False


@final
class Notebook:
    """Runs cells in a kernel, and keeps what a notebook would show."""

    def __init__(self, kernel: KernelManager, client: BlockingKernelClient) -> None:
        self.displays: dict[str, list[str]] = {}
        """Each display that can be refreshed, with the HTML that it has shown so far."""
        self._kernel = kernel
        self._client = client
        self._cells: dict[str, Cell] = {}

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
                raise TimeoutError(f"{what}; so far: {self._cells}, {self.displays}")
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
                self.displays.setdefault(content["transient"]["display_id"], []).append(content["data"]["text/html"])
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

def words(topic):
    t_env = TableEnvironment.create(EnvironmentSettings.in_streaming_mode())
    t_env.execute_sql(f\"\"\"CREATE TABLE words (word STRING) WITH (
        'connector' = 'kafka', 'topic' = '{topic}', 'properties.bootstrap.servers' = 'SERVERS',
        'scan.startup.mode' = 'earliest-offset', 'format' = 'raw'
    )\"\"\")
    return t_env.from_path("words")
"""


@pytest.fixture(scope="module")
def notebook(kafka: KafkaBroker, quick_python: str) -> Iterator[Notebook]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PYSPARK_PYTHON", quick_python)
        with opened(kafka) as notebook:
            yield notebook


@pytest.fixture
def words(kafka: KafkaBroker, new_topic: NewTopic) -> str:
    topic = new_topic()
    kafka.produce(topic, ["hello"])
    return topic


def assert_usable(notebook: Notebook) -> None:
    """The kernel computes, no query is left, and a further job runs."""
    assert notebook.run("1 + 1").text == "2"
    assert notebook.run(_QUERIES).text == "[]\n"
    assert notebook.run(_SECOND_JOB).text == "2\n3\nTrue"


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


def test_job_is_shown_in_place_until_its_end(
    notebook: Notebook, kafka: KafkaBroker, words: str, new_topic: NewTopic
) -> None:
    target = new_topic()
    cell = notebook.run(f"client = copy({words!r}, {target!r}).execute_async('in place'); client")
    assert (cell.text, len(notebook.displays)) == ("", 1)
    (shown,) = notebook.displays.values()
    kafka.produce(words, ["world"])
    notebook.until(lambda: "<td>RUNNING</td><td>2</td>" in shown[-1], "both records")
    notebook.run("client.cancel().result()")
    notebook.until(lambda: "<td>CANCELED</td>" in shown[-1], "the end of the job")
    assert len(shown) == len(set(shown))
    assert all(html.startswith("<table>") and "<td>in place</td>" in html for html in shown)


def test_job_that_has_failed_shows_its_error(notebook: Notebook, words: str) -> None:
    before = set(notebook.displays)
    notebook.run("""
env = StreamExecutionEnvironment.get_execution_environment()
env.from_collection([1]).map(lambda n: 1 / (n - 1)).print()
client = env.execute_async("failing")
client
""")
    (display,) = notebook.displays.keys() - before
    shown = notebook.displays[display]
    notebook.until(lambda: "<td>FAILED</td>" in shown[-1], "the failure")
    assert "ZeroDivisionError" in shown[-1]
    assert notebook.run("1 + 1").text == "2"
