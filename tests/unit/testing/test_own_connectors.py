"""Sources and sinks of users on the test driver: it sends elements, and keeps what is written."""

from __future__ import annotations

import pytest

from kafkastream.common import Time, Types, WatermarkStrategy
from kafkastream.datastream import StreamExecutionEnvironment
from kafkastream.datastream.window import TumblingEventTimeWindows
from kafkastream.errors import DefinitionError
from kafkastream.testing import JobTestDriver
from tests.toy_sink import JsonLineSink
from tests.toy_source import LineSource


def job() -> StreamExecutionEnvironment:
    env = StreamExecutionEnvironment.get_execution_environment()
    lines = env.from_source(LineSource("/nowhere"), WatermarkStrategy.for_monotonous_timestamps(), "lines")
    lines.map(str.upper, Types.STRING()).sink_to(JsonLineSink("/nowhere")).name("upper")
    ones = lines.map(lambda line: (line, 1), Types.TUPLE([Types.STRING(), Types.INT()]))
    ones.key_by(lambda pair: pair[0]).window(TumblingEventTimeWindows.of(Time.seconds(1))).sum(1).print()
    return env


def test_a_source_of_splits_takes_elements_and_has_a_watermark_for_each_split() -> None:
    with JobTestDriver.of(job()) as driver:
        lines = driver.source("lines")
        lines.send_element("a", timestamp=1)
        lines.send_element("b", timestamp=2, topic="second")
        lines.send_element("a", timestamp=5_000)
        assert driver.printed == []  # the second split is at 2 ms
        lines.send_element("b", timestamp=5_000, topic="second")
        assert sorted(driver.printed) == ["(a,1)", "(b,1)"]
        assert driver.sink("upper") == ["A", "B", "A", "B"]
        driver.finish()
        assert sorted(driver.printed) == ["(a,1)", "(a,1)", "(b,1)", "(b,1)"]


def test_a_source_of_splits_has_no_records() -> None:
    with JobTestDriver.of(job()) as driver, pytest.raises(DefinitionError, match="has no records"):
        driver.source("lines").send("a")


def test_a_restored_driver_continues_a_source_of_splits() -> None:
    with JobTestDriver.of(job()) as driver:
        driver.source("lines").send_element("a", timestamp=1)
        snapshot = driver.snapshot()
    with JobTestDriver.of(job(), restored=snapshot) as driver:
        driver.source("lines").send_element("a", timestamp=2)
        driver.source("lines").send_element("a", timestamp=5_000)
        assert driver.printed == ["(a,2)"]
