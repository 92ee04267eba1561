"""Metadata columns of Kafka tables."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final, final

import attrs

from kafkastream.model.common.immutable import FrozenMap
from kafkastream.sql.casting import castable
from kafkastream.sql.formats import Format
from kafkastream.sql.table import MetadataColumn
from kafkastream.sql.table_options import TableOptions, did_you_mean
from kafkastream.sql.types import DataType, Kind, RowField

__all__ = [
    "READABLE",
    "TOPIC_KEY",
    "VALUE_PREFIX",
    "MetadataField",
    "metadata_field",
    "read_metadata",
    "written_metadata",
]

VALUE_PREFIX: Final = "value."
TOPIC_KEY: Final = "topic"
_HEADERS: Final = "headers"
_HEADER_LIST: Final = "header-list"
_STRING: Final = DataType.string()
_BYTES: Final = DataType.bytes_()
_TIME: Final = DataType.of(Kind.TIMESTAMP_LTZ, 3)
_HEADER_MAP: Final = DataType.of(Kind.MAP, parts=(_STRING, _BYTES))


def _list_of_headers(key: DataType, header_is_nullable: bool) -> DataType:
    header = DataType.of(Kind.ROW, fields=(RowField("key", key), RowField("value", _BYTES)))
    return DataType.of(Kind.ARRAY, parts=(header if header_is_nullable else header.not_null(),))


READABLE: Final[Mapping[str, DataType]] = FrozenMap(
    {
        TOPIC_KEY: _STRING.not_null(),
        "partition": DataType.of(Kind.INT).not_null(),
        _HEADERS: _HEADER_MAP.not_null(),
        _HEADER_LIST: _list_of_headers(_STRING.not_null(), False).not_null(),
        "leader-epoch": DataType.of(Kind.INT),
        "offset": DataType.of(Kind.BIGINT).not_null(),
        "timestamp": _TIME.not_null(),
        "timestamp-type": _STRING.not_null(),
        "__raw_key__": _STRING.not_null(),
        "__raw_value__": _STRING.not_null(),
    }
)
"""Metadata of a source; ``leader-epoch`` is always NULL, since Spark does not read it."""

_WRITABLE: Final[Mapping[str, DataType]] = FrozenMap(
    {
        TOPIC_KEY: _STRING.not_null(),
        _HEADERS: _HEADER_MAP,
        _HEADER_LIST: _list_of_headers(_STRING, True),
        "timestamp": _TIME,
        "__raw_key__": _STRING,
        "__raw_value__": _STRING,
    }
)
"""Metadata of a sink; ``topic`` only if it has several topics."""


@final
@attrs.frozen
class MetadataField:
    """A metadata column.

    Args:
        column: Declaration of the column.
        type: Type of the metadata in the source or sink, from or to which the column's type is cast.
    """

    column: MetadataColumn
    type: DataType


def read_metadata(options: TableOptions, value: Format) -> tuple[MetadataField, ...]:
    """Return the metadata columns of a source.

    Raises:
        DefinitionError: There is no such metadata, or it cannot be cast to the column's type.
    """
    of_format = {VALUE_PREFIX + key: type_ for key, type_ in value.metadata.items()}
    known = {**of_format, **READABLE}
    return tuple(metadata_field(options, column, known) for column in options.definition.schema.metadata)


def written_metadata(options: TableOptions, writes_topic: bool) -> tuple[MetadataField, ...]:
    """Return the metadata columns that a sink writes: those that are not VIRTUAL.

    Args:
        options: Options of the table.
        writes_topic: Whether rows choose their topic.

    Raises:
        DefinitionError: There is no such metadata of a sink, or the column's type cannot be cast to it.
    """
    known = {key: type_ for key, type_ in _WRITABLE.items() if writes_topic or key != TOPIC_KEY}
    columns = [column for column in options.definition.schema.metadata if not column.is_virtual]
    fields = tuple(metadata_field(options, column, known, is_read=False) for column in columns)
    keys = {column.key for column in columns}
    if {_HEADERS, _HEADER_LIST} <= keys:
        raise options.column_refusal(
            f"The writable metadata is ambiguous. Please use either metadata key '{_HEADERS}' or '{_HEADER_LIST}'.",
            next(column.name for column in columns if column.key == _HEADER_LIST),
        )
    return fields


def metadata_field(
    options: TableOptions,
    column: MetadataColumn,
    known: Mapping[str, DataType],
    name: str | None = None,
    *,
    is_read: bool = True,
) -> MetadataField:
    """Return a metadata column of a source or a sink.

    Args:
        options: Options of the table.
        column: Declaration of the column.
        known: Types of the supported metadata, by key.
        name: Flink's name of the connector, for errors; default: Kafka's.
        is_read: Whether the column is read; otherwise it is written.

    Raises:
        DefinitionError: There is no such metadata, or its type cannot be cast from or to the column's.
    """
    if column.key not in known:
        side, verb = ("Source", "reading") if is_read else ("Sink", "writing")
        is_read_only = not is_read and (column.key in READABLE or column.key.startswith(VALUE_PREFIX))
        raise options.column_refusal(
            f"Invalid metadata key '{column.key}' in column '{column.name}' of table '{options.definition.identifier}'. "
            f"The DynamicTable{side} class '{name or f'KafkaDynamic{side}'}' supports the following metadata keys for {verb}: "
            f"{', '.join(known)}",
            column.name,
            "It can only be read: declare the column VIRTUAL, and INSERT leaves it out."
            if is_read_only
            else did_you_mean(column.key, known),
        )
    type_ = known[column.key]
    if not (castable(type_, column.type) if is_read else castable(column.type, type_)):
        key = "" if column.key == column.name else f" with metadata key '{column.key}'"
        raise options.column_refusal(
            f"Invalid data type for metadata column '{column.name}'{key} of table '{options.definition.identifier}'. "
            f"The column cannot be declared as '{column.type}' because the type must be castable "
            f"{'from' if is_read else 'to'} metadata type '{type_}'.",
            column.name,
        )
    return MetadataField(column, type_)
