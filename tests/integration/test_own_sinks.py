"""Sinks of users, made of ``kafkastream.connect``: exactly once by a committer, at least once to a service."""

from __future__ import annotations

import json
import runpy
import signal
import socket
import subprocess
import sys
import zipfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from typing import Any

import pytest

from kafkastream.common import (
    Configuration,
    RestartStrategies,
    SimpleStringSchema,
    Types,
    WatermarkStrategy,
)
from kafkastream.connect import (
    Committer,
    CommitterInitContext,
    CommittingSinkWriter,
    DeadLetter,
    DeadLetterSchema,
    RetriableError,
    Sink,
    SinkWriter,
    SupportsCommitter,
    WriteContext,
)
from kafkastream.datastream import AsyncRetryStrategy, RuntimeContext, StreamExecutionEnvironment
from kafkastream.datastream.connectors.kafka import (
    DeliveryGuarantee,
    KafkaOffsetsInitializer,
    KafkaSink,
    KafkaSource,
)
from kafkastream.errors import DefinitionError, JobError, UnsupportedFeatureError, UserFunctionError
from kafkastream.testing import KafkaBroker, Record, wait_until
from kafkastream.testing.pytest_plugin import NewTopic
from tests.package import ROOT
from tests.toy_sink import JsonLineSink

PACKAGE = ROOT / "tests" / "toy_sink"
HTTP = runpy.run_path(str(ROOT / "examples" / "cookbook" / "http_sink.py"))

KILLED = """
import os, pathlib, signal, sys

from kafkastream.common import Configuration, SimpleStringSchema, Types, WatermarkStrategy
from kafkastream.datastream import StreamExecutionEnvironment
from kafkastream.datastream.connectors.kafka import KafkaOffsetsInitializer, KafkaSource
from tests.toy_sink import JsonLineSink

servers, topic, folder, mode = sys.argv[1:]
renamed = pathlib.Path.rename


def rename(self, target):
    renamed(self, target)
    if target.parent.name == "out":
        os.kill(os.getpid(), signal.SIGKILL)


if mode == "killed":
    pathlib.Path.rename = rename
builder = KafkaSource.builder().set_bootstrap_servers(servers).set_topics(topic)
source = builder.set_bounded(KafkaOffsetsInitializer.latest()).set_value_only_deserializer(SimpleStringSchema()).build()
configuration = Configuration().set_string("execution.checkpointing.dir", f"{folder}/checkpoint")
env = StreamExecutionEnvironment.get_execution_environment(configuration)
words = env.from_source(source, WatermarkStrategy.no_watermarks(), "words")
words.map(lambda word: f"{mode} {word}", Types.STRING()).sink_to(JsonLineSink(f"{folder}/out")).uid("lines")
env.execute("copy")
"""


def zipped(folder: Path) -> str:
    """The package as users ship theirs to the workers."""
    with zipfile.ZipFile(folder / "toy.zip", "w") as archive:
        for module in PACKAGE.glob("*.py"):
            archive.write(module, f"tests/{PACKAGE.name}/{module.name}")
    return str(folder / "toy.zip")


def written(folder: Path) -> list[Any]:
    """The elements of all files, sorted."""
    lines = (line for path in folder.glob("*.jsonl") for line in path.read_text().splitlines())
    return sorted(map(json.loads, lines), key=str)


def text(kafka: KafkaBroker, topic: str) -> Any:
    """The builder of a source of text."""
    builder = KafkaSource.builder().set_bootstrap_servers(kafka.bootstrap_servers).set_topics(topic)
    builder.set_starting_offsets(KafkaOffsetsInitializer.earliest())
    return builder.set_value_only_deserializer(SimpleStringSchema())


