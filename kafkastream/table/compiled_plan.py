"""Compiled plans, at PyFlink's path: importable, and refused when they are used."""

from __future__ import annotations

from typing import Final

from kafkastream.model.common.stand_ins import StandIn
from kafkastream.table.explain_detail import ExplainDetail
from kafkastream.table.table_result import TableResult

__all__ = [
    "CompiledPlan",
    "ExplainDetail",
    "TableResult",
]

_INSTEAD: Final = "Keep the statement, and execute it again: the job resumes from its checkpoint directory."


class CompiledPlan(StandIn, instead=_INSTEAD):
    """Compiled plan of a statement."""
