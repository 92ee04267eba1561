"""Places of arguments where a NULL without a type may be, as in Flink."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from kafkastream.sql.plan.expression import TypedExpression, is_null

__all__ = ["ILLEGAL_NULL", "TYPED_NULL", "illegal_null"]

ILLEGAL_NULL: Final = "Illegal use of 'NULL'"
TYPED_NULL: Final = "Give it a type: CAST(NULL AS STRING)."
"""Hint of the error about a NULL without a type."""

_ANYWHERE: Final = frozenset(
    [
        "COALESCE",
        "IFNULL",
        "GREATEST",
        "LEAST",
        "BTRIM",
        "STARTSWITH",
        "ENDSWITH",
        "SPLIT",
        "URL_ENCODE",
        "URL_DECODE",
        "UNHEX",
        "PRINTF",
        "REGEXP_COUNT",
        "REGEXP_EXTRACT_ALL",
        "REGEXP_INSTR",
        "REGEXP_SUBSTR",
        "TO_TIMESTAMP_LTZ",
        "JSON_QUOTE",
        "JSON_UNQUOTE",
        "JSON_STRING",
        "JSON_OBJECT",
        "JSON_ARRAY",
        "TYPEOF",
        "=",
        "<>",
        ">",
        ">=",
        "<",
        "<=",
        "IN",
        "BETWEEN",
    ]
) | {"IS NULL", "IS NOT NULL", "IS DISTINCT FROM", "IS NOT DISTINCT FROM"}
_BEHIND_THE_FIRST: Final = frozenset(
    [
        "NULLIF",
        "ELT",
        "ARRAY_APPEND",
        "ARRAY_CONTAINS",
        "ARRAY_JOIN",
        "ARRAY_POSITION",
        "ARRAY_PREPEND",
        "ARRAY_REMOVE",
        "ARRAY_SLICE",
        "ARRAY_SORT",
    ]
)
_SOME: Final = frozenset({"COALESCE", "IFNULL", "GREATEST", "LEAST", "$ARRAY"})
"""Functions that need an argument with a type."""
_NOWHERE: Final = frozenset({"$NEGATE", "$ITEM"})
"""Calls of syntax that take no NULL; the others with ``$`` are made by the planner, too."""


def illegal_null(name: str, arguments: Sequence[TypedExpression]) -> int | None:
    """Return the position of the first NULL without a type that a function does not take; None if there is none.

    Flink's functions with a type inference of their own take it, and operators that compare; others need to know the type.

    Example:
        >>> from kafkastream.sql.plan.expression import NULL, Literal
        >>> illegal_null("CONCAT", [Literal.text("a"), NULL])
        1
    """
    nulls = [place for place, one in enumerate(arguments) if is_null(one)]
    if name == "$MAP":
        return _of_map(nulls, len(arguments))
    if name in _SOME and len(nulls) == len(arguments):
        return next(iter(nulls), None)
    if name in _ANYWHERE or (name.startswith("$") and name not in _NOWHERE):
        return None
    return next((place for place in nulls if not place or name not in _BEHIND_THE_FIRST), None)


def _of_map(nulls: Sequence[int], count: int) -> int | None:
    """Return the first NULL of a map, unless all values are NULL and no key is."""
    return None if nulls == list(range(1, count, 2)) else next(iter(nulls), None)
