"""Decodes Kafka records to the rows of a table."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from itertools import chain
from typing import Final

import attrs
from pyspark.sql import Column, DataFrame, functions

from kafkastream.model.common.row import RowKind
from kafkastream.model.connectors.record_deserialization import TimestampType
from kafkastream.spark.plan.source_rows import ScanPlace, source_rows
from kafkastream.spark.session.translate_errors import BAD_RECORD
from kafkastream.spark.sql.formats.message_format import reader_of
from kafkastream.spark.sql.formats.message_reading import Fail, Reader
from kafkastream.spark.sql.formats.metadata_casts import as_type
from kafkastream.spark.sql.formats.python_steps import PROBLEM
from kafkastream.spark.sql.formats.spark_types import spark_type
from kafkastream.spark.sql.rows.wire_values import KIND
from kafkastream.sql.changelog import ChangelogMode
from kafkastream.sql.connectors import KafkaTableSource
from kafkastream.sql.connectors.header_filter import HeaderCondition, HeaderFilter, HeaderOperator
from kafkastream.sql.connectors.key_value_fields import RecordPart
from kafkastream.sql.connectors.metadata import VALUE_PREFIX, MetadataField
from kafkastream.sql.table import ComputedColumn, MetadataColumn, PhysicalColumn, TableDefinition

__all__ = ["POSITION", "bad_record", "read_messages", "scanned", "table_columns"]

POSITION: Final = ("source", "topic", "partition", "offset", "timestamp")
"""Fields of a record that its rows carry, in hidden columns: ``__`` and these names."""
_KEY: Final = "key"
_VALUE: Final = "value"
_KEY_PARSED: Final = "key_parsed"
_VALUE_PARSED: Final = "value_parsed"
_KEY_ROW: Final = "key_row"
_VALUE_ROW: Final = "value_row"
_OTHERS: Final = "others"
_OTHER: Final = "other"
_TIMESTAMP_TYPES: Final = {one.value: one.label for one in TimestampType}


def scanned(
    records: DataFrame, definition: TableDefinition, source: KafkaTableSource, needed: Collection[str] | None = None
) -> DataFrame:
    """Return the rows of a table, without its computed columns.

    A record that cannot be decoded fails the query, with a text that ``translated`` parses, unless the format ignores
    parse errors.
    As in Flink: a record without a key gives no row if key fields are read, except with ``raw``; a message that is an
    array of objects gives a row for each of them.

    Args:
        records: Records with the columns ``source``, ``topic``, ``partition``, ``offset``, ``timestamp`` in
            milliseconds, ``timestampType``, ``key``, ``value`` and ``headers``.
        definition: The table.
        source: The table's source.
        needed: Physical columns that the query reads; the others may be NULL. None for all.

    Returns:
        ``__source``, ``__topic``, ``__partition``, ``__offset``, ``__timestamp``; ``__kind`` unless the table is
        insert-only; and the columns of the table, ``c0``, ``c1`` and so on.

    Raises:
        UnsupportedFeatureError: A format cannot be read, or cannot hold a column.
    """
    if source.header_filter is not None:
        records = records.filter(_matches(source.header_filter))
    if source.key is not None:
        reader = reader_of(source.key)
        records = read_messages(records, reader, (_KEY, _KEY_PARSED, _KEY_ROW), _failure)
    is_upsert = source.changelog is ChangelogMode.UPSERT
    wanted = {
        field.column.key.removeprefix(VALUE_PREFIX)
        for field in source.metadata
        if field.column.key.startswith(VALUE_PREFIX)
    }
    if needed is not None:
        source = attrs.evolve(source, value=source.value.pruned(needed))
    reader = reader_of(source.value, sorted(wanted))
    records = read_messages(records, reader, (_VALUE, _VALUE_PARSED, _VALUE_ROW), _failure, is_upsert=is_upsert)
    kinds = _kinds(source.changelog)
    physical = _physical(source, has_changes=reader.changes is not None)
    metadata = {field.column: _metadata(field) for field in source.metadata}
    hidden = [functions.col(name).alias(f"__{name}") for name in POSITION]
    return records.select(*hidden, *kinds, *table_columns(definition, physical, metadata))


@source_rows.register
def _rows(source: KafkaTableSource, place: ScanPlace) -> DataFrame:
    return scanned(place.records(), place.definition, source, place.needed())


def table_columns(
    definition: TableDefinition, physical: Mapping[int, Column], metadata: Mapping[MetadataColumn, Column]
) -> Iterator[Column]:
    """Return the columns of a table without computed ones, ``c0``, ``c1`` and so on.

    Args:
        definition: The table.
        physical: Physical columns by position; missing ones are NULL.
        metadata: Metadata columns by their declarations.
    """
    places = {column: place for place, column in enumerate(definition.schema.physical)}
    columns = (column for column in definition.schema.columns if not isinstance(column, ComputedColumn))
    for place, column in enumerate(columns):
        if isinstance(column, PhysicalColumn):
            found = physical.get(places[column], functions.lit(None).cast(spark_type(column.type)))
        else:
            found = metadata[column]
        yield found.alias(f"c{place}")


def read_messages(
    records: DataFrame, reader: Reader, names: tuple[str, str, str], fail: Fail, *, is_upsert: bool = False
) -> DataFrame:
    """Return records with the rows of their messages, one row each.

    Args:
        records: The records.
        reader: Reader of the format.
        names: Name of the column with messages; of one for parsed messages; and prefix of the row's columns.
        fail: Returns an expression that fails the query with the position of a record.
        is_upsert: Whether a message that is NULL is a row as well.
    """
    message, parsed, row = names
    bytes_, found, kept = functions.col(message), functions.col(parsed), list(records.columns)
    if reader.decode is None:
        steps = records.withColumn(parsed, reader.parsed(bytes_))
    else:
        steps = reader.decode(records, message, parsed)
    is_row, other = reader.is_plain(found), functions.lit(None)
    if reader.others is not None:
        steps = steps.withColumn(_OTHERS, reader.others(found, bytes_, fail))
        # Explode a column, and outer: otherwise Spark filters before it, and parses twice.
        steps = steps.select(*kept, parsed, functions.explode_outer(_OTHERS).alias(_OTHER))
        other = functions.col(_OTHER)
        is_row |= other.isNotNull()
    if is_upsert:
        is_row |= bytes_.isNull()
    if reader.decode is not None:  # one condition: Spark would evaluate IS NOT NULL before everything else
        problem = _problem(found, bytes_, None if is_upsert else reader.null_problem)
        is_row = functions.when(problem.isNull(), is_row).otherwise(fail(problem).cast("boolean"))
    if is_upsert or not reader.reads_null:
        steps = steps.filter(is_row)
    fields = reader.finished(found, other, fail)
    if reader.changes is None:
        return steps.select(*kept, *(field.alias(f"{row}{place}") for place, field in enumerate(fields)))
    steps = steps.select(*kept, functions.struct(*fields).alias(row))
    changes = reader.changes(functions.col(row), bytes_, fail)
    return steps.select(*kept, functions.explode(changes).alias(row))


def _problem(found: Column, bytes_: Column, null_problem: str | None) -> Column:
    """Return why a message that Python has decoded fails the query; NULL if it does not."""
    problem = found.getField(PROBLEM)
    return problem if null_problem is None else functions.when(bytes_.isNull(), null_problem).otherwise(problem)


def _failure(problem: Column) -> Column:
    """Return an expression that fails the query with the position of a record."""
    return bad_record(problem, topic="topic", partition="partition", offset="offset")


def bad_record(problem: Column, **position: str) -> Column:
    """Return an expression that fails the query with a text that ``translated`` recognizes.

    Args:
        problem: Reason why a record cannot be read.
        position: Columns with the position of the record, by their names in the text.
    """
    told = (
        (functions.lit(f"{', ' if number else ''}{name} "), functions.col(column).cast("string"))
        for number, (name, column) in enumerate(position.items())
    )
    begin, end = functions.lit(f"{BAD_RECORD} ["), functions.lit(" [end]")
    return functions.raise_error(functions.concat(begin, *chain.from_iterable(told), functions.lit("] "), problem, end))


def _kinds(changelog: ChangelogMode) -> list[Column]:
    match changelog:
        case ChangelogMode.APPEND:
            return []
        case ChangelogMode.UPSERT:
            kind = functions.when(functions.col(_VALUE).isNull(), RowKind.DELETE.value).otherwise(
                RowKind.UPDATE_AFTER.value
            )
            return [kind.cast("tinyint").alias(KIND)]
        case ChangelogMode.RETRACT:
            return [functions.col(_VALUE_ROW).getField("kind").alias(KIND)]


def _physical(source: KafkaTableSource, *, has_changes: bool) -> dict[int, Column]:
    """Return the physical columns by position; fields of both value and key are read from the value."""
    columns = {} if source.key is None else _fields(source.key, _KEY_ROW)
    value = _fields(source.value, _VALUE_ROW)
    if has_changes:
        row = functions.col(_VALUE_ROW).getField("row")
        value = {field.index: row.getField(field.name) for field in source.value.fields}
    for index, column in value.items():
        is_in_key = index in columns and source.changelog is ChangelogMode.UPSERT
        columns[index] = (
            functions.when(functions.col(_VALUE).isNull(), columns[index]).otherwise(column) if is_in_key else column
        )
    return columns


def _fields(part: RecordPart, row: str) -> dict[int, Column]:
    return {field.index: functions.col(f"{row}{place}") for place, field in enumerate(part.fields)}


def _metadata(field: MetadataField) -> Column:
    return as_type(_told(field), field.type, field.column.type)


def _told(field: MetadataField) -> Column:
    """Return the column with a record's metadata."""
    headers = functions.coalesce(
        functions.col("headers"), functions.array().cast("array<struct<key:string,value:binary>>")
    )
    match field.column.key:
        case "timestamp":
            return functions.timestamp_millis(functions.col("timestamp"))
        case "timestamp-type":
            type_ = functions.lit("NoTimestampType")
            for number, name in _TIMESTAMP_TYPES.items():
                type_ = functions.when(functions.col("timestampType") == number, name).otherwise(type_)
            return type_
        case "leader-epoch":
            return functions.lit(None).cast("int")
        case "headers":
            return functions.map_from_entries(_last_of_each(headers))
        case "header-list":
            return headers.cast(spark_type(field.type))
        case "__raw_key__":
            return functions.make_valid_utf8(functions.col(_KEY).cast("string"))
        case "__raw_value__":
            return functions.make_valid_utf8(functions.col(_VALUE).cast("string"))
        case key if key.startswith(VALUE_PREFIX):
            return functions.col(_VALUE_ROW).getField("metadata").getField(key.removeprefix(VALUE_PREFIX))
        case key:
            return functions.col(key)


def _last_of_each(headers: Column) -> Column:
    """Return the last header of each name, which Flink's map keeps."""
    names = functions.transform(headers, lambda header: header.getField("key"))

    def is_last(header: Column, index: Column) -> Column:
        later = functions.slice(names, index + 2, functions.size(names))
        return ~functions.array_contains(later, header.getField("key"))

    return functions.filter(headers, is_last)


def _matches(keeps: HeaderFilter) -> Column:
    kept = _holds(keeps.first)
    for operator, condition in keeps.others:
        kept = kept & _holds(condition) if operator is HeaderOperator.AND else kept | _holds(condition)
    return kept


def _holds(condition: HeaderCondition) -> Column:
    found = functions.exists(
        functions.col("headers"),
        lambda header: (
            (header.getField("key") == condition.key)
            & header.getField("value").eqNullSafe(functions.lit(condition.value).cast("binary"))
        ),
    )
    holds = functions.coalesce(found, functions.lit(False))
    return ~holds if condition.is_negated else holds
