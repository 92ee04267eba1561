"""A declared table as a query sees it."""

from __future__ import annotations

from kafkastream.sql.changelog import ChangelogMode
from kafkastream.sql.connectors import DataGenTableSource, source_of
from kafkastream.sql.plan.planning_catalog import Catalog, ResolvedTable
from kafkastream.sql.planner.computed_columns import computed
from kafkastream.sql.table import ComputedColumn, TableDefinition

__all__ = ["resolved_table"]


def resolved_table(definition: TableDefinition, catalog: Catalog | None = None) -> ResolvedTable:
    """The columns of a table, and which kinds of rows it gives.

    Raises:
        KafkastreamError: An expression or an option of it is wrong.
    """
    schema = computed(definition, catalog)
    source = source_of(definition)
    is_computed = any(isinstance(column, ComputedColumn) for column in definition.schema.columns)
    time = schema.event_time
    return ResolvedTable(
        definition,
        ChangelogMode.APPEND if isinstance(source, DataGenTableSource) else source.changelog,
        schema.fields,
        schema.expressions if is_computed else (),
        None if time is None or time.out_of_orderness_ms is None else (time.column, time.out_of_orderness_ms),
    )
