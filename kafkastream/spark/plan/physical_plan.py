"""The frames of a query: its tables decoded, its rows computed by Spark, its operations with state on keyed operators."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
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
from kafkastream.model.connectors.kafka_sink import DeliveryGuarantee
from kafkastream.model.graph.graph_nodes import CONTROL_NODE
from kafkastream.spark.exchange.shuffle_messages import MESSAGE_SCHEMA
from kafkastream.spark.exchange.stateful_stage import LevelPlan
from kafkastream.spark.exchange.task_plan import TaskPlan
from kafkastream.spark.internals.python import arrow_schema_of
from kafkastream.spark.plan.file_scan import files_scanned
from kafkastream.spark.plan.generated_rows import generated
from kafkastream.spark.plan.keyed_query import in_levels, staged
from kafkastream.spark.plan.passthrough import written_by_spark
from kafkastream.spark.plan.spark_refusals import spark_refusals
from kafkastream.spark.plan.table_scan import scanned
from kafkastream.spark.sql.formats.metadata_casts import as_type
from kafkastream.spark.sql.formats.spark_types import spark_type
from kafkastream.spark.sql.functions.user_functions import callable_on
from kafkastream.spark.sql.rows.columnar_parts import BUCKET
from kafkastream.spark.sql.rows.row_elements import TIME
from kafkastream.spark.sql.rows.row_task import HIDDEN, RowTask, Unpacking
from kafkastream.spark.sql.rows.sink_rows import table_writer
from kafkastream.spark.sql.rows.stream_rows import sent_type
from kafkastream.spark.sql.rows.wire_values import KIND, column_names
from kafkastream.sql.connectors import (
    DataGenTableSource,
    FileTableSource,
    KafkaTableSink,
    KafkaTableSource,
    StreamTableSource,
    source_of,
)
from kafkastream.sql.connectors.records import RecordsAsEncoded
from kafkastream.sql.plan.branches import Branch, branches
from kafkastream.sql.plan.column_pruning import needed_columns
from kafkastream.sql.plan.query_node import QueryNode
from kafkastream.sql.plan.relations import Explode, Project, Relation, Scan, Stateful, Values
from kafkastream.sql.plan.source_compatibility import generators
from kafkastream.sql.plan.spark_text import KEPT, spark_text
from kafkastream.sql.types import DataType, Kind

__all__ = ["PhysicalPlan", "StreamPlan"]

_SOURCE: Final = ("source", "topic", "partition", "offset", "timestamp")
"""What tells where rows come from, which chains want under these names; between, they are hidden."""
_FROM: Final = f"__{_SOURCE[0]}"
_MEANT: Final = {KIND: f"{RowKind.INSERT.value}Y", KEPT: "true"}
"""What hidden columns say of rows without them."""
_MESSAGE_KIND: Final = HIDDEN[1]
_OUT: Final = ("topic", "key", "value", "headers", "timestamp")

Seconds = tuple[int, int | None]
_ALL: Final[Seconds] = (0, None)


@final
@attrs.frozen
class StreamPlan:
    """Stream that the rows of a query are made of.

    Args:
        sources: The nodes of its sources.
        levels: What its keyed operators do, one stage after the other.
    """

    sources: tuple[int, ...]
    levels: tuple[LevelPlan, ...] = ()


@final
@attrs.frozen
class PhysicalPlan:
    """Makes the frames of a query.

    Args:
        session: The query's own.
        query: The query.
        plan: What the chains of its sources do.
        streams: What comes before the rows of its streams, by their nodes.
        levels: What its operations with state do, by their nodes.
        columnar: Those to which rows come as columns.
        row_tasks: What takes their rows, and those of streams, by their nodes.
        end: What takes the rows of the query, where they come out of such.
        behind: What the keyed operators do that a program has put behind the query, one stage after the other.
        labels: Of the buckets that rows are sorted into.
    """

    session: SparkSession
    query: QueryNode
    plan: TaskPlan
    streams: Mapping[int, StreamPlan]
    levels: Mapping[int, LevelPlan]
    columnar: frozenset[int]
    row_tasks: Mapping[int, RowTask]
    end: RowTask
    behind: tuple[LevelPlan, ...]
    labels: tuple[int, ...]

    @spark_refusals()
    def frame(
        self, records: Mapping[int, DataFrame], control: DataFrame | None = None, seconds: Seconds = _ALL
    ) -> DataFrame:
        """Frame for the sink.

        Args:
            records: The records of each source, by its node.
            control: The stream that tells how far time has come; None without operations with state.
            seconds: Which of the rows that are made up, by how many seconds are over before and after them.
        """
        making = _FrameBuilder(self, records, iter(self.query.origins), control, seconds)
        rows = making.rows(self.query.relation)
        if self.behind:
            sent = [making.messages(node, self._written(frame)) for node, frame in rows]
            return staged([*sent, making.marks()], self.behind)
        frames = [self._written(frame).drop(TIME) for _, frame in rows]  # nobody behind asks how far rows bring time
        return _united(frames if self.ends_in_rows else list(map(_shown, frames)))

    @property
    def ends_in_rows(self) -> bool:
        """Whether there are rows at the end, out of operations or streams, so that ``end`` takes them."""
        return bool(self.row_tasks) and not self.behind

    def making_ends(self, seconds: int) -> bool:
        """Whether there are no more rows that are made up, when so many seconds are over."""
        return not any(len(source.within(seconds, seconds + 1)) for source in generators(self.query.relation))

    @property
    def is_native(self) -> bool:
        """Whether Spark's own sink can write with the same result: it knows no timestamps and no transactions."""
        sink = self.query.target.sink
        if not isinstance(sink, KafkaTableSink) or self.row_tasks:
            return False
        serializer = sink.sink.record_serializer
        assert isinstance(serializer, RecordsAsEncoded)
        writes_time = any(field.column.key == "timestamp" for field in sink.metadata)
        is_exact = sink.sink.delivery_guarantee is DeliveryGuarantee.EXACTLY_ONCE
        return serializer.partitioner is None and not writes_time and not is_exact

    def writer(self, records: Mapping[int, DataFrame]) -> DataStreamWriter:
        """Spark's own sink for what the sink takes."""
        sink = self.query.target.sink
        assert isinstance(sink, KafkaTableSink)
        frame = self.frame(records)
        columns = [f"out_{name} AS {name}" for name in _OUT if name != "timestamp" and f"out_{name}" in frame.columns]
        return written_by_spark(frame.selectExpr(*columns), sink.sink)

    def _written(self, rows: DataFrame) -> DataFrame:
        """Rows as the sink takes them: encoded for Kafka and for files, as they are otherwise."""
        sink, table = self.query.target.sink, self.query.target.table
        if table is None or sink is None:
            return rows
        drops_nulls = self.query.settings.drops_null
        return table_writer(sink).rows(rows, table, drops_nulls=drops_nulls, present=_present(rows))


