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


_MOST_VALUES: Final = 2**63 - 1
"""Largest number of values; beyond it, the result is NULL, as in Flink, where the number overflows."""


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

    def add(self, accumulator: Counts, value: tuple[float | None, int | None], sign: int) -> Counts:
        number, frequency = value
        if number is not None and frequency is not None and frequency > 0:
            add_count(accumulator, number, sign * frequency)
        return accumulator

    def merge(self, accumulator: Counts, partial: Counts) -> Counts:
        for number, count in partial.items():
            add_count(accumulator, number, count)
        return accumulator

    def result(self, accumulator: Counts) -> Any:
        total = sum(accumulator.values())
        if not 0 < total <= _MOST_VALUES or not self._percentages:
            return None
        numbers = sorted(accumulator, key=_sort_key)
        ends = list(accumulate(accumulator[number] for number in numbers))
        percentiles = tuple(_value_at(percentage * (total - 1) + 1, numbers, ends) for percentage in self._percentages)
        return percentiles if self._is_array else percentiles[0]


def _sort_key(number: float) -> tuple[bool, float]:
    """Return a sort key that places NaN after all numbers."""
    return (math.isnan(number), number)


def _value_at(position: float, values: Sequence[float], ends: Sequence[int]) -> float:
    """Return the value at a position from 1; interpolate between two values.

    Args:
        position: The position.
        values: Values, in their order.
        ends: Position of the last of each.
    """
    lower, higher = math.floor(position), math.ceil(position)
    index = next(index for index, end in enumerate(ends) if end >= lower)
    if ends[index] >= higher:
        return values[index]
    return (higher - position) * values[index] + (position - lower) * values[index + 1]


def _percentile(call: AggregateCall, _: bool) -> Accumulator:
    return _Percentile(call.percentages, is_array=call.type.kind is Kind.ARRAY)


OF_PERCENTILES: Final[Mapping[AggregateFunction, Maker]] = {AggregateFunction.PERCENTILE: _percentile}
