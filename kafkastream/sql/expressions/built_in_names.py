"""Names of Flink's own functions."""

from __future__ import annotations

from typing import Final

from kafkastream.sql.expressions.aggregate_names import AGGREGATES, GROUP_WINDOWS
from kafkastream.sql.parser.dialect import Flink
from kafkastream.sql.plan.functions import NAMES

__all__ = ["is_built_in", "is_replaceable"]

_OF_GRAMMAR: Final = frozenset(
    {*Flink.Parser.FUNCTION_PARSERS, *AGGREGATES, *GROUP_WINDOWS, "CURRENT_DATE", "CURRENT_TIMESTAMP", "PROCTIME"}
)
"""Names with a meaning in queries beyond a plain call."""


def is_built_in(name: str) -> bool:
    """Return whether a built-in function has this name.

    Example:
        >>> is_built_in("upper"), is_built_in("soundex")
        (True, False)
    """
    return name.upper() in NAMES or not is_replaceable(name)


def is_replaceable(name: str) -> bool:
    """Return whether a temporary system function may replace this name.

    Example:
        >>> is_replaceable("upper"), is_replaceable("sum"), is_replaceable("trim")
        (True, False, False)
    """
    return name.upper() not in _OF_GRAMMAR
