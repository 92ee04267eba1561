"""Scenarios of event time as rows of a table, the one job that runs them on Spark, and jobs that run them on the test driver.

A record is written ``key@second``: the topic's letter may come before it (``R:a@1``; L unless given) and the partition after
it (``a@1/1``; 0 unless given). The keys ``tick``, ``mark`` and ``idle`` stand for records that do no more than move the time;
``tick`` goes to all partitions, and to all topics where it has no letter.

To be quick, the scenarios on Spark share two topics, and each gives its own records timestamps and watermarks, which then are made
for each subtask: one for each partition. Those that are about sources have topics of their own.
"""

from __future__ import annotations

import re
import time
import uuid
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from io import StringIO
from typing import TYPE_CHECKING, Any, Final, final

import attrs
from pyspark.errors import StreamingQueryException
from rich.console import Console
from rich.table import Table

from kafkastream.common import WatermarkStrategy
from kafkastream.datastream import DataStream, StreamExecutionEnvironment
from kafkastream.metrics.snapshot import MetricsSnapshot
from kafkastream.testing import JobTestDriver, Record, wait_until
from tests import driven
from tests.integration.conftest import Parts
from tests.integration.timed import MONOTONOUS, T0, at, key_of
from tests.queries import active_queries

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

    from kafkastream.common import JobClient
    from kafkastream.testing import KafkaBroker

__all__ = ["Found", "Inputs", "Scenario", "Step", "difference", "drive", "run"]

PARTITIONS: Final = 2
MARKS: Final = frozenset({"tick", "mark", "idle"})
_PATIENCE_S: Final = 10.0
_IDLE_AFTER: Final = 20
"""Tenths of a second of processing time after which all partitions are idle that can be."""
_RECORD: Final = re.compile(r"(?:(\w+):)?((\w+)@(-?[\d.]+)\S*?)(?:/(\d))?")

Lines = tuple[str, ...]


def _sorted(lines: Iterable[str]) -> Lines:
    return tuple(sorted(lines))


@final
@attrs.frozen
class Step:
    """Records that are written at once, and what comes of them and of the watermark that they bring.

    Args:
        records: As the module says.
        out: What comes out, each with its time where it has one.
        late: What comes out as late.
        timers: What comes out of timers.
    """

    records: str
    out: Lines = attrs.field(default=(), converter=_sorted)
    late: Lines = attrs.field(default=(), converter=_sorted)
    timers: Lines = attrs.field(default=(), converter=_sorted)


@final
@attrs.frozen
class Inputs:
    """The streams of a scenario, by their letters; what only moves the time has left them."""

    name: str
    streams: Mapping[str, DataStream[str]]

    def __getitem__(self, letter: str) -> DataStream[str]:
        return self.streams[letter]

    @property
    def one(self) -> DataStream[str]:
        """The only one."""
        return self["L"]


@final
@attrs.frozen(kw_only=True)
class Scenario:
    """A row of the table.

    Args:
        name: What it is about; ``build`` gives it to the operator whose ``dropped`` counts.
        build: Makes lines of the inputs that begin with the column that they are for.
        steps: What is written, and what is expected.
        strategies: How each of its topics gets its watermarks, by the topic's letter.
        own_topics: Whether its sources have the strategies, and topics of their own.
        bounded: Whether these end with what is there when the job starts.
        dropped: How many elements ``numLateRecordsDropped`` counts.
        on_spark: Whether it also runs on Spark, which could break it: by its micro-batches, watermarks, partitions or
            shuffles.
    """

    name: str
    build: Callable[[Inputs], DataStream[str]]
    steps: Sequence[Step]
    strategies: Mapping[str, WatermarkStrategy[Any]] = attrs.field(factory=lambda: {"L": MONOTONOUS})
    own_topics: bool = False
    bounded: bool = False
    dropped: int = 0
    on_spark: bool = False

    def __str__(self) -> str:
        return self.name


@final
@attrs.define
class Found:
    """What came of a scenario: a step for each of its steps."""

    steps: list[Step]
    dropped: int = 0


def run(scenarios: Sequence[Scenario], kafka: KafkaBroker, spark: SparkSession) -> Mapping[str, Found]:
    """Run all scenarios in one job."""
    return _Run(scenarios, Parts(kafka), spark).found()


