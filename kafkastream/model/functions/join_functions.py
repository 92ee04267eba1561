"""User functions of window joins, co-groups and interval joins, with Java's interfaces, since PyFlink has no joins."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable
from typing import Any, Generic, final

from typing_extensions import TypeVar

from kafkastream.model.common.output_tag import Outputs, SideOutputs
from kafkastream.model.common.stream_functions import Function

__all__ = ["CoGroupFunction", "FlatJoinFunction", "JoinFunction", "ProcessJoinFunction", "TaggedUnion"]

IN1_contra = TypeVar("IN1_contra", contravariant=True, default=Any)
IN2_contra = TypeVar("IN2_contra", contravariant=True, default=Any)
OUT = TypeVar("OUT", default=Any)
T = TypeVar("T", default=Any)


class JoinFunction(Function, ABC, Generic[IN1_contra, IN2_contra, OUT]):
    """User function that returns one element for each pair of elements that join."""

    @abstractmethod
    def join(self, first: IN1_contra, second: IN2_contra) -> OUT:
        """Return the element for a pair.

        Args:
            first: Element of the first stream.
            second: Element of the second stream, with the same key and window.
        """


class FlatJoinFunction(Function, ABC, Generic[IN1_contra, IN2_contra, OUT]):
    """User function that returns any number of elements for each pair of elements that join."""

    @abstractmethod
    def join(self, first: IN1_contra, second: IN2_contra) -> Iterable[OUT] | None:
        """Yield, or return, the elements for a pair.

        Args:
            first: Element of the first stream.
            second: Element of the second stream, with the same key and window.
        """


@final
class TaggedUnion(tuple[int, Any]):
    """Element of either stream, as triggers, evictors and window assigners of ``join`` and ``co_group`` see it.

    Example:
        >>> TaggedUnion.two("b").is_two(), TaggedUnion.two("b").get_two(), TaggedUnion.two("b").get_one()
        (True, 'b', None)
    """

    __slots__ = ()

    @staticmethod
    def one(value: Any) -> TaggedUnion:
        """Return ``value`` as an element of the first stream."""
        return TaggedUnion((0, value))

    @staticmethod
    def two(value: Any) -> TaggedUnion:
        """Return ``value`` as an element of the second stream."""
        return TaggedUnion((1, value))

    def is_one(self) -> bool:
        """Return whether the element is from the first stream."""
        return self[0] == 0

    isOne = is_one

    def is_two(self) -> bool:
        """Return whether the element is from the second stream."""
        return self[0] == 1

    isTwo = is_two

    def get_one(self) -> Any:
        """Return the element of the first stream; None if this one is from the second."""
        return self[1] if self.is_one() else None

    getOne = get_one

    def get_two(self) -> Any:
        """Return the element of the second stream; None if this one is from the first."""
        return self[1] if self.is_two() else None

    getTwo = get_two

    def __reduce__(self) -> tuple[type, tuple[Any, ...]]:
        return TaggedUnion, (tuple(self),)  # twice as fast as what Python does by itself


class CoGroupFunction(Function, ABC, Generic[IN1_contra, IN2_contra, OUT]):
    """User function that gets all elements of both streams with one key in one window, also where one side has none."""

    @abstractmethod
    def co_group(self, first: Iterable[IN1_contra], second: Iterable[IN2_contra]) -> Iterable[OUT] | None:
        """Yield, or return, the elements for a key and window.

        Args:
            first: Elements of the first stream.
            second: Elements of the second stream.
        """


class ProcessJoinFunction(Function, ABC, Generic[IN1_contra, IN2_contra, OUT]):
    """User function of an interval join: called for each pair of elements whose timestamps are within the bounds."""

    @final
    class Context(SideOutputs):
        """Timestamps of both elements; valid only during one call."""

        __slots__ = ("_left", "_right")

        def __init__(self) -> None:
            super().__init__()
            self._left = self._right = 0

        def get_left_timestamp(self) -> int:
            """Return the timestamp of the left element, in ms since the epoch."""
            return self._left

        getLeftTimestamp = get_left_timestamp

        def get_right_timestamp(self) -> int:
            """Return the timestamp of the right element, in ms since the epoch."""
            return self._right

        getRightTimestamp = get_right_timestamp

        def get_timestamp(self) -> int:
            """Return the timestamp of the result, the later of the two, in ms since the epoch."""
            return max(self._left, self._right)

        getTimestamp = get_timestamp

    @abstractmethod
    def process_element(self, left: IN1_contra, right: IN2_contra, ctx: ProcessJoinFunction.Context) -> Outputs[OUT]:
        """Process a pair of elements.

        Args:
            left: Element of the left stream.
            right: Element of the right stream, with the same key and a timestamp within the bounds.
            ctx: Timestamps of both elements.

        Returns:
            Elements to emit, yielded or returned; a tuple of an ``OutputTag`` and an element goes to the side output.
        """
