"""What users implement to join two streams by windows, or by the nearness of times; Java's, which PyFlink lacks."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable
from typing import Any, Generic, final

from typing_extensions import TypeVar

from kafkastream.spec.functions import Function
from kafkastream.spec.output_tag import OutputTag, SideOutputs

__all__ = ["CoGroupFunction", "FlatJoinFunction", "JoinFunction", "ProcessJoinFunction"]

IN1 = TypeVar("IN1", default=Any)
IN2 = TypeVar("IN2", default=Any)
OUT = TypeVar("OUT", default=Any)
T = TypeVar("T", default=Any)


class JoinFunction(Function, ABC, Generic[IN1, IN2, OUT]):
    """One element out for each pair of elements that meet."""

    @abstractmethod
    def join(self, first: IN1, second: IN2) -> OUT:
        """Return the element for a pair."""


class FlatJoinFunction(Function, ABC, Generic[IN1, IN2, OUT]):
    """Any number of elements out for each pair of elements that meet."""

    @abstractmethod
    def join(self, first: IN1, second: IN2) -> Iterable[OUT] | None:
        """Yield, or return, the elements for a pair."""


class CoGroupFunction(Function, ABC, Generic[IN1, IN2, OUT]):
    """Makes something of all elements of both streams in a window, also where one of them has none."""

    @abstractmethod
    def co_group(self, first: Iterable[IN1], second: Iterable[IN2]) -> Iterable[OUT] | None:
        """Yield, or return, what is to come out."""


class ProcessJoinFunction(Function, ABC, Generic[IN1, IN2, OUT]):
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
        self, left: IN1, right: IN2, ctx: ProcessJoinFunction.Context
    ) -> Iterable[OUT | tuple[OutputTag[Any], Any]] | None:
        """Yield, or return, what is to come out for a pair."""
