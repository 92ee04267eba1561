"""DataFrames of a SQL query: Spark decodes tables and computes rows, keyed operators run stateful operations."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import partial, reduce
from typing import Final, final

import attrs
from pyspark.sql import Column, DataFrame, SparkSession, functions
from pyspark.sql.streaming.readwriter import DataStreamWriter
from pyspark.sql.types import (
    BinaryType,
    BooleanType,
    ByteType,
    IntegerType,
    LongType,
    StringType,
    StructField,
    StructType,
)

from kafkastream.model.common.row import RowKind
from kafkastream.model.graph.node_ids import CONTROL_NODE
from kafkastream.spark.exchange.shuffle_messages import MESSAGE_SCHEMA
from kafkastream.spark.exchange.stateful_stage import LevelPlan
from kafkastream.spark.exchange.task_plan import TaskPlan
from kafkastream.spark.internals.python import arrow_schema_of, map_in_arrow
from kafkastream.spark.plan.keyed_query import in_levels, staged
from kafkastream.spark.plan.passthrough import native_refusal, written_by_spark
from kafkastream.spark.plan.row_steps import hidden_columns, with_computed_columns, with_step
from kafkastream.spark.plan.source_rows import ScanPlace, source_rows
from kafkastream.spark.session.translate_errors import spark_refusals
from kafkastream.spark.sql.formats.metadata_casts import as_type
from kafkastream.spark.sql.formats.spark_types import spark_type
from kafkastream.spark.sql.rows.columnar_parts import BUCKET
from kafkastream.spark.sql.rows.row_elements import TIME
from kafkastream.spark.sql.rows.row_task import HIDDEN, RowTask, Unpacking
from kafkastream.spark.sql.rows.sink_rows import table_writer
from kafkastream.spark.sql.rows.stream_rows import sent_type
from kafkastream.spark.sql.rows.wire_values import KIND, column_names
from kafkastream.sql.connectors import KafkaTableSink, StreamTableSource, source_of
from kafkastream.sql.plan.branches import Branch, branches
from kafkastream.sql.plan.column_pruning import needed_columns
from kafkastream.sql.plan.query_node import QueryNode
from kafkastream.sql.plan.relations import Relation, Scan, Stateful, Values
from kafkastream.sql.plan.source_compatibility import generators
from kafkastream.sql.plan.spark_text import KEPT, spark_text
from kafkastream.sql.types import DataType, Kind

__all__ = ["PhysicalPlan", "StreamPlan"]

_SOURCE: Final = ("source", "topic", "partition", "offset", "timestamp")
"""Columns of a row's source record, under the names that chains read; in between they are hidden columns."""
_FROM: Final = f"__{_SOURCE[0]}"
_MEANT: Final = {KIND: f"{RowKind.INSERT.value}Y", KEPT: "true"}
"""Values of hidden columns in rows that lack them."""
_MESSAGE_KIND: Final = HIDDEN[1]
_OUT: Final = ("topic", "key", "value", "headers", "timestamp")

Seconds = tuple[int, int | None]
_ALL: Final[Seconds] = (0, None)


@final
@attrs.frozen
class StreamPlan:
    """Stream of the DataStream API that a SQL query reads.

    Args:
        sources: Nodes of its sources.
        levels: Plans of its stateful stages, in order.
        query: Plan of the query whose result it is, with the stages behind it; None if it is of sources alone.
    """

    sources: tuple[int, ...]
    levels: tuple[LevelPlan, ...] = ()
    query: PhysicalPlan | None = None


