"""Sources of users, made of ``kafkastream.connect``: splits that grow and are added, restarts, failures, event time."""

from __future__ import annotations

import json
import zipfile
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING, Any

import pytest

from kafkastream.common import Configuration, Duration, RestartStrategies, Time, Types, WatermarkStrategy
from kafkastream.connect import Boundedness, Source, SourceElement, SourceReader, SourceSplit, SplitEnumerator
from kafkastream.datastream import RuntimeContext, StreamExecutionEnvironment
from kafkastream.datastream.connectors.kafka import DeliveryGuarantee
from kafkastream.datastream.window import TumblingEventTimeWindows
from kafkastream.errors import DefinitionError, UnsupportedFeatureError, UserFunctionError
from kafkastream.table import StreamTableEnvironment
from kafkastream.testing import KafkaBroker, wait_until
from kafkastream.testing.pytest_plugin import NewTopic
from tests.package import ROOT
from tests.toy_sink import JsonLineSink
from tests.toy_source import LineSource

if TYPE_CHECKING:
    from tests.integration.conftest import Parts


def zipped(folder: Path) -> str:
    """The source and the sink as users ship theirs to the workers."""
    with zipfile.ZipFile(folder / "toys.zip", "w") as archive:
        for name in ("toy_source", "toy_sink"):
            archive.write(ROOT / "tests" / name / "__init__.py", f"tests/{name}/__init__.py")
    return str(folder / "toys.zip")


def environment(folder: Path) -> StreamExecutionEnvironment:
    configuration = Configuration().set_string("execution.checkpointing.dir", str(folder / "checkpoint"))
    env = StreamExecutionEnvironment.get_execution_environment(configuration)
    env.add_python_file(zipped(folder))
    return env


def written(folder: Path) -> list[Any]:
    lines = (line for path in folder.glob("*.jsonl") for line in path.read_text().splitlines())
    return sorted(map(json.loads, lines))


def append(path: Path, *lines: str, end: str = "\n") -> None:
    with path.open("a") as file:
        file.write("\n".join(lines) + end)


class FailsOnce:
    """A function that raises at the first bad element, and takes it when it comes again."""

    def __init__(self, trace: Path) -> None:
        self.trace = trace

    def __call__(self, line: str) -> str:
        if "bad" in line and not self.trace.exists():
            self.trace.touch()
            raise ValueError(line)
        return line


@pytest.mark.usefixtures("spark")
def test_a_source_of_splits_continues_exactly_where_it_was(
    kafka: KafkaBroker, new_topic: NewTopic, parts: Parts, tmp_path: Path
) -> None:
    topic, files = new_topic(), tmp_path / "in"
    copied, counted, windows = tmp_path / "copied", tmp_path / "counted", tmp_path / "windows"
    files.mkdir()

    def start() -> Any:
        env = environment(tmp_path)
        env.set_restart_strategy(RestartStrategies.fixed_delay_restart(3, 10))
        times = WatermarkStrategy.for_monotonous_timestamps()
        source = env.from_source(LineSource(str(files)), times, "lines").uid("lines")
        lines = source.map(FailsOnce(tmp_path / "failed"), Types.STRING())  # after some state has been written
        lines.sink_to(JsonLineSink(str(copied))).uid("copied")
        lines.sink_to(parts.sink_of(parts.serializer(topic), guarantee=DeliveryGuarantee.EXACTLY_ONCE)).uid("topic")
        pairs = lines.map(lambda line: (line.split()[1], 1), Types.TUPLE([Types.STRING(), Types.INT()]))
        keyed = pairs.key_by(lambda pair: pair[0], Types.STRING())
        keyed.sum(1).map(list).sink_to(JsonLineSink(str(counted))).uid("counted")
        minutes = keyed.window(TumblingEventTimeWindows.of(Time.minutes(1))).sum(1)
        minutes.map(list).sink_to(JsonLineSink(str(windows))).uid("windows")
        return env.execute_async("lines")

    append(files / "a", "1000 ann", "2000 bob")
    append(files / "b", "3000 ann")
    append(files / "b", "4000 unfini", end="")
    job = start()
    wait_until(lambda: len(written(counted)) == 3, 90, "the first micro-batch")
    append(files / "a", "5000 bad", "61000 ann")
    append(files / "b", "shed", "62000 bob")
    append(files / "c", "63000 cid")  # a split that is found later
    first = [["ann", 2], ["bad", 1], ["bob", 1], ["unfinished", 1]]
    wait_until(lambda: written(windows) == first, 90, "a window")
    wait_until(lambda: len(written(counted)) == 8, 90, "the second micro-batch")
    job.cancel().result()
    append(files / "a", "64000 ann", "125000 ann")
    append(files / "b", "125000 bob")
    append(files / "c", "125000 cid")
    job = start()
    wait_until(lambda: len(written(windows)) == 7 and len(written(counted)) == 12, 40, "the windows after the restart")
    job.cancel().result()
    everything = sorted(line for path in files.iterdir() for line in path.read_text().splitlines())
    assert written(copied) == everything
    assert sorted(map(str, parts.values(topic))) == everything
    totals = {"ann": 5, "bob": 3, "bad": 1, "unfinished": 1, "cid": 2}
    assert written(counted) == sorted([name, count] for name, total in totals.items() for count in range(1, total + 1))
    assert written(windows) == sorted([*first, ["ann", 2], ["bob", 1], ["cid", 1]])


