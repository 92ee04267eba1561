"""Values read from the rows of a match: columns of the first or last rows of a variable, and aggregates."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, final

from kafkastream.operators.table.aggregates.group_aggregates import Aggregates
from kafkastream.operators.table.patterns.computed_values import computation
from kafkastream.operators.table.table_rows import INSERT, Columns
from kafkastream.sql.plan.match_operation import (
    MatchAggregate,
    MatchCondition,
    MatchTime,
    Navigation,
    Reading,
    ThisRow,
)

__all__ = ["MatchedRows", "Reader", "condition_check", "make_reader"]


@final
class MatchedRows:
    """Rows of a match, or of a part of one, by variable.

    Args:
        rows: Rows of each variable, by its number, in their order.
        this: Row for which a condition is checked; None for a complete match.
        variable: Number of the variable whose condition is checked; it counts as this row's.
        time: Time at which the match is found, in ms.
    """

    def __init__(
        self,
        rows: Mapping[int, Sequence[Columns]],
        this: Columns | None = None,
        variable: int | None = None,
        time: int | None = None,
    ) -> None:
        self._rows = rows
        self.this = this
        self._variable = variable
        self.time = time

    def of(self, variable: int | None) -> Sequence[Columns]:
        """Return the rows of a variable, or all rows for None."""
        if variable is None:
            rows = [row for number in sorted(self._rows) for row in self._rows[number]]
        else:
            rows = list(self._rows.get(variable, ()))
        if self.this is not None and variable in (None, self._variable):
            rows.append(self.this)
        return rows


Reader = Callable[[MatchedRows], Any]
"""Returns a value read from the rows of a match."""


def make_reader(reading: Reading) -> Reader:
    """Return the reader of a value."""
    match reading:
        case ThisRow(column=column):
            return lambda match: None if match.this is None else match.this[column]
        case Navigation():
            return _navigation_reader(reading)
        case MatchAggregate():
            return _aggregate_reader(reading)
        case MatchTime():
            return lambda match: None if match.time is None else match.time * 1_000


def _navigation_reader(navigation: Navigation) -> Reader:
    def read(match: MatchedRows) -> Any:
        rows = match.of(navigation.variable)
        if len(rows) <= navigation.offset:
            return None
        return rows[navigation.offset if navigation.is_first else -1 - navigation.offset][navigation.column]

    return read


def _aggregate_reader(aggregate: MatchAggregate) -> Reader:
    aggregates = Aggregates([aggregate.call], retracts=False)

    def read(match: MatchedRows) -> Any:
        group = aggregates.new()
        for row in match.of(aggregate.variable):
            aggregates.add(group, (INSERT, *row))
        return aggregates.results(group)[0]

    return read


def condition_check(match_condition: MatchCondition | None) -> Callable[[MatchedRows], bool]:
    """Return a function that checks a condition; NULL does not meet it."""
    if match_condition is None:
        return lambda _: True
    readers, value = [make_reader(reading) for reading in match_condition.readings], computation(match_condition.value)
    return lambda match: value([read(match) for read in readers]) is True
