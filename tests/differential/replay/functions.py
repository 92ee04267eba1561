"""Functions of random graphs: each takes and gives elements of five fields, and shows what it sees in the payload.

An element is a tuple or a row of an origin, a number, a key, an event time, and any payload.
"""

from __future__ import annotations

import asyncio
import zlib
from collections.abc import Iterable, Iterator
from typing import Any, ClassVar, Final

from kafkastream.common import Row, Time, Types
from kafkastream.common.watermark_strategy import TimestampAssigner, WatermarkGenerator, WatermarkOutput
from kafkastream.datastream import OutputTag
from kafkastream.datastream.connectors.kafka import KafkaRecordDeserializationSchema
from kafkastream.datastream.functions import (
    AggregateFunction,
    AsyncFunction,
    BroadcastProcessFunction,
    CoFlatMapFunction,
    CoGroupFunction,
    CoMapFunction,
    CoProcessFunction,
    FilterFunction,
    FlatMapFunction,
    KeyedBroadcastProcessFunction,
    KeyedCoProcessFunction,
    KeyedProcessFunction,
    KeySelector,
    MapFunction,
    ProcessAllWindowFunction,
    ProcessFunction,
    ProcessJoinFunction,
    ProcessWindowFunction,
    ReduceFunction,
    RuntimeContext,
    TimeDomain,
)
from kafkastream.datastream.state import (
    AggregatingStateDescriptor,
    ListStateDescriptor,
    MapStateDescriptor,
    ReducingStateDescriptor,
    StateTtlConfig,
    ValueStateDescriptor,
)
from kafkastream.datastream.window import Evictor, SessionWindowTimeGapExtractor, Trigger, TriggerResult
from tests.differential.replay.records import START_MS
from tests.differential.replay.shared_clock import SharedClock

Element = Any
ANY: Final = Types.PICKLED_BYTE_ARRAY()
RULES: Final = MapStateDescriptor("rules", Types.STRING(), ANY)
UNORDERED: Final = "in any order"
_LONGEST: Final = 300


class Clocked:
    """A function that brings the test's clock to the worker in which it runs.

    Attributes:
        clock: Clock of the job.
        mark: Number of the operator in its graph.
    """

    clock: SharedClock | None = None
    mark: int = 0


def made(like: Element, number: int, key: str, time: int, payload: Any) -> Element:
    """Return an element of the form of another one, with its origin; long payloads are shortened."""
    text = repr(payload)
    short = payload if len(text) < _LONGEST else ("cut", zlib.crc32(text.encode(errors="surrogatepass")))
    return _formed(like, like[0], number, key, time, short)


def changed(element: Element, payload: Any) -> Element:
    """Return an element with another payload."""
    return made(element, element[1], element[2], element[3], payload)


def _formed(like: Element, *fields: Any) -> Element:
    return Row(*fields) if isinstance(like, Row) else fields


class ByKey(Clocked, KeySelector[Element, Any]):
    """Selects one of several keys, of several types."""

    def __init__(self, kind: int) -> None:
        self.kind = kind

    def get_key(self, value: Element) -> Any:
        match self.kind:
            case 0:
                return value[2]
            case 1:
                return value[1] % 3
            case 2:
                return value[2], value[1] % 2
            case 3:
                return float(value[1] % 2)
            case _:
                return value[1] % 2 == 0


class EventTime(TimestampAssigner[Any]):
    """Takes the event time of an element, or of the text of one."""

    def extract_timestamp(self, value: Any, record_timestamp: int) -> int:
        if isinstance(value, str):
            value = _read(value)
        return int(value[3])


class EveryThird(WatermarkGenerator[Any]):
    """Emits the greatest time so far, with elements whose number is divisible by three."""

    def __init__(self) -> None:
        self.greatest = -(2**63)

    def on_event(self, event: Any, event_timestamp: int, output: WatermarkOutput) -> None:
        self.greatest = max(self.greatest, event_timestamp)
        if (_read(event) if isinstance(event, str) else event)[1] % 3 == 0:
            output.emit_watermark(self.greatest - 1)

    def on_periodic_emit(self, output: WatermarkOutput) -> None:
        pass


def _read(text: str) -> Any:
    return eval(text, {})  # the test has written it; ast.literal_eval takes ten times as long


class Read(Clocked, MapFunction[str, Element]):
    """Reads the text of an element."""

    def map(self, value: str) -> Element:
        return _read(value)