@attrs.define
class _FrameBuilder:
    """The frames that are being made; each origin is made once, in the order of ``origins``."""

    frames: PhysicalPlan
    records: Mapping[int, DataFrame]
    nodes: Iterator[int]
    control: DataFrame | None
    seconds: Seconds

    @property
    def _is_first(self) -> bool:
        """Whether these are the first rows; later ones are only such that are made up."""
        return self.seconds[0] == 0

    def rows(self, relation: Relation) -> list[tuple[int, DataFrame]]:
        """The rows of each branch of a relation, with the node of its origin."""
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
        for step in branch.steps:
            frame = _projected(frame, step) if isinstance(step, Project) else _exploded(frame, step)
        return node, frame

    def _scan(self, scan: Scan, branch: Branch, node: int) -> DataFrame:
        match source_of(scan.table):
            case DataGenTableSource() as made_up:
                frame = generated(self.frames.session, made_up, made_up.within(*self.seconds))
                frame = frame.withColumn(_FROM, functions.lit(node))
            case StreamTableSource() as stream:
                frame = self._stream(stream, node)
            case FileTableSource() as files:
                needed = needed_columns(scan, branch, needs_time=self.control is not None)
                frame = files_scanned(self._files(node), scan.table, files, needed)
            case KafkaTableSource() as source:
                needed = needed_columns(scan, branch, needs_time=self.control is not None)
                frame = scanned(self.records[node], scan.table, source, needed)
        if scan.expressions:
            columns = [
                f"{spark_text(one)} AS {name}"
                for one, name in zip(scan.expressions, column_names(len(scan.expressions)), strict=True)
            ]
            frame = callable_on(frame, scan.expressions, scan.changelog).selectExpr(*_hidden(frame), *columns)
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
        """The files of a table, which come with the stream that tells of time where there are records of Kafka."""
        files = self.records[node] if node in self.records else self._control(node)
        parallelism = self.frames.session.sparkContext.defaultParallelism
        kept = files if self._is_first else files.where("false")
        return kept.select("source", "value").repartition(parallelism)

    def _stream(self, source: StreamTableSource, node: int) -> DataFrame:
        """The elements of a stream, which its chains and keyed operators have sent as rows."""
        frames, labels = self.frames, self.frames.labels
        before = frames.streams[node]
        records = {one: frame for one, frame in self.records.items() if one in before.sources}
        collections = set(before.sources) - set(records)  # which come with the stream that tells of time
        if before.levels:
            sent = in_levels(frames.plan, before.levels)(records, self._control(CONTROL_NODE, *collections))
        else:
            every = [*records.values(), *([self._control(*collections)] if collections else [])]
            both = reduce(partial(DataFrame.unionByName, allowMissingColumns=True), every)
            kept = both if self._is_first else both.where("false")
            sent = kept.mapInArrow(frames.plan.messages(labels or (0,)), MESSAGE_SCHEMA)
        schema = _unpacked([sent_type(field) for field in source.fields])
        rows = sent.mapInArrow(Unpacking(node, arrow_schema_of(schema)), schema)
        names = column_names(len(source.fields))
        return rows.select(
            *_hidden(rows),
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
        return out.mapInArrow(Unpacking(node, arrow_schema_of(schema)), schema)

    def marks(self) -> DataFrame:
        """Watermarks, as every stateful stage is to know them."""
        return self._control(CONTROL_NODE).mapInArrow(self.frames.plan.messages(self.frames.labels), MESSAGE_SCHEMA)

    def _control(self, *sources: int) -> DataFrame:
        """The rows of some sources in the stream that tells how far time has come."""
        assert self.control is not None
        return self.control.where(functions.col("source").isin(*sources))

    def messages(self, node: int, rows: DataFrame, keys: Sequence[int] | None = None) -> DataFrame:
        """Messages to the operation that takes the rows; with the buckets of their keys, if these are given."""
        if keys is not None:
            hashed = functions.hash(*(f"c{place}" for place in keys)) if keys else functions.lit(0)
            rows = rows.withColumn(BUCKET, functions.pmod(hashed, len(self.frames.labels)).cast("int"))
        if node in self.frames.row_tasks:
            return rows.mapInArrow(self.frames.row_tasks[node].messages(self.frames.labels), MESSAGE_SCHEMA)
        return _shown(rows).mapInArrow(self.frames.plan.messages(self.frames.labels), MESSAGE_SCHEMA)


def _present(rows: DataFrame) -> Column | None:
    """Condition for the query's own rows, where there are others between them; None if all are."""
    if _MESSAGE_KIND not in rows.columns:
        return None
    present = functions.col(_MESSAGE_KIND).isNull()
    return present & functions.coalesce(functions.col(KEPT), functions.lit(True)) if KEPT in rows.columns else present


def _unpacked(kinds: Sequence[DataType]) -> StructType:
    """The columns of a frame with rows that were messages: those of messages, the kind of a row, and its own."""
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


def _projected(frame: DataFrame, step: Project) -> DataFrame:
    """Columns computed of each row; where rows that are not wanted still tell the time, they stay, and are marked."""
    hidden = _hidden(frame)
    frame = callable_on(frame, step.computed, step.input.changelog)
    names = column_names(len(step.expressions))
    keeps = TIME in hidden or HIDDEN[0] in hidden
    condition = None if step.condition is None else functions.expr(spark_text(step.condition))
    if condition is not None and not keeps:
        frame = frame.where(condition)
    elif condition is not None:
        wanted = functions.coalesce(condition, functions.lit(False))
        wanted = functions.when(functions.expr(_is_row(hidden)), wanted).otherwise(functions.lit(False))
        frame = frame.withColumn(KEPT, wanted)
        hidden = _hidden(frame)
    marked = KEPT in hidden
    columns = [
        functions.expr(f"CASE WHEN {KEPT} THEN {text} END" if marked else text).alias(name)
        for name, text in zip(names, map(spark_text, step.expressions), strict=True)
    ]
    return frame.select(*hidden, *columns)


def _exploded(frame: DataFrame, step: Explode) -> DataFrame:
    hidden = _hidden(frame)
    own = column_names(len(step.input.fields))
    new = column_names(len(step.fields))[len(own) :]
    keeps = TIME in hidden or HIDDEN[0] in hidden
    array = spark_text(step.array)
    if keeps:
        before = _is_row(hidden)
        # CASE, since Spark may compute a common part of both sides of AND for all rows.
        wanted = before if step.outer else f"CASE WHEN {before} THEN coalesce(size({array}), 0) > 0 ELSE false END"
        frame = frame.withColumn(KEPT, functions.expr(wanted))
        hidden, array = _hidden(frame), f"CASE WHEN {KEPT} THEN {array} END"
    generator = "inline_outer" if keeps or step.outer else "inline"
    return frame.selectExpr(*hidden, *own, f"{generator}({array}) AS ({', '.join(new)})")


def _is_row(hidden: Collection[str]) -> str:
    """SQL condition for the query's own rows; the others tell time, or are messages."""
    return KEPT if KEPT in hidden else f"{_MESSAGE_KIND} IS NULL" if _MESSAGE_KIND in hidden else "true"


def _hidden(frame: DataFrame) -> list[str]:
    return [name for name in frame.columns if name.startswith("__")]


def _shown(frame: DataFrame) -> DataFrame:
    """With what tells where rows come from under the names by which chains know it."""
    return frame.withColumnsRenamed({f"__{name}": name for name in _SOURCE})


def _united(frames: Sequence[DataFrame]) -> DataFrame:
    """All rows; those that do not say so, where others do, are new, and the query's."""
    meant = {name: text for name, text in _MEANT.items() if any(name in frame.columns for frame in frames)}
    whole = [
        frame.withColumns({name: functions.expr(text) for name, text in meant.items() if name not in frame.columns})
        for frame in frames
    ]

    def both(one: DataFrame, other: DataFrame) -> DataFrame:
        return one.unionByName(other, allowMissingColumns=True)

    return reduce(both, whole)
