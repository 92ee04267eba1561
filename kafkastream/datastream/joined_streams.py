"""Joins of two streams, by windows or by the nearness of times; Java's, which PyFlink lacks."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from itertools import product
from typing import TYPE_CHECKING, Any, Final, Generic, TypeVar, final

import attrs
from typing_extensions import Self

from kafkastream.datastream.stream import DataStream, add_keyed_operator
from kafkastream.errors import DefinitionError
from kafkastream.model.common.argument_checks import checked_methods
from kafkastream.model.common.output_tag import OutputTag
from kafkastream.model.common.snapshot import snapshot
from kafkastream.model.common.stream_functions import Function, KeySelector, WrappingFunction, iterated, method_of
from kafkastream.model.common.time import Duration, Time, millis_of
from kafkastream.model.common.types import TypeInformation
from kafkastream.model.functions.join_functions import (
    CoGroupFunction,
    FlatJoinFunction,
    JoinFunction,
    ProcessJoinFunction,
    TaggedUnion,
)
from kafkastream.model.graph.interval_join_node import IntervalJoin
from kafkastream.model.graph.job_graph import OperatorKind
from kafkastream.model.windows.evictor_interface import Evictor
from kafkastream.model.windows.trigger_interface import Trigger
from kafkastream.model.windows.window_assigners import (
    SlidingEventTimeWindows,
    SlidingProcessingTimeWindows,
    TumblingEventTimeWindows,
    TumblingProcessingTimeWindows,
)
from kafkastream.model.windows.window_functions import WindowFunction
from kafkastream.model.windows.windows import WindowAssigner

if TYPE_CHECKING:
    from kafkastream.datastream.keyed_stream import KeyedStream

__all__ = ["CoGroupedStreams", "IntervalJoined", "JoinedStreams", "TaggedUnion"]

T1 = TypeVar("T1")
T2 = TypeVar("T2")
K = TypeVar("K")
OUT = TypeVar("OUT")

Selector = KeySelector[Any, Any] | Callable[[Any], Any]
Tags = tuple[Callable[[Any], tuple[int, Any]], Callable[[Any], tuple[int, Any]]]

_BLIND: Final = (
    SlidingEventTimeWindows,
    SlidingProcessingTimeWindows,
    TumblingEventTimeWindows,
    TumblingProcessingTimeWindows,
)
"""Assigners that do not look at elements: plain pairs are enough, and pickled in an eighth of the time."""


@checked_methods
@attrs.frozen
class _WindowJoin(Generic[T1, T2]):
    """What the two kinds of window joins have in common: keys, windows, when they fire."""

    _first: DataStream[T1]
    _second: DataStream[T2]
    _first_key: Selector | None = None
    _second_key: Selector | None = None
    _assigner: WindowAssigner[Any, Any] | None = None
    _trigger: Trigger[Any, Any] | None = None
    _evictor: Evictor[Any, Any] | None = None
    _lateness: int = 0

    def where(self, key_selector: KeySelector[T1, Any] | Callable[[T1], Any]) -> Self:
        """The key of the first stream's elements."""
        return attrs.evolve(self, first_key=snapshot(key_selector))

    def equal_to(self, key_selector: KeySelector[T2, Any] | Callable[[T2], Any]) -> Self:
        """The key of the second stream's elements."""
        return attrs.evolve(self, second_key=snapshot(key_selector))

    equalTo = equal_to

    def window(self, assigner: WindowAssigner[Any, Any]) -> Self:
        """The windows in which elements meet."""
        return attrs.evolve(self, assigner=assigner)

    def trigger(self, trigger: Trigger[Any, Any]) -> Self:
        """Fire windows by this trigger, which sees elements as ``TaggedUnion``, as in Java."""
        return attrs.evolve(self, trigger=trigger)

    def evictor(self, evictor: Evictor[Any, Any]) -> Self:
        """Have elements removed from windows when they fire; the evictor sees each as ``TaggedUnion``, as in Java."""
        return attrs.evolve(self, evictor=evictor)

    def allowed_lateness(self, time_ms: int) -> Self:
        """Keep windows for so long after their end."""
        return attrs.evolve(self, lateness=time_ms)

    allowedLateness = allowed_lateness

    def _apply_to_both(self, function: Function, output_type: TypeInformation[OUT] | None) -> DataStream[OUT]:
        """The function's results for each key's windows, with the elements of both streams."""
        if self._first_key is None or self._second_key is None or self._assigner is None:
            raise DefinitionError("a join needs where(...), equal_to(...) and window(...) before apply(...)")
        windowed = self._tagged().key_by(_EitherKey(self._first_key, self._second_key)).window(self._assigner)
        if self._trigger is not None:
            windowed = windowed.trigger(self._trigger)
        if self._evictor is not None:
            windowed = windowed.evictor(self._evictor)
        return windowed.allowed_lateness(self._lateness).apply(_Both(function), output_type)

    def _tagged(self) -> DataStream[tuple[int, Any]]:
        """The elements of both streams, each with the number of its stream."""
        tags: Tags = (TaggedUnion.one, TaggedUnion.two)
        if self._trigger is None and self._evictor is None and isinstance(self._assigner, _BLIND):
            tags = (_of_first, _of_second)
        return self._first.map(tags[0]).union(self._second.map(tags[1]))


