"""Window joins, co-groups and interval joins of two streams: Java's API, which PyFlink lacks."""

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
from kafkastream.model.graph.interval_join_operation import IntervalJoinOperation
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
"""Assigners that ignore the elements, so that tagged pairs suffice, which are pickled eight times faster than ``TaggedUnion``."""


@checked_methods
@attrs.frozen
class _WindowJoin(Generic[T1, T2]):
    """Builder of a window join or co-group: keys, windows, trigger, evictor and allowed lateness."""

    _first: DataStream[T1]
    _second: DataStream[T2]
    _first_key: Selector | None = None
    _second_key: Selector | None = None
    _assigner: WindowAssigner[Any, Any] | None = None
    _trigger: Trigger[Any, Any] | None = None
    _evictor: Evictor[Any, Any] | None = None
    _lateness: int = 0

    def where(self, key_selector: KeySelector[T1, Any] | Callable[[T1], Any]) -> Self:
        """Set the key of the first stream's elements.

        Args:
            key_selector: Function that returns the key of an element, or ``KeySelector``.
        """
        return attrs.evolve(self, first_key=snapshot(key_selector))

    def equal_to(self, key_selector: KeySelector[T2, Any] | Callable[[T2], Any]) -> Self:
        """Set the key of the second stream's elements.

        Args:
            key_selector: Function that returns the key of an element, or ``KeySelector``; its keys are compared with
                those of ``where``.
        """
        return attrs.evolve(self, second_key=snapshot(key_selector))

    equalTo = equal_to

    def window(self, assigner: WindowAssigner[Any, Any]) -> Self:
        """Set the windows in which elements are joined.

        Args:
            assigner: Assigner of windows, such as ``TumblingEventTimeWindows.of(Time.minutes(1))``.
        """
        return attrs.evolve(self, assigner=assigner)

    def trigger(self, trigger: Trigger[Any, Any]) -> Self:
        """Set the trigger of the windows; as in Java, elements are passed to it as ``TaggedUnion``."""
        return attrs.evolve(self, trigger=trigger)

    def evictor(self, evictor: Evictor[Any, Any]) -> Self:
        """Set the evictor of the windows; as in Java, elements are passed to it as ``TaggedUnion``."""
        return attrs.evolve(self, evictor=evictor)

    def allowed_lateness(self, time_ms: int) -> Self:
        """Keep windows open for late elements.

        Args:
            time_ms: Time in ms after the end of a window.
        """
        return attrs.evolve(self, lateness=time_ms)

    allowedLateness = allowed_lateness

    def _apply_to_both(self, function: Function, output_type: TypeInformation[OUT] | None) -> DataStream[OUT]:
        """Apply a function to each key and window, with the elements of both streams."""
        if self._first_key is None or self._second_key is None or self._assigner is None:
            raise DefinitionError(
                "a join needs where(...), equal_to(...) and window(...) before apply(...)",
                where=f"{type(self).__name__}.apply",
            )
        windowed = self._tagged().key_by(_EitherKey(self._first_key, self._second_key)).window(self._assigner)
        if self._trigger is not None:
            windowed = windowed.trigger(self._trigger)
        if self._evictor is not None:
            windowed = windowed.evictor(self._evictor)
        return windowed.allowed_lateness(self._lateness).apply(_Both(function), output_type)

    def _tagged(self) -> DataStream[tuple[int, Any]]:
        """Merge both streams, each element with the number of its stream."""
        tags: Tags = (TaggedUnion.one, TaggedUnion.two)
        if self._trigger is None and self._evictor is None and isinstance(self._assigner, _BLIND):
            tags = (_of_first, _of_second)
        return self._first.map(tags[0]).union(self._second.map(tags[1]))


@final
@checked_methods
class JoinedStreams(_WindowJoin[T1, T2]):
    """Inner join of two streams: pairs of elements that share a key and a window.

    Example::

        orders.join(payments).where(order_id).equal_to(paid_id).window(assigner).apply(lambda order, payment: …)
    """

    def apply(
        self,
        function: Callable[[T1, T2], OUT] | JoinFunction[T1, T2, OUT] | FlatJoinFunction[T1, T2, OUT],
        output_type: TypeInformation[OUT] | None = None,
    ) -> DataStream[OUT]:
        """Apply a function to each pair of elements.

        Args:
            function: Function of two elements, ``JoinFunction`` (one result) or ``FlatJoinFunction`` (any number).
            output_type: Type of the results; without one they stay Python objects.

        Raises:
            DefinitionError: ``where``, ``equal_to`` or ``window`` was not called.
        """
        return self._apply_to_both(_Pairs(function), output_type)


