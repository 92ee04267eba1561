"""Rows of queries, and records of their formats, computed by a local Spark that stays until the process ends."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any, Final, final

import attrs
import pyarrow as pa
from pyspark.sql import DataFrame, SparkSession, functions
from pyspark.sql.types import (
    ArrayType,
    BinaryType,
    ByteType,
    IntegerType,
    LongType,
    StringType,
    StructField,
    StructType,
)

from kafkastream.errors import KafkastreamError
from kafkastream.model.connectors.subscription import TopicPartition
from kafkastream.model.job.job_result import JobID
from kafkastream.spark.plan.row_steps import with_computed_columns, with_step
from kafkastream.spark.plan.table_encoder import encoded_records
from kafkastream.spark.plan.table_scan import scanned
from kafkastream.spark.session.query_settings import job_session
from kafkastream.spark.session.session import local_frame, spark_session
from kafkastream.spark.session.translate_errors import translated
from kafkastream.spark.sql.formats.spark_types import spark_type
from kafkastream.spark.sql.functions.user_functions import register
from kafkastream.spark.sql.rows.arrow_types import arrow_type
from kafkastream.spark.sql.rows.row_elements import TIME
from kafkastream.spark.sql.rows.wire_values import KIND, array_of, column_names, kinds_of, values_of
from kafkastream.spark.worker.worker_cache import JobAttempt
from kafkastream.sql.connectors import KafkaTableSink, KafkaTableSource
from kafkastream.sql.plan.branches import Branch
from kafkastream.sql.plan.expression import Call, Cast, CastMode, Literal, TypedExpression, rebuilt, user_calls
from kafkastream.sql.plan.insert_rows import written_columns
from kafkastream.sql.plan.query_node import QueryNode
from kafkastream.sql.plan.relations import Explode, Field, Project, Scan, Values, computations
from kafkastream.sql.plan.spark_text import KEPT, spark_text
from kafkastream.sql.table import ComputedColumn, TableDefinition
from kafkastream.sql.types import DataType, Kind
from kafkastream.testing.driver.arrivals import SentRecord
from kafkastream.testing.driver.capturing_sinks import WrittenRecord, partition_of
from kafkastream.testing.driver.sql.branches import BranchRows, Row, TimedRow
from kafkastream.testing.driver.sql.expressions import NOW

__all__ = ["SparkRows"]

_RECORD: Final = StructType(
    [
        StructField("source", IntegerType()),
        StructField("topic", StringType()),
        StructField("partition", IntegerType()),
        StructField("offset", LongType()),
        StructField("timestamp", LongType()),
        StructField("timestampType", IntegerType()),
        StructField("key", BinaryType()),
        StructField("value", BinaryType()),
        StructField(
            "headers", ArrayType(StructType([StructField("key", StringType()), StructField("value", BinaryType())]))
        ),
    ]
)
_CREATE_TIME: Final = 0
_SESSIONS: Final[dict[tuple[str, str], SparkSession]] = {}
"""Sessions by the application of Spark and the time zone."""
_INSTANT: Final = DataType.of(Kind.TIMESTAMP_LTZ, 3)


@final
class SparkRows:
    """Computes with Spark what a driven job's queries need it for.

    Args:
        job: Name of the job, for errors.
        parameters: Global job parameters, for functions.
        now: Returns the processing time, in ms.
    """

    def __init__(self, job: str, parameters: Mapping[str, str], now: Callable[[], int]) -> None:
        self._job = job
        self._attempt = JobAttempt(str(JobID()), job_parameters=parameters)
        self._now = now
        self._sessions: dict[str, SparkSession] = {}

    def branch(self, query: QueryNode, branch: Branch) -> BranchRows:
        """Return the rows of a branch of a query.

        Raises:
            SetupError: Spark does not start.
        """
        session = self._session(query.settings.time_zone)
        called = {call.spark_name for computed in computations(query.relation) for call in user_calls(computed)}
        register(session, [query.settings.functions[name] for name in sorted(called)], self._attempt)
        return _SparkBranch(session, self._job, branch, self._now)

    def read(
        self,
        definition: TableDefinition,
        source: KafkaTableSource,
        split: TopicPartition,
        records: Iterable[SentRecord],
        zone: str,
    ) -> list[Row]:
        """Return the rows of records, by the formats of their table.

        Args:
            definition: The table.
            source: Its source.
            split: Partition that the records come from.
            records: The records.
            zone: Time zone of the session.

        Raises:
            DeserializationError: A record is not of the format.
        """
        rows = [
            (
                0,
                split.topic,
                split.partition,
                record.offset(),
                record.timestamp()[1],
                _CREATE_TIME,
                record.key(),
                record.value(),
                record.headers(),
            )
            for record in records
        ]
        with _errors(self._job):
            frame = scanned(local_frame(self._session(zone), rows, _RECORD), definition, source)
            count = sum(not isinstance(column, ComputedColumn) for column in definition.schema.columns)
            return [row for row, _ in _collected(frame, count) if row is not None]

    def written(
        self, query: QueryNode, definition: TableDefinition, sink: KafkaTableSink, rows: Sequence[Row], partitions: int
    ) -> list[WrittenRecord]:
        """Return the records that a sink writes for rows.

        Args:
            query: Query whose rows they are.
            definition: Table of the sink.
            sink: The sink.
            rows: Rows.
            partitions: Number of partitions of its topics.

        Raises:
            SerializationError: A row cannot be written in the format.
        """
        fields = [Field(column.name, column.type) for column in written_columns(definition)]
        with _errors(self._job):
            frame = _frame(self._session(query.settings.time_zone), fields, rows)
            records = encoded_records(frame, definition, sink).toArrow().to_pylist()
        now = self._now()
        return [
            WrittenRecord(
                record["topic"],
                record["key"],
                record["value"],
                tuple((header["key"], header["value"]) for header in record.get("headers") or ()),
                now if record["timestamp"] is None else record["timestamp"],
                partition_of(record["key"], partitions),
            )
            for record in records
        ]

    def _session(self, zone: str) -> SparkSession:
        """Return the session of a time zone, which all drivers share: its settings take longer than a query."""
        if zone not in self._sessions:
            session = spark_session()
            key = session.sparkContext.applicationId, zone
            if key not in _SESSIONS:
                _SESSIONS[key] = job_session(session, zone)
            self._sessions[zone] = _SESSIONS[key]
        return self._sessions[zone]


@final
@attrs.frozen
class _SparkBranch(BranchRows):
    _session: SparkSession
    _job: str
    _branch: Branch
    _now: Callable[[], int]

    def of(self, rows: Iterable[Row]) -> Sequence[TimedRow]:
        """Return the rows of the branch."""
        origin = self._branch.origin
        given = list(rows)
        if not given:
            return []
        if not isinstance(origin, Scan):
            return self._through(_frame(self._session, origin.fields, given))
        origin = attrs.evolve(origin, expressions=tuple(map(self._at_this_time, origin.expressions)))
        stored = [
            Field(column.name, column.type)
            for column in origin.table.schema.columns
            if not isinstance(column, ComputedColumn)
        ]
        frame = with_computed_columns(_frame(self._session, stored, given), origin)
        if origin.watermark is not None:
            index, delay_ms = origin.watermark
            is_local = origin.fields[index].type.kind is Kind.TIMESTAMP_LTZ
            millis = (
                f"unix_millis(c{index})"
                if is_local
                else f"timestampdiff(MILLISECOND, TIMESTAMP_NTZ'1970-01-01', c{index})"
            )
            frame = frame.withColumn(TIME, functions.expr(f"{millis} - {delay_ms - 1}"))
        return self._through(frame)

    def constant(self) -> Sequence[TimedRow]:
        """Return the rows of VALUES."""
        origin = self._branch.origin
        if not isinstance(origin, Values):
            return []
        rows = ", ".join(f"({', '.join(map(spark_text, map(self._at_this_time, row)))})" for row in origin.rows)
        names = ", ".join(column_names(len(origin.fields)))
        frame = self._session.sql(f"SELECT * FROM VALUES {rows} AS t({names})").withColumn(TIME, functions.lit(None))  # noqa: S608
        return self._through(frame.coalesce(1))

    def _through(self, frame: DataFrame) -> Sequence[TimedRow]:
        with _errors(self._job):
            for step in self._branch.steps:
                frame = with_step(frame, self._step_at_this_time(step))
            return _collected(frame, len(self._branch.fields))

    def _step_at_this_time(self, step: Project | Explode) -> Project | Explode:
        if isinstance(step, Explode):
            return attrs.evolve(step, array=self._at_this_time(step.array))
        condition = None if step.condition is None else self._at_this_time(step.condition)
        return attrs.evolve(step, expressions=tuple(map(self._at_this_time, step.expressions)), condition=condition)

    def _at_this_time(self, expression: TypedExpression) -> TypedExpression:
        """Return the expression with the driver's processing time instead of Spark's."""
        match expression:
            case Call(function=name) if name in NOW:
                millis = Literal(self._now(), DataType.of(Kind.BIGINT).not_null())
                return Call("TO_TIMESTAMP_LTZ", (millis, Literal.whole(3)), _INSTANT)
            case Call(function="LOCALTIMESTAMP", type=type_):
                return Cast(self._at_this_time(Call("NOW", (), _INSTANT)), type_, CastMode.CAST)
            case _:
                return rebuilt(expression, self._at_this_time)


def _frame(session: SparkSession, fields: Sequence[Field], rows: Sequence[Row]) -> DataFrame:
    """Return rows as a DataFrame with their kinds, and without event time."""
    names = column_names(len(fields))
    schema = StructType(
        [
            StructField(KIND, ByteType()),
            StructField(TIME, LongType()),
            *(StructField(name, spark_type(field.type)) for name, field in zip(names, fields, strict=True)),
        ]
    )
    kinds, *columns = zip(*rows, strict=True)
    zone = session.conf.get("spark.sql.session.timeZone") or "UTC"
    arrays = [pa.array(kinds, pa.int8()), pa.nulls(len(rows), pa.int64())]
    arrays += [array_of(column, arrow_type(field.type, zone)) for column, field in zip(columns, fields, strict=True)]
    return local_frame(session, pa.table(arrays, [KIND, TIME, *names]), schema)


def _collected(frame: DataFrame, width: int) -> list[TimedRow]:
    """Return the rows of a DataFrame, each with its event time, and None for those that are left out."""
    wanted = [name for name in frame.columns if name in {KIND, TIME, KEPT}]
    rows: list[TimedRow] = []
    for arrow in frame.select(*wanted, *column_names(width)).toArrow().to_batches():
        columns = [values_of(arrow[name]) for name in column_names(width)]
        times: list[Any] = arrow[TIME].to_pylist() if TIME in wanted else [None] * arrow.num_rows
        kept_flags = arrow[KEPT].to_pylist() if KEPT in wanted else [True] * arrow.num_rows
        for row, time, is_kept in zip(zip(kinds_of(arrow), *columns, strict=True), times, kept_flags, strict=True):
            rows.append((row if is_kept else None, time))
    return rows


@contextmanager
def _errors(job: str) -> Iterator[None]:
    """Raise Spark's errors within a ``with`` block as those of a job."""
    try:
        yield
    except KafkastreamError:
        raise
    except Exception as error:
        raise translated(error, job, "") from error
