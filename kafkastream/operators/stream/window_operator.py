"""Window operator of keyed streams (Flink's WindowOperator): assigns, aggregates, merges, fires and purges."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import reduce
from typing import Any, Final, cast, final

from kafkastream.metrics import MetricGroup
from kafkastream.model.common.stream_functions import Function
from kafkastream.model.common.time import wall_clock_ms
from kafkastream.model.common.watermark_strategy import MAX_WATERMARK, MIN_WATERMARK
from kafkastream.model.functions.process_functions import TimeDomain
from kafkastream.model.functions.runtime_context import RuntimeContext
from kafkastream.model.functions.state_descriptors import (
    AggregatingStateDescriptor,
    ReducingStateDescriptor,
    StateDescriptor,
)
from kafkastream.model.windows.trigger_interface import Trigger, TriggerResult
from kafkastream.model.windows.triggers import EventTimeTrigger, ProcessingTimeTrigger
from kafkastream.model.windows.window_functions import (
    AllWindowFunction,
    ProcessAllWindowFunction,
    ProcessWindowFunction,
    WindowContext,
    WindowFunction,
)
from kafkastream.model.windows.window_operation import WindowOperation
from kafkastream.model.windows.windows import MergingWindowAssigner, Window
from kafkastream.operators.state.keyed_context import KeyedContext
from kafkastream.operators.state.timers import Timer
from kafkastream.operators.stream.keyed_operators import CallError, ChainedCallError, ElementwiseOperator, Emitted
from kafkastream.operators.stream.window_contents import Contents, window_state

__all__ = ["WindowOperator"]

_WINDOWS: Final = "_windows"
_COUNT: Final = "_count"

Call = Callable[[Any, Window, Iterable[Any]], Iterable[Any] | None]


@final
class WindowOperator(ElementwiseOperator):
    """Windows of one subtask's keys."""

    def __init__(self, operation: WindowOperation) -> None:
        super().__init__(own=(_WINDOWS, _COUNT))
        self._operation = operation
        self._assigner = operation.assigner
        self._trigger = operation.trigger
        self._lateness = operation.allowed_lateness
        self._is_event_time = operation.assigner.is_event_time()
        self._merging = operation.assigner if isinstance(operation.assigner, MergingWindowAssigner) else None
        self._fires_only_at_end = self._merging is None and isinstance(
            operation.trigger, EventTimeTrigger if self._is_event_time else ProcessingTimeTrigger
        )
        self._window_state = window_state(operation)
        if self._window_state.keeps_all:
            self.keyed_context.lists.add(_WINDOWS)
        self._timers = _KeyedWindowContext(self.keyed_context)
        self._context: WindowContext[Any] = _window_context(operation.function, self._timers, self._merging is not None)
        self._trigger_context = Trigger.OnMergeContext(self._timers)
        self._call = _window_call(operation.function, self._context)

    @property
    def functions(self) -> Sequence[Function]:
        """Functions of the user: aggregate, window function, trigger and so on."""
        return self._operation.functions

    def open(self, context: RuntimeContext) -> None:
        """Open the functions."""
        super().open(context)
        self._timers.context = context
        self._window_state.open(self._timers, context.get_metrics_group())

    def on_timer(self, timer: Timer, domain: TimeDomain, out: Emitted) -> None:
        """Call the trigger, and clear the window at its cleanup time."""
        (window,) = timer.namespace
        if window not in self._contents() and self._merging is not None:
            return  # it was merged into another window
        is_event = domain is TimeDomain.EVENT_TIME
        call_trigger = self._trigger.on_event_time if is_event else self._trigger.on_processing_time
        try:
            self._handle_trigger_result(call_trigger(timer.timestamp, window, self._trigger_context), window, out)
            if is_event is self._is_event_time and timer.timestamp == self._cleanup_time(window):
                self._clear_window(window)
        except ChainedCallError:
            raise
        except BaseException as error:
            raise CallError(self.keyed_context.key, timer=timer.timestamp) from error

    def element(self, side: int, value: Any, timestamp: int | None, out: Emitted) -> None:
        """Add an element to its windows."""
        time = MIN_WATERMARK if timestamp is None else timestamp
        skipped = True
        for assigned in self._assigner.assign_windows(value, time, self._timers):
            window = assigned if self._merging is None else self._merge_new_window(assigned)
            if self._is_late(window):
                self._drop_late_window(window)
                continue
            skipped = False
            had_content = self._add(window, value, timestamp)
            if had_content and self._fires_only_at_end and window.max_timestamp() > self.keyed_context.watermark:
                continue  # its timers are already registered
            self.keyed_context.namespace = (window,)
            self._handle_trigger_result(
                self._trigger.on_element(value, time, window, self._trigger_context), window, out
            )
            self._register_cleanup(window)
        if skipped and self._is_event_time and time + self._lateness <= self.keyed_context.watermark:
            self.emit_late(self._operation.late, value, time, out)

    def contents(self) -> dict[Window, Any]:
        """Return the elements of the current key's windows, or what their aggregate gives so far."""
        return {
            window: self._window_state.value(content)
            for window, content in self._contents().items()
            if content is not None
        }

    def _add(self, window: Window, value: Any, timestamp: int | None) -> bool:
        """Add an element to a window; return whether the window had content before."""
        contents: Contents = self.keyed_context.entry.setdefault(_WINDOWS, {})
        content = contents.get(window)
        contents[window] = self._window_state.add(content, value, timestamp)
        self.keyed_context.changed()
        return content is not None

    def _contents(self) -> Contents:
        """Return the contents of the current key's windows."""
        contents: Contents = self.keyed_context.entry.get(_WINDOWS, {})
        return contents

    def _handle_trigger_result(self, result: TriggerResult, window: Window, out: Emitted) -> None:
        if result is TriggerResult.CONTINUE:
            return
        content = self._contents().get(window)
        if result.is_fire() and content is not None:
            remaining = self._window_state.fire(
                content, window, lambda elements: self._fire_window(window, elements, out)
            )
            if remaining is None:
                self._purge(window)
            else:
                self._contents()[window] = remaining
                self.keyed_context.changed()  # the function may have changed elements in place
        if result.is_purge():
            self._purge(window)

    def _fire_window(self, window: Window, elements: list[Any], out: Emitted) -> None:
        self.keyed_context.namespace = (window,)
        self._context._window = window
        last = window.max_timestamp()
        # Flink emits results with the window's max timestamp. Kafka refuses Long.MAX_VALUE, the one of a global window:
        # https://github.com/apache/flink/blob/release-2.2.1/flink-runtime/src/main/java/org/apache/flink/streaming/runtime/operators/windowing/WindowOperator.java
        time = None if last == MAX_WATERMARK else last
        out.take(self._call(self.keyed_context.key, window, elements), time)
        if self._context._aside:
            out.take_side_output(self._context._taken_aside(), time)

    def _purge(self, window: Window) -> None:
        """Purge the contents of a window; a window that may merge stays, empty."""
        if self._merging is None:
            self._contents().pop(window, None)
        else:
            self._contents()[window] = None
        self._remove_if_empty()

    def _clear_window(self, window: Window) -> None:
        """Clear all state of a window at its cleanup time."""
        self.keyed_context.namespace = (window,)
        self._contents().pop(window, None)
        self._trigger.clear(window, self._trigger_context)
        self._context._window = window
        if isinstance(self._operation.function, (ProcessWindowFunction, ProcessAllWindowFunction)):
            self._operation.function.clear(cast("Any", self._context))
        self._remove_if_empty()

    def _drop_late_window(self, window: Window) -> None:
        """Remove a late window, if it was merged from earlier ones."""
        if self._merging is not None and window in self._contents():
            del self._contents()[window]
            self._remove_if_empty()

    def _remove_if_empty(self) -> None:
        if not self._contents():
            self.keyed_context.entry.pop(_WINDOWS, None)
        self.keyed_context.changed()

    def _is_late(self, window: Window) -> bool:
        if not self._is_event_time:
            return False
        # in Java, a max timestamp above Long.MAX_VALUE overflows to a time before 1970, so the window is late
        return window.max_timestamp() > MAX_WATERMARK or self._cleanup_time(window) <= self.keyed_context.watermark

    def _cleanup_time(self, window: Window) -> int:
        if not self._is_event_time:
            return window.max_timestamp()
        return min(window.max_timestamp() + self._lateness, MAX_WATERMARK)

    def _register_cleanup(self, window: Window) -> None:
        time = self._cleanup_time(window)
        if time < MAX_WATERMARK:
            self.keyed_context.register(self._domain, time)

    @property
    def _domain(self) -> TimeDomain:
        return TimeDomain.EVENT_TIME if self._is_event_time else TimeDomain.PROCESSING_TIME

    def _merge_new_window(self, new: Window) -> Window:
        """Merge a new window with the windows that it overlaps; return the resulting window."""
        assert self._merging is not None
        contents = self._contents()
        result = new
        merges: list[tuple[list[Window], Window]] = []
        callback = MergingWindowAssigner.MergeCallback(lambda parts, merged: merges.append((list(parts), merged)))
        self._merging.merge_windows([*contents, new], callback)
        for parts, merged in merges:
            if new in parts:
                result = merged
            others = [window for window in dict.fromkeys(parts) if window in contents]
            if others != [merged]:
                self._merge_windows(others, merged)
        return result

    def _merge_windows(self, parts: Sequence[Window], merged: Window) -> None:
        contents, keyed_context = self._contents(), self.keyed_context
        if not parts:
            return
        merged_contents = [content for content in map(contents.pop, parts) if content is not None]
        contents[merged] = reduce(self._window_state.merge, merged_contents) if merged_contents else None
        keyed_context.namespace = (merged,)
        self._timers.merged = parts
        self._trigger.on_merge(merged, self._trigger_context)
        self._timers.merged = ()
        for window in parts:
            if window != merged:
                keyed_context.namespace = (window,)
                self._trigger.clear(window, self._trigger_context)
                keyed_context.delete(self._domain, self._cleanup_time(window))
        keyed_context.changed()