@final
@checked_methods
class CoGroupedStreams(_WindowJoin[T1, T2]):
    """Co-group of two streams: all elements that share a key and a window, also where one stream has none."""

    def apply(
        self, function: CoGroupFunction[T1, T2, OUT], output_type: TypeInformation[OUT] | None = None
    ) -> DataStream[OUT]:
        """Apply a function to the elements of each key and window.

        Args:
            function: ``CoGroupFunction``, which gets the elements of both streams as two iterables.
            output_type: Type of the results; without one they stay Python objects.

        Raises:
            DefinitionError: ``where``, ``equal_to`` or ``window`` was not called.
        """
        return self._apply_to_both(function, output_type)


def _of_first(value: Any) -> tuple[int, Any]:
    return 0, value


def _of_second(value: Any) -> tuple[int, Any]:
    return 1, value


@final
class _EitherKey(WrappingFunction, KeySelector[tuple[int, Any], Any]):
    """Key selector over both streams' elements."""

    def __init__(self, *selectors: Selector) -> None:
        super().__init__(*selectors)
        self._calls = [method_of(one, KeySelector, "get_key") for one in selectors]

    def get_key(self, value: tuple[int, Any]) -> Any:
        side, element = value
        return self._calls[side](element)


@final
class _Both(WrappingFunction, WindowFunction[tuple[int, Any], Any, Any, Any]):
    """Window function that separates the elements of the two streams."""

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
    """Co-group function that calls a join function for each pair."""

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
    """Interval join of two keyed streams: pairs of elements of one key whose timestamps are close.

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
        """Set the bounds of the second stream's timestamp relative to the first's, both inclusive.

        Args:
            lower_bound: Earliest time after the first stream's element; may be negative.
            upper_bound: Latest time after the first stream's element; may be negative.
        """
        return attrs.evolve(
            self, lower=millis_of("lower bound", lower_bound), upper=millis_of("upper bound", upper_bound)
        )

    def lower_bound_exclusive(self) -> IntervalJoined[T1, T2]:
        """Make the lower bound exclusive."""
        return attrs.evolve(self, excludes=(1, self._excludes[1]))

    lowerBoundExclusive = lower_bound_exclusive

    def upper_bound_exclusive(self) -> IntervalJoined[T1, T2]:
        """Make the upper bound exclusive."""
        return attrs.evolve(self, excludes=(self._excludes[0], 1))

    upperBoundExclusive = upper_bound_exclusive

    def side_output_left_late_data(self, output_tag: OutputTag[T1]) -> IntervalJoined[T1, T2]:
        """Send late elements of the first stream to a side output instead of dropping them.

        Args:
            output_tag: Tag of the side output, for ``get_side_output`` of the result.
        """
        return attrs.evolve(self, late=(output_tag, self._late[1]))

    sideOutputLeftLateData = side_output_left_late_data

    def side_output_right_late_data(self, output_tag: OutputTag[T2]) -> IntervalJoined[T1, T2]:
        """Send late elements of the second stream to a side output instead of dropping them.

        Args:
            output_tag: Tag of the side output, for ``get_side_output`` of the result.
        """
        return attrs.evolve(self, late=(self._late[0], output_tag))

    sideOutputRightLateData = side_output_right_late_data

    def process(
        self, process_join_function: ProcessJoinFunction[T1, T2, OUT], output_type: TypeInformation[OUT] | None = None
    ) -> DataStream[OUT]:
        """Apply a function to each pair of elements.

        Args:
            process_join_function: Function whose ``process_element`` yields results; they get the later of both
                timestamps.
            output_type: Type of the results; without one they stay Python objects.

        Raises:
            DefinitionError: The lower bound is greater than the upper bound.
        """
        join = IntervalJoinOperation(
            lower=self._lower + self._excludes[0],
            upper=self._upper - self._excludes[1],
            function=process_join_function,
            late_left=self._late[0],
            late_right=self._late[1],
        )
        inputs = [self._left._input, self._right._input]
        return add_keyed_operator(self._left._stream._env, inputs, OperatorKind.INTERVAL_JOIN, join, output_type)
