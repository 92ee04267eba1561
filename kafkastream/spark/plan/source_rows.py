"""Rows that a table's source gives to a query: which function makes them, by the class of the source."""

from __future__ import annotations

from collections.abc import Callable, Collection
from typing import final

import attrs
from pyspark.sql import DataFrame, SparkSession

from kafkastream.spark.worker.registry import Registry, unregistered
from kafkastream.sql.connectors import StreamTableSource
from kafkastream.sql.connectors.table_endpoints import TableSource
from kafkastream.sql.table import TableDefinition

__all__ = ["ScanPlace", "source_rows"]


@final
@attrs.frozen(kw_only=True)
class ScanPlace:
    """Place of a scan in a query: what the rows of its table can be made of.

    Args:
        session: Spark session of the query.
        definition: The table.
        node: Node of the source in the job graph.
        is_stream: Whether the query is a stream with state, so that rows are generated without end.
        seconds: Range of generated rows, as seconds since the start; None for all remaining ones.
        needed: Returns the physical columns that the query reads; the others may be NULL.
        records: Returns the Kafka records of the source.
        files: Returns the names of the source's files.
        stream: Returns the rows of a stream of the DataStream API.
    """

    session: SparkSession
    definition: TableDefinition
    node: int
    seconds: tuple[int, int | None]
    is_stream: bool
    needed: Callable[[], Collection[str]]
    records: Callable[[], DataFrame]
    files: Callable[[], DataFrame]
    stream: Callable[[StreamTableSource], DataFrame]


@Registry
def source_rows(source: TableSource, place: ScanPlace) -> DataFrame:
    """Return the rows of a table, by the function that the ``engine_module`` of the source's class registers.

    Returns:
        ``__source`` with the node; other hidden columns of a row's record, if it has one; and the columns of the table,
        ``c0``, ``c1`` and so on, without computed ones.

    Raises:
        DefinitionError: Nothing is registered for the class.
    """
    raise unregistered("table source", type(source), "a function with @source_rows.register")
