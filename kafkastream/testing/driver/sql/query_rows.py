"""Rows of the queries of a job: what they are between their tables, operators and sinks, in batches for chains."""

from __future__ import annotations

import pickle
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, final
from zoneinfo import ZoneInfo

import attrs
import pyarrow as pa

from kafkastream.errors import UnsupportedFeatureError, UserFunctionError
from kafkastream.model.common.immutable import FrozenMap
from kafkastream.model.common.row import RowKind
from kafkastream.model.connectors.subscription import TopicPartition
from kafkastream.model.graph.job_graph import JobGraph, KeyedNode
from kafkastream.spark.exchange.shuffle_messages import Message
from kafkastream.spark.sql.rows.arrow_types import arrow_type
from kafkastream.spark.sql.rows.columnar_parts import of_bytes
from kafkastream.spark.sql.rows.row_elements import TIME, KeyedRows, PrintedRows, RowsDecoder, elements_of
from kafkastream.spark.sql.rows.stream_rows import sent_type
from kafkastream.spark.sql.rows.wire_values import KIND, array_of, column_names, rows_of
from kafkastream.spark.worker.batches import Batch
from kafkastream.sql.changelog import ChangelogMode
from kafkastream.sql.connectors import KafkaTableSource, PrintTableSink, source_of
from kafkastream.sql.plan.expression import Cast, CastMode, ColumnRef
from kafkastream.sql.plan.insert_rows import written_columns
from kafkastream.sql.plan.query_node import QueryNode, Route, StreamNode, routes
from kafkastream.sql.plan.relations import Scan
from kafkastream.sql.plan.spark_text import KEPT
from kafkastream.sql.table import TableDefinition
from kafkastream.testing.driver.arrivals import SentRecord
from kafkastream.testing.driver.sql.branches import BranchRows, PythonBranch, Row, TimedRow
from kafkastream.testing.driver.sql.casts import NotInPythonError, conversion
from kafkastream.testing.driver.sql.expressions import PythonExpressions, UserFunctions

if TYPE_CHECKING:
    from kafkastream.testing.driver.sql.spark_rows import SparkRows

__all__ = ["QueryRows"]


@final
@attrs.frozen
class _RouteRows:
    """Rows of a route.

    Args:
        rows: Computes the rows.
        types: Types of the columns of the result.
        has_time: Whether rows carry event time.
        decoder: Makes elements of the rows.
        check: Returns the rows that the sink takes.
    """

    rows: BranchRows
    types: Sequence[pa.DataType]
    has_time: bool
    decoder: RowsDecoder
    check: Callable[[Sequence[TimedRow]], Sequence[TimedRow]]

    def batch(self, rows: Sequence[TimedRow]) -> Batch:
        """Return the rows as elements, by the engine's own decoder."""
        rows = self.check(rows)
        present = rows if self.has_time else [row for row in rows if row[0] is not None]
        nothing = (0, *(None,) * len(self.types))
        columns = list(zip(*(row or nothing for row, _ in present), strict=True)) or [()] * len(nothing)
        arrays = [pa.array(columns[0], pa.int8())]
        arrays += [array_of(column, type_) for column, type_ in zip(columns[1:], self.types, strict=True)]
        names = [KIND, *column_names(len(self.types))]
        if self.has_time:
            arrays += [
                pa.array([time for _, time in present], pa.int64()),
                pa.array([row is not None for row, _ in present], pa.bool_()),
            ]
            names += [TIME, KEPT]
        return self.decoder.decode(pa.RecordBatch.from_arrays(arrays, names))