@final
@checked_methods
class JoinedStreams(_WindowJoin[T1, T2]):
    """Pairs of elements of two streams that share a key and a window.

    Example::

        orders.join(payments).where(order_id).equal_to(paid_id).window(assigner).apply(lambda order, payment: …)
    """

    def apply(
        self,
        function: Callable[[T1, T2], OUT] | JoinFunction[T1, T2, OUT] | FlatJoinFunction[T1, T2, OUT],
        output_type: TypeInformation[OUT] | None = None,
    ) -> DataStream[OUT]:
        """Make something of each pair."""
        return self._apply_to_both(_Pairs(function), output_type)


@final
@checked_methods
class CoGroupedStreams(_WindowJoin[T1, T2]):
    """All elements of two streams that share a key and a window."""

    def apply(
        self, function: CoGroupFunction[T1, T2, OUT], output_type: TypeInformation[OUT] | None = None
    ) -> DataStream[OUT]:
        """Make something of each window."""
        return self._apply_to_both(function, output_type)


def _of_first(value: Any) -> tuple[int, Any]:
    return 0, value


def _of_second(value: Any) -> tuple[int, Any]:
    return 1, value


@final
class _EitherKey(WrappingFunction, KeySelector[tuple[int, Any], Any]):
    def __init__(self, *selectors: Selector) -> None:
        super().__init__(*selectors)
        self._calls = [method_of(one, KeySelector, "get_key") for one in selectors]

    def get_key(self, value: tuple[int, Any]) -> Any:
        side, element = value
        return self._calls[side](element)


@final
class _Both(WrappingFunction, WindowFunction[tuple[int, Any], Any, Any, Any]):
    """Parts a window's elements by their streams."""

    def __init__(self, function: Any) -> None:
        super().__init__(function)
        self._function = function

    def apply(self, key: Any, window: Any, inputs: Iterable[tuple[int, Any]]) -> Iterable[Any] | None:
        sides: tuple[list[Any], list[Any]] = ([], [])
        for side, element in inputs:
            sides[side].append(element)
        results: Iterable[Any] | None = self._function.co_group(*sides)
        return results


@final
class _Pairs(WrappingFunction, CoGroupFunction[Any, Any, Any]):
    """Calls a join function for each pair."""

    def __init__(self, function: Any) -> None:
        super().__init__(function)
        self._function = function

    def co_group(self, first: Iterable[Any], second: Iterable[Any]) -> Iterator[Any]:
        is_flat = isinstance(self._function, FlatJoinFunction)
        call = self._function.join if isinstance(self._function, (JoinFunction, FlatJoinFunction)) else self._function
        for one, other in product(first, second):
            result = call(one, other)
            if is_flat:
                yield from iterated(result)
            else:
                yield result


@final
@checked_methods
@attrs.frozen
class IntervalJoined(Generic[T1, T2]):
    """Pairs of elements of one key whose times are near each other.

    Example::

        orders.key_by(order_id).interval_join(payments.key_by(paid_id)).between(Time.seconds(0), Time.minutes(5))
    """

    _left: KeyedStream[T1, Any]
    _right: KeyedStream[T2, Any]
    _lower: int = 0
    _upper: int = 0
    _excludes: tuple[int, int] = (0, 0)
    _late: tuple[OutputTag[Any] | None, OutputTag[Any] | None] = (None, None)

    def between(self, lower_bound: Time | Duration, upper_bound: Time | Duration) -> IntervalJoined[T1, T2]:
        """How long after the first stream's element the second's may be, both bounds included; they may be negative."""
        return attrs.evolve(
            self, lower=millis_of("lower bound", lower_bound), upper=millis_of("upper bound", upper_bound)
        )

    def lower_bound_exclusive(self) -> IntervalJoined[T1, T2]:
        """Leave the lower bound out."""
        return attrs.evolve(self, excludes=(1, self._excludes[1]))

    lowerBoundExclusive = lower_bound_exclusive

    def upper_bound_exclusive(self) -> IntervalJoined[T1, T2]:
        """Leave the upper bound out."""
        return attrs.evolve(self, excludes=(self._excludes[0], 1))

    upperBoundExclusive = upper_bound_exclusive

    def side_output_left_late_data(self, output_tag: OutputTag[T1]) -> IntervalJoined[T1, T2]:
        """Write late elements of the first stream to a side output, instead of dropping them."""
        return attrs.evolve(self, late=(output_tag, self._late[1]))

    sideOutputLeftLateData = side_output_left_late_data

    def side_output_right_late_data(self, output_tag: OutputTag[T2]) -> IntervalJoined[T1, T2]:
        """Write late elements of the second stream to a side output, instead of dropping them."""
        return attrs.evolve(self, late=(self._late[0], output_tag))

    sideOutputRightLateData = side_output_right_late_data

    def process(
        self, process_join_function: ProcessJoinFunction[T1, T2, OUT], output_type: TypeInformation[OUT] | None = None
    ) -> DataStream[OUT]:
        """Make something of each pair."""
        join = IntervalJoin(
            lower=self._lower + self._excludes[0],
            upper=self._upper - self._excludes[1],
            function=process_join_function,
            late_left=self._late[0],
            late_right=self._late[1],
        )
        inputs = [self._left._input, self._right._input]
        return add_keyed_operator(self._left._stream._env, inputs, OperatorKind.INTERVAL_JOIN, join, output_type)
