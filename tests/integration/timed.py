"""Records with a time, what tells their keys, and a function that counts them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from kafkastream.common import Types, WatermarkStrategy
from kafkastream.datastream import RuntimeContext
from kafkastream.datastream.functions import KeyedProcessFunction
from kafkastream.datastream.state import ValueStateDescriptor
from kafkastream.model.common.watermark_strategy import MAX_WATERMARK
from kafkastream.testing import Record

T0 = 1_795_000_000_000
MONOTONOUS: WatermarkStrategy[Any] = WatermarkStrategy.for_monotonous_timestamps()


def at(second: float, key: str, partition: int = 0) -> Record:
    """A record of this second after T0; its value is ``key@second``."""
    return Record(f"{key}@{second:g}", key=key, partition=partition, timestamp_ms=T0 + round(second * 1000))


def key_of(value: str) -> str:
    """The key in a record's value."""
    return value.split("@", maxsplit=1)[0]


class Journal(KeyedProcessFunction[str, str, str]):
    """Counts the elements of each key; a timer comes 5 s after each."""

    def open(self, runtime_context: RuntimeContext) -> None:
        self.count = runtime_context.get_state(ValueStateDescriptor("count", Types.LONG()))

    def process_element(self, value: str, ctx: KeyedProcessFunction.Context) -> Iterator[str]:
        count = (self.count.value() or 0) + 1
        self.count.update(count)
        timestamp = ctx.timestamp()
        assert timestamp is not None
        ctx.timer_service().register_event_time_timer(timestamp + 5000)
        yield f"{value} is {ctx.get_current_key()}'s {count}"

    def on_timer(self, timestamp: int, ctx: KeyedProcessFunction.OnTimerContext) -> Iterator[str]:
        watermark = ctx.timer_service().current_watermark()
        seen = "the end" if watermark == MAX_WATERMARK else f"{(watermark - T0) / 1000:g}"
        yield f"{ctx.get_current_key()} at {(timestamp - T0) / 1000:g}, watermark {seen}, {self.count.value()}"