class Interrupted(Committer[str]):
    """Fails once before and once after the output is visible."""

    def __init__(self, committer: Committer[str], trace: Path) -> None:
        self.committer = committer
        self.trace = trace

    def commit(self, committables: Sequence[str], checkpoint_id: int) -> None:
        with self.trace.open("a") as trace:
            print(checkpoint_id, file=trace)
        attempts = len(self.trace.read_text().splitlines())
        if attempts == 1:
            raise RetriableError("not yet")
        self.committer.commit(committables, checkpoint_id)
        if attempts == 2:
            raise RuntimeError("the connection broke after the commit")


class InterruptedSink(Sink[Any], SupportsCommitter[str]):
    def __init__(self, folder: Path) -> None:
        self.lines = JsonLineSink(str(folder))

    def create_writer(self, context: RuntimeContext) -> CommittingSinkWriter[Any, str]:
        return self.lines.create_writer(context)

    def create_committer(self, context: CommitterInitContext) -> Committer[str]:
        return Interrupted(self.lines.create_committer(context), Path(self.lines.directory).with_suffix(".trace"))


@pytest.mark.usefixtures("spark")
def test_a_committer_writes_exactly_once_after_failures_and_restarts(
    kafka: KafkaBroker, new_topic: NewTopic, tmp_path: Path
) -> None:
    topic, plain, counted, shipped = new_topic(partitions=2), tmp_path / "plain", tmp_path / "counted", tmp_path / "zip"

    def start() -> Any:
        configuration = Configuration().set_string("execution.checkpointing.dir", str(tmp_path / "checkpoint"))
        env = StreamExecutionEnvironment.get_execution_environment(configuration)
        env.set_restart_strategy(RestartStrategies.fixed_delay_restart(3, 10))
        env.add_python_file(zipped(tmp_path))
        words = env.from_source(text(kafka, topic).build(), WatermarkStrategy.no_watermarks(), "words")
        words = words.map(lambda word: None if word == "none" else word)
        words.sink_to(InterruptedSink(plain)).uid("plain")
        words.sink_to(JsonLineSink(str(shipped))).uid("shipped")
        ones = words.map(lambda word: (str(word), 1), Types.TUPLE([Types.STRING(), Types.INT()]))
        ones.key_by(lambda pair: pair[0]).reduce(lambda a, b: (a[0], a[1] + b[1])).map(list).sink_to(
            InterruptedSink(counted)
        ).uid("counted")
        return env.execute_async("toy")

    kafka.produce(topic, [Record("a", partition=0), Record("b", partition=1), Record("none", partition=1)])
    job = start()
    first = [["None", 1], ["a", 1], ["b", 1]]
    wait_until(
        lambda: written(plain) == written(shipped) == [None, "a", "b"] and written(counted) == first, 60, "batch 1"
    )
    kafka.produce(topic, [Record("a", partition=0), Record("d", partition=0)])
    wait_until(lambda: len(written(plain)) == len(written(counted)) == 5, 60, "the second micro-batch")
    job.cancel().result()
    kafka.produce(topic, [Record("a", partition=0)])
    job = start()
    second = sorted([*first, ["a", 2], ["d", 1], ["a", 3]], key=str)
    wait_until(lambda: written(counted) == second, 60, "the micro-batch after the restart")
    job.cancel().result()
    assert written(plain) == written(shipped) == [None, "a", "a", "a", "b", "d"]
    for trace in tmp_path.glob("*.trace"):
        numbers = list(map(int, trace.read_text().split()))
        assert numbers == sorted(numbers)
        assert numbers.count(numbers[0]) >= 3  # refused, interrupted, repeated
        assert len(set(numbers)) >= 3