@final
class QueryRows:
    """Computes the rows of a job's queries, where Spark does it on a cluster.

    Args:
        graph: Graph of the job.
        parameters: Global job parameters, for functions.
        now: Returns the processing time, in ms.
        by_spark: Returns what computes with Spark, for the rest; None to refuse it.

    Raises:
        UnsupportedFeatureError: A query needs Spark, and ``by_spark`` is None.
    """

    def __init__(
        self,
        graph: JobGraph,
        *,
        parameters: Mapping[str, str] = FrozenMap(),
        now: Callable[[], int],
        by_spark: Callable[[], SparkRows] | None = None,
    ) -> None:
        self._graph = graph
        self._by_spark = by_spark
        self._tables: dict[int, tuple[QueryNode, TableDefinition]] = {}
        self._zones: dict[int, str] = {}
        self._functions: list[UserFunctions] = []
        self._routes: dict[int, _RouteRows] = {}
        has_state = any(isinstance(node, KeyedNode) for node in graph.nodes)
        for query in (node for node in graph.nodes if isinstance(node, QueryNode)):
            functions = UserFunctions(query.settings.functions, parameters)
            self._functions.append(functions)
            expressions = PythonExpressions(functions, query.settings.time_zone, now)
            needed: list[str] = []
            for route in routes(query):
                has_time = (
                    has_state and isinstance(route.branch.origin, Scan) and route.branch.origin.watermark is not None
                )
                try:
                    rows: BranchRows = PythonBranch.compiled(route.branch, expressions, has_time=has_time)
                except NotInPythonError:
                    if by_spark is None:
                        needed += PythonBranch.missing(route.branch, expressions)
                        continue
                    rows = by_spark().branch(query, route.branch)
                if isinstance(route.branch.origin, Scan):
                    self._tables[route.node] = query, route.branch.origin.table
                self._zones[route.node] = query.settings.time_zone
                self._routes[route.node] = _route_rows(query, route, rows, has_time=has_time)
            if needed:
                raise _needs_spark(query, needed)

    @property
    def decoders(self) -> Mapping[int, RowsDecoder]:
        """The decoders of rows, by the nodes that rows come from."""
        return {node: route.decoder for node, route in self._routes.items()}

    def of_table(self, node: int, rows: Iterable[Row]) -> Batch:
        """Return the elements that a query makes of rows of a table.

        Args:
            node: Node of the table's source.
            rows: Rows without computed columns.

        Raises:
            JobError: A function failed, or a value cannot be computed.
        """
        return self._routes[node].batch(self._routes[node].rows.of(rows))

    def of_records(self, node: int, split: TopicPartition, records: Iterable[SentRecord]) -> Batch:
        """Return the elements that a query makes of records of a table, by its formats.

        Args:
            node: Node of the table's source.
            split: Partition that they come from.
            records: The records.

        Raises:
            UnsupportedFeatureError: There is no Spark, which reads the formats.
            JobError: A record is not of the format; or as of ``of_table``.
        """
        query, definition = self._tables[node]
        if self._by_spark is None:
            raise UnsupportedFeatureError(
                "a test driver reads the formats of tables with Spark alone",
                where=f"table {definition.name[-1]!r}",
                now="Send rows, driver.table(…).send(…); or let JobTestDriver.of(…, spark=True) read records.",
            )
        source = source_of(definition)
        assert isinstance(source, KafkaTableSource)
        rows = self._by_spark().read(definition, source, split, records, query.settings.time_zone)
        return self.of_table(node, rows)

    def of_values(self, node: int) -> Batch:
        """Return the elements that a query makes of VALUES; arguments and errors as of ``of_table``."""
        return self._routes[node].batch(self._routes[node].rows.constant())

    def of_message(self, message: Message) -> Batch:
        """Return the elements that a query makes of the rows that an operator, or a stream, has sent; errors as above."""
        rows, _ = pickle.loads(message.payload)
        node = self._graph[message.node]
        if isinstance(node, StreamNode):
            rows = [row for arrow in of_bytes(rows).to_batches() for row in rows_of(arrow, len(node.source.fields))]
            rows = map(_cast_of(node, self._zones[message.node]), rows)
        return self.of_table(message.node, rows)

    def knows(self, node: int) -> bool:
        """Return whether rows of a query come from a node."""
        return node in self._routes

    def close(self) -> None:
        """Close the user-defined functions.

        Raises:
            UserFunctionError: A ``close`` raised.
        """
        for functions in self._functions:
            functions.close()


def _cast_of(node: StreamNode, zone: str) -> Callable[[Row], Row]:
    """Return the cast of the columns that a stream sends to their declared types."""
    casts = []
    for index, field in enumerate(node.source.fields):
        sent = sent_type(field)
        if sent.nullable() != field.type.nullable():
            cast = Cast(ColumnRef(index, sent), field.type, CastMode.CAST)
            casts.append((index + 1, conversion(cast, ZoneInfo(zone))))

    def converted(row: Row) -> Row:
        values = list(row)
        for index, convert in casts:
            values[index] = None if values[index] is None else convert(values[index])
        return tuple(values)

    return converted if casts else lambda row: row


def _route_rows(query: QueryNode, route: Route, rows: BranchRows, *, has_time: bool) -> _RouteRows:
    fields = route.branch.fields
    decoder: RowsDecoder
    if route.into is not None:
        decoder = KeyedRows(len(fields))
    elif isinstance(query.target.sink, PrintTableSink):
        decoder = PrintedRows(tuple(field.type for field in query.relation.fields))
    else:
        decoder = elements_of(query)
    types = [arrow_type(field.type, query.settings.time_zone) for field in fields]
    return _RouteRows(rows, types, has_time, decoder, _check_of(query) if route.into is None else _unchecked)


def _unchecked(rows: Sequence[TimedRow]) -> Sequence[TimedRow]:
    return rows


def _check_of(query: QueryNode) -> Callable[[Sequence[TimedRow]], Sequence[TimedRow]]:
    """Return the rows that the sink of a query takes: in an upsert table no UPDATE_BEFORE, and none with NULL in NOT NULL.

    Raises:
        UserFunctionError: A row has NULL in a NOT NULL column.
    """
    sink, table = query.target.sink, query.target.table
    if sink is None or table is None:
        return _unchecked
    is_upsert = sink.changelog is ChangelogMode.UPSERT
    required = [
        (index + 1, column.name) for index, column in enumerate(written_columns(table)) if not column.type.is_nullable
    ]

    def is_taken(row: Row | None) -> bool:
        if row is None:
            return True
        if is_upsert and row[0] == RowKind.UPDATE_BEFORE.value:
            return False
        missing = next((name for index, name in required if row[index] is None), None)
        if missing is None or row[0] == RowKind.DELETE.value:
            return True
        if query.settings.drops_null:
            return False
        raise UserFunctionError(
            f"Column '{missing}' is NOT NULL, however, a null value is being written into it. You can set job configuration "
            "'table.exec.sink.not-null-enforcer'='DROP' to suppress this exception and drop such records silently.",
            where=f"table {table.identifier}; row {row[1:]}",
        )

    return lambda rows: [row for row in rows if is_taken(row[0])]


def _needs_spark(query: QueryNode, needed: Iterable[str]) -> UnsupportedFeatureError:
    names = ", ".join(dict.fromkeys(needed))
    target = query.target.table
    return UnsupportedFeatureError(
        f"the test driver does not compute {names} in Python: on a cluster, Spark does",
        where="query of the program" if target is None else f"query of INSERT INTO {target.identifier}",
        now="JobTestDriver.of(…, spark=True) lets a local Spark compute it, which stays for the following tests.",
    )
