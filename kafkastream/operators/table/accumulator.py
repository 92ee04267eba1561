"""What is kept of a group's values for an aggregate function, and what it gives: plain values that can be pickled.

What is kept of some rows only is a partial: it has the same form, so tasks may aggregate their rows before the shuffle.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import Any

from kafkastream.sql.plan.operations import AggregateCall

__all__ = ["Accumulator", "Maker"]


class Accumulator(ABC):
    """An aggregate function. What is kept for it is handed in and given back; it may be changed in place.

    Attributes:
        takes_null: Whether NULL counts.
    """

    takes_null = False

    @abstractmethod
    def new(self) -> Any:
        """What is kept of no values."""

    @abstractmethod
    def add(self, kept: Any, value: Any, sign: int) -> Any:
        """What is kept with a value more, or without it if ``sign`` is -1."""

    @abstractmethod
    def merge(self, kept: Any, partial: Any) -> Any:
        """What is kept of the values of both; those of ``partial`` came later."""

    @abstractmethod
    def result(self, kept: Any) -> Any:
        """What the function gives."""


Maker = Callable[[AggregateCall, bool], Accumulator]
"""Makes the accumulator of a call, whose values may go away again or not."""
