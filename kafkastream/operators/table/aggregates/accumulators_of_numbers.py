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

    def add(self, accumulator: int, value: Any, sign: int) -> int:
        return accumulator + sign

    def merge(self, accumulator: int, partial: int) -> int:
        return accumulator + partial

    def result(self, accumulator: int) -> int:
        return accumulator


class _Sum(Accumulator):
    """SUM, with the number of values."""

    def __init__(self, numbers: Arithmetic, empty: Any) -> None:
        self._numbers = numbers
        self._empty = empty

    def new(self) -> tuple[Any, int]:
        return (self._numbers.zero, 0)

    def add(self, accumulator: tuple[Any, int], value: Any, sign: int) -> tuple[Any, int]:
        total, count = accumulator
        combine = self._numbers.plus if sign > 0 else self._numbers.minus
        return (combine(total, value), count + sign)

    def merge(self, accumulator: tuple[Any, int], partial: tuple[Any, int]) -> tuple[Any, int]:
        total, count = partial
        return accumulator if total is None else (self._numbers.plus(accumulator[0], total), accumulator[1] + count)

    def result(self, accumulator: tuple[Any, int]) -> Any:
        return self._numbers.fitting(accumulator[0]) if accumulator[1] else self._empty


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

    def result(self, accumulator: tuple[Any, int]) -> Any:
        total, count = accumulator
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

    def add(self, accumulator: tuple[Any, Any, int], value: Any, sign: int) -> tuple[Any, Any, int]:
        combine = self._numbers.plus if sign > 0 else self._numbers.minus
        squared = self._numbers.times(value, value)
        return (combine(accumulator[0], value), combine(accumulator[1], squared), accumulator[2] + sign)

    def merge(self, accumulator: tuple[Any, Any, int], partial: tuple[Any, Any, int]) -> tuple[Any, Any, int]:
        plus = self._numbers.plus
        return (plus(accumulator[0], partial[0]), plus(accumulator[1], partial[1]), accumulator[2] + partial[2])

    def result(self, accumulator: tuple[Any, Any, int]) -> Any:
        count, numbers = accumulator[2], self._numbers
        if count - self._fewer <= 0:
            return None
        total, squares = map(numbers.summed, accumulator[:2])
        mean = numbers.divided(numbers.times(total, total), count)
        if mean is None:  # more than 38 digits
            return None
        divide = numbers.quotient if self._is_deviation else numbers.divided
        variance = divide(numbers.minus(squares, mean), count - self._fewer)
        return numbers.root(variance) if self._is_deviation else variance


def _sum_or_zero(call: AggregateCall, _: bool) -> Accumulator:
    numbers = arithmetic(call.type)
    return _Sum(numbers, numbers.fitting(numbers.zero))


def _variance_maker(is_sample: bool, is_deviation: bool) -> Callable[[AggregateCall, bool], Accumulator]:
    return lambda call, _: _Variance(arithmetic(call.type), is_sample=is_sample, is_deviation=is_deviation)


def _sum_type(call: AggregateCall) -> DataType:
    """Return the type of AVG's sum in GROUP BY: DOUBLE for FLOAT, 38 digits with the argument's scale for DECIMAL."""
    if call.type.kind is Kind.DECIMAL and call.argument_type is not None:
        return DataType.of(Kind.DECIMAL, 38, call.argument_type.scale)
    return DataType.of(Kind.DOUBLE) if call.type.kind is Kind.FLOAT else call.type


OF_NUMBERS: Final[Mapping[AggregateFunction, Maker]] = {
    AggregateFunction.COUNT: lambda _, __: _Count(),
    AggregateFunction.SUM: lambda call, _: _Sum(arithmetic(call.type), None),
    AggregateFunction.SUM0: _sum_or_zero,
    AggregateFunction.AVG: lambda call, _: _Average(call.type, _sum_type(call)),
    AggregateFunction.AVG_OF_SUM: lambda call, _: _Average(call.type, call.type),
    AggregateFunction.VAR_POP: _variance_maker(is_sample=False, is_deviation=False),
    AggregateFunction.VAR_SAMP: _variance_maker(is_sample=True, is_deviation=False),
    AggregateFunction.STDDEV_POP: _variance_maker(is_sample=False, is_deviation=True),
    AggregateFunction.STDDEV_SAMP: _variance_maker(is_sample=True, is_deviation=True),
}
