"""Window assigners and triggers of PyFlink programs: with their own default trigger, serializer, and calls of the context."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from typing import Any

from kafkastream.common import Types
from kafkastream.common.serializer import TypeSerializer
from kafkastream.datastream.functions import ProcessWindowFunction
from kafkastream.datastream.state import ReducingStateDescriptor
from kafkastream.datastream.window import (
    CountTrigger,
    MergingWindowAssigner,
    TimeWindow,
    TimeWindowSerializer,
    Trigger,
    TriggerResult,
    Window,
)
from kafkastream.model.common.watermark_strategy import MAX_WATERMARK
from kafkastream.model.windows.window_operation import WindowOperation
from kafkastream.operators.stream.window_operator import WindowOperator
from tests.unit.operators.driving import driven
from tests.unit.operators.memory import Memory


class EverySecond(CountTrigger):  # type: ignore[misc]  # final to type checkers only
    """Fires at each second element, and counts how often in a metric."""

    def on_element(self, element: Any, timestamp: int, window: Window, ctx: Trigger.TriggerContext) -> TriggerResult:
        result = super().on_element(element, timestamp, window, ctx)
        if result.is_fire():
            ctx.get_metric_group().counter("fired").inc()
        return result


class Touching(MergingWindowAssigner[int, TimeWindow]):
    """Sessions with a gap of 10 ms, numbered by a state of the key."""

    def assign_windows(
        self, element: int, timestamp: int, context: MergingWindowAssigner.WindowAssignerContext
    ) -> Collection[TimeWindow]:
        descriptor = ReducingStateDescriptor("assigned", lambda one, other: one + other, Types.LONG())
        context.get_runtime_context().get_reducing_state(descriptor).add(1)
        return [TimeWindow(timestamp, timestamp + 10)]

    def merge_windows(
        self, windows: Iterable[TimeWindow], callback: MergingWindowAssigner.MergeCallback[TimeWindow]
    ) -> None:
        whole = list(windows)
        if len(whole) > 1:
            callback.merge(whole, TimeWindow(min(one.start for one in whole), max(one.end for one in whole)))

    def get_default_trigger(self, env: Any) -> Trigger[Any, Any]:
        return EverySecond(2)

    def get_window_serializer(self) -> TypeSerializer[TimeWindow]:
        return TimeWindowSerializer()

    def is_event_time(self) -> bool:
        return True


class Seen(ProcessWindowFunction[int, Any, str, TimeWindow]):
    def process(
        self, key: str, context: ProcessWindowFunction.Context[TimeWindow], elements: Iterable[int]
    ) -> Iterator[Any]:
        yield key, context.window(), sorted(elements)


def test_default_trigger_and_merge_callback_of_a_program() -> None:
    operator = WindowOperator(WindowOperation(assigner=Touching(), function=Seen()))
    steps = [
        ("element", "a", 1),
        ("element", "b", 5),
        ("element", "a", 40),
        ("micro-batch", "", 0),
        ("element", "a", 7),
    ]
    out = driven(operator, Memory(), [*steps, ("element", "a", 9), ("watermark", "", MAX_WATERMARK)])
    assert out == [("a", TimeWindow(1, 50), [1, 40]), ("a", TimeWindow(1, 50), [1, 7, 9, 40])]
    assert operator._timers.metrics.counter("fired").get_count() == 2