@pytest.mark.usefixtures("spark")
def test_a_commit_that_a_kill_interrupts_is_replaced(
    kafka: KafkaBroker, new_topic: NewTopic, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    topic, program, out = new_topic(partitions=2), tmp_path / "job.py", tmp_path / "out"
    program.write_text(KILLED)
    monkeypatch.setenv("PYTHONPATH", str(ROOT))
    kafka.produce(topic, [Record("a", partition=0), Record("b", partition=1)])
    arguments = [str(program), kafka.bootstrap_servers, topic, str(tmp_path)]
    killed = subprocess.run([sys.executable, *arguments, "killed"], check=False, capture_output=True)
    assert killed.returncode == -signal.SIGKILL
    assert written(out) in (["killed a"], ["killed b"])
    monkeypatch.setattr(sys, "argv", [*arguments, "repeated"])
    runpy.run_path(str(program), run_name="__main__")  # in this JVM, which is here already
    assert written(out) == ["repeated a", "repeated b"]


class Service(BaseHTTPRequestHandler):
    """Fails for the first requests, refuses elements with an x, and keeps the others."""

    received: list[str]
    failures: int
    connections: list[socket.socket]

    def setup(self) -> None:
        super().setup()
        self.connections.append(self.connection)

    def do_POST(self) -> None:
        elements = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        service = type(self)
        if service.failures:
            service.failures -= 1
            status = 500
        elif any("x" in element for element in elements):
            status = 422
        else:
            status = 200
            service.received += elements
        self.send_response(status)
        self.send_header("Content-Length", "0")
        self.end_headers()

    def log_message(self, *arguments: object) -> None:
        pass


@contextmanager
def service(port: int, failures: int) -> Iterator[type[Service]]:
    handler: Any = type(
        "Handler", (Service,), {"received": [], "failures": failures, "connections": [], "protocol_version": "HTTP/1.1"}
    )
    with ThreadingHTTPServer(("localhost", port), handler) as server:
        server.daemon_threads = True
        serving = Thread(target=server.serve_forever, args=(0.01,))
        serving.start()
        try:
            yield handler
        finally:
            server.shutdown()
            serving.join()
            for connection in handler.connections:
                with suppress(OSError):
                    connection.shutdown(socket.SHUT_RDWR)


def free_port() -> int:
    with ThreadingHTTPServer(("localhost", 0), Service) as server:
        return server.server_port


def letters_to(kafka: KafkaBroker, topic: str) -> KafkaSink[DeadLetter]:
    builder = KafkaSink.builder().set_bootstrap_servers(kafka.bootstrap_servers)
    builder.set_delivery_guarantee(DeliveryGuarantee.AT_LEAST_ONCE)
    return builder.set_record_serializer(DeadLetterSchema(topic)).build()


@pytest.mark.usefixtures("spark")
@pytest.mark.parametrize("latency", [False, True], ids=["micro-batches", "latency mode"])
def test_a_service_gets_all_elements_though_it_goes_away(
    kafka: KafkaBroker, new_topic: NewTopic, tmp_path: Path, latency: bool
) -> None:
    topic, dead, port = new_topic(partitions=1), new_topic(), free_port()
    configuration = Configuration().set_string("execution.checkpointing.dir", str(tmp_path))
    env = StreamExecutionEnvironment.get_execution_environment(configuration)
    if latency:
        env.configure(Configuration().set_string("kafkastream.latency.epoch", "1 s"))
        env.set_buffer_timeout(0).enable_checkpointing(300)
    words = env.from_source(text(kafka, topic).build(), WatermarkStrategy.no_watermarks(), "words")
    sink = HTTP["HttpSink"](f"http://localhost:{port}/words", letters_to(kafka, dead))
    words.sink_to(sink).name("service").uid("service")
    kafka.produce(topic, [Record("a", key="key", headers=(("h", b"1"),)), Record("fox", key="k"), Record("b")])
    job = env.execute_async("post")
    with service(port, failures=2) as first:
        wait_until(lambda: first.received == ["a", "b"], 60, "the service after two errors")
    kafka.produce(topic, ["c"])
    with service(port, failures=0) as second:
        wait_until(lambda: "c" in second.received, 60, "the service after its restart")
    job.cancel().result()
    letter = kafka.consume(dead)[0]
    headers = {name: (value or b"").decode() for name, value in letter.headers}
    assert (letter.key, letter.value) == (b"k", b"fox")
    assert headers["kafkastream.error.reason"] == "ValueError: HTTP 422"
    assert headers["kafkastream.error.operator"] == "service"
    assert headers["kafkastream.error.offset"] == "1"


class Failing(SinkWriter[str]):
    """Does with each element what its text says."""

    def write(self, elements: Sequence[str], context: WriteContext) -> None:
        for index, element in enumerate(elements):
            if element == "reject":
                context.reject(index, ValueError("never"))
            elif element == "retry":
                raise RetriableError("later")
            elif element == "raise":
                raise KeyError(element)


class FailingSink(Sink[str]):
    def __init__(self, letters: KafkaSink[DeadLetter] | None = None) -> None:
        self.letters = letters

    def create_writer(self, context: RuntimeContext) -> SinkWriter[str]:
        return Failing()

    @property
    def retry_strategy(self) -> AsyncRetryStrategy[Any]:
        return AsyncRetryStrategy.fixed_delay(2, 1, None, lambda error: isinstance(error, RetriableError))

    @property
    def dead_letters(self) -> KafkaSink[DeadLetter] | None:
        return self.letters


@pytest.mark.usefixtures("spark")
def test_errors_name_the_sink_and_the_element() -> None:
    def error_of(element: str, kind: type[JobError]) -> str:
        env = StreamExecutionEnvironment.get_execution_environment()
        env.from_collection(["fine", element], Types.STRING()).sink_to(FailingSink()).name("picky")
        with pytest.raises(kind) as caught:
            env.execute("errors")
        return str(caught.value)

    rejected = error_of("reject", JobError)
    assert "sink 'picky' rejected an element: ValueError: never" in rejected
    assert "element 2 of the collection; element 'reject'" in rejected
    assert "write of sink 'picky' failed 3 times, the last time by RetriableError: later" in error_of("retry", JobError)
    raised = error_of("raise", UserFunctionError)
    assert "write of sink 'picky' raised KeyError: 'raise'" in raised
    assert "a batch of 2 elements, the first is 'fine'" in raised


@pytest.mark.usefixtures("spark")
def test_dead_letters_in_transactions_are_refused() -> None:
    builder = KafkaSink.builder().set_bootstrap_servers("localhost:1").set_transactional_id_prefix("letters")
    builder.set_delivery_guarantee(DeliveryGuarantee.EXACTLY_ONCE)
    env = StreamExecutionEnvironment.get_execution_environment()
    letters = builder.set_record_serializer(DeadLetterSchema("dead")).build()
    env.from_collection(["a"], Types.STRING()).sink_to(FailingSink(letters))
    with pytest.raises(UnsupportedFeatureError, match="not written in transactions"):
        env.execute("exact letters")


def test_the_value_says_what_the_start_of_a_job_shows() -> None:
    assert JsonLineSink("/out").target_text == "lines in /out"
    assert (JsonLineSink("/out").guarantee, FailingSink().guarantee) == ("EXACTLY_ONCE", "AT_LEAST_ONCE")


def test_a_wrong_value_is_refused_when_it_is_made() -> None:
    with pytest.raises(DefinitionError, match="'out' is not an absolute path"):
        JsonLineSink("out")


def test_a_sink_without_writer_cannot_be_made() -> None:
    class Nothing(Sink[str]):
        pass

    with pytest.raises(TypeError, match="abstract"):
        Nothing()  # type: ignore[abstract]  # as the test says


def test_the_recipe_uses_public_names_only() -> None:
    own = [line for line in (PACKAGE / "__init__.py").read_text().splitlines() if line.startswith("from kafkastream.")]
    modules = {line.split()[1] for line in own}
    assert modules == {"kafkastream.connect", "kafkastream.datastream.functions", "kafkastream.errors"}