def drive(scenario: Scenario) -> Found:
    """Run a scenario on the test driver."""
    env = StreamExecutionEnvironment.get_execution_environment().set_parallelism(PARTITIONS)
    streams = {}
    for letter, strategy in scenario.strategies.items():
        if scenario.own_topics:
            own = env.from_source(driven.source(letter), strategy, letter)
        else:
            own = env.from_source(driven.source(letter), driven.NO_WATERMARKS, letter)
            own = own.assign_timestamps_and_watermarks(strategy)
        streams[letter] = own.filter(lambda value: key_of(value) not in MARKS)
    scenario.build(Inputs(scenario.name, streams)).sink_to(driven.sink("out"))
    found, seen = Found([]), 0
    with JobTestDriver.of(env, partitions=dict.fromkeys(streams, PARTITIONS)) as driver:
        for step in scenario.steps:
            with driver.micro_batch():
                for letter, record in _records(step.records, scenario.strategies):
                    driven.send_record(driver, letter, record)
            if scenario.bounded:
                driver.finish()
            expected = seen + len(step.out) + len(step.late) + len(step.timers)
            for _ in range(_IDLE_AFTER):
                if len(driver.topic("out")) < expected:
                    driver.advance(100)
            lines: dict[str, list[str]] = defaultdict(list)
            for written in driver.topic("out")[seen:]:
                column, text = (written.value or b"").decode().split(" ", 1)
                lines[column].append(_timed(text, column, written.timestamp_ms))
            seen = len(driver.topic("out"))
            found.steps.append(Step(step.records, lines["out"], lines["late"], lines["timer"]))
        found.dropped = _dropped(driver.metrics).get(scenario.name, 0)
    return found


def difference(scenario: Scenario, found: Found) -> str:
    """A table of what was expected and what has come; empty when nothing differs."""
    expected = [*scenario.steps, *(Step("") for _ in found.steps[len(scenario.steps) :])]
    if expected == found.steps and scenario.dropped == found.dropped:
        return ""
    table = Table("records", "out", "late", "timers", show_lines=True)
    for wanted, came in zip(expected, found.steps, strict=True):
        columns = ((wanted.out, came.out), (wanted.late, came.late), (wanted.timers, came.timers))
        table.add_row(wanted.records.replace(" ", "\n"), *(_compared(*column) for column in columns))
    text = StringIO()
    console = Console(file=text, width=120, markup=False)
    console.print(f"{scenario.name} (- has not come, + was not expected)", table)
    console.print(f"late and dropped: {scenario.dropped} expected, {found.dropped} found")
    return text.getvalue()


def _compared(expected: Lines, found: Lines) -> str:
    wanted, came = Counter(expected), Counter(found)
    parts = ((" ", wanted & came), ("-", wanted - came), ("+", came - wanted))
    return "\n".join(f"{sign} {line}" for sign, lines in parts for line in sorted(lines.elements()))


