"""Accumulators that choose among values, or collect them: MIN, MAX, FIRST_VALUE, LAST_VALUE, LISTAGG and so on."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from operator import itemgetter
from typing import Any, Final, final

from kafkastream.errors import DefinitionError
from kafkastream.operators.table.aggregates.accumulator import Accumulator, Maker
from kafkastream.operators.table.multiset import Counts, add_count
from kafkastream.sql.plan.operations import AggregateFunction

__all__ = ["OF_VALUES"]


@final
class _BestValue(Accumulator):
    """Choice among values that are never retracted: keeps one value."""

    def __init__(self, choose: Callable[[Any, Any], Any]) -> None:
        self._choose = choose

    def new(self) -> None:
        return None

    def add(self, accumulator: Any, value: Any, sign: int) -> Any:
        return value if accumulator is None else self._choose(accumulator, value)

    def merge(self, accumulator: Any, partial: Any) -> Any:
        return accumulator if partial is None else self.add(accumulator, partial, 1)

    def result(self, accumulator: Any) -> Any:
        return accumulator


@final
class _BestOfCounts(Accumulator):
    """MIN or MAX with retractions: keeps all values with their counts, and the best one."""

    def __init__(self, choose: Callable[..., Any]) -> None:
        self._choose = choose

    def new(self) -> tuple[Any, Counts]:
        return (None, {})

    def add(self, accumulator: tuple[Any, Counts], value: Any, sign: int) -> tuple[Any, Counts]:
        best, counts = accumulator
        count = add_count(counts, value, sign)
        if count > 0:
            return (value if best is None else self._choose(best, value), counts)
        return (self._best(counts) if value == best else best, counts)

    def merge(self, accumulator: tuple[Any, Counts], partial: tuple[Any, Counts]) -> tuple[Any, Counts]:
        counts = accumulator[1]
        for value, count in partial[1].items():
            add_count(counts, value, count)
        return (self._best(counts), counts)

    def result(self, accumulator: tuple[Any, Counts]) -> Any:
        return accumulator[0]

    def _best(self, counts: Counts) -> Any:
        return self._choose((value for value, count in counts.items() if count > 0), default=None)


@final
class _AllValues(Accumulator):
    """All values in the order of arrival; a retraction removes the first of equal ones.

    Args:
        finish: Makes the result of the values, of which there is one at least.
        takes_null: Whether NULL is a value.
        empty: Result without values.
    """

    def __init__(self, finish: Callable[[list[Any]], Any], *, takes_null: bool = False, empty: Any = None) -> None:
        self._finish = finish
        self._empty = empty
        self.takes_null = takes_null

    def new(self) -> list[Any]:
        return []

    def add(self, accumulator: list[Any], value: Any, sign: int) -> list[Any]:
        if sign > 0:
            accumulator.append(value)
        elif value in accumulator:
            accumulator.remove(value)
        return accumulator

    def merge(self, accumulator: list[Any], partial: list[Any]) -> list[Any]:
        accumulator.extend(partial)
        return accumulator

    def result(self, accumulator: list[Any]) -> Any:
        return self._finish(accumulator) if accumulator else self._empty


@final
class _Multiset(Accumulator):
    """COLLECT: multiset of the values."""

    def new(self) -> Counts:
        return {}

    def add(self, accumulator: Counts, value: Any, sign: int) -> Counts:
        add_count(accumulator, value, sign)
        return accumulator

    def merge(self, accumulator: Counts, partial: Counts) -> Counts:
        for value, count in partial.items():
            add_count(accumulator, value, count)
        return accumulator

    def result(self, accumulator: Counts) -> tuple[tuple[Any, int], ...]:
        return tuple((value, count) for value, count in accumulator.items() if count > 0)


@final
class _SingleValue(Accumulator):
    """SINGLE_VALUE: value of a subquery that may have at most one row."""

    takes_null = True

    def new(self) -> tuple[Any, int]:
        return (None, 0)

    def add(self, accumulator: tuple[Any, int], value: Any, sign: int) -> tuple[Any, int]:
        return self._check_single(value if sign > 0 else None, accumulator[1] + sign)

    def merge(self, accumulator: tuple[Any, int], partial: tuple[Any, int]) -> tuple[Any, int]:
        return self._check_single((partial if partial[1] else accumulator)[0], accumulator[1] + partial[1])

    def result(self, accumulator: tuple[Any, int]) -> Any:
        return accumulator[0]

    def _check_single(self, value: Any, count: int) -> tuple[Any, int]:
        if count > 1:
            raise DefinitionError(
                "SingleValueAggFunction received more than one element.", now="Let the subquery give one row at most."
            )
        return (value, count)


def _join_by(separator: str) -> Callable[[str, str], str]:
    return lambda left, value: f"{left}{separator}{value}"


def _json_array(elements: list[str]) -> str:
    return f"[{','.join(elements)}]"


OF_VALUES: Final[Mapping[AggregateFunction, Maker]] = {
    AggregateFunction.MIN: lambda _, retracts: _BestOfCounts(min) if retracts else _BestValue(min),
    AggregateFunction.MAX: lambda _, retracts: _BestOfCounts(max) if retracts else _BestValue(max),
    AggregateFunction.FIRST_VALUE: lambda _, retracts: (
        _AllValues(itemgetter(0)) if retracts else _BestValue(lambda first, _: first)
    ),
    AggregateFunction.LAST_VALUE: lambda _, retracts: (
        _AllValues(itemgetter(-1)) if retracts else _BestValue(lambda _, last: last)
    ),
    AggregateFunction.LISTAGG: lambda call, retracts: (
        _AllValues(call.separator.join) if retracts else _BestValue(_join_by(call.separator))
    ),
    AggregateFunction.ARRAY_AGG: lambda _, __: _AllValues(tuple, takes_null=True),
    AggregateFunction.JSON_ARRAYAGG: lambda _, __: _AllValues(_json_array, empty="[]"),
    AggregateFunction.COLLECT: lambda _, __: _Multiset(),
    AggregateFunction.SINGLE_VALUE: lambda _, __: _SingleValue(),
}
