"""The operators of the scenarios: each makes lines that begin with their column, out, late or timer."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from typing import Any

from kafkastream.common import Time, Types, WatermarkGenerator, WatermarkOutput
from kafkastream.datastream import (
    AggregateFunction,
    BroadcastProcessFunction,
    CoGroupFunction,
    DataStream,
    KeyedBroadcastProcessFunction,
    KeyedCoProcessFunction,
    KeyedProcessFunction,
    OutputTag,
    ProcessAllWindowFunction,
    ProcessJoinFunction,
    ProcessWindowFunction,
    RuntimeContext,
    WindowFunction,
)
from kafkastream.datastream.state import ListStateDescriptor, MapStateDescriptor
from kafkastream.datastream.window import (
    TimeWindow,
    TumblingEventTimeWindows,
)
from kafkastream.model.common.watermark_strategy import MAX_WATERMARK
from tests.integration.scenarios import Inputs
from tests.integration.timed import MONOTONOUS, T0, key_of

Build = Callable[[Inputs], DataStream[str]]
LATE: OutputTag[str] = OutputTag("late", Types.STRING())
RULES = MapStateDescriptor("rules", Types.STRING(), Types.STRING())
TEN_SECONDS = TumblingEventTimeWindows.of(Time.seconds(10))


def second_of(value: str) -> float:
    return float(re.split(r"(?<=\d)[+-]", value.split("@")[1])[0])


def seconds(values: Iterable[str]) -> str:
    return " ".join(f"{second:g}" for second in sorted(map(second_of, values)))


def shown(time: int, zero: int = T0) -> str:
    return "the end" if time == MAX_WATERMARK else f"{(time - zero) / 1000:g}"


class Told(ProcessWindowFunction[str, str, str, Any]):
    """Tells a window's key, its bounds and the seconds of its elements."""

    def __init__(self, zero: int = T0) -> None:
        self.zero = zero

    def process(self, key: str, context: ProcessWindowFunction.Context[Any], elements: Iterable[str]) -> Iterator[str]:
        window = context.window()
        bounds = ""
        if isinstance(window, TimeWindow):
            bounds = f" [{shown(window.start, self.zero)},{shown(window.end, self.zero)})"
        yield f"out {key}{bounds} {seconds(elements)}"


def aside(stream: DataStream[str]) -> DataStream[str]:
    return stream.union(stream.get_side_output(LATE).map(lambda value: f"late {value}"))


def windows(assigner: Any, trigger: Any = None, lateness: int = 0, *, drops: bool = False, zero: int = T0) -> Build:
    def build(inputs: Inputs) -> DataStream[str]:
        windowed = inputs.one.key_by(key_of).window(assigner).allowed_lateness(lateness)
        windowed = windowed if trigger is None else windowed.trigger(trigger)
        windowed = windowed if drops else windowed.side_output_late_data(LATE)
        return aside(windowed.process(Told(zero), Types.STRING()).name(inputs.name))

    return build


class Count(AggregateFunction[str, int, int]):
    def create_accumulator(self) -> int:
        return 0

    def add(self, value: str, accumulator: int) -> int:
        return accumulator + 1

    def get_result(self, accumulator: int) -> int:
        return accumulator

    def merge(self, acc_a: int, acc_b: int) -> int:
        return acc_a + acc_b


class Counted(WindowFunction[int, str, str, TimeWindow]):
    def apply(self, key: str, window: TimeWindow, inputs: Iterable[int]) -> Iterator[str]:
        yield f"out {key} [{shown(window.start)},{shown(window.end)}) {list(inputs)}"


def counts(assigner: Any) -> Build:
    return lambda inputs: (
        inputs.one.key_by(key_of).window(assigner).aggregate(Count(), Counted(), output_type=Types.STRING())
    )


def united(inputs: Inputs) -> DataStream[str]:
    windowed = inputs["L"].union(inputs["R"]).key_by(key_of).window(TEN_SECONDS).side_output_late_data(LATE)
    return aside(windowed.process(Told(), Types.STRING()))


class All(ProcessAllWindowFunction[str, str, TimeWindow]):
    def process(self, context: ProcessAllWindowFunction.Context[TimeWindow], elements: Iterable[str]) -> Iterator[str]:
        yield f"out [{shown(context.window().start)},{shown(context.window().end)}) {' '.join(sorted(elements))}"


class Timers(KeyedProcessFunction[str, str, str]):
    """``a@1+6`` registers a timer for second 6, ``a@1-6`` deletes it; tells when an element is late."""

    def process_element(self, value: str, ctx: KeyedProcessFunction.Context) -> Iterator[str]:
        timers, timestamp = ctx.timer_service(), ctx.timestamp()
        assert timestamp is not None
        what, time = re.findall(r"([+-]?)([\d.]+)$", value)[0]
        if what == "+":
            timers.register_event_time_timer(T0 + round(float(time) * 1000))
        elif what == "-":
            timers.delete_event_time_timer(T0 + round(float(time) * 1000))
        yield f"{'late' if timestamp <= timers.current_watermark() else 'out'} {value}"

    def on_timer(self, timestamp: int, ctx: KeyedProcessFunction.OnTimerContext) -> Iterator[str]:
        watermark = shown(ctx.timer_service().current_watermark())
        yield f"timer {ctx.get_current_key()} {shown(timestamp)}, watermark {watermark}"


