"""Table writers, which convert rows of a query for the sink of a table: their protocol, and their registry by class."""

from __future__ import annotations

from abc import ABC, abstractmethod
from functools import reduce
from typing import final

import attrs
from pyspark.sql import Column, DataFrame, functions

from kafkastream.model.common.row import RowKind
from kafkastream.spark.session.translate_errors import BAD_ROW
from kafkastream.spark.sql.rows.row_elements import PrintedRows, elements_of
from kafkastream.spark.sql.rows.wire_values import KIND
from kafkastream.spark.worker.record_decoders import Decoder
from kafkastream.spark.worker.registry import Registry, unregistered
from kafkastream.sql.connectors import BlackHoleTableSink, PrintTableSink, TableSink
from kafkastream.sql.plan.insert_rows import written_columns
from kafkastream.sql.plan.query_node import QueryNode
from kafkastream.sql.table import TableDefinition

__all__ = ["TableWriter", "columns_by_name", "failing", "is_other", "row_kind", "table_writer", "taken"]


class TableWriter(ABC):
    """Protocol of table writers: the form of rows between Spark and a sink's operator."""

    @abstractmethod
    def rows(self, rows: DataFrame, table: TableDefinition, *, drops_nulls: bool, present: Column | None) -> DataFrame:
        """Return the rows in the form that tasks receive; arguments as of ``taken``.

        Raises:
            UnsupportedFeatureError: A format cannot hold a column.
        """

    @abstractmethod
    def decoder(self, query: QueryNode) -> Decoder:
        """Return the decoder of these rows to elements of the sink."""


@Registry
def table_writer(sink: TableSink) -> TableWriter:
    """Return the writer of a table, which the ``engine_module`` of the table's class registers.

    Raises:
        DefinitionError: No writer is registered for the class.
    """
    raise unregistered("table", type(sink), "a TableWriter with @table_writer.register")


@final
@attrs.frozen
class _AsTheyAre(TableWriter):
    """Writer of the connectors ``print`` and ``blackhole``: takes rows of every kind."""

    sink: PrintTableSink | BlackHoleTableSink

    def rows(self, rows: DataFrame, table: TableDefinition, *, drops_nulls: bool, present: Column | None) -> DataFrame:
        """Return the rows."""
        return rows

    def decoder(self, query: QueryNode) -> Decoder:
        """Return the decoder of rows to lines, or to elements."""
        if isinstance(self.sink, BlackHoleTableSink):
            return elements_of(query)
        return PrintedRows(tuple(field.type for field in query.relation.fields))


@table_writer.register
def _(sink: PrintTableSink) -> TableWriter:
    return _AsTheyAre(sink)


@table_writer.register
def _(sink: BlackHoleTableSink) -> TableWriter:
    return _AsTheyAre(sink)


def taken(
    rows: DataFrame,
    definition: TableDefinition,
    *,
    is_upsert: bool,
    drops_nulls: bool = False,
    present: Column | None = None,
) -> DataFrame:
    """Return the rows that a sink accepts, without NULL in NOT NULL columns.

    Args:
        rows: Rows with hidden columns, whose names begin with ``__``, and the written columns, ``c0`` and so on.
        definition: The table.
        is_upsert: Whether to drop UPDATE_BEFORE.
        drops_nulls: Whether to drop a row with NULL in a NOT NULL column; otherwise it fails the query.
        present: Condition for the query's own rows; None if all are.
    """
    kind, passes = row_kind(rows), is_other(present)
    if is_upsert and kind is not None:
        rows = rows.filter(passes | (kind != RowKind.UPDATE_BEFORE.value))
    columns = columns_by_name(definition)
    required = {
        column.name: columns[column.name] for column in written_columns(definition) if not column.type.is_nullable
    }
    passes = passes if kind is None else passes | (kind == RowKind.DELETE.value)
    return _without_nulls(rows, required, passes, drops_nulls)


def row_kind(rows: DataFrame) -> Column | None:
    """Return the hidden column with row kinds; None if all rows are inserts."""
    return functions.col(KIND) if KIND in rows.columns else None


def is_other(present: Column | None) -> Column:
    """Return the condition for rows that are not the query's and pass unchanged."""
    return functions.lit(False) if present is None else ~present


def columns_by_name(definition: TableDefinition) -> dict[str, Column]:
    """Return the columns that a table writes, by name."""
    return {column.name: functions.col(f"c{place}") for place, column in enumerate(written_columns(definition))}


def failing(problem: Column) -> Column:
    """Return an expression that fails the query with a text about a row."""
    text = functions.concat(
        functions.lit(f"{BAD_ROW} [partition "),
        functions.spark_partition_id().cast("string"),
        functions.lit("] "),
        problem,
        functions.lit(" [end]"),
    )
    return functions.raise_error(text).cast("boolean")


def _without_nulls(rows: DataFrame, required: dict[str, Column], passes: Column, drops_nulls: bool) -> DataFrame:
    """Drop, or fail on, rows with NULL in NOT NULL columns, except rows that pass unchanged."""
    if not required:
        return rows
    is_whole = passes | reduce(Column.__and__, (column.isNotNull() for column in required.values()))
    if drops_nulls:
        return rows.filter(is_whole)
    name = functions.coalesce(
        *(functions.when(column.isNull(), functions.lit(name)) for name, column in required.items())
    )
    problem = functions.concat(
        functions.lit("Column '"),
        name,
        functions.lit(
            "' is NOT NULL, however, a null value is being written into it. You can set job configuration "
            "'table.exec.sink.not-null-enforcer'='DROP' to suppress this exception and drop such records silently."
        ),
    )
    return rows.filter(functions.when(is_whole, True).otherwise(failing(problem)))
