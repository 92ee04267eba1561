"""Functions are opened, know where they run, and are closed; prints look as in Flink."""

from __future__ import annotations

import os
import sys
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from kafkastream.common import Types
from kafkastream.datastream import MapFunction, RuntimeContext, StreamExecutionEnvironment
from kafkastream.datastream.connectors.kafka import KafkaOffsetsInitializer
from kafkastream.testing import Record, wait_until
from kafkastream.testing.pytest_plugin import NewTopic

if TYPE_CHECKING:
    from tests.integration.conftest import Parts, Read


class Journal(MapFunction[Any, Any]):
    """Writes down, in a file that all workers share, when it is opened."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.subtask = -1

    def open(self, runtime_context: RuntimeContext) -> None:
        self.subtask = runtime_context.get_index_of_this_subtask()
        self.note("open")

    def map(self, value: Any) -> Any:
        return value

    def note(self, event: str) -> None:
        with self.path.open("a") as journal:
            journal.write(f"{event} {os.getpid()} {self.subtask}\n")


class ClosingJournal(Journal):
    def close(self) -> None:
        self.note("close")


class Where(MapFunction[Any, Any]):
    def open(self, runtime_context: RuntimeContext) -> None:
        self.context = runtime_context

    def map(self, value: Any) -> Any:
        context = self.context
        return (
            value,
            context.get_task_name_with_subtasks(),
            context.get_task_name(),
            context.get_index_of_this_subtask(),
            context.get_number_of_parallel_subtasks(),
            context.get_attempt_number(),
            context.get_job_parameter("unknown", "default"),
        )


def test_function_is_opened_once_per_worker_and_subtask(
    read: Read, parts: Parts, new_topic: NewTopic, tmp_path: Path
) -> None:
    topic, journal = new_topic(partitions=2), tmp_path / "journal"
    stream = read(parts.endless(topic)).map(Journal(journal))
    with stream.execute_and_collect() as elements:
        for batch in range(4):
            parts.kafka.produce(topic, [Record(str(batch), partition=partition) for partition in range(2)])
            assert [next(elements) for _ in range(2)] == [str(batch)] * 2
    events = Counter(journal.read_text().splitlines())
    assert set(events.values()) == {1}
    assert {event.split()[-1] for event in events} == {"0", "1"}


def test_parts_of_a_job_leave_each_others_functions_open(
    env: StreamExecutionEnvironment, read: Read, parts: Parts, new_topic: NewTopic, tmp_path: Path
) -> None:
    journal = tmp_path / "journal"
    for _ in range(2):
        topic = new_topic()
        parts.kafka.produce(topic, map(str, range(8)))
        builder = parts.unbound(topic).set_property("spark.maxOffsetsPerTrigger", "1")
        bounded = parts.text(builder.set_bounded(KafkaOffsetsInitializer.latest()))
        read(bounded, topic).map(Journal(journal)).name(topic).print()
    env.execute("two parts")
    events = Counter(journal.read_text().splitlines())
    assert set(events.values()) <= {1, 2}  # two functions, each at most once per worker and subtask


def test_function_with_a_close_is_closed_with_every_task(
    read: Read, parts: Parts, new_topic: NewTopic, tmp_path: Path
) -> None:
    topic, journal = new_topic(partitions=2), tmp_path / "journal"
    parts.kafka.produce(topic, [Record(str(partition), partition=partition) for partition in range(2)])
    assert sorted(read(parts.bounded(topic)).map(ClosingJournal(journal)).execute_and_collect()) == ["0", "1"]
    events = journal.read_text().splitlines()
    assert Counter(event.split()[0] for event in events) == {"open": 2, "close": 2}
    assert {event.removeprefix("open") for event in events if event.startswith("open")} == {
        event.removeprefix("close") for event in events if event.startswith("close")
    }


def test_function_knows_where_it_runs(env: StreamExecutionEnvironment) -> None:
    env.set_parallelism(4)
    stream = env.from_elements("a").map(Where()).name("locate")
    expected = ("a", "locate (1/4)", "locate", 0, 4, 0, "default")
    assert list(stream.execute_and_collect()) == [expected]
    assert list(stream.set_parallelism(2).execute_and_collect()) == [
        ("a", "locate (1/2)", "locate", 0, 2, 0, "default")
    ]


def test_workers_begin_with_what_tasks_need(env: StreamExecutionEnvironment) -> None:
    stream = env.from_elements("a").map(lambda _: getattr(sys.modules["__main__"].__spec__, "name", None))
    assert list(stream.execute_and_collect()) == ["kafkastream.spark.daemon"]


def test_partitions_belong_to_the_subtasks_of_flink(
    env: StreamExecutionEnvironment, read: Read, parts: Parts, new_topic: NewTopic, capsys: pytest.CaptureFixture[str]
) -> None:
    topic = new_topic(partitions=3)
    parts.kafka.produce(topic, [Record(str(partition), partition=partition) for partition in range(3)])
    env.set_parallelism(3)
    read(parts.bounded(topic)).map(Where()).map(lambda where: f"{where[0]} {where[3]}", Types.STRING()).print()
    env.execute()
    hashed = 0
    for letter in topic:
        hashed = (31 * hashed + ord(letter)) & 0xFFFFFFFF
    start = (hashed * 31 & 0x7FFFFFFF) % 3
    owners = [(start + partition) % 3 for partition in range(3)]
    lines = sorted(capsys.readouterr().out.splitlines())
    assert lines == sorted(f"{owner + 1}> {partition} {owner}" for partition, owner in enumerate(owners))


def test_print_to_err_writes_to_standard_error(
    env: StreamExecutionEnvironment, capsys: pytest.CaptureFixture[str]
) -> None:
    env.set_parallelism(1).from_elements(True, "x").print_to_err("e")
    env.execute()
    assert capsys.readouterr() == ("", "e> True\ne> x\n")


def test_job_with_several_sinks_prints_and_writes(
    env: StreamExecutionEnvironment, parts: Parts, topic: str, capsys: pytest.CaptureFixture[str]
) -> None:
    env.set_parallelism(1)
    stream = env.from_collection(["a", "b"], Types.STRING())
    stream.print()
    stream.sink_to(parts.sink(topic))
    env.execute()
    assert capsys.readouterr().out == "a\nb\n"
    assert parts.values(topic) == ["a", "b"]


def test_endless_job_prints_while_it_runs(
    env: StreamExecutionEnvironment, read: Read, parts: Parts, topic: str, capsys: pytest.CaptureFixture[str]
) -> None:
    read(parts.endless(topic)).map(str.upper, Types.STRING()).print("live").set_parallelism(1).name("printer")
    client = env.execute_async()
    parts.kafka.produce(topic, ["a"])
    shown: list[str] = []

    def has_shown() -> bool:
        shown.append(capsys.readouterr().out)
        return any(shown)

    wait_until(has_shown, 60, "the first line")
    client.cancel().result(60)
    assert "".join(shown) == "live> A\n"
