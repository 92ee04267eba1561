"""Accumulator interface of aggregate functions in SQL; accumulators are plain values that can be pickled.

A partial is the accumulator of some of the rows, with the same structure: tasks aggregate their rows before the shuffle
(Flink's local aggregation).
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import Any

from kafkastream.model.common.stream_functions import Function
from kafkastream.sql.plan.operations import AggregateCall

__all__ = ["Accumulator", "Maker"]


class Accumulator(ABC):
    """Aggregate function; its accumulator is passed in and returned, and may be changed in place.

    Attributes:
        takes_null: Whether NULL counts.
        function: Function of the user that is opened and closed with the operator; None for built-in ones.
    """

    takes_null = False
    function: Function | None = None

    @abstractmethod
    def new(self) -> Any:
        """Return an empty accumulator."""

    @abstractmethod
    def add(self, accumulator: Any, value: Any, sign: int) -> Any:
        """Return the accumulator with a value added, or retracted if ``sign`` is -1."""

    @abstractmethod
    def merge(self, accumulator: Any, partial: Any) -> Any:
        """Return the accumulator of the values of both; those of ``partial`` came later."""

    @abstractmethod
    def result(self, accumulator: Any) -> Any:
        """Return the result of the function."""


Maker = Callable[[AggregateCall, bool], Accumulator]
"""Creates the accumulator of a call, with or without retractions."""
