"""Batch execution of a keyed operator: at the end of the input, each key's elements in the order of their timestamps."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from itertools import groupby
from typing import Any, Final, final

from kafkastream.model.common.stream_functions import Function
from kafkastream.model.common.watermark_strategy import MAX_WATERMARK, MIN_WATERMARK
from kafkastream.model.functions.process_functions import TimeDomain
from kafkastream.model.functions.runtime_context import RuntimeContext
from kafkastream.operators.state.timers import Timer
from kafkastream.operators.stream.keyed_operators import Emitted, KeyedElements, KeyedOperator

__all__ = ["BatchOperator"]

_INPUT: Final = ("batch input",)
"""Name of a key's buffered elements in its entry, and namespace of the timer that processes them; users' names are strings."""

_Element = tuple[int, Any, int | None]


@final
class BatchOperator(KeyedOperator):
    """Buffers the elements of each key until the input ends, then passes them to an operator in the order of their
    timestamps.

    Same as in Flink's BATCH mode: nothing is late. The watermark stays at its minimum while a key's elements are
    processed, then advances to the maximum, which fires the key's event-time timers. Processing-time timers of all keys
    fire at the end.

    Args:
        operator: Operator as it runs in STREAMING mode.
        first_sides: Inputs that are processed immediately, before the others: broadcast inputs.
    """

    def __init__(self, operator: KeyedOperator, first_sides: Collection[int] = (), *, only_last: bool = False) -> None:
        super().__init__(operator.keyed_context)
        self._operator = operator
        self._first_sides = first_sides
        self._only_last = only_last
        self.keyed_context.lists.add(_INPUT)

    def open(self, context: RuntimeContext) -> None:
        """Open the operator."""
        if not self._only_last:
            self._operator.chained = self.chained
        self._operator.open(context)

    @property
    def functions(self) -> Sequence[Function]:
        """Functions of the operator."""
        return self._operator.functions

    def elements(self, arrived: KeyedElements) -> Emitted:
        """Buffer elements until the end of the input; process elements of broadcast inputs at once."""
        if arrived.side in self._first_sides:
            return self._operator.elements(arrived)
        for key, value, timestamp in zip(*arrived[1:], strict=True):
            self._buffer(key, (arrived.side, value, timestamp))
        return Emitted()

    def _buffer(self, key: bytes, element: _Element) -> None:
        self.keyed_context.select(key)
        buffered = self.keyed_context.entry.get(_INPUT)
        if buffered is None:
            self.keyed_context.entry[_INPUT] = [element]
            self.keyed_context.event_timers.register(Timer(MAX_WATERMARK, key, _INPUT))
        else:
            buffered.append(element)
        self.keyed_context.changed()

    def advance(self, watermark: int, now: int) -> Emitted:
        """Do nothing until the maximum watermark, which marks the end of the input."""
        if watermark < MAX_WATERMARK:
            return Emitted()
        out = super().advance(watermark, now)
        self._fire_timers(TimeDomain.PROCESSING_TIME, MAX_WATERMARK, out)
        return out

    def on_timer(self, timer: Timer, domain: TimeDomain, out: Emitted) -> None:
        """Process the buffered elements of the current key, or a timer that they registered."""
        if timer.namespace != _INPUT:
            self._operator.on_timer(timer, domain, out)
            return
        self.keyed_context.namespace = ()
        buffered: Iterable[_Element] = self.keyed_context.entry.pop(_INPUT)
        self.keyed_context.changed()
        self.keyed_context.watermark = MIN_WATERMARK
        results = self._process_in_order(timer.key, sorted(buffered, key=_time_of))
        self.keyed_context.watermark = MAX_WATERMARK
        if self._only_last:
            out.take(results.values[-1:], None)
        else:
            out.extend(results)

    def _process_in_order(self, key: bytes, elements: Iterable[_Element]) -> Emitted:
        out = Emitted()
        for side, run in groupby(elements, key=lambda element: element[0]):
            _, values, timestamps = map(list, zip(*run, strict=True))
            out.extend(self._operator.elements(KeyedElements(side, [key] * len(values), values, timestamps)))
        return out


def _time_of(element: _Element) -> int:
    return MIN_WATERMARK if element[2] is None else element[2]