@pytest.mark.usefixtures("spark")
def test_a_bounded_source_ends_and_the_next_run_reads_what_is_new(tmp_path: Path) -> None:
    files, out = tmp_path / "in", tmp_path / "out"
    files.mkdir()

    def run() -> Any:
        env = environment(tmp_path)
        env.set_restart_strategy(RestartStrategies.fixed_delay_restart(1, 10))
        lines = env.from_source(LineSource(str(files), is_bounded=True), WatermarkStrategy.no_watermarks(), "lines")
        lines.map(FailsOnce(tmp_path / "failed"), Types.STRING()).sink_to(JsonLineSink(str(out))).uid("out")
        return env.execute("bounded lines")

    append(files / "a", "one", "two")
    first = run()
    assert written(out) == ["one", "two"]
    assert first.metrics.of_operator("Source: lines").total("lines") == 2
    append(files / "a", "three", "bad")
    append(files / "b", "four")
    run()
    assert (tmp_path / "failed").exists()
    assert written(out) == ["bad", "four", "one", "three", "two"]
    run()
    assert written(out) == ["bad", "four", "one", "three", "two"]


class Numbers(Source[Any], SplitEnumerator, SourceReader[Any]):
    """A bounded source of what its arguments say."""

    def __init__(self, latest: object, elements: object = ()) -> None:
        self.latest = latest
        self.read_elements = elements

    def get_boundedness(self) -> Boundedness:
        return Boundedness.BOUNDED

    def create_enumerator(self) -> SplitEnumerator:
        return self

    def create_reader(self, context: RuntimeContext) -> SourceReader[Any]:
        return self

    def starting_offsets(self) -> Mapping[str, int]:
        return {"s": 3}

    def latest_offsets(self, reached: Mapping[str, int]) -> Mapping[str, int]:
        if isinstance(self.latest, Exception):
            raise self.latest
        latest: Any = self.latest
        return latest  # type: ignore[no-any-return]  # as a user may

    def read(self, split: SourceSplit) -> Iterator[SourceElement[Any]]:
        if isinstance(self.read_elements, Exception):
            raise self.read_elements
        elements: Iterable[Any] = self.read_elements  # type: ignore[assignment]  # as the constructor says
        return (SourceElement(*element) for element in elements)


def collected(source: Source[Any]) -> list[Any]:
    env = StreamExecutionEnvironment.get_execution_environment()
    stream = env.from_source(source, WatermarkStrategy.no_watermarks(), "numbers")
    with stream.execute_and_collect("numbers") as elements:
        return list(elements)


@pytest.mark.usefixtures("spark")
def test_offsets_may_have_gaps_and_elements_may_be_none() -> None:
    assert collected(Numbers({"s": 9}, [(3, None), (5, {"a": 1}), (8, "x")])) == [None, {"a": 1}, "x"]


@pytest.mark.usefixtures("spark")
def test_errors_name_the_source_and_the_split() -> None:
    def error_of(source: Source[Any]) -> str:
        with pytest.raises(UserFunctionError) as caught:
            collected(source)
        return str(caught.value)

    assert "latest_offsets of source 'numbers' raised KeyError: 'gone'" in error_of(Numbers(KeyError("gone")))
    assert "not {'s': '9'}" in error_of(Numbers({"s": "9"}))
    assert "split 's' cannot have offset -1" in error_of(Numbers({"s": -1}))
    raised = error_of(Numbers({"s": 9}, ValueError("lost")))
    assert "read of source 'numbers' raised ValueError: lost" in raised
    assert "split s, offsets 3 to 8" in raised
    assert "an element has offset 3, expected 4 to 8" in error_of(Numbers({"s": 9}, [(3, "a"), (3, "b")]))
    assert "an element has offset 9" in error_of(Numbers({"s": 9}, [(9, "a")]))


class Shrinking(Numbers):
    """A source whose split is shorter when Spark asks again."""

    def get_boundedness(self) -> Boundedness:
        return Boundedness.CONTINUOUS_UNBOUNDED


@pytest.mark.usefixtures("spark")
def test_a_split_that_shrinks_fails_the_job() -> None:
    env = StreamExecutionEnvironment.get_execution_environment()
    env.from_source(Shrinking({"s": 2}), WatermarkStrategy.no_watermarks(), "numbers").print()
    with pytest.raises(UserFunctionError, match="up to offset 3, and latest_offsets returned 2"):
        env.execute("shrinking")


def test_what_a_source_cannot_have_is_refused() -> None:
    env = StreamExecutionEnvironment.get_execution_environment()
    aligned = WatermarkStrategy.for_monotonous_timestamps().with_watermark_alignment(
        "group", Duration.of_seconds(1), Duration.of_seconds(1)
    )
    with pytest.raises(UnsupportedFeatureError, match="cannot wait for other sources"):
        env.from_source(LineSource("/in"), aligned, "lines")


@pytest.mark.usefixtures("spark")
def test_a_source_that_cannot_be_pickled_is_refused() -> None:
    source = Numbers({"s": 9})
    source.read_elements = Lock()
    with pytest.raises(DefinitionError, match="cannot be sent to Spark's workers"):
        collected(source)


@pytest.mark.usefixtures("spark")
def test_a_table_reads_a_source() -> None:
    env = StreamExecutionEnvironment.get_execution_environment()
    tables = StreamTableEnvironment.create(env)
    source = Numbers({"s": 9}, [(3, "a"), (5, "b"), (8, "a")])
    stream = env.from_source(source, WatermarkStrategy.no_watermarks(), "numbers", Types.STRING())
    tables.create_temporary_view("words", tables.from_data_stream(stream).alias("word"))
    with tables.execute_sql("SELECT word, COUNT(*) FROM words GROUP BY word").collect() as rows:
        changes = [tuple(row) for row in rows]
    assert changes[-1] in (("a", 2), ("b", 1))
    assert ("a", 2) in changes
