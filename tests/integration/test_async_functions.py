"""Asynchronous functions at work: many elements in flight, in each of several micro-batches."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Iterator

from kafkastream.common import Time, Types
from kafkastream.datastream import (
    AsyncDataStream,
    AsyncFunction,
    KeyedProcessFunction,
    RuntimeContext,
    StreamExecutionEnvironment,
)
from kafkastream.datastream.connectors.kafka import KafkaOffsetsInitializer
from kafkastream.datastream.state import ValueStateDescriptor
from kafkastream.testing.pytest_plugin import NewTopic
from tests.integration.conftest import Parts, Read


class Asking(AsyncFunction[str, tuple[str, float, float]]):
    """Takes 0.1 s for each element, and tells from when to when."""

    async def async_invoke(self, value: str) -> list[tuple[str, float, float]]:
        begun = time.time()
        await asyncio.sleep(0.1)
        return [(value, begun, time.time())]


class Counting(KeyedProcessFunction[int, tuple[str, float, float], str]):
    """Tells what number each element has among those of its key, in the order in which they come."""

    def open(self, runtime_context: RuntimeContext) -> None:
        self.count = runtime_context.get_state(ValueStateDescriptor("count", Types.LONG()))

    def process_element(self, value: tuple[str, float, float], ctx: KeyedProcessFunction.Context) -> Iterator[str]:
        count = (self.count.value() or 0) + 1
        self.count.update(count)
        yield f"{value[0]}={count}"


def test_elements_wait_together_before_and_behind_keys(
    env: StreamExecutionEnvironment, read: Read, parts: Parts, new_topic: NewTopic
) -> None:
    env.set_parallelism(1)
    topic = new_topic()
    parts.kafka.produce(topic, map(str, range(200)))
    builder = parts.unbound(topic).set_property("spark.maxOffsetsPerTrigger", "100")
    source = parts.text(builder.set_bounded(KafkaOffsetsInitializer.latest()))
    asked = AsyncDataStream.ordered_wait(read(source), Asking(), Time.seconds(30))
    counted = asked.key_by(lambda element: int(element[0]) % 2).process(Counting())
    again = AsyncDataStream.unordered_wait(counted, Asking(), Time.seconds(30))
    found = sorted(again.execute_and_collect(), key=lambda element: int(element[0].partition("=")[0]))
    assert [element[0] for element in found] == [f"{number}={number // 2 + 1}" for number in range(200)]
    for batch in (found[:100], found[100:]):  # one after the other, each would take 10 s
        assert max(end for _, _, end in batch) - min(begun for _, begun, _ in batch) < 5
