"""Base class of change event formats: JSON to changelog rows and back, by Spark expressions."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import ClassVar, Final, NamedTuple, TypeAlias, final

import attrs
from pyspark.sql import Column, functions

from kafkastream.model.common.row import RowKind
from kafkastream.spark.sql.formats.json_message_reading import AS_JACKSON, json_reader
from kafkastream.spark.sql.formats.json_message_writing import json_message, json_value
from kafkastream.spark.sql.formats.message_format import MessageFormat
from kafkastream.spark.sql.formats.message_reading import Fail, Reader
from kafkastream.sql.connectors.key_value_fields import RecordPart
from kafkastream.sql.formats.json_format import JsonSettings
from kafkastream.sql.types import DataType, Kind, RowField

__all__ = [
    "FIELD_NAMES",
    "SCHEMA",
    "TEXTS",
    "Change",
    "ChangeFormat",
    "EventField",
    "before_update",
    "event_fields",
    "fields_of",
    "milliseconds",
    "unknown",
]

SCHEMA: Final = "schema"
"""Field of an event, next to its ``payload``, that holds its schema."""
TEXTS: Final = DataType.of(Kind.MAP, parts=(DataType.string(), DataType.string()))
FIELD_NAMES: Final = "map<string,string>"
"""Spark type of a row of which only the names of the fields matter."""
_STRING: Final = DataType.string()

Change: TypeAlias = Callable[[RowKind, Column], Column]
"""Function from a row kind and the fields of a row to a change."""


class EventField(NamedTuple):
    """A field of an event that a metadata column is read from.

    Attributes:
        field: Its name.
        type: Type that it is parsed with.
        value: Function from the field to the metadata.
    """

    field: str
    type: DataType = _STRING
    value: Callable[[Column], Column] = lambda column: column


def milliseconds(column: Column) -> Column:
    """Return the timestamp of a number of milliseconds since 1970."""
    return functions.timestamp_millis(column.cast("bigint"))


def event_fields(**types: DataType) -> tuple[RowField, ...]:
    """Return the fields of an event by their names."""
    return tuple(RowField(name, type_) for name, type_ in types.items())


def fields_of(message: Column, name: str, data_type: str) -> Column:
    """Return a field of an event with another type than that of the rows, such as ``FIELD_NAMES``."""
    return functions.from_json(message.cast("string"), f"{name} {data_type}", AS_JACKSON).getField(name)


def before_update(old: Column, new: Column, name: str, has_changed: Column) -> Column:
    """Return a field of a row before an update, for events whose ``old`` holds only the fields that have changed.

    A field that ``old`` lacks has not changed; one that is null there was NULL.

    Args:
        old: Row with the fields that have changed.
        new: Row after the update.
        name: Name of the field.
        has_changed: Whether ``old`` has the field.
    """
    return functions.when(has_changed, old.getField(name)).otherwise(new.getField(name)).alias(name)


@attrs.frozen
class ChangeFormat(MessageFormat):
    """A format of change events: each event gives the changes of its rows; an empty message gives none.

    Differs from Flink: events that ``database.include`` or ``table.include`` filter out must fit the schema as well.

    Args:
        settings: The options that the user has set.
    """

    metadata: ClassVar[Mapping[str, EventField]]
    """Fields of events, by the keys of metadata columns."""

    settings: JsonSettings

    @property
    def is_enveloped(self) -> bool:
        """True if events are in ``payload``, next to their schema."""
        return False

    @abstractmethod
    def fields(self, row: DataType) -> tuple[RowField, ...]:
        """Return the fields of an event that its changes are read from.

        Args:
            row: The type of the rows.
        """

    @abstractmethod
    def changes(self, row: DataType, event: Column, message: Column, change: Change, fail: Fail) -> Column:
        """Return the changes of an event as an array; NULL for none.

        Args:
            row: The type of the rows.
            event: The parsed event.
            message: Message that it was parsed from.
            change: Function that makes a change.
            fail: Expression that fails the job, or NULL if parse errors are ignored.
        """

    @abstractmethod
    def event(self, data: Column, is_new: Column) -> tuple[Column, ...]:
        """Return the fields of an event to write.

        Args:
            data: The row.
            is_new: Whether the row is inserted; otherwise it is deleted.
        """

    def reader(self, part: RecordPart, metadata: Sequence[str]) -> Reader:
        """Parse change events."""
        row = part.row_type
        wanted = _Metadata({key: self.metadata[key] for key in metadata}, self.is_enveloped)
        fields = self.fields(row)
        known = {field.name for field in fields}
        payload = (*fields, *(one for one in wanted.fields if one.name not in known and not wanted.is_outside(one)))
        if self.is_enveloped:
            outside = tuple(filter(wanted.is_outside, wanted.fields))
            payload = (RowField("payload", DataType.of(Kind.ROW, fields=payload)), *outside)
        events = json_reader(DataType.of(Kind.ROW, fields=payload), self.settings)
        return events._replace(changes=partial(self._changed, row, wanted))

    def _changed(self, row: DataType, wanted: _Metadata, event: Column, message: Column, fail: Fail) -> Column:
        payload = event.getField("payload") if self.is_enveloped else event
        metadata = wanted.values(payload, event)

        def change(kind: RowKind, values: Column) -> Column:
            return functions.struct(
                functions.lit(kind.value).cast("tinyint").alias("kind"), values.alias("row"), metadata.alias("metadata")
            )

        def refuse(problem: Column) -> Column:
            return functions.lit(None) if self.settings.ignore_parse_errors else fail(problem)

        return self.changes(row, payload, message, change, refuse)

    def message(self, part: RecordPart, columns: Sequence[Column], kind: Column | None) -> Column:
        """Write change events; as in Flink, an update becomes a delete of the old row and an insert of the new one."""
        values = (
            json_value(column, field.type, self.settings).alias(field.name)
            for column, field in zip(columns, part.row_type.fields, strict=True)
        )
        is_new = functions.lit(True) if kind is None else kind.isin(RowKind.INSERT.value, RowKind.UPDATE_AFTER.value)
        event = functions.struct(*self.event(functions.struct(*values), is_new))
        return json_message(event, part.row_type, self.settings)


@final
@attrs.frozen
class _Metadata:
    """Metadata columns to read from events.

    Args:
        wanted: Fields of the metadata, by its keys.
        is_enveloped: Whether events are in ``payload``, next to their schema.
    """

    wanted: Mapping[str, EventField]
    is_enveloped: bool

    @property
    def fields(self) -> tuple[RowField, ...]:
        """Return the fields of an event with metadata; the schema field exists only in events with a schema."""
        types = {one.field: one.type for one in self.wanted.values() if self.is_enveloped or one.field != SCHEMA}
        return event_fields(**types)

    def is_outside(self, field: RowField) -> bool:
        """Return whether a field is next to the payload, not in it."""
        return self.is_enveloped and field.name == SCHEMA

    def values(self, event: Column, envelope: Column) -> Column:
        """Return a struct of the metadata, named by its keys."""

        def value(one: EventField) -> Column:
            if one.field != SCHEMA:
                return one.value(event.getField(one.field))
            return envelope.getField(SCHEMA) if self.is_enveloped else functions.lit(None).cast("string")

        return functions.struct(
            *(value(one).alias(key) for key, one in self.wanted.items()), functions.lit(None).cast("tinyint").alias("")
        )


def unknown(field: str, value: Column, of: str) -> Column:
    """Return the error text for an event of an unknown type."""
    return functions.concat(
        functions.lit(f'Corrupt {of} JSON message: unknown "{field}" value "'),
        functions.coalesce(value, functions.lit("null")),
        functions.lit('", or no row.'),
    )