class ReadRecord(KafkaRecordDeserializationSchema[Element]):
    """Reads records of none, one or two elements, whose payload shows the record."""

    def deserialize(self, record: Any) -> Iterable[Element]:
        if record.value is None:
            return
        element = _read(record.value.decode())
        yield changed(element, (record.key, record.headers, element[4]))
        if element[1] % 5 == 0:
            yield made(element, element[1] + 100_000, element[2], element[3], record.timestamp)

    def get_produced_type(self) -> Any:
        return ANY


class Mark(Clocked, MapFunction[Element, Element]):
    def map(self, value: Element) -> Element:
        return made(value, value[1] + 1, value[2], value[3], (self.mark, value[4]))


class Drop(Clocked, FilterFunction[Element]):
    def filter(self, value: Element) -> bool:
        return bool((value[1] + self.mark) % 4)


class Spread(Clocked, FlatMapFunction[Element, Element]):
    def flat_map(self, value: Element) -> Iterable[Element]:
        for number in range((value[1] + self.mark) % 3):
            yield made(value, value[1] * 2 + number, value[2], value[3], value[4])


class ToForm(Clocked, MapFunction[Element, Element]):
    """Turns elements into tuples or rows."""

    def __init__(self, is_row: bool) -> None:
        self.is_row = is_row

    def map(self, value: Element) -> Element:
        fields = tuple(value[index] for index in range(5))
        return Row(*fields) if self.is_row else fields


class Sorted(Clocked, ProcessFunction[Element, Element]):
    """Gives elements of a side output, too."""

    def __init__(self, tag: OutputTag[Element]) -> None:
        self.tag = tag

    def process_element(self, value: Element, ctx: Any) -> Iterator[Any]:
        if value[1] % 3 == 0:
            yield self.tag, changed(value, ("side", ctx.timestamp()))
        if value[1] % 3 != 1:
            yield changed(value, (ctx.timestamp(), value[4]))


class Sum(Clocked, AggregateFunction[Element, Any, Any]):
    def create_accumulator(self) -> Any:
        return [0, []]

    def add(self, value: Element, accumulator: Any) -> Any:
        return [accumulator[0] + value[1], [*accumulator[1], value[0]][-5:]]

    def get_result(self, accumulator: Any) -> Any:
        return ("sum", accumulator[0], "", START_MS, tuple(accumulator[1]))

    def merge(self, acc_a: Any, acc_b: Any) -> Any:
        return [acc_a[0] + acc_b[0], [*acc_a[1], *acc_b[1]][-5:]]


class Join(Clocked, ReduceFunction[Element]):
    def reduce(self, value1: Element, value2: Element) -> Element:
        return made(value1, value1[1] + value2[1], value2[2], max(value1[3], value2[3]), (value1[1], value2[4]))


def ttl(ttl_ms: int, kind: int) -> StateTtlConfig:
    """Return a time to live of one of several kinds."""
    builder = StateTtlConfig.new_builder(Time.milliseconds(ttl_ms))
    if kind % 2:
        builder.update_ttl_on_read_and_write()
    if kind % 3 == 0:
        builder.disable_cleanup_in_background()
    return builder.build()


