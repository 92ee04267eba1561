"""Values that rows of a match give: columns of the first or last of them, and aggregates."""

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

__all__ = ["MatchedRows", "Reader", "condition", "reading_of"]


@final
class MatchedRows:
    """Rows of a match, or of a part of one, by variable.

    Args:
        rows: Rows of each variable, by its number, in their order.
        this: Row for which a condition is checked; None for a whole match.
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
            found = [row for number in sorted(self._rows) for row in self._rows[number]]
        else:
            found = list(self._rows.get(variable, ()))
        if self.this is not None and variable in (None, self._variable):
            found.append(self.this)
        return found


Reader = Callable[[MatchedRows], Any]
"""Returns a value that rows give."""


def reading_of(reading: Reading) -> Reader:
    """Return the reader of a value."""
    match reading:
        case ThisRow(column=column):
            return lambda match: None if match.this is None else match.this[column]
        case Navigation():
            return _navigation(reading)
        case MatchAggregate():
            return _aggregate(reading)
        case MatchTime():
            return lambda match: None if match.time is None else match.time * 1_000


def _navigation(to: Navigation) -> Reader:
    def read(match: MatchedRows) -> Any:
        rows = match.of(to.variable)
        if len(rows) <= to.offset:
            return None
        return rows[to.offset if to.is_first else -1 - to.offset][to.column]

    return read


def _aggregate(of: MatchAggregate) -> Reader:
    aggregates = Aggregates([of.call], retracts=False)

    def read(match: MatchedRows) -> Any:
        group = aggregates.new()
        for row in match.of(of.variable):
            aggregates.add(group, (INSERT, *row))
        return aggregates.results(group)[0]

    return read


def condition(checked: MatchCondition | None) -> Callable[[MatchedRows], bool]:
    """Return the check of a condition, which NULL does not meet."""
    if checked is None:
        return lambda _: True
    readers, value = [reading_of(one) for one in checked.readings], computation(checked.value)
    return lambda match: value([read(match) for read in readers]) is True