@final
@attrs.frozen
class PhysicalPlan:
    """Builds the DataFrames of a SQL query.

    Args:
        session: Spark session of the query's own.
        query: The query.
        plan: Plan of the chains of its sources.
        streams: Plans of the streams that it reads, by their nodes.
        levels: Plans of its stateful operations, by their nodes.
        columnar: Nodes of operations that take rows as Arrow columns.
        sliced: Branches of rows that such operations assign to windows themselves, by the nodes of their origins.
        row_tasks: Tasks for the output rows of operations and streams, by their nodes.
        end: Task for the rows of the query, if they come from an operation or a stream.
        behind: Plans of the program's stateful stages after the query, in order.
        labels: Labels of the buckets of keys.
    """

    session: SparkSession
    query: QueryNode
    plan: TaskPlan
    streams: Mapping[int, StreamPlan]
    levels: Mapping[int, LevelPlan]
    columnar: frozenset[int]
    sliced: Mapping[int, Branch]
    row_tasks: Mapping[int, RowTask]
    end: RowTask
    behind: tuple[LevelPlan, ...]
    labels: tuple[int, ...]

    @spark_refusals()
    def frame(
        self, records: Mapping[int, DataFrame], control: DataFrame | None = None, seconds: Seconds = _ALL
    ) -> DataFrame:
        """Return the DataFrame for the sink.

        Args:
            records: Records of each source, by its node.
            control: Control stream; None without stateful operations.
            seconds: Range of generated rows, as seconds since the start; None for all.
        """
        making = _FrameBuilder(self, records, iter(self.query.origins), control, seconds)
        rows = making.rows(self.query.relation)
        if self.behind:
            sent = [making.messages(node, self._written(frame)) for node, frame in rows]
            return staged([*sent, making.marks()], self.behind)
        frames = [self._written(frame).drop(TIME) for _, frame in rows]  # nothing after it needs watermarks
        return _united(frames if self.ends_in_rows else list(map(_shown, frames)))

    def messages(self, records: Mapping[int, DataFrame], control: DataFrame | None, seconds: Seconds) -> DataFrame:
        """Return what the chains and stages after the query send to another query; arguments as of ``frame``."""
        rows, task = self.frame(records, control, seconds), self.end if self.ends_in_rows else self.plan
        return rows if self.behind else map_in_arrow(rows, task.messages(self.labels or (0,)), MESSAGE_SCHEMA)

    @property
    def ends_in_rows(self) -> bool:
        """True if the final rows come from operations or streams, so that ``end`` takes them."""
        return bool(self.row_tasks) and not self.behind

    def making_ends(self, seconds: int) -> bool:
        """Return whether all generators have ended after so many seconds."""
        generated = any(len(source.within(seconds, seconds + 1)) for source in generators(self.query.relation))
        inner = (stream.query for stream in self.streams.values() if stream.query is not None)
        return not generated and all(query.making_ends(seconds) for query in inner)

    @property
    def is_native(self) -> bool:
        """True if Spark's own sink writes the rows."""
        return not self.row_tasks and native_refusal(self.query.target) is None

    def writer(self, records: Mapping[int, DataFrame]) -> DataStreamWriter:
        """Return Spark's own writer of records for the sink."""
        sink = self.query.target.sink
        assert isinstance(sink, KafkaTableSink)
        frame = self.frame(records)
        columns = [f"out_{name} AS {name}" for name in _OUT if name != "timestamp" and f"out_{name}" in frame.columns]
        return written_by_spark(frame.selectExpr(*columns), sink.sink)

    def _written(self, rows: DataFrame) -> DataFrame:
        """Return the rows in the form of the sink: encoded for Kafka and for files, unchanged otherwise."""
        sink, table = self.query.target.sink, self.query.target.table
        if table is None or sink is None:
            return rows
        drops_nulls = self.query.settings.drops_null
        return table_writer(sink).rows(rows, table, drops_nulls=drops_nulls, present=_present(rows))


@source_rows.register
def _of_stream(source: StreamTableSource, place: ScanPlace) -> DataFrame:
    return place.stream(source)