class States(Clocked, KeyedProcessFunction[Any, Element, Element]):
    """Has one kind of state, timers of event and processing time, a side output, and a counter.

    Args:
        kind: Kind of the state.
        ttl_ms: Time to live of the state; 0 for none.
        timers: Kinds of timers: bit 0 for event time, bit 1 for processing time, bit 2 deletes some.
        tag: Side output.
        shows_watermark: Whether the watermark is a part of what it gives.
    """

    KINDS: ClassVar = ("value", "list", "map", "reducing", "aggregating")

    def __init__(self, kind: str, ttl_ms: int, timers: int, tag: OutputTag[Element], *, shows_watermark: bool) -> None:
        self.kind, self.ttl_ms, self.timers, self.tag, self.shows_watermark = kind, ttl_ms, timers, tag, shows_watermark

    def open(self, runtime_context: RuntimeContext) -> None:
        self.calls = runtime_context.get_metrics_group().counter("calls")
        match self.kind:
            case "value":
                descriptor: Any = ValueStateDescriptor("state", ANY)
                get: Any = runtime_context.get_state
            case "list":
                descriptor, get = ListStateDescriptor("state", ANY), runtime_context.get_list_state
            case "map":
                descriptor, get = MapStateDescriptor("state", ANY, ANY), runtime_context.get_map_state
            case "reducing":
                descriptor = ReducingStateDescriptor("state", Join(), ANY)
                get = runtime_context.get_reducing_state
            case _:
                descriptor = AggregatingStateDescriptor("state", Sum(), ANY)
                get = runtime_context.get_aggregating_state
        if self.ttl_ms:
            descriptor.enable_time_to_live(ttl(self.ttl_ms, self.mark))
        self.state = get(descriptor)
        self.last = runtime_context.get_state(ValueStateDescriptor("last timer", Types.LONG()))

    def process_element(self, value: Element, ctx: Any) -> Iterator[Any]:
        self.calls.inc()
        self._add(value)
        yield changed(value, (self._shown(), self._watermark(ctx)))
        if value[1] % 5 == 0:
            yield self.tag, changed(value, ctx.get_current_key())
        service = ctx.timer_service()
        if self.timers & 1 and ctx.timestamp() is not None:
            service.register_event_time_timer(ctx.timestamp() + 1_000 * (value[1] % 4) - 1_000)
        if self.timers & 2:
            due = service.current_processing_time() + 1_500 * (value[1] % 3)
            service.register_processing_time_timer(due)
            if self.timers & 4 and self.last.value() is not None:
                service.delete_processing_time_timer(self.last.value())
            self.last.update(due)

    def on_timer(self, timestamp: int, ctx: Any) -> Iterator[Element]:
        is_event = ctx.time_domain() == TimeDomain.EVENT_TIME
        seen = self._watermark(ctx) if is_event else None
        key = ctx.get_current_key()
        number = zlib.crc32(repr(key).encode()) % 97
        yield ("timer", number, str(key), timestamp, (is_event, timestamp, ctx.timestamp(), self._shown(), seen))
        if timestamp % 3 == 0:
            self.state.clear()
        if timestamp % 2 == 0 and is_event:
            ctx.timer_service().register_event_time_timer(timestamp + 1)
        if timestamp % 5 == 0:
            yield self.tag, ("side timer", number, str(key), timestamp, None)

    def _watermark(self, ctx: Any) -> int | None:
        return ctx.timer_service().current_watermark() if self.shows_watermark else None

    def _add(self, value: Element) -> None:
        match self.kind:
            case "value":
                self.state.update(((self.state.value() or (0,))[0] + 1, value[4]))
            case "map":
                if value[1] % 7 == 0:
                    self.state.remove(value[1] % 4)
                else:
                    self.state.put(value[1] % 4, (value[1], value[4]))
            case "list":
                self.state.add((value[1], value[4]))
                if value[1] % 6 == 0:
                    self.state.update(list(self.state.get())[-2:])
            case _:
                self.state.add(value)

    def _shown(self) -> Any:
        match self.kind:
            case "value":
                return self.state.value()
            case "map":
                return list(self.state.items())
            case "list":
                return list(self.state.get())
            case _:
                return self.state.get()


class Windowed(Clocked, ProcessWindowFunction[Element, Element, Any, Any]):
    """Shows the window, its elements, and its states.

    Args:
        has_window_state: Whether it uses state of the window, which those that merge do not have.
        shows_watermark: Whether the watermark is a part of what it gives.
    """

    def __init__(self, *, has_window_state: bool, shows_watermark: bool) -> None:
        self.has_window_state, self.shows_watermark = has_window_state, shows_watermark

    def process(self, key: Any, context: Any, elements: Iterable[Element]) -> Iterator[Element]:
        values = [value for value in elements if value is not None]  # None: the evictor has left nothing to reduce
        total = context.global_state().get_state(ValueStateDescriptor("total", Types.LONG()))
        total.update((total.value() or 0) + len(values))
        fired = 0
        if self.has_window_state:
            state = context.window_state().get_state(ValueStateDescriptor("fired", Types.LONG()))
            fired = (state.value() or 0) + 1
            state.update(fired)
        seen = context.current_watermark() if self.shows_watermark else None
        window = context.window()
        shown = (str(window), fired, total.value(), [(value[0], value[1]) for value in values], seen)
        number = sum(value[1] for value in values)
        time = max((value[3] for value in values), default=START_MS)
        yield ("window", number, str(key), time, shown)

    def clear(self, context: Any) -> None:
        if self.has_window_state:
            context.window_state().get_state(ValueStateDescriptor("fired", Types.LONG())).clear()


