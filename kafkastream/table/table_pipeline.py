"""``TablePipeline``, at PyFlink's path: importable, and refused when it is used."""

from __future__ import annotations

from typing import Final

from kafkastream.model.common.stand_ins import StandIn
from kafkastream.table.compiled_plan import CompiledPlan
from kafkastream.table.explain_detail import ExplainDetail
from kafkastream.table.table_result import TableResult

__all__ = [
    "CompiledPlan",
    "ExplainDetail",
    "TablePipeline",
    "TableResult",
]

_INSTEAD: Final = "Use Table.execute_insert, or add the INSERT to a StatementSet."


class TablePipeline(StandIn, instead=_INSTEAD):
    """Query and its sink table."""
