"""Accumulators of functions that need an order: ROW_NUMBER, RANK, DENSE_RANK and LAG."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final, final

from kafkastream.operators.table.aggregates.accumulator import Accumulator, Maker
from kafkastream.sql.plan.operations import AggregateFunction

__all__ = ["OF_ORDER"]


class _InOrder(Accumulator):
    """Accumulator whose rows come in order, and stay."""

    takes_null = True

    @final
    def merge(self, kept: Any, partial: Any) -> Any:
        raise NotImplementedError  # no frame is merged with another


@final
class _Number(_InOrder):
    """ROW_NUMBER: number of rows; RANK and DENSE_RANK, too: as in Flink 2.2, rows with equal values count, too."""

    def new(self) -> int:
        return 0

    def add(self, kept: int, value: Any, sign: int) -> int:
        return kept + 1

    def result(self, kept: int) -> int:
        return kept


@final
class _Lag(_InOrder):
    """LAG: the value some rows before the last one, or the default of the last one, if there are not so many."""

    def __init__(self, offset: int) -> None:
        self._offset = offset

    def new(self) -> list[Any]:
        return []

    def add(self, kept: list[Any], value: Any, sign: int) -> list[Any]:
        kept.append(value)
        del kept[: max(0, len(kept) - self._offset - 1)]
        return kept

    def result(self, kept: list[Any]) -> Any:
        return kept[0][0] if len(kept) > self._offset else kept[-1][1]


OF_ORDER: Final[Mapping[AggregateFunction, Maker]] = {
    AggregateFunction.ROW_NUMBER: lambda _, __: _Number(),
    AggregateFunction.RANK: lambda _, __: _Number(),
    AggregateFunction.DENSE_RANK: lambda _, __: _Number(),
    AggregateFunction.LAG: lambda call, _: _Lag(call.offset),
}
