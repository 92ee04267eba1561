"""Rows of a declared type are written by position, as Flink's schemas do: the type's names do not reach them."""

from __future__ import annotations

from typing import Any, final

import attrs

from kafkastream.model.common.row import Row
from kafkastream.model.common.types import RowTypeInfo, TypeInformation
from kafkastream.model.formats.avro_row import AvroRowSerializationSchema
from kafkastream.model.formats.csv_row import CsvRowSerializationSchema
from kafkastream.model.formats.json_row import JsonRowSerializationSchema
from kafkastream.model.formats.schema import InitializationContext, SerializationSchema

__all__ = ["by_position"]


def by_position(schema: SerializationSchema[Any] | None, element_type: TypeInformation[Any] | None) -> Any:
    """Return a schema that writes the elements of a declared type by position.

    PyFlink converts rows of a declared type to Java's, which have no names, before they reach a schema. Rows without a
    declared type, which PyFlink cannot write, are written by name.

    Args:
        schema: Schema of a sink's keys or values.
        element_type: Declared type of the sink's elements, if any.
    """
    if not isinstance(schema, (AvroRowSerializationSchema, CsvRowSerializationSchema, JsonRowSerializationSchema)):
        return schema
    is_by_name = _names(element_type) == _names(schema.row_type)
    return schema if element_type is None or is_by_name else _ByPosition(schema)


def _names(type_info: TypeInformation[Any] | None) -> Any:
    """Return the names of rows at all depths: where they are equal, position and name are the same."""
    if type_info is None:
        return None
    names = type_info.get_field_names() if isinstance(type_info, RowTypeInfo) else []
    return names, [_names(element) for element in type_info.elements]


@final
@attrs.frozen
class _ByPosition(SerializationSchema[Any]):
    schema: SerializationSchema[Any]

    def open(self, context: InitializationContext) -> None:
        self.schema.open(context)

    def serialize(self, element: Any) -> bytes | None:
        return self.schema.serialize(_without_names(element))


def _without_names(value: Any) -> Any:
    match value:
        case Row():
            return Row.of_kind(value.get_row_kind(), *map(_without_names, value))
        case list():
            return list(map(_without_names, value))
        case _:
            return value
