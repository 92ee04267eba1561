"""Expressions with types, at PyFlink's path, which are refused when they are used."""

from __future__ import annotations

from kafkastream.model.common.stand_ins import QUERY, StandIn
from kafkastream.table.expression import Expression

__all__ = [
    "Expression",
    "ResolvedExpression",
]


class ResolvedExpression(StandIn, instead=QUERY):
    """An expression with its type."""
