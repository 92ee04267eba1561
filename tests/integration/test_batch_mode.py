"""BATCH mode over several micro-batches, and through a failure between them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import pytest

from kafkastream.common import RestartStrategies, Time, Types
from kafkastream.datastream import (
    KeyedProcessFunction,
    ProcessWindowFunction,
    RuntimeContext,
    RuntimeExecutionMode,
    StreamExecutionEnvironment,
)
from kafkastream.datastream.connectors.kafka import KafkaOffsetsInitializer
from kafkastream.datastream.state import ValueStateDescriptor
from kafkastream.datastream.window import TimeWindow, TumblingEventTimeWindows
from kafkastream.errors import UnsupportedFeatureError
from kafkastream.table import StreamTableEnvironment
from kafkastream.testing.pytest_plugin import NewTopic
from tests.integration.conftest import Parts
from tests.integration.timed import MONOTONOUS, T0, at, key_of


class InOrder(KeyedProcessFunction[str, str, str]):
    """Numbers the elements of each key, and tells at the end how many there were."""

    def open(self, runtime_context: RuntimeContext) -> None:
        self._seen = runtime_context.get_state(ValueStateDescriptor("seen", Types.LONG()))

    def process_element(self, value: str, ctx: KeyedProcessFunction.Context) -> Iterator[str]:
        seen = (self._seen.value() or 0) + 1
        self._seen.update(seen)
        ctx.timer_service().register_event_time_timer(T0 + 100_000)
        yield f"{value} is number {seen}"

    def on_timer(self, timestamp: int, ctx: KeyedProcessFunction.OnTimerContext) -> Iterator[str]:
        yield f"{ctx.get_current_key()} has {self._seen.value()}"


class Window(ProcessWindowFunction[str, str, str, TimeWindow]):
    def process(self, key: str, context: Any, elements: Iterable[str]) -> Iterator[str]:
        yield f"window {(context.window().start - T0) // 1000}: {' '.join(elements)}"


@pytest.mark.parametrize(
    "mode",
    [RuntimeExecutionMode.BATCH, pytest.param(RuntimeExecutionMode.AUTOMATIC, marks=pytest.mark.nightly)],
)
def test_results_come_once_from_elements_in_order(
    env: StreamExecutionEnvironment,
    parts: Parts,
    topic: str,
    new_topic: NewTopic,
    tmp_path: Path,
    mode: RuntimeExecutionMode,
) -> None:
    target, has_failed = new_topic(), tmp_path / "failed"
    parts.kafka.produce(topic, [at(second, "a") for second in (12, 3, 25, 1)] + [at(second, "b") for second in (9, 2)])

    def fails_once(value: str) -> str:
        if value == "b@9" and not has_failed.exists():
            has_failed.touch()
            raise OSError("the network is away")
        return value

    env.set_runtime_mode(mode).set_parallelism(2)
    env.enable_checkpointing(1000).get_checkpoint_config().set_checkpoint_storage_dir((tmp_path / "c").as_uri())
    env.set_restart_strategy(RestartStrategies.fixed_delay_restart(1, 0))
    builder = parts.unbound(topic).set_bounded(KafkaOffsetsInitializer.latest())
    source = parts.text(builder.set_property("spark.maxOffsetsPerTrigger", "2"))
    keyed = env.from_source(source, MONOTONOUS, "in").map(fails_once, Types.STRING()).key_by(key_of)
    in_order = keyed.process(InOrder(), Types.STRING())
    windows = keyed.window(TumblingEventTimeWindows.of(Time.seconds(10))).process(Window(), Types.STRING())
    latest = keyed.reduce(max).map(lambda value: f"latest {value}", Types.STRING())
    in_order.union(windows, latest).sink_to(parts.sink(target))
    env.execute(f"in one {mode.name}")
    assert has_failed.exists()
    assert parts.values(target) == [
        "a has 4",
        "a@1 is number 1",
        "a@12 is number 3",
        "a@25 is number 4",
        "a@3 is number 2",
        "b has 2",
        "b@2 is number 1",
        "b@9 is number 2",
        "latest a@3",
        "latest b@9",
        "window 0: a@1 a@3",
        "window 0: b@2 b@9",
        "window 10: a@12",
        "window 20: a@25",
    ]


def test_queries_are_refused(env: StreamExecutionEnvironment) -> None:
    t_env = StreamTableEnvironment.create(env)
    numbers = t_env.sql_query("SELECT k, COUNT(*) FROM (VALUES 'a', 'a') AS t (k) GROUP BY k")
    env.set_runtime_mode(RuntimeExecutionMode.BATCH)
    t_env.to_changelog_stream(numbers).print()
    with pytest.raises(UnsupportedFeatureError, match="SQL queries cannot run in runtime mode"):
        env.execute()
