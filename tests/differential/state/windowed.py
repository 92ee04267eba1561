"""State in windows. ``record.py`` runs this text with ``pyflink`` in the place of ``kafkastream``."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any

from kafkastream.common import Time, Types
from kafkastream.datastream import ProcessWindowFunction
from kafkastream.datastream.state import (
    ListStateDescriptor,
    MapStateDescriptor,
    ReducingStateDescriptor,
    ValueStateDescriptor,
)
from kafkastream.datastream.window import (
    CountTrigger,
    EventTimeSessionWindows,
    Trigger,
    TriggerResult,
    TumblingEventTimeWindows,
)

ELEMENTS = [("a", time, [time // 1000]) for time in range(1000, 9000, 1000)] + [("b", 1000, None), ("b", 7000, 0)]
"""Key, event time in ms, value."""
PICKLED = Types.PICKLED_BYTE_ARRAY()
Build = Callable[[Any], Any]


class Counting(ProcessWindowFunction):
    """Counts by a hundred what fires, under a name of the window's or the key's state; ``clear`` notes it."""

    def __init__(self, name: str, *scopes: str) -> None:
        self.name = name
        self.scopes = scopes

    def process(self, key: Any, context: Any, elements: Iterable[Any]) -> Iterator[Any]:
        counts = []
        for scope in self.scopes:
            state = getattr(context, scope)().get_state(ValueStateDescriptor(self.name, Types.LONG()))
            state.update((state.value() or 0) + 100)
            counts.append(state.value())
        cleared = context.global_state().get_list_state(ListStateDescriptor("cleared", PICKLED))
        yield repr((key, counts, [element[2] for element in elements], list(cleared.get())))

    def clear(self, context: Any) -> None:
        store = context.window_state()
        state = store.get_state(ValueStateDescriptor(self.name, Types.LONG()))
        context.global_state().get_list_state(ListStateDescriptor("cleared", PICKLED)).add(state.value())
        state.clear()


class Kept(ProcessWindowFunction):
    """Counts under a name in the state of the runtime context."""

    def __init__(self, name: str) -> None:
        self.name = name

    def open(self, runtime_context: Any) -> None:
        self.count = runtime_context.get_state(ValueStateDescriptor(self.name, Types.LONG()))

    def process(self, key: Any, context: Any, elements: Iterable[Any]) -> Iterator[Any]:
        self.count.update((self.count.value() or 0) + 100)
        yield repr((key, self.count.value(), len(list(elements))))

    def clear(self, context: Any) -> None:
        pass


class Changing(ProcessWindowFunction):
    """Changes the elements that it gets."""

    def process(self, key: Any, context: Any, elements: Iterable[Any]) -> Iterator[Any]:
        for _, _, value in elements:
            if value:
                value.append("seen")
        yield repr((key, [value for _, _, value in elements]))

    def clear(self, context: Any) -> None:
        pass


class EachThird(Trigger):
    """Fires at each third element of a window, by states of several kinds, which agree."""

    def on_element(self, element: Any, timestamp: int, window: Any, ctx: Any) -> TriggerResult:
        value, several, by_text, total = self.states(ctx)
        value.update((value.value() or 0) + 1)
        several.add(None)
        by_text.put(str(timestamp), None)
        total.add(1)
        assert value.value() == len(list(several.get())) == len(list(by_text.keys())) == total.get()
        if value.value() < 3:
            return TriggerResult.CONTINUE
        self.clear(window, ctx)
        return TriggerResult.FIRE

    def on_processing_time(self, time: int, window: Any, ctx: Any) -> TriggerResult:
        return TriggerResult.CONTINUE

    def on_event_time(self, time: int, window: Any, ctx: Any) -> TriggerResult:
        return TriggerResult.CONTINUE

    def on_merge(self, window: Any, ctx: Any) -> None:
        pass

    def clear(self, window: Any, ctx: Any) -> None:
        for state in self.states(ctx):
            state.clear()

    def states(self, ctx: Any) -> list[Any]:
        descriptors: list[Any] = [
            ValueStateDescriptor("value", Types.LONG()),
            ListStateDescriptor("several", PICKLED),
            MapStateDescriptor("by text", Types.STRING(), PICKLED),
            ReducingStateDescriptor("total", lambda one, other: one + other, Types.LONG()),
        ]
        return [ctx.get_partitioned_state(descriptor) for descriptor in descriptors]


class Growing(Trigger):
    """Fires when the windows that have become one have three elements, by a state that is merged."""

    COUNT: Any = ReducingStateDescriptor("merged", lambda one, other: one + other, Types.LONG())

    def on_element(self, element: Any, timestamp: int, window: Any, ctx: Any) -> TriggerResult:
        count = ctx.get_partitioned_state(self.COUNT)
        count.add(1)
        return TriggerResult.FIRE if count.get() == 3 else TriggerResult.CONTINUE

    def on_processing_time(self, time: int, window: Any, ctx: Any) -> TriggerResult:
        return TriggerResult.CONTINUE

    def on_event_time(self, time: int, window: Any, ctx: Any) -> TriggerResult:
        return TriggerResult.CONTINUE

    def can_merge(self) -> bool:
        return True

    def on_merge(self, window: Any, ctx: Any) -> None:
        ctx.merge_partitioned_state(self.COUNT)

    def clear(self, window: Any, ctx: Any) -> None:
        ctx.get_partitioned_state(self.COUNT).clear()


def _counted(*names: str) -> Build:
    return lambda keyed: keyed.count_window(2).process(Counting(names[0], *names[1:]), Types.STRING())


def _tumbling(function: Any, trigger: Any = None) -> Build:
    def build(keyed: Any) -> Any:
        windowed = keyed.window(TumblingEventTimeWindows.of(Time.seconds(5)))
        return (windowed if trigger is None else windowed.trigger(trigger)).process(function, Types.STRING())

    return build


def _session(function: Any, trigger: Any) -> Build:
    return lambda keyed: (
        keyed.window(EventTimeSessionWindows.with_gap(Time.milliseconds(1500)))
        .trigger(trigger)
        .process(function, Types.STRING())
    )


WINDOWED: dict[str, Build] = {
    "state of the window": _tumbling(Counting("own", "window_state"), CountTrigger.of(2)),
    "state of the key": _tumbling(Counting("own", "global_state"), CountTrigger.of(2)),
    "state of both": _tumbling(Counting("own", "window_state", "global_state")),
    "named _count": _counted("_count", "global_state"),
    "named _windows": _counted("_windows", "global_state"),
    "named _apart": _counted("_apart", "global_state"),
    "named count": _counted("count", "global_state"),
    "named count in the window": _counted("count", "window_state"),
    "kept as _count": lambda keyed: keyed.count_window(2).process(Kept("_count"), Types.STRING()),
    "kept as count": lambda keyed: keyed.count_window(2).process(Kept("count"), Types.STRING()),
    "kept as _count, sliding": lambda keyed: keyed.count_window(2, 1).process(Kept("_count"), Types.STRING()),
    "elements changed": _tumbling(Changing(), CountTrigger.of(2)),
    "state of a trigger": _tumbling(Kept("own"), EachThird()),
    "state of a trigger, merged": _session(Kept("own"), Growing()),
    "state of the window, merged": _session(Counting("own", "window_state"), Growing()),
}
ALONE = ("named count", "named count in the window", "kept as count", "state of the window, merged")
"""Those that Flink refuses."""
