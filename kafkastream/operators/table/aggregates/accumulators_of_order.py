"""Accumulators of functions that need an order: ROW_NUMBER, RANK, DENSE_RANK and LAG."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final, final

from kafkastream.operators.table.aggregates.accumulator import Accumulator, Maker
from kafkastream.sql.plan.operations import AggregateFunction

__all__ = ["OF_ORDER"]


class _OrderedAccumulator(Accumulator):
    """Accumulator of an OVER aggregate, whose rows arrive in order and are not retracted."""

    takes_null = True

    @final
    def merge(self, accumulator: Any, partial: Any) -> Any:
        raise NotImplementedError  # no frame is merged with another


@final
class _RowNumber(_OrderedAccumulator):
    """ROW_NUMBER, and RANK and DENSE_RANK, which in Flink 2.2 also count rows with equal values."""

    def new(self) -> int:
        return 0

    def add(self, accumulator: int, value: Any, sign: int) -> int:
        return accumulator + 1

    def result(self, accumulator: int) -> int:
        return accumulator


@final
class _Lag(_OrderedAccumulator):
    """LAG: the value ``offset`` rows before the last row; the last row's default if there are fewer rows."""

    def __init__(self, offset: int) -> None:
        self._offset = offset

    def new(self) -> list[Any]:
        return []

    def add(self, accumulator: list[Any], value: Any, sign: int) -> list[Any]:
        accumulator.append(value)
        del accumulator[: max(0, len(accumulator) - self._offset - 1)]
        return accumulator

    def result(self, accumulator: list[Any]) -> Any:
        return accumulator[0][0] if len(accumulator) > self._offset else accumulator[-1][1]


OF_ORDER: Final[Mapping[AggregateFunction, Maker]] = {
    AggregateFunction.ROW_NUMBER: lambda _, __: _RowNumber(),
    AggregateFunction.RANK: lambda _, __: _RowNumber(),
    AggregateFunction.DENSE_RANK: lambda _, __: _RowNumber(),
    AggregateFunction.LAG: lambda call, _: _Lag(call.offset),
}
