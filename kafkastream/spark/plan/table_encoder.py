"""The rows of a table as its sink takes them, and as records for Kafka."""

from __future__ import annotations

from functools import reduce
from typing import Final

from pyspark.sql import Column, DataFrame, functions

from kafkastream.model.common.row import RowKind
from kafkastream.spark.session.translate_errors import BAD_ROW
from kafkastream.spark.sql.formats.message_format import encoder_of, message_of
from kafkastream.spark.sql.formats.metadata_casts import as_type
from kafkastream.spark.sql.formats.python_steps import MessageEncoder, encoded_messages
from kafkastream.spark.sql.rows.wire_values import KIND
from kafkastream.sql.changelog import ChangelogMode
from kafkastream.sql.connectors import KafkaTableSink
from kafkastream.sql.connectors.key_value_fields import RecordPart
from kafkastream.sql.connectors.records import RecordsAsEncoded
from kafkastream.sql.plan.insert_rows import written_columns
from kafkastream.sql.table import TableDefinition

__all__ = ["encoded", "taken"]

_KEY: Final = "key"
_VALUE: Final = "value"
_PROBLEM: Final = "problem"
_HEADERS: Final = "array<struct<key:string,value:binary>>"


def encoded(
    rows: DataFrame,
    definition: TableDefinition,
    sink: KafkaTableSink,
    *,
    drops_nulls: bool = False,
    present: Column | None = None,
) -> DataFrame:
    """The records that rows become.

    In an ``upsert-kafka`` table a row that goes away becomes a record without a value, and the old row of an update none.

    Args:
        rows: The rows: hidden columns, whose names begin with ``__``, among them ``__kind`` where there are others than
            new rows; and ``c0``, ``c1`` and so on, the physical columns and the metadata columns that are not VIRTUAL,
            in their order, with their declared types.
        definition: The table.
        sink: How it is written.
        drops_nulls: Whether a row with NULL in a column without NULL is left out; otherwise it fails the query
            (``table.exec.sink.not-null-enforcer``).
        present: Which rows are the query's; the others pass untouched. All, if None.

    Returns:
        The hidden columns; and ``topic``, ``key``, ``value``, ``headers`` if the table writes any, and ``timestamp`` in
        milliseconds.

    Raises:
        UnsupportedFeatureError: A format cannot be written, or cannot hold a column.
    """
    is_upsert = sink.changelog is ChangelogMode.UPSERT
    rows = taken(rows, definition, is_upsert=is_upsert, drops_nulls=drops_nulls, present=present)
    kind = _kind(rows)
    passes = _passes(present)
    columns = _columns(definition)
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


def taken(
    rows: DataFrame,
    definition: TableDefinition,
    *,
    is_upsert: bool,
    drops_nulls: bool = False,
    present: Column | None = None,
) -> DataFrame:
    """Return the rows that a sink takes.

    Args:
        rows: The rows, as with ``encoded``.
        definition: The table.
        is_upsert: Whether the old rows of updates are left out.
        drops_nulls: Whether a row with NULL in a column without NULL is left out; otherwise it fails the query.
        present: Which rows are the query's; all, if None.
    """
    kind, passes = _kind(rows), _passes(present)
    if is_upsert and kind is not None:
        rows = rows.filter(passes | (kind != RowKind.UPDATE_BEFORE.value))
    columns = _columns(definition)
    required = {
        column.name: columns[column.name] for column in written_columns(definition) if not column.type.is_nullable
    }
    passes = passes if kind is None else passes | (kind == RowKind.DELETE.value)
    return _without_nulls(rows, required, passes, drops_nulls)


def _kind(rows: DataFrame) -> Column | None:
    return functions.col(KIND) if KIND in rows.columns else None


def _passes(present: Column | None) -> Column:
    return functions.lit(False) if present is None else ~present


def _columns(definition: TableDefinition) -> dict[str, Column]:
    return {column.name: functions.col(f"c{place}") for place, column in enumerate(written_columns(definition))}


def _message(part: RecordPart, columns: dict[str, Column], kind: Column | None) -> Column:
    return message_of(part, [columns[field.column] for field in part.fields], kind)


def _encoders(sink: KafkaTableSink) -> dict[str, MessageEncoder]:
    """What encodes the messages that expressions do not, by the names of their columns."""
    parts = {_KEY: sink.key, _VALUE: sink.value}
    found = {name: encoder_of(part) for name, part in parts.items() if part is not None}
    return {name: encoder for name, encoder in found.items() if encoder is not None}


def _for_python(message: Column, is_plain: bool, passes: Column) -> Column:
    """A message as it is; where it is a row that is to be encoded, none for rows that pass."""
    return functions.when(~passes, message) if is_plain else message


def _checked(rows: DataFrame) -> DataFrame:
    """The rows, if there is none that could not be encoded."""
    problem = functions.col(_PROBLEM)
    return rows.filter(functions.when(problem.isNull(), True).otherwise(_failure(problem)))


def _failure(problem: Column) -> Column:
    """Fails the query, by a row."""
    text = functions.concat(
        functions.lit(f"{BAD_ROW} [partition "),
        functions.spark_partition_id().cast("string"),
        functions.lit("] "),
        problem,
        functions.lit(" [end]"),
    )
    return functions.raise_error(text).cast("boolean")


def _raw(text: Column | None, message: Column) -> Column:
    """A text that a row has for a key or a value, instead of what its fields make."""
    return message if text is None else functions.coalesce(text.cast("binary"), message)


def _headers(told: dict[str, Column]) -> list[Column]:
    """The column with headers, if rows bring any."""
    if "headers" in told:
        found = functions.map_entries(told["headers"])
    elif "header-list" in told:
        found = told["header-list"]
    else:
        return []
    return [functions.coalesce(found.cast(_HEADERS), functions.array().cast(_HEADERS)).alias("headers")]


def _milliseconds(time: Column | None) -> Column:
    return functions.lit(None).cast("bigint") if time is None else functions.unix_millis(time)


def _without_nulls(rows: DataFrame, required: dict[str, Column], passes: Column, drops_nulls: bool) -> DataFrame:
    """The rows, of which those fail or are left out that have NULL where none may be, unless they pass as they are."""
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
    return rows.filter(functions.when(is_whole, True).otherwise(_failure(problem)))