@final
class _KeyedWindowContext:
    """View of the keyed context for triggers, assigners and window functions."""

    def __init__(self, keyed_context: KeyedContext) -> None:
        self._keyed_context = keyed_context
        self.context = RuntimeContext(task_name="")
        self.merged: Sequence[Window] = ()

    def get_runtime_context(self) -> RuntimeContext:
        return self.context

    @property
    def metrics(self) -> MetricGroup:
        return self.context.get_metrics_group()

    @property
    def watermark(self) -> int:
        return self._keyed_context.watermark

    def register(self, domain: TimeDomain, timestamp: int) -> None:
        self._keyed_context.register(domain, timestamp)

    def delete(self, domain: TimeDomain, timestamp: int) -> None:
        self._keyed_context.delete(domain, timestamp)

    def cell(self, descriptor: StateDescriptor) -> Any:
        return self._keyed_context.cell(descriptor)

    def window_cell(self, descriptor: StateDescriptor) -> Any:
        return self._keyed_context.window_cell(descriptor)

    def get_current_processing_time(self) -> int:
        return wall_clock_ms()

    def next_count(self) -> int:
        """Return the index of the current element among those of its key; called once for each element."""
        entry = self._keyed_context.entry
        count: int = entry.get(_COUNT, 0)
        entry[_COUNT] = count + 1
        self._keyed_context.changed()
        return count

    def merge_states(self, descriptor: StateDescriptor) -> None:
        """Merge a state of the windows that are being merged."""
        keyed_context, merged = self._keyed_context, self._keyed_context.namespace
        cell = keyed_context.window_cell(descriptor)
        contents = []
        for window in self.merged:
            keyed_context.namespace = (window,)
            content = cell.get()
            if content is not None:
                contents.append(content)
                cell.set(None)
        keyed_context.namespace = merged
        if contents:
            cell.set(_merge_contents(descriptor, contents))