class WindowedAll(Clocked, ProcessAllWindowFunction[Element, Element, Any]):
    def process(self, context: Any, elements: Iterable[Element]) -> Iterator[Element]:
        values = list(elements)
        shown = (str(context.window()), sorted((value[0], value[1]) for value in values))
        yield ("all", len(values), "all", max(value[3] for value in values), shown)

    def clear(self, context: Any) -> None:
        pass


class Gap(SessionWindowTimeGapExtractor):
    """A gap of 1, 2 or 3 s."""

    def extract(self, element: Element) -> int:
        return 1_000 * (1 + int(element[1]) % 3)


class OwnTrigger(Clocked, Trigger[Element, Any]):
    """Fires with each third element, and one second after the first, by event or processing time; keeps its count in state."""

    COUNT: ClassVar = ReducingStateDescriptor("count", lambda one, other: one + other, Types.LONG())

    def __init__(self, *, purges: bool, is_event_time: bool) -> None:
        self.fire = TriggerResult.FIRE_AND_PURGE if purges else TriggerResult.FIRE
        self.is_event_time = is_event_time

    def on_element(self, element: Element, timestamp: int, window: Any, ctx: Any) -> TriggerResult:
        count = ctx.get_partitioned_state(self.COUNT)
        count.add(1)
        if count.get() == 1 and self.is_event_time:
            ctx.register_event_time_timer(timestamp + 1_000)
        elif count.get() == 1:
            ctx.register_processing_time_timer(ctx.get_current_processing_time() + 1_000)
        return self.fire if count.get() % 3 == 0 else TriggerResult.CONTINUE

    def on_event_time(self, time: int, window: Any, ctx: Any) -> TriggerResult:
        return self.fire

    def on_processing_time(self, time: int, window: Any, ctx: Any) -> TriggerResult:
        return self.fire

    def can_merge(self) -> bool:
        return True

    def on_merge(self, window: Any, ctx: Any) -> None:
        ctx.merge_partitioned_state(self.COUNT)

    def clear(self, window: Any, ctx: Any) -> None:
        ctx.get_partitioned_state(self.COUNT).clear()


class DropEven(Clocked, Evictor[Element, Any]):
    def evict_before(self, elements: Any, size: int, window: Any, evictor_context: Any) -> None:
        elements[:] = [element for element in elements if element.value[1] % 2 or size < 3]

    def evict_after(self, elements: Any, size: int, window: Any, evictor_context: Any) -> None:
        del elements[:-2]


class Delayed(Clocked, AsyncFunction[Element, Element]):
    """Takes too long, or fails at its first attempt, with some elements."""

    async def async_invoke(self, value: Element) -> list[Element]:
        if value[1] % 9 == 0:
            await asyncio.sleep(60)
        await asyncio.sleep(0)
        return [changed(value, ("async", value[4]))] * (value[1] % 3)

    def timeout(self, value: Element) -> list[Element]:
        return [changed(value, "too late")]


class CoMap(Clocked, CoMapFunction[Element, Element, Element]):
    def map1(self, value: Element) -> Element | None:
        return None if value[1] % 5 == 0 else changed(value, (1, value[4]))

    def map2(self, value: Element) -> Element:
        return changed(value, (2, value[4]))


class CoSpread(Clocked, CoFlatMapFunction[Element, Element, Element]):
    def flat_map1(self, value: Element) -> Iterable[Element]:
        yield from [value] * (value[1] % 2)

    def flat_map2(self, value: Element) -> Iterable[Element]:
        yield from [changed(value, "second")] * (1 + value[1] % 2)


class CoSeen(Clocked, CoProcessFunction[Element, Element, Element]):
    def process_element1(self, value: Element, ctx: Any) -> Iterator[Element]:
        yield changed(value, (1, ctx.timestamp()))

    def process_element2(self, value: Element, ctx: Any) -> Iterator[Element]:
        yield changed(value, (2, ctx.timestamp()))


