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
class _Best(Accumulator):
    """Choice among values that are never retracted: keeps one value."""

    def __init__(self, choose: Callable[[Any, Any], Any]) -> None:
        self._choose = choose

    def new(self) -> None:
        return None

    def add(self, kept: Any, value: Any, sign: int) -> Any:
        return value if kept is None else self._choose(kept, value)

    def merge(self, kept: Any, partial: Any) -> Any:
        return kept if partial is None else self.add(kept, partial, 1)

    def result(self, kept: Any) -> Any:
        return kept


@final
class _BestOfCounted(Accumulator):
    """MIN or MAX with retractions: keeps all values with their counts, and the best one."""

    def __init__(self, choose: Callable[..., Any]) -> None:
        self._choose = choose

    def new(self) -> tuple[Any, Counts]:
        return (None, {})

    def add(self, kept: tuple[Any, Counts], value: Any, sign: int) -> tuple[Any, Counts]:
        best, counts = kept
        count = add_count(counts, value, sign)
        if count > 0:
            return (value if best is None else self._choose(best, value), counts)
        return (self._best(counts) if value == best else best, counts)

    def merge(self, kept: tuple[Any, Counts], partial: tuple[Any, Counts]) -> tuple[Any, Counts]:
        counts = kept[1]
        for value, count in partial[1].items():
            add_count(counts, value, count)
        return (self._best(counts), counts)

    def result(self, kept: tuple[Any, Counts]) -> Any:
        return kept[0]

    def _best(self, counts: Counts) -> Any:
        return self._choose((value for value, count in counts.items() if count > 0), default=None)


@final
class _Listed(Accumulator):
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

    def add(self, kept: list[Any], value: Any, sign: int) -> list[Any]:
        if sign > 0:
            kept.append(value)
        elif value in kept:
            kept.remove(value)
        return kept

    def merge(self, kept: list[Any], partial: list[Any]) -> list[Any]:
        kept.extend(partial)
        return kept

    def result(self, kept: list[Any]) -> Any:
        return self._finish(kept) if kept else self._empty


@final
class _Collected(Accumulator):
    """COLLECT: multiset of the values."""

    def new(self) -> Counts:
        return {}

    def add(self, kept: Counts, value: Any, sign: int) -> Counts:
        add_count(kept, value, sign)
        return kept

    def merge(self, kept: Counts, partial: Counts) -> Counts:
        for value, count in partial.items():
            add_count(kept, value, count)
        return kept

    def result(self, kept: Counts) -> tuple[tuple[Any, int], ...]:
        return tuple((value, count) for value, count in kept.items() if count > 0)


@final
class _Single(Accumulator):
    """SINGLE_VALUE: value of a subquery that may have at most one row."""

    takes_null = True

    def new(self) -> tuple[Any, int]:
        return (None, 0)

    def add(self, kept: tuple[Any, int], value: Any, sign: int) -> tuple[Any, int]:
        return self._one(value if sign > 0 else None, kept[1] + sign)

    def merge(self, kept: tuple[Any, int], partial: tuple[Any, int]) -> tuple[Any, int]:
        return self._one((partial if partial[1] else kept)[0], kept[1] + partial[1])

    def result(self, kept: tuple[Any, int]) -> Any:
        return kept[0]

    def _one(self, value: Any, count: int) -> tuple[Any, int]:
        if count > 1:
            raise DefinitionError(
                "SingleValueAggFunction received more than one element.", now="Let the subquery give one row at most."
            )
        return (value, count)


def _joined(separator: str) -> Callable[[str, str], str]:
    return lambda before, value: f"{before}{separator}{value}"


def _json_array(elements: list[str]) -> str:
    return f"[{','.join(elements)}]"


OF_VALUES: Final[Mapping[AggregateFunction, Maker]] = {
    AggregateFunction.MIN: lambda _, retracts: _BestOfCounted(min) if retracts else _Best(min),
    AggregateFunction.MAX: lambda _, retracts: _BestOfCounted(max) if retracts else _Best(max),
    AggregateFunction.FIRST_VALUE: lambda _, retracts: (
        _Listed(itemgetter(0)) if retracts else _Best(lambda first, _: first)
    ),
    AggregateFunction.LAST_VALUE: lambda _, retracts: (
        _Listed(itemgetter(-1)) if retracts else _Best(lambda _, last: last)
    ),
    AggregateFunction.LISTAGG: lambda call, retracts: (
        _Listed(call.separator.join) if retracts else _Best(_joined(call.separator))
    ),
    AggregateFunction.ARRAY_AGG: lambda _, __: _Listed(tuple, takes_null=True),
    AggregateFunction.JSON_ARRAYAGG: lambda _, __: _Listed(_json_array, empty="[]"),
    AggregateFunction.COLLECT: lambda _, __: _Collected(),
    AggregateFunction.SINGLE_VALUE: lambda _, __: _Single(),
}
