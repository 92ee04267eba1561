"""The arguments of calls."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sqlglot import exp

from kafkastream.errors import DefinitionError

if TYPE_CHECKING:
    from kafkastream.sql.expressions.expressions import Translator

__all__ = ["counted", "invalid_count"]


def counted(of: Translator, node: exp.Expr, low: int, high: int) -> list[str]:
    """The arguments of a call, of which there must be so many."""
    if not low <= len(node.expressions) <= high:
        raise invalid_count(of, node)
    return [of.sql(argument) for argument in node.expressions]


def invalid_count(of: Translator, node: exp.Expr) -> DefinitionError:
    """The error about too few or too many arguments."""
    return of.text.error(
        node, f"Invalid number of arguments to function '{node.name.upper()}': {len(node.expressions)}."
    )
