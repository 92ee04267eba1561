"""Accumulators that compute: COUNT, SUM, AVG, and the variances."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final, final

from kafkastream.operators.table.aggregates.accumulator import Accumulator, Maker
from kafkastream.operators.table.aggregates.sql_arithmetic import Arithmetic, arithmetic
from kafkastream.sql.plan.operations import AggregateCall, AggregateFunction
from kafkastream.sql.types import DataType, Kind

__all__ = ["OF_NUMBERS"]


@final
class _Count(Accumulator):
    """COUNT: number of values."""

    def new(self) -> int:
        return 0

    def add(self, kept: int, value: Any, sign: int) -> int:
        return kept + sign

    def merge(self, kept: int, partial: int) -> int:
        return kept + partial

    def result(self, kept: int) -> int:
        return kept


class _Sum(Accumulator):
    """SUM, with the number of values."""

    def __init__(self, numbers: Arithmetic, empty: Any) -> None:
        self._numbers = numbers
        self._empty = empty

    def new(self) -> tuple[Any, int]:
        return (self._numbers.zero, 0)

    def add(self, kept: tuple[Any, int], value: Any, sign: int) -> tuple[Any, int]:
        total, count = kept
        combine = self._numbers.plus if sign > 0 else self._numbers.minus
        return (combine(total, value), count + sign)

    def merge(self, kept: tuple[Any, int], partial: tuple[Any, int]) -> tuple[Any, int]:
        total, count = partial
        return kept if total is None else (self._numbers.plus(kept[0], total), kept[1] + count)

    def result(self, kept: tuple[Any, int]) -> Any:
        return self._numbers.fitting(kept[0]) if kept[1] else self._empty


@final
class _Average(_Sum):
    """AVG, from a sum.

    Args:
        type_: Type of the argument.
        sums: Type of the sum.
    """

    def __init__(self, type_: DataType, sums: DataType) -> None:
        super().__init__(arithmetic(sums), None)
        self._divided = arithmetic(type_).divided
        self._fits = self._numbers.fitting if sums.kind is Kind.DECIMAL else None

    def result(self, kept: tuple[Any, int]) -> Any:
        total, count = kept
        if not count or (self._fits and self._fits(total) is None):
            return None
        return self._divided(total, count)


@final
class _Variance(Accumulator):
    """VAR and STDDEV, from the sum of values, the sum of squares and the number, as Flink's planner rewrites all four."""

    def __init__(self, numbers: Arithmetic, *, is_sample: bool, is_deviation: bool) -> None:
        self._numbers = numbers
        self._fewer = 1 if is_sample else 0
        self._is_deviation = is_deviation

    def new(self) -> tuple[Any, Any, int]:
        return (self._numbers.zero, self._numbers.zero, 0)

    def add(self, kept: tuple[Any, Any, int], value: Any, sign: int) -> tuple[Any, Any, int]:
        combine = self._numbers.plus if sign > 0 else self._numbers.minus
        squared = self._numbers.times(value, value)
        return (combine(kept[0], value), combine(kept[1], squared), kept[2] + sign)

    def merge(self, kept: tuple[Any, Any, int], partial: tuple[Any, Any, int]) -> tuple[Any, Any, int]:
        plus = self._numbers.plus
        return (plus(kept[0], partial[0]), plus(kept[1], partial[1]), kept[2] + partial[2])

    def result(self, kept: tuple[Any, Any, int]) -> Any:
        count, numbers = kept[2], self._numbers
        if count - self._fewer <= 0:
            return None
        total, squares = map(numbers.summed, kept[:2])
        mean = numbers.divided(numbers.times(total, total), count)
        if mean is None:  # it needs more digits than there are
            return None
        divide = numbers.quotient if self._is_deviation else numbers.divided
        variance = divide(numbers.minus(squares, mean), count - self._fewer)
        return numbers.root(variance) if self._is_deviation else variance


def _zero_sum(call: AggregateCall, _: bool) -> Accumulator:
    numbers = arithmetic(call.type)
    return _Sum(numbers, numbers.fitting(numbers.zero))


def _variance(is_sample: bool, is_deviation: bool) -> Callable[[AggregateCall, bool], Accumulator]:
    return lambda call, _: _Variance(arithmetic(call.type), is_sample=is_sample, is_deviation=is_deviation)


def _wide(call: AggregateCall) -> DataType:
    """Return the type of the sums for AVG in GROUP BY: of a FLOAT, DOUBLE; of a DECIMAL, 38 digits with its scale."""
    if call.type.kind is Kind.DECIMAL and call.argument_type is not None:
        return DataType.of(Kind.DECIMAL, 38, call.argument_type.scale)
    return DataType.of(Kind.DOUBLE) if call.type.kind is Kind.FLOAT else call.type


OF_NUMBERS: Final[Mapping[AggregateFunction, Maker]] = {
    AggregateFunction.COUNT: lambda _, __: _Count(),
    AggregateFunction.SUM: lambda call, _: _Sum(arithmetic(call.type), None),
    AggregateFunction.SUM0: _zero_sum,
    AggregateFunction.AVG: lambda call, _: _Average(call.type, _wide(call)),
    AggregateFunction.AVG_OF_SUM: lambda call, _: _Average(call.type, call.type),
    AggregateFunction.VAR_POP: _variance(is_sample=False, is_deviation=False),
    AggregateFunction.VAR_SAMP: _variance(is_sample=True, is_deviation=False),
    AggregateFunction.STDDEV_POP: _variance(is_sample=False, is_deviation=True),
    AggregateFunction.STDDEV_SAMP: _variance(is_sample=True, is_deviation=True),
}
