"""Factory of the accumulators of aggregate calls."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final, final

from kafkastream.operators.table.aggregates.accumulator import Accumulator, Maker
from kafkastream.operators.table.aggregates.accumulators_of_json import OF_JSON
from kafkastream.operators.table.aggregates.accumulators_of_numbers import OF_NUMBERS
from kafkastream.operators.table.aggregates.accumulators_of_order import OF_ORDER
from kafkastream.operators.table.aggregates.accumulators_of_percentiles import OF_PERCENTILES
from kafkastream.operators.table.aggregates.accumulators_of_values import OF_VALUES
from kafkastream.operators.table.aggregates.user_accumulators import user_accumulator
from kafkastream.operators.table.multiset import Counts, add_count
from kafkastream.sql.plan.operations import AggregateCall, AggregateFunction

__all__ = ["accumulator"]


@final
class _Distinct(Accumulator):
    """Accumulator that passes each distinct value once to another one."""

    def __init__(self, inner: Accumulator) -> None:
        self._inner = inner
        self.takes_null = inner.takes_null
        self.function = inner.function

    def new(self) -> tuple[Counts, Any]:
        return ({}, self._inner.new())

    def add(self, accumulator: tuple[Counts, Any], value: Any, sign: int) -> tuple[Counts, Any]:
        counts, inner = accumulator
        count = add_count(counts, value, sign)
        if (count - sign > 0) is (count > 0):
            return accumulator
        return (counts, self._inner.add(inner, value, sign))

    def merge(self, accumulator: tuple[Counts, Any], partial: tuple[Counts, Any]) -> tuple[Counts, Any]:
        for value, count in partial[0].items():
            for _ in range(abs(count)):
                accumulator = self.add(accumulator, value, 1 if count > 0 else -1)
        return accumulator

    def result(self, accumulator: tuple[Counts, Any]) -> Any:
        return self._inner.result(accumulator[1])


def accumulator(call: AggregateCall, retracts: bool) -> Accumulator:
    """Return the accumulator of an aggregate call.

    Args:
        call: The call.
        retracts: Whether values may be retracted.

    Example:
        >>> from kafkastream.sql.types import DataType
        >>> one = accumulator(AggregateCall(function=AggregateFunction.LISTAGG, type=DataType.string()), retracts=True)
        >>> one.result(one.add(one.add(one.new(), "a", 1), "b", 1))
        'a,b'
    """
    inner = _MAKERS[call.function](call, retracts)
    if call.distinct and call.function not in {AggregateFunction.MIN, AggregateFunction.MAX}:
        return _Distinct(inner)
    return inner


_MAKERS: Final[Mapping[AggregateFunction, Maker]] = {
    **OF_NUMBERS,
    **OF_VALUES,
    **OF_ORDER,
    **OF_JSON,
    **OF_PERCENTILES,
    AggregateFunction.USER: user_accumulator,
}
