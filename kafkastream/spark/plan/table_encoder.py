"""Encodes the rows of a table as Kafka records."""

from __future__ import annotations

from typing import Final, final

import attrs
from pyspark.sql import Column, DataFrame, functions

from kafkastream.model.common.row import RowKind
from kafkastream.spark.sql.formats.message_format import encoder_of, message_of
from kafkastream.spark.sql.formats.metadata_casts import as_type
from kafkastream.spark.sql.formats.python_steps import MessageEncoder, encoded_messages
from kafkastream.spark.sql.rows.row_elements import EncodedRecords
from kafkastream.spark.sql.rows.sink_rows import (
    TableWriter,
    columns_by_name,
    failing,
    is_other,
    row_kind,
    table_writer,
    taken,
)
from kafkastream.spark.worker.record_decoders import Decoder
from kafkastream.sql.changelog import ChangelogMode
from kafkastream.sql.connectors import KafkaTableSink
from kafkastream.sql.connectors.key_value_fields import RecordPart
from kafkastream.sql.connectors.records import RecordsAsEncoded
from kafkastream.sql.plan.query_node import QueryNode
from kafkastream.sql.table import TableDefinition

__all__ = ["encoded_records"]

_KEY: Final = "key"
_VALUE: Final = "value"
_PROBLEM: Final = "problem"
_OUT: Final = ("topic", _KEY, _VALUE, "headers", "timestamp")
_HEADERS: Final = "array<struct<key:string,value:binary>>"


def encoded_records(
    rows: DataFrame,
    definition: TableDefinition,
    sink: KafkaTableSink,
    *,
    drops_nulls: bool = False,
    present: Column | None = None,
) -> DataFrame:
    """Return rows encoded as Kafka records.

    In an ``upsert-kafka`` table a DELETE becomes a tombstone, and UPDATE_BEFORE no record.

    Args:
        rows: Rows with hidden columns, whose names begin with ``__``, among them ``__kind`` unless all rows are
            inserts; and ``c0``, ``c1`` and so on: the physical columns and the metadata columns that are not VIRTUAL,
            in their order, with their declared types.
        definition: The table.
        sink: The table's sink.
        drops_nulls: Whether to drop a row with NULL in a NOT NULL column; otherwise it fails the query
            (``table.exec.sink.not-null-enforcer``).
        present: Condition for the query's own rows; other rows pass unchanged. None if all are.

    Returns:
        The hidden columns; and ``topic``, ``key``, ``value``, ``headers`` if the table writes any, and ``timestamp`` in
        milliseconds.

    Raises:
        UnsupportedFeatureError: A format cannot be written, or cannot hold a column.
    """
    is_upsert = sink.changelog is ChangelogMode.UPSERT
    rows = taken(rows, definition, is_upsert=is_upsert, drops_nulls=drops_nulls, present=present)
    kind = row_kind(rows)
    passes = is_other(present)
    columns = columns_by_name(definition)
    value = _message(sink.value, columns, kind)
    if is_upsert and kind is not None:
        value = functions.when(kind != RowKind.DELETE.value, value)
    key = functions.lit(None).cast("binary") if sink.key is None else _message(sink.key, columns, None)
    told = {
        field.column.key: as_type(columns[field.column.name], field.column.type, field.type) for field in sink.metadata
    }
    hidden = [functions.col(name) for name in rows.columns if name.startswith("__")]
    serializer = sink.sink.record_serializer
    assert isinstance(serializer, RecordsAsEncoded)
    encoders = _encoders(sink)
    if encoders:
        given = {_KEY: key, _VALUE: value}
        rows = rows.select(
            *hidden,
            *(columns[field.column.name] for field in sink.metadata),
            *(_for_python(message, name in encoders, passes).alias(name) for name, message in given.items()),
        )
        rows = _checked(encoded_messages(rows, encoders, _PROBLEM))
        key, value = functions.col(_KEY), functions.col(_VALUE)
    return rows.select(
        *hidden,
        told.get("topic", functions.lit(serializer.topic).cast("string")).alias("topic"),
        _raw(told.get("__raw_key__"), key).alias("key"),
        _raw(told.get("__raw_value__"), value).alias("value"),
        *_headers(told),
        _milliseconds(told.get("timestamp")).alias("timestamp"),
    )


def _message(part: RecordPart, columns: dict[str, Column], kind: Column | None) -> Column:
    return message_of(part, [columns[field.column] for field in part.fields], kind)


def _encoders(sink: KafkaTableSink) -> dict[str, MessageEncoder]:
    """Return the encoders of messages that Spark expressions cannot encode, by the names of their columns."""
    parts = {_KEY: sink.key, _VALUE: sink.value}
    found = {name: encoder_of(part) for name, part in parts.items() if part is not None}
    return {name: encoder for name, encoder in found.items() if encoder is not None}


def _for_python(message: Column, is_plain: bool, passes: Column) -> Column:
    """Return a message; a row that Python will encode is NULL for rows that are not the query's."""
    return functions.when(~passes, message) if is_plain else message


def _checked(rows: DataFrame) -> DataFrame:
    """Return the rows; fails the query at a row that could not be encoded."""
    problem = functions.col(_PROBLEM)
    return rows.filter(functions.when(problem.isNull(), True).otherwise(failing(problem)))


def _raw(text: Column | None, message: Column) -> Column:
    """Return the text that a row has as its key or value, instead of encoded fields."""
    return message if text is None else functions.coalesce(text.cast("binary"), message)


def _headers(told: dict[str, Column]) -> list[Column]:
    """Return the column with headers, if rows have any."""
    if "headers" in told:
        found = functions.map_entries(told["headers"])
    elif "header-list" in told:
        found = told["header-list"]
    else:
        return []
    return [functions.coalesce(found.cast(_HEADERS), functions.array().cast(_HEADERS)).alias("headers")]


def _milliseconds(time: Column | None) -> Column:
    return functions.lit(None).cast("bigint") if time is None else functions.unix_millis(time)


@final
@attrs.frozen
class _Records(TableWriter):
    """Encoded Kafka records, in columns that begin with ``out_``."""

    sink: KafkaTableSink

    def rows(self, rows: DataFrame, table: TableDefinition, *, drops_nulls: bool, present: Column | None) -> DataFrame:
        """Return the records."""
        records = encoded_records(rows, table, self.sink, present=present, drops_nulls=drops_nulls)
        return records.withColumnsRenamed({name: f"out_{name}" for name in _OUT})

    def decoder(self, query: QueryNode) -> Decoder:
        """Return the decoder of columns to records."""
        return EncodedRecords()


@table_writer.register
def _(sink: KafkaTableSink) -> TableWriter:
    return _Records(sink)
