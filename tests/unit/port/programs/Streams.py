"""Streams that meet: connected, broadcast, joined in windows and intervals.

Ported by kafkastream port from Streams.java.
"""

from __future__ import annotations

from collections.abc import Iterator

from kafkastream.common import Duration, Types, WatermarkStrategy
from kafkastream.datastream import (
    BroadcastProcessFunction,
    CoFlatMapFunction,
    ProcessJoinFunction,
    RuntimeContext,
    StreamExecutionEnvironment,
)
from kafkastream.datastream.state import MapStateDescriptor, ValueState, ValueStateDescriptor
from kafkastream.datastream.window import TumblingEventTimeWindows
from kafkastream.util.java_values import java_text

LIMITS = MapStateDescriptor("limits", Types.STRING(), Types.INT())


class Latest(CoFlatMapFunction):
    left: ValueState[tuple[str, int]]

    def open(self, runtime_context: RuntimeContext) -> None:
        self.left = runtime_context.get_state(ValueStateDescriptor("left", Types.TUPLE([Types.STRING(), Types.INT()])))

    def flat_map1(self, value: tuple[str, int]) -> None:
        self.left.update(value)

    def flat_map2(self, value: tuple[str, int]) -> Iterator[str]:
        before = self.left.value()
        if before is not None:
            yield from self.emit(before, value)

    def emit(self, before: tuple[str, int], now: tuple[str, int]) -> Iterator[str]:
        yield f"{java_text(before[0])}{before[1]}{now[1]}"


class Limited(BroadcastProcessFunction):
    def process_element(self, value: tuple[str, int], ctx: BroadcastProcessFunction.ReadOnlyContext) -> Iterator[str]:
        limits = ctx.get_broadcast_state(LIMITS)
        limit = limits.get(value[0])
        if limit is None or value[1] <= limit:
            yield value[0]

    def process_broadcast_element(self, rule: tuple[str, int], ctx: BroadcastProcessFunction.Context) -> None:
        ctx.get_broadcast_state(LIMITS).put(rule[0], rule[1])


def main() -> None:
    env = StreamExecutionEnvironment.get_execution_environment()
    times = WatermarkStrategy.for_monotonous_timestamps().with_timestamp_assigner(lambda pair, old: pair[1] * 1000)
    one = env.from_elements(("a", 1), ("b", 2)).assign_timestamps_and_watermarks(times)
    two = env.from_elements(("a", 3), ("c", 4)).assign_timestamps_and_watermarks(times)
    one.connect(two).key_by(lambda left: left[0], lambda right: right[0]).flat_map(Latest()).print("latest")
    rules = two.broadcast(LIMITS)
    one.connect(rules).process(Limited()).print("limited")
    (
        one.join(two)
        .where(lambda left: left[0])
        .equal_to(lambda right: right[0])
        .window(TumblingEventTimeWindows.of(Duration.of_seconds(10)))
        .apply(lambda left, right: left[1] + right[1])
        .print("joined")
    )

    class ProcessJoin(ProcessJoinFunction):
        def process_element(
            self, left: tuple[str, int], right: tuple[str, int], ctx: ProcessJoinFunction.Context
        ) -> Iterator[int]:
            yield left[1] * right[1]

    (
        one.key_by(lambda pair: pair[0])
        .interval_join(two.key_by(lambda pair: pair[0]))
        .between(Duration.of_seconds(-5), Duration.of_seconds(5))
        .process(ProcessJoin())
        .print("interval")
    )
    env.execute("streams")


if __name__ == "__main__":
    main()
