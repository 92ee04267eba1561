"""The elements of one Arrow batch on their way through a chain, and how one that fails is named."""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterable, Sequence
from typing import Any, NamedTuple

__all__ = ["Batch", "ElementError", "each"]


class Batch(NamedTuple):
    """Elements, with the event time of each and the source record that it came from (an index of the Arrow batch)."""

    values: Sequence[Any]
    timestamps: Sequence[int | None]
    origin: Sequence[int]

    def rows(self, indices: Sequence[int]) -> Batch:
        """Some of the elements."""
        return Batch(
            [self.values[index] for index in indices],
            [self.timestamps[index] for index in indices],
            [self.origin[index] for index in indices],
        )


class ElementError(Exception):
    """A function raised on one element; ``__cause__`` is what it raised."""

    def __init__(self, index: int) -> None:
        super().__init__(index)
        self.index = index


def each(function: Callable[..., Any], values: Sequence[Any], *more: Iterable[Any]) -> list[Any]:
    """``function`` of each value; which element failed is told by how far the iterator had come.

    Raises:
        ElementError: With the index of the value on which ``function`` raised.
    """
    remaining = iter(values)
    try:
        out = list(map(function, remaining, *more))
    except Exception as error:
        raise ElementError(len(values) - operator.length_hint(remaining) - 1) from error
    if len(out) < len(values):  # map takes a StopIteration of the function's for its own end, without a word
        raise ElementError(len(out)) from RuntimeError("the function raised StopIteration")
    return out
