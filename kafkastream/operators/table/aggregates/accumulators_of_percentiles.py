"""Accumulator of PERCENTILE: all values with their counts."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from itertools import accumulate
from typing import Any, Final, final

from kafkastream.operators.table.aggregates.accumulator import Accumulator, Maker
from kafkastream.operators.table.multiset import Counts, add_count
from kafkastream.sql.plan.operations import AggregateCall, AggregateFunction
from kafkastream.sql.types import Kind

__all__ = ["OF_PERCENTILES"]


_MOST: Final = 2**63 - 1
"""Number of values that can be counted; more have no percentile, as in Flink, where their number overflows."""


@final
class _Percentile(Accumulator):
    """PERCENTILE: a value, or the mean of two neighbours that is weighted by the distance from each.

    Args:
        percentages: Percentages, from 0 to 1.
        is_array: Whether the result is an array.
    """

    def __init__(self, percentages: Sequence[float], *, is_array: bool) -> None:
        self._percentages = percentages
        self._is_array = is_array

    def new(self) -> Counts:
        return {}

    def add(self, kept: Counts, value: tuple[float | None, int | None], sign: int) -> Counts:
        number, frequency = value
        if number is not None and frequency is not None and frequency > 0:
            add_count(kept, number, sign * frequency)
        return kept

    def merge(self, kept: Counts, partial: Counts) -> Counts:
        for number, count in partial.items():
            add_count(kept, number, count)
        return kept

    def result(self, kept: Counts) -> Any:
        total = sum(kept.values())
        if not 0 < total <= _MOST or not self._percentages:
            return None
        numbers = sorted(kept, key=_order)
        ends = list(accumulate(kept[number] for number in numbers))
        found = tuple(_at(percentage * (total - 1) + 1, numbers, ends) for percentage in self._percentages)
        return found if self._is_array else found[0]


def _order(number: float) -> tuple[bool, float]:
    """Return a key for sorting, with NaN behind all numbers."""
    return (math.isnan(number), number)


def _at(position: float, values: Sequence[float], ends: Sequence[int]) -> float:
    """Return the value at a position from 1, which may be between two.

    Args:
        position: The position.
        values: Values, in their order.
        ends: Position of the last of each.
    """
    lower, higher = math.floor(position), math.ceil(position)
    place = next(place for place, end in enumerate(ends) if end >= lower)
    if ends[place] >= higher:
        return values[place]
    return (higher - position) * values[place] + (position - lower) * values[place + 1]


def _percentile(call: AggregateCall, _: bool) -> Accumulator:
    return _Percentile(call.percentages, is_array=call.type.kind is Kind.ARRAY)


OF_PERCENTILES: Final[Mapping[AggregateFunction, Maker]] = {AggregateFunction.PERCENTILE: _percentile}
