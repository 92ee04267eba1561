"""Functions of two streams: connected, keyed, broadcast, joined."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

import pytest

from kafkastream.common import JobClient, Types, WatermarkStrategy
from kafkastream.datastream import (
    KeyedBroadcastProcessFunction,
    KeyedCoProcessFunction,
    RuntimeContext,
    StreamExecutionEnvironment,
)
from kafkastream.datastream.state import MapStateDescriptor, ValueStateDescriptor
from kafkastream.testing import Record
from kafkastream.testing.pytest_plugin import NewTopic
from tests.integration.conftest import Parts

pytestmark = pytest.mark.usefixtures("two_subtasks")
RULES = MapStateDescriptor("rules", Types.STRING(), Types.STRING())


def first_letter(value: str) -> str:
    return value[0]


class KeyedRuled(KeyedBroadcastProcessFunction[str, str, str, str]):
    def open(self, runtime_context: RuntimeContext) -> None:
        self.count = runtime_context.get_state(ValueStateDescriptor("count", Types.INT()))

    def process_element(self, value: str, ctx: KeyedBroadcastProcessFunction.ReadOnlyContext) -> Iterable[str]:
        self.count.update((self.count.value() or 0) + 1)
        yield f"{value} {ctx.get_broadcast_state(RULES).get(ctx.get_current_key())} {self.count.value()}"

    def process_broadcast_element(self, value: str, ctx: KeyedBroadcastProcessFunction.Context) -> None:
        ctx.get_broadcast_state(RULES).put(value[0], value[1:])


class Given(KeyedCoProcessFunction[str, str, str, str]):
    """How often the key had a rule, when an element comes."""

    def open(self, runtime_context: RuntimeContext) -> None:
        self.rules = runtime_context.get_state(ValueStateDescriptor("rules", Types.INT()))

    def process_element1(self, value: str, ctx: KeyedCoProcessFunction.Context) -> None:
        self.rules.update((self.rules.value() or 0) + 1)

    def process_element2(self, value: str, ctx: KeyedCoProcessFunction.Context) -> Iterable[str]:
        yield f"{value} given {self.rules.value()}"


def test_collection_comes_before_the_records_of_kafka_and_after_a_restart_no_more(
    env: StreamExecutionEnvironment, parts: Parts, new_topic: NewTopic, tmp_path: Path
) -> None:
    data, target = new_topic(partitions=2), new_topic()
    env.enable_checkpointing(1000).get_checkpoint_config().set_checkpoint_storage_dir(tmp_path.as_uri())

    def start(*rules: str) -> JobClient:
        given = env.from_collection(rules, Types.STRING())
        no_watermarks = WatermarkStrategy.no_watermarks()
        stream = env.from_source(parts.endless(data), no_watermarks, "A name before the collection's")
        keyed = stream.key_by(first_letter)
        ruled = keyed.connect(given.broadcast(RULES)).process(KeyedRuled(), Types.STRING())
        counted = given.key_by(first_letter).connect(keyed).process(Given(), Types.STRING())
        ruled.union(counted).sink_to(parts.sink(target))
        return env.execute_async("given once")

    parts.kafka.produce(data, [Record("a1", partition=0), Record("b1", partition=1)])
    job = start("ared", "bgreen")
    first = ["a1 given 1", "a1 red 1", "b1 given 1", "b1 green 1"]
    try:
        assert parts.values(target, 4) == first
    finally:
        job.cancel().result()
    parts.kafka.produce(data, [Record("a2", partition=0), Record("b2", partition=1)])
    job = start("ablue", "bblue")
    try:
        assert parts.values(target, 8) == sorted([*first, "a2 given 1", "a2 red 2", "b2 given 1", "b2 green 2"])
    finally:
        job.cancel().result()
