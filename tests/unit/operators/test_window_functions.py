"""Windows of jobs give what Flink's give: their elements, triggers, evictors and ends."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import pytest

from kafkastream import StreamExecutionEnvironment, Types
from kafkastream.common import Time
from kafkastream.datastream import (
    JoinFunction,
    KeySelector,
    ProcessWindowFunction,
    RuntimeContext,
    TaggedUnion,
)
from kafkastream.datastream.window import (
    CountEvictor,
    CountTrigger,
    Evictor,
    GlobalWindow,
    GlobalWindows,
    TimeWindow,
    TumblingEventTimeWindows,
    TumblingProcessingTimeWindows,
    WindowElements,
)
from kafkastream.errors import UserFunctionError
from kafkastream.testing import JobTestDriver
from tests.driven import NO_WATERMARKS, elements, send, source
from tests.integration.timed import MONOTONOUS, T0, at, key_of


@pytest.fixture
def env() -> StreamExecutionEnvironment:
    return StreamExecutionEnvironment.get_execution_environment().set_parallelism(2)


class Told(ProcessWindowFunction[str, str, str, TimeWindow]):
    """Tells key, window and elements."""

    def process(
        self, key: str, context: ProcessWindowFunction.Context[TimeWindow], elements: Iterable[str]
    ) -> Iterator[str]:
        window = context.window()
        times = sorted(element.split("@")[1] for element in elements)
        yield f"{key} {(window.start - T0) // 1000}-{(window.end - T0) // 1000}: {' '.join(times)}"


def test_bounded_job_fires_all_windows_at_its_end(env: StreamExecutionEnvironment) -> None:
    windows = env.from_source(source("in"), MONOTONOUS, "in").key_by(key_of)
    windows.window(TumblingEventTimeWindows.of(Time.seconds(10))).process(Told(), Types.STRING()).name("told")
    with JobTestDriver.of(env, partitions={"in": 2}) as driver:
        send(driver, "in", [at(1, "a"), at(59, "a"), at(3, "b", 1), at(11, "a", 1)])
        driver.finish()
        assert sorted(driver.sink("told")) == ["a 0-10: 1", "a 10-20: 11", "a 50-60: 59", "b 0-10: 3"]


class Noted(KeySelector[Any, str], JoinFunction[Any, Any, Any]):
    """Finds keys and makes pairs; notes when it is opened and closed."""

    def __init__(self, journal: Path, name: str) -> None:
        self.journal, self.name = journal, name

    def open(self, runtime_context: RuntimeContext) -> None:
        self.note("open")

    def close(self) -> None:
        self.note("close")

    def get_key(self, value: Any) -> str:
        return str(value[0])

    def join(self, first: Any, second: Any) -> Any:
        return first[0] + second[0], first[1] * 10 + second[1]

    def note(self, event: str) -> None:
        with self.journal.open("a") as journal:
            journal.write(f"{self.name} {event}\n")


class OnlyTwoOfTheFirst(Evictor[TaggedUnion, GlobalWindow]):
    def evict_before(
        self,
        elements: WindowElements[TaggedUnion],
        size: int,
        window: GlobalWindow,
        evictor_context: Evictor.EvictorContext,
    ) -> None:
        for element in elements:
            if element.value.is_one() and element.value.get_one()[1] != 2:
                elements.remove(element)

    def evict_after(self, *_: object) -> None:
        pass


def test_evictors_and_functions_that_are_closed(env: StreamExecutionEnvironment, tmp_path: Path) -> None:
    journal = tmp_path / "journal"
    stream = env.from_collection([("a", 1), ("b", 9), ("a", 4), ("a", 2), ("a", 3), ("b", 8)])
    everything = GlobalWindows.create()
    keyed = stream.key_by(Noted(journal, "key")).window(everything)
    best = keyed.trigger(CountTrigger.of(2)).evictor(CountEvictor.of(2)).max_by(1)
    few = stream.filter(lambda element: element[0] == "a")
    both = few.join(few).where(Noted(journal, "where")).equal_to(Noted(journal, "equal to")).window(everything)
    pairs = both.trigger(CountTrigger.of(8)).evictor(OnlyTwoOfTheFirst()).apply(Noted(journal, "join"))
    found = sorted(elements(best.union(pairs)))
    assert found == [("a", 3), ("a", 4), *[("aa", 20 + number) for number in (1, 2, 3, 4)], ("b", 9)]
    events = Counter(journal.read_text().splitlines())
    for name in ("key", "where", "equal to", "join"):
        assert events[f"{name} open"] == events[f"{name} close"] > 0


def test_windows_by_the_wall_clock(env: StreamExecutionEnvironment) -> None:
    keyed = env.from_source(source("in"), NO_WATERMARKS, "in").key_by(key_of)
    keyed.window(TumblingProcessingTimeWindows.of(Time.seconds(2))).reduce(max).name("latest")
    with JobTestDriver.of(env) as driver:
        send(driver, "in", [at(0, "a"), at(1, "a")])
        driver.advance(1_998)
        assert driver.sink("latest") == []
        driver.advance(1)
        assert driver.sink("latest") == ["a@1"]


def test_element_without_a_time_is_told(env: StreamExecutionEnvironment) -> None:
    windows = env.from_collection(["a"]).key_by(str).window(TumblingEventTimeWindows.of(Time.seconds(1)))
    windows.reduce(max).print()
    with pytest.raises(UserFunctionError, match=r"Long\.MIN_VALUE timestamp"):
        JobTestDriver.of(env)