def _merge_contents(descriptor: StateDescriptor, contents: Sequence[Any]) -> Any:
    content = contents[0]
    for other in contents[1:]:
        match descriptor:
            case ReducingStateDescriptor():
                content = descriptor.reduce_function.reduce(content, other)
            case AggregatingStateDescriptor():
                content = descriptor.agg_function.merge(content, other)
            case _:
                content = [*content, *other]
    return content


def _window_context(function: Function | None, keyed_context: _KeyedWindowContext, merges: bool) -> WindowContext[Any]:
    if isinstance(function, ProcessAllWindowFunction):
        return ProcessAllWindowFunction.Context(keyed_context, merges=merges)
    return ProcessWindowFunction.Context(keyed_context, merges=merges)


def _window_call(function: Function | None, context: Any) -> Call:
    """Return a callable that takes the key, the window and its elements, and calls the window function."""
    match function:
        case None:
            return lambda _key, _window, elements: elements
        case ProcessWindowFunction():
            process = function.process
            return lambda key, _, elements: process(key, context, elements)
        case ProcessAllWindowFunction():
            process_all = function.process
            return lambda _key, _window, elements: process_all(context, elements)
        case WindowFunction():
            return function.apply
        case AllWindowFunction():
            apply = function.apply
            return lambda _, window, elements: apply(window, elements)
        case _:
            raise TypeError(f"no function for windows: {function!r}")
