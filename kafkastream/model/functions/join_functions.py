"""What users implement to join two streams by windows, or by the nearness of times; Java's, which PyFlink lacks."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable
from typing import Any, Generic, final

from typing_extensions import TypeVar

from kafkastream.model.common.output_tag import OutputTag, SideOutputs
from kafkastream.model.common.stream_functions import Function

__all__ = ["CoGroupFunction", "FlatJoinFunction", "JoinFunction", "ProcessJoinFunction", "TaggedUnion"]

IN1_contra = TypeVar("IN1_contra", contravariant=True, default=Any)
IN2_contra = TypeVar("IN2_contra", contravariant=True, default=Any)
OUT = TypeVar("OUT", default=Any)
T = TypeVar("T", default=Any)


class JoinFunction(Function, ABC, Generic[IN1_contra, IN2_contra, OUT]):
    """One element out for each pair of elements that meet."""

    @abstractmethod
    def join(self, first: IN1_contra, second: IN2_contra) -> OUT:
        """Return the element for a pair."""


class FlatJoinFunction(Function, ABC, Generic[IN1_contra, IN2_contra, OUT]):
    """Any number of elements out for each pair of elements that meet."""

    @abstractmethod
    def join(self, first: IN1_contra, second: IN2_contra) -> Iterable[OUT] | None:
        """Yield, or return, the elements for a pair."""


@final
class TaggedUnion(tuple[int, Any]):
    """An element of either stream, as triggers, evictors and assigners of ``join`` and ``co_group`` see it.

    Example:
        >>> TaggedUnion.two("b").is_two(), TaggedUnion.two("b").get_two(), TaggedUnion.two("b").get_one()
        (True, 'b', None)
    """

    __slots__ = ()

    @staticmethod
    def one(value: Any) -> TaggedUnion:
        """An element of the first stream."""
        return TaggedUnion((0, value))

    @staticmethod
    def two(value: Any) -> TaggedUnion:
        """An element of the second stream."""
        return TaggedUnion((1, value))

    def is_one(self) -> bool:
        """Whether it is one of the first stream."""
        return self[0] == 0

    isOne = is_one

    def is_two(self) -> bool:
        """Whether it is one of the second stream."""
        return self[0] == 1

    isTwo = is_two

    def get_one(self) -> Any:
        """The element of the first stream; None if it is one of the second."""
        return self[1] if self.is_one() else None

    getOne = get_one

    def get_two(self) -> Any:
        """The element of the second stream; None if it is one of the first."""
        return self[1] if self.is_two() else None

    getTwo = get_two

    def __reduce__(self) -> tuple[type, tuple[Any, ...]]:
        return TaggedUnion, (tuple(self),)  # twice as fast as what Python does by itself


class CoGroupFunction(Function, ABC, Generic[IN1_contra, IN2_contra, OUT]):
    """Makes something of all elements of both streams in a window, also where one of them has none."""

    @abstractmethod
    def co_group(self, first: Iterable[IN1_contra], second: Iterable[IN2_contra]) -> Iterable[OUT] | None:
        """Yield, or return, what is to come out."""


class ProcessJoinFunction(Function, ABC, Generic[IN1_contra, IN2_contra, OUT]):
    """Makes something of each pair of elements whose times are near each other."""

    @final
    class Context(SideOutputs):
        """The times of both elements; valid only during one call."""

        __slots__ = ("_left", "_right")

        def __init__(self) -> None:
            super().__init__()
            self._left = self._right = 0

        def get_left_timestamp(self) -> int:
            """Of the element of the first stream, in ms."""
            return self._left

        getLeftTimestamp = get_left_timestamp

        def get_right_timestamp(self) -> int:
            """Of the element of the second stream, in ms."""
            return self._right

        getRightTimestamp = get_right_timestamp

        def get_timestamp(self) -> int:
            """Of what comes out: the later of the two."""
            return max(self._left, self._right)

        getTimestamp = get_timestamp

    @abstractmethod
    def process_element(
        self, left: IN1_contra, right: IN2_contra, ctx: ProcessJoinFunction.Context
    ) -> Iterable[OUT | tuple[OutputTag[Any], Any]] | None:
        """Yield, or return, what is to come out for a pair."""