class Matched(Clocked, KeyedCoProcessFunction[Any, Element, Element, Element]):
    """Elements of the first input wait for one of the second, until an event-time timer."""

    def open(self, runtime_context: RuntimeContext) -> None:
        self.waiting = runtime_context.get_list_state(ListStateDescriptor("waiting", ANY))
        self.seen = runtime_context.get_map_state(MapStateDescriptor("seen", Types.STRING(), Types.LONG()))

    def process_element1(self, value: Element, ctx: Any) -> Iterator[Element]:
        self.waiting.add((value[0], value[1]))
        self.seen.put(value[0], value[1])
        if ctx.timestamp() is not None:
            ctx.timer_service().register_event_time_timer(ctx.timestamp() + 4_000)
        yield from ()

    def process_element2(self, value: Element, ctx: Any) -> Iterator[Element]:
        yield changed(value, (list(self.waiting.get()), list(self.seen.items())))
        if value[1] % 2:
            self.waiting.clear()

    def on_timer(self, timestamp: int, ctx: Any) -> Iterator[Element]:
        waiting = list(self.waiting.get())
        if waiting:
            yield ("unmatched", len(waiting), str(ctx.get_current_key()), timestamp, waiting)
            self.waiting.clear()


class Ruled(Clocked, BroadcastProcessFunction[Element, Element, Element]):
    def process_element(self, value: Element, ctx: Any) -> Iterator[Element]:
        rules = ctx.get_broadcast_state(RULES)
        yield changed(value, (rules.get(value[2]), sorted(rules.keys())))

    def process_broadcast_element(self, value: Element, ctx: Any) -> Iterator[Element]:
        _rule(value, ctx.get_broadcast_state(RULES))
        yield from ()


class RuledByKey(Clocked, KeyedBroadcastProcessFunction[Any, Element, Element, Element]):
    def open(self, runtime_context: RuntimeContext) -> None:
        self.count = runtime_context.get_state(ValueStateDescriptor("count", Types.LONG()))

    def process_element(self, value: Element, ctx: Any) -> Iterator[Element]:
        self.count.update((self.count.value() or 0) + 1)
        if ctx.timestamp() is not None:
            ctx.timer_service().register_event_time_timer(ctx.timestamp() + 2_000)
        yield changed(value, (self.count.value(), ctx.get_broadcast_state(RULES).get(value[2])))

    def process_broadcast_element(self, value: Element, ctx: Any) -> Iterator[Element]:
        _rule(value, ctx.get_broadcast_state(RULES))
        yield from ()

    def on_timer(self, timestamp: int, ctx: Any) -> Iterator[Element]:
        rules = sorted(ctx.get_broadcast_state(RULES).keys())
        yield ("ruled", self.count.value() or 0, str(ctx.get_current_key()), timestamp, rules)


def _rule(value: Element, rules: Any) -> None:
    if value[1] % 4 == 0:
        rules.remove(value[2])
    else:
        rules.put(value[2], value[4])


class Paired(Clocked, ProcessJoinFunction[Element, Element, Element]):
    def process_element(self, left: Element, right: Element, ctx: Any) -> Iterator[Element]:
        times = (ctx.get_left_timestamp(), ctx.get_right_timestamp(), ctx.get_timestamp())
        yield made(left, left[1] + right[1], left[2], ctx.get_timestamp(), (right[0], right[1], times))


class Grouped(Clocked, CoGroupFunction[Element, Element, Element]):
    def co_group(self, first: Iterable[Element], second: Iterable[Element]) -> Iterator[Element]:
        groups = [[(value[0], value[1]) for value in group] for group in (first, second)]
        yield ("groups", len(groups[0]) + len(groups[1]), "", START_MS, groups)


def joined(first: Element, second: Element) -> Element:
    """Return the element of a pair of a window join."""
    return made(first, first[1] + second[1], first[2], max(first[3], second[3]), (second[0], second[1]))


class Shown(Clocked, ProcessFunction[Element, str]):
    """Makes a line of each element: the path in the graph, the subtask, the origin, the timestamp, and the element.

    Lines with equal first three fields are in the order in which their elements were processed, if the stream has one.

    Args:
        path: Name of the stream.
        is_ordered: Whether the order of the stream's elements is defined.
        by_origin: Whether it is so only for those of one origin, as after a source, of which each partition has a task.
    """

    def __init__(self, path: str, *, is_ordered: bool, by_origin: bool) -> None:
        self.path, self.is_ordered, self.by_origin = path, is_ordered, by_origin

    def open(self, runtime_context: RuntimeContext) -> None:
        self.subtask = runtime_context.get_index_of_this_subtask()

    def process_element(self, value: Element, ctx: Any) -> Iterator[str]:
        origin = (value[0] if self.by_origin else "") if self.is_ordered else UNORDERED
        yield f"{self.path}|{self.subtask}|{origin}|{ctx.timestamp()}|{value!r}"