@attrs.define
class _FrameBuilder:
    """Builds DataFrames; each origin of rows is built once, in the order of ``origins``."""

    frames: PhysicalPlan
    records: Mapping[int, DataFrame]
    nodes: Iterator[int]
    control: DataFrame | None
    seconds: Seconds

    @property
    def _is_first(self) -> bool:
        """True in the first micro-batch of a query without Kafka; later ones only have generated rows."""
        return self.seconds[0] == 0

    def rows(self, relation: Relation) -> list[tuple[int, DataFrame]]:
        """Return the rows of each branch of a relation, with the node of its origin."""
        return [self._branch(branch) for branch in branches(relation)]

    def _branch(self, branch: Branch) -> tuple[int, DataFrame]:
        match branch.origin:
            case Scan() as scan:
                node = next(self.nodes)
                frame = self._scan(scan, branch, node)
            case Values() as values:
                node = next(self.nodes)
                frame = self._values(values, node)
            case Stateful() as stateful:
                merged = [self.rows(relation) for relation in stateful.merged]
                node = next(self.nodes)
                frame = self._stateful(stateful, node, merged)
        for step in self.frames.sliced.get(node, branch).steps:
            frame = with_step(frame, step)
        return node, frame

    def _scan(self, scan: Scan, branch: Branch, node: int) -> DataFrame:
        place = ScanPlace(
            session=self.frames.session,
            definition=scan.table,
            node=node,
            seconds=self.seconds,
            is_stream=self.control is not None and self.control.isStreaming,
            needed=partial(needed_columns, scan, branch, needs_time=self.control is not None),
            records=lambda: self.records[node],
            files=partial(self._files, node),
            stream=partial(self._stream, node=node),
        )
        frame = with_computed_columns(source_rows(source_of(scan.table), place), scan)
        if self.control is not None and scan.watermark is not None:
            column, delay_ms = scan.watermark
            name = column_names(column + 1)[-1]
            is_local = scan.fields[column].type.kind is Kind.TIMESTAMP_LTZ
            ms = (
                f"unix_millis({name})" if is_local else f"timestampdiff(MILLISECOND, TIMESTAMP_NTZ'1970-01-01', {name})"
            )
            frame = frame.withColumn(TIME, functions.expr(f"{ms} - {delay_ms - 1}"))
        return frame

    def _files(self, node: int) -> DataFrame:
        """Return the files of a table; if there are Kafka records, they come by the control stream."""
        files = self.records[node] if node in self.records else self._control(node)
        parallelism = self.frames.session.sparkContext.defaultParallelism
        kept = files if self._is_first else files.where("false")
        return kept.select("source", "value").repartition(parallelism)

    def _stream(self, source: StreamTableSource, node: int) -> DataFrame:
        """Return the rows that a stream's chains and keyed operators have sent."""
        frames, labels = self.frames, self.frames.labels
        before = frames.streams[node]
        records = {one: frame for one, frame in self.records.items() if one in before.sources}
        collections = set(before.sources) - set(records)  # which come by the control stream
        if before.query is not None:
            sent = before.query.messages(records, self.control, self.seconds)
        elif before.levels:
            sent = in_levels(frames.plan, before.levels)(records, self._control(CONTROL_NODE, *collections))
        else:
            every = [*records.values(), *([self._control(*collections)] if collections else [])]
            both = reduce(partial(DataFrame.unionByName, allowMissingColumns=True), every)
            kept = both if self._is_first else both.where("false")
            sent = map_in_arrow(kept, frames.plan.messages(labels or (0,)), MESSAGE_SCHEMA)
        schema = _unpacked([sent_type(field) for field in source.fields])
        rows = map_in_arrow(sent, Unpacking(node, arrow_schema_of(schema)), schema)
        names = column_names(len(source.fields))
        return rows.select(
            *hidden_columns(rows),
            *(
                as_type(functions.col(name), sent_type(field), field.type).alias(name)
                for name, field in zip(names, source.fields, strict=True)
            ),
        )

    def _values(self, values: Values, node: int) -> DataFrame:
        rows = ", ".join(f"({', '.join(map(spark_text, row))})" for row in values.rows)
        names = column_names(len(values.fields))
        frame = self.frames.session.sql(f"SELECT * FROM VALUES {rows} AS t({', '.join(names)})")  # noqa: S608
        return frame.where(functions.lit(self._is_first)).withColumn(_FROM, functions.lit(node)).coalesce(1)

    def _stateful(self, stateful: Stateful, node: int, merged: Sequence[Sequence[tuple[int, DataFrame]]]) -> DataFrame:
        frames = self.frames
        hashed = stateful.keys if node in frames.columnar else (None,) * len(merged)
        messages = [self.messages(*one, keys) for some, keys in zip(merged, hashed, strict=True) for one in some]
        out = staged([*messages, self.marks()], [frames.levels[node]])
        schema = _unpacked([field.type for field in stateful.fields])
        return map_in_arrow(out, Unpacking(node, arrow_schema_of(schema)), schema)

    def marks(self) -> DataFrame:
        """Return the watermarks as messages to every stateful stage."""
        return map_in_arrow(self._control(CONTROL_NODE), self.frames.plan.messages(self.frames.labels), MESSAGE_SCHEMA)

    def _control(self, *sources: int) -> DataFrame:
        """Return the rows of some sources in the control stream."""
        assert self.control is not None
        return self.control.where(functions.col("source").isin(*sources))

    def messages(self, node: int, rows: DataFrame, keys: Sequence[int] | None = None) -> DataFrame:
        """Return rows as messages to an operation; to the buckets of their keys, if these are given."""
        if keys is not None:
            hashed = functions.hash(*(f"c{place}" for place in keys)) if keys else functions.lit(0)
            rows = rows.withColumn(BUCKET, functions.pmod(hashed, len(self.frames.labels)).cast("int"))
        if node in self.frames.row_tasks:
            return map_in_arrow(rows, self.frames.row_tasks[node].messages(self.frames.labels), MESSAGE_SCHEMA)
        return map_in_arrow(_shown(rows), self.frames.plan.messages(self.frames.labels), MESSAGE_SCHEMA)