@final
class _Run:
    def __init__(self, scenarios: Sequence[Scenario], parts: Parts, spark: SparkSession) -> None:
        self._scenarios = scenarios
        self._parts = parts
        self._spark = spark
        self._id = uuid.uuid4().hex[:8]
        self._seen = 0
        self._patience_s = _PATIENCE_S

    def found(self) -> Mapping[str, Found]:
        """What came of each, by its name."""
        own = [self._topic(n, letter) for n, one in enumerate(self._scenarios) for letter in one.strategies]
        partitions = {self._target: 1, **dict.fromkeys([*self._shared.values(), *own], PARTITIONS)}
        for topic, number in partitions.items():
            self._parts.kafka.create_topic(topic, number)
        try:
            return self._found()
        finally:
            for topic in partitions:
                self._parts.kafka.delete_topic(topic)

    def _found(self) -> Mapping[str, Found]:
        found = {one.name: Found([]) for one in self._scenarios}
        self._write(0)
        job = self._start()
        try:
            for number in range(max(len(one.steps) for one in self._scenarios)):
                if number:
                    self._write(number)
                self._await_processed(job)
                self._take(number, found)
            for name, dropped in _dropped(job.get_metrics()).items():
                if name in found:
                    found[name].dropped = dropped
        finally:
            job.cancel().result()
        return found

    def _start(self) -> JobClient:
        env = StreamExecutionEnvironment.get_execution_environment().set_parallelism(2)
        shared = {
            letter: env.from_source(self._parts.endless(topic), WatermarkStrategy.no_watermarks(), f"all {letter}")
            for letter, topic in self._shared.items()
        }
        lines: list[DataStream[str]] = []
        for number, scenario in enumerate(self._scenarios):
            streams = {}
            for letter, strategy in scenario.strategies.items():
                if scenario.own_topics:
                    begin = self._parts.bounded if scenario.bounded else self._parts.endless
                    own = env.from_source(begin(self._topic(number, letter)), strategy, f"{number}{letter}")
                else:
                    own = shared[letter].flat_map(_belonging_to(number)).assign_timestamps_and_watermarks(strategy)
                streams[letter] = own.filter(lambda value: key_of(value) not in MARKS)
            lines.append(scenario.build(Inputs(scenario.name, streams)).map(_numbered(number)))
        lines[0].union(*lines[1:]).sink_to(self._parts.sink(self._target))
        return env.execute_async(f"scenarios {self._id}")

    def _write(self, number: int) -> None:
        """Write the records of all scenarios' step of this number."""
        by_topic: dict[str, list[Record]] = defaultdict(list)
        for place, scenario in enumerate(self._scenarios):
            if number < len(scenario.steps):
                for letter, record in _records(scenario.steps[number].records, scenario.strategies):
                    prefix = b"" if scenario.own_topics else f"{place} ".encode()
                    by_topic[self._topic(place, letter)].append(
                        attrs.evolve(record, value=prefix + (record.value or b""))
                    )
        for topic, records in by_topic.items():
            self._parts.kafka.produce(topic, records)

    def _await_processed(self, job: JobClient) -> None:
        """Until all that is there has been read, and the operators have heard how far time has come."""
        ended = job.get_job_execution_result()

        def query() -> Any:
            if ended.done():
                ended.result()
            named = (one for one in active_queries(self._spark) if self._id in (one.name or ""))
            return next(named, None)

        with suppress(StreamingQueryException):  # which the job tells better
            wait_until(query, 60, "the query").processAllAvailable()
            return
        ended.result(30)

    def _take(self, number: int, found: Mapping[str, Found]) -> None:
        """Sort in what has come since the last step; what waits for a clock may take a while."""
        steps = [one.steps[number] for one in self._scenarios if number < len(one.steps)]
        expected = self._seen + sum(len(step.out) + len(step.late) + len(step.timers) for step in steps)
        deadline = time.monotonic() + self._patience_s
        records = self._parts.kafka.consume(self._target)
        while len(records) < expected and time.monotonic() < deadline:
            records = self._parts.kafka.consume(self._target)
        if len(records) < expected:
            self._patience_s = 0  # it fails anyway
        lines: dict[tuple[int, str], list[str]] = defaultdict(list)
        for record in records[self._seen :]:
            place, column, text = (record.value or b"").decode().split(" ", 2)
            lines[int(place), column].append(_timed(text, column, record.timestamp_ms))
        self._seen = len(records)
        for number_of, scenario in enumerate(self._scenarios):
            came = [lines[number_of, column] for column in ("out", "late", "timer")]
            if number < len(scenario.steps):
                found[scenario.name].steps.append(Step(scenario.steps[number].records, *came))
            elif any(came):
                found[scenario.name].steps.append(Step("", *came))

    @property
    def _target(self) -> str:
        return f"scenarios-{self._id}"

    @property
    def _shared(self) -> Mapping[str, str]:
        return {letter: f"{self._target}-{letter}" for letter in "LR"}

    def _topic(self, number: int, letter: str) -> str:
        return f"{self._target}-{number}{letter}" if self._scenarios[number].own_topics else self._shared[letter]


def _timed(text: str, column: str, timestamp_ms: int) -> str:
    """Return a line with its time, unless it is late, or its time is not one of the scenario's."""
    second = (timestamp_ms - T0) / 1000
    return f"{text} @{second:g}" if abs(second) < 1000 and column != "late" else text


def _dropped(metrics: MetricsSnapshot) -> Counter[str]:
    """Return how many late elements operators have dropped, by their names."""
    dropped: Counter[str] = Counter()
    for metric in metrics.metrics:
        if metric.name == "numLateRecordsDropped":
            dropped[metric.operator] += int(metric.value)  # type: ignore[arg-type]  # a counter's
    return dropped


def _numbered(number: int) -> Callable[[str], str]:
    return lambda line: f"{number} {line}"


def _belonging_to(number: int) -> Callable[[str], Sequence[str]]:
    prefix = f"{number} "
    return lambda value: [value.removeprefix(prefix)] if value.startswith(prefix) else []


def _records(text: str, letters: Iterable[str]) -> Iterable[tuple[str, Record]]:
    for one in text.split():
        match = _RECORD.fullmatch(one)
        assert match is not None, one
        letter, value, key, second, partition = match.groups()
        of_key = attrs.evolve(at(float(second), key, int(partition or 0)), value=value)
        if key != "tick":
            yield letter or "L", of_key
            continue
        for to in letters if letter is None else [letter]:
            for number in range(PARTITIONS):
                yield to, attrs.evolve(of_key, partition=number)
