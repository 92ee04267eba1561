"""``ResolvedExpression``, at PyFlink's path: importable, and refused when it is used."""

from __future__ import annotations

from kafkastream.model.common.stand_ins import QUERY, StandIn
from kafkastream.table.expression import Expression

__all__ = [
    "Expression",
    "ResolvedExpression",
]


class ResolvedExpression(StandIn, instead=QUERY):
    """Expression with its type."""