def _present(rows: DataFrame) -> Column | None:
    """Return the condition for the query's own rows; None if there are no others."""
    if _MESSAGE_KIND not in rows.columns:
        return None
    present = functions.col(_MESSAGE_KIND).isNull()
    return present & functions.coalesce(functions.col(KEPT), functions.lit(True)) if KEPT in rows.columns else present


def _unpacked(kinds: Sequence[DataType]) -> StructType:
    """Return the columns of rows that were messages: those of messages, the row kind, and the row's own."""
    types = (
        IntegerType(),
        StringType(),
        IntegerType(),
        StringType(),
        LongType(),
        BooleanType(),
        BinaryType(),
    )  # of MESSAGE_SCHEMA
    hidden = [StructField(name, kind) for name, kind in zip(HIDDEN, types, strict=True)]
    own = [StructField(name, spark_type(kind)) for name, kind in zip(column_names(len(kinds)), kinds, strict=True)]
    return StructType([*hidden, StructField(KIND, ByteType()), *own])


def _shown(frame: DataFrame) -> DataFrame:
    """Return rows with the columns of the source record under the names that chains read."""
    return frame.withColumnsRenamed({f"__{name}": name for name in _SOURCE})


def _united(frames: Sequence[DataFrame]) -> DataFrame:
    """Return the union of frames; rows without hidden columns that others have are inserts of the query."""
    meant = {name: text for name, text in _MEANT.items() if any(name in frame.columns for frame in frames)}
    whole = [
        frame.withColumns({name: functions.expr(text) for name, text in meant.items() if name not in frame.columns})
        for frame in frames
    ]

    def both(one: DataFrame, other: DataFrame) -> DataFrame:
        return one.unionByName(other, allowMissingColumns=True)

    return reduce(both, whole)
