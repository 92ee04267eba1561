"""Patterns of rows in a query (``MATCH_RECOGNIZE``), as frozen values; a keyed operator finds them."""

from __future__ import annotations

import enum
from typing import Final, final

import attrs

from kafkastream.sql.plan.aggregate_call import AggregateCall
from kafkastream.sql.plan.expression import TypedExpression
from kafkastream.sql.plan.sort_operation import Order
from kafkastream.sql.plan.time_attribute import TimeAttribute

__all__ = [
    "EVALUATED",
    "MatchAggregate",
    "MatchCondition",
    "MatchRecognize",
    "MatchTime",
    "Navigation",
    "PatternVariable",
    "Reading",
    "SkipTo",
    "ThisRow",
]

EVALUATED: Final = frozenset(
    {
        *("=", "<>", "<", "<=", ">", ">=", "+", "-", "*", "/", "%", "AND", "OR", "NOT", "BETWEEN", "IN"),
        *("IS NULL", "IS NOT NULL", "IS TRUE", "IS NOT TRUE", "IS FALSE", "IS NOT FALSE"),
        *("IS DISTINCT FROM", "IS NOT DISTINCT FROM", "COALESCE", "$PARENTHESES", "$NEGATE", "$ALL", "ABS"),
    }
)
"""Functions and operators of conditions that take values of several rows, which the operator computes in Python."""


@final
@attrs.frozen
class ThisRow:
    """Column of the row for which a condition is checked.

    Args:
        column: Position of the column.
    """

    column: int


@final
@attrs.frozen
class Navigation:
    """Column of one of the rows of a match; NULL if there is none.

    Args:
        variable: Number of the variable whose rows count; None for all rows of the match.
        column: Position of the column.
        offset: Number of rows between the first or last of these rows and the wanted one.
        is_first: Whether the offset counts from the first row, otherwise from the last one.
    """

    variable: int | None
    column: int
    offset: int = 0
    is_first: bool = False


@final
@attrs.frozen
class MatchAggregate:
    """Aggregate of rows of a match.

    Args:
        variable: Number of the variable whose rows are aggregated; None for all rows of the match.
        call: Aggregate.
    """

    variable: int | None
    call: AggregateCall


@final
@attrs.frozen
class MatchTime:
    """Time at which a match is found (``MATCH_ROWTIME``)."""


Reading = ThisRow | Navigation | MatchAggregate | MatchTime
"""Value that a match, or a part of it, gives."""


@final
@attrs.frozen
class MatchCondition:
    """Condition that a row must meet to be one of a variable's.

    Args:
        readings: Values that the condition needs.
        value: Condition; its columns are the readings.
    """

    readings: tuple[Reading, ...]
    value: TypedExpression


@final
@attrs.frozen
class PatternVariable:
    """Variable of a pattern.

    Args:
        name: Name of the variable.
        least: Minimum number of its rows.
        most: Maximum number of its rows; None for any number.
        is_greedy: Whether it takes as many rows as it can, otherwise as few as it can.
        condition: Condition of its rows; None for any row.
    """

    name: str
    least: int = 1
    most: int | None = 1
    is_greedy: bool = True
    condition: MatchCondition | None = None


class SkipTo(enum.Enum):
    """Row at which the search continues when a match has been found."""

    PAST_LAST_ROW = "PAST LAST ROW"
    NEXT_ROW = "TO NEXT ROW"
    FIRST = "TO FIRST"
    LAST = "TO LAST"


@final
@attrs.frozen(kw_only=True)
class MatchRecognize:
    """Pattern match: emits a row for each sequence of rows of a key that matches a pattern: the key, then the measures.

    Args:
        variables: Variables of the pattern, in order.
        keys: Positions of the key's columns.
        measures: Values of a match that are emitted.
        time: In event time, rows wait for the watermark; in processing time, they are in the order of arrival.
        column: Position of the time column, for event time.
        order: Order of rows of the same time; ties are ordered by arrival.
        within_ms: Time within which a match must end, in ms; 0 for any.
        skip: Where the search continues after a match.
        skip_variable: Number of the variable to skip to, for FIRST and LAST.
    """

    variables: tuple[PatternVariable, ...]
    keys: tuple[int, ...]
    measures: tuple[Reading, ...]
    time: TimeAttribute
    column: int | None
    order: tuple[Order, ...] = ()
    within_ms: int = 0
    skip: SkipTo = SkipTo.PAST_LAST_ROW
    skip_variable: int | None = None
