"""Interval join of two keyed streams (Flink's IntervalJoinOperator)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final, final

from kafkastream.errors import DefinitionError
from kafkastream.model.common.mutable_values import detached
from kafkastream.model.common.stream_functions import Function
from kafkastream.model.functions.join_functions import ProcessJoinFunction
from kafkastream.model.functions.process_functions import TimeDomain
from kafkastream.model.graph.interval_join_operation import IntervalJoinOperation
from kafkastream.operators.state.timers import Timer
from kafkastream.operators.stream.keyed_operators import ElementwiseOperator, Emitted

__all__ = ["IntervalJoinOperator"]

_SIDES: Final = ("_left", "_right")

Buffer = dict[int, list[Any]]
"""Elements of one side that may still join elements of the other side, by timestamp."""


@final
class IntervalJoinOperator(ElementwiseOperator):
    """Buffers the elements of both sides for as long as an element of the other side may join them."""

    def __init__(self, join: IntervalJoinOperation) -> None:
        super().__init__(own=_SIDES)
        self._join = join
        self._context = ProcessJoinFunction.Context()

    @property
    def functions(self) -> Sequence[Function]:
        """Function of the user."""
        return (self._join.function,)

    def on_timer(self, timer: Timer, domain: TimeDomain, out: Emitted) -> None:
        """Remove elements that can no longer join anything."""
        side, time = timer.namespace
        buffer = self._buffer(side)
        buffer.pop(time, None)
        if not buffer:
            self.keyed_context.entry.pop(_SIDES[side], None)
        self.keyed_context.changed()

    def element(self, side: int, value: Any, timestamp: int | None, out: Emitted) -> None:
        """Join an element with the buffered elements of the other side, and buffer it."""
        if timestamp is None:
            raise DefinitionError(
                "Long.MIN_VALUE timestamp: Elements used in interval stream joins need to have timestamps meaningful "
                "timestamps."
            )
        if timestamp < self.keyed_context.watermark:
            self.emit_late((self._join.late_left, self._join.late_right)[side], value, timestamp, out)
            return
        lower, upper = self._join_bounds(side)
        for time, others in sorted(self._buffer(1 - side).items()):
            if timestamp + lower <= time <= timestamp + upper:
                for other in others:
                    self._join_pair(side, (value, timestamp), (other, time), out)
        buffer: Buffer = self.keyed_context.entry.setdefault(_SIDES[side], {})
        buffer.setdefault(timestamp, []).append(value)
        self.keyed_context.changed()
        self.keyed_context.namespace = (side, timestamp)
        self.keyed_context.register(TimeDomain.EVENT_TIME, timestamp + max(upper, 0))

    def _join_bounds(self, side: int) -> tuple[int, int]:
        """Return the lower and upper bound of the other side's timestamps, in ms relative to an element of ``side``."""
        lower, upper = self._join.lower, self._join.upper
        return (lower, upper) if side == 0 else (-upper, -lower)

    def _join_pair(self, side: int, element: tuple[Any, int], other: tuple[Any, int], out: Emitted) -> None:
        (left, left_time), (right, right_time) = (element, other) if side == 0 else (other, element)
        self._context._left, self._context._right = left_time, right_time
        time = self._context.get_timestamp()
        # Flink joins in Java and serializes each pair for the Python function, so its changes do not reach the buffer
        pair = detached(left), detached(right)
        out.take(self._join.function.process_element(*pair, self._context), time)
        out.take_side_output(self._context._taken_aside(), time)

    def _buffer(self, side: int) -> Buffer:
        buffer: Buffer = self.keyed_context.entry.get(_SIDES[side], {})
        return buffer