def timers(inputs: Inputs) -> DataStream[str]:
    return inputs.one.key_by(key_of).process(Timers(), Types.STRING())


class Meet(KeyedCoProcessFunction[str, str, str, str]):
    """Tells at second 10 what a key has seen of both streams."""

    def open(self, runtime_context: RuntimeContext) -> None:
        self.seen = runtime_context.get_list_state(ListStateDescriptor("seen", Types.STRING()))

    def process_element1(self, value: str, ctx: KeyedCoProcessFunction.Context) -> None:
        self.seen.add(f"L{second_of(value):g}")
        ctx.timer_service().register_event_time_timer(T0 + 10_000)

    def process_element2(self, value: str, ctx: KeyedCoProcessFunction.Context) -> None:
        self.seen.add(f"R{second_of(value):g}")
        ctx.timer_service().register_event_time_timer(T0 + 10_000)

    def on_timer(self, timestamp: int, ctx: KeyedCoProcessFunction.OnTimerContext) -> Iterator[str]:
        yield f"timer {ctx.get_current_key()} {' '.join(sorted(self.seen.get()))}"


def connected(inputs: Inputs) -> DataStream[str]:
    both = inputs["L"].key_by(key_of).connect(inputs["R"].key_by(key_of))
    return both.process(Meet(), Types.STRING())


class Near(ProcessJoinFunction[str, str, str]):
    def process_element(self, left: str, right: str, ctx: ProcessJoinFunction.Context) -> Iterator[str]:
        yield f"out {left} {right}"


def interval_join(inputs: Inputs) -> DataStream[str]:
    joined = inputs["L"].key_by(key_of).interval_join(inputs["R"].key_by(key_of))
    near = joined.between(Time.seconds(-1), Time.seconds(2)).side_output_right_late_data(LATE)
    return aside(near.process(Near(), Types.STRING()).name(inputs.name))


def exclusive_join(inputs: Inputs) -> DataStream[str]:
    joined = inputs["L"].key_by(key_of).interval_join(inputs["R"].key_by(key_of))
    near = joined.between(Time.seconds(-1), Time.seconds(2)).lower_bound_exclusive().upper_bound_exclusive()
    return near.process(Near(), Types.STRING())


def window_join(inputs: Inputs) -> DataStream[str]:
    joined = inputs["L"].join(inputs["R"]).where(key_of).equal_to(key_of).window(TEN_SECONDS)
    return joined.apply(lambda left, right: f"out {left} {right}", Types.STRING())


class Together(CoGroupFunction[str, str, str]):
    def co_group(self, first: Iterable[str], second: Iterable[str]) -> Iterator[str]:
        yield f"out {sorted(first)} {sorted(second)}"


def co_group(inputs: Inputs) -> DataStream[str]:
    grouped = inputs["L"].co_group(inputs["R"]).where(key_of).equal_to(key_of).window(TEN_SECONDS)
    return grouped.apply(Together(), Types.STRING())


class RuledWithoutKeys(BroadcastProcessFunction[str, str, str]):
    def process_element(self, value: str, ctx: BroadcastProcessFunction.ReadOnlyContext) -> Iterator[str]:
        yield f"out {value} {ctx.get_broadcast_state(RULES).get(key_of(value))}"

    def process_broadcast_element(self, value: str, ctx: BroadcastProcessFunction.Context) -> None:
        ctx.get_broadcast_state(RULES).put(key_of(value), value)


class Ruled(KeyedBroadcastProcessFunction[str, str, str, str]):
    def process_element(self, value: str, ctx: KeyedBroadcastProcessFunction.ReadOnlyContext) -> Iterator[str]:
        watermark = ctx.timer_service().current_watermark()
        yield f"out {value} {ctx.get_broadcast_state(RULES).get(ctx.get_current_key())}, watermark {shown(watermark)}"

    def process_broadcast_element(self, value: str, ctx: KeyedBroadcastProcessFunction.Context) -> None:
        ctx.get_broadcast_state(RULES).put(key_of(value), value)


def broadcast(inputs: Inputs) -> DataStream[str]:
    return inputs["L"].key_by(key_of).connect(inputs["R"].broadcast(RULES)).process(Ruled(), Types.STRING())


def assigned_later(inputs: Inputs) -> DataStream[str]:
    """Ten times as late as the records say."""
    strategy = MONOTONOUS.with_timestamp_assigner(lambda value, _: T0 + round(second_of(value) * 10_000))
    later = inputs.one.assign_timestamps_and_watermarks(strategy)
    return later.key_by(key_of).window(TEN_SECONDS).process(Told(), Types.STRING())


def windows_of_windows(inputs: Inputs) -> DataStream[str]:
    lasts = inputs.one.key_by(key_of).window(TumblingEventTimeWindows.of(Time.seconds(5))).reduce(max)
    return lasts.key_by(key_of).window(TEN_SECONDS).process(Told(), Types.STRING())


class Marks(WatermarkGenerator[str]):
    """Goes by the records called mark, and idle."""

    def on_event(self, event: str, event_timestamp: int, output: WatermarkOutput) -> None:
        if key_of(event) == "mark":
            output.emit_watermark(event_timestamp)
        elif key_of(event) == "idle":
            output.mark_idle()

    def on_periodic_emit(self, output: WatermarkOutput) -> None: ...
