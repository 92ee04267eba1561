"""Rows with named fields as JSON objects."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, ClassVar, final

import attrs

from kafkastream.errors import DefinitionError
from kafkastream.model.common.argument_checks import checked_methods
from kafkastream.model.common.row import Row
from kafkastream.model.common.types import RowTypeInfo, TypeInformation
from kafkastream.model.formats.json_reading import JsonReading
from kafkastream.model.formats.json_schema import row_type_of
from kafkastream.model.formats.json_writing import row_writer
from kafkastream.model.formats.schema import DeserializationSchema, SerializationSchema, non_null

__all__ = [
    "JsonRowDeserializationSchema",
    "JsonRowDeserializationSchemaBuilder",
    "JsonRowSerializationSchema",
    "JsonRowSerializationSchemaBuilder",
]


@final
@attrs.frozen
class JsonRowDeserializationSchema(DeserializationSchema[Row]):
    """A JSON object per record to a row with named fields, by the rules of Flink's class of this name.

    A missing field is None, unless ``fail_on_missing_field``. Members that the type does not name are ignored. Text
    is converted to numbers and numbers to text where the type asks for it; a number with a fraction is cut for INT
    and LONG; FLOAT is rounded to 32 bits. Dates are ``2024-02-29``, times ``12:30:01Z``, timestamps
    ``2024-02-29T12:30:01.123Z``, byte arrays base64. A tombstone fails the job unless errors are ignored.
    Differs from Flink: elements of a ``Types.LIST`` are converted like those of an array; timestamps end at
    microseconds and years at 9999, as Python's do.

    Attributes:
        type_info: The rows' type.
        fail_on_missing_field: Whether a field that is not there fails the job.
        ignore_parse_errors: Whether a field that cannot be converted becomes None, and a record that is not a JSON
            object is dropped; otherwise both fail the job with the record's position.

    Raises:
        DefinitionError: The type is not a row type, or both switches are on.
        UnsupportedFeatureError: The type has a part that JSON rows cannot hold.

    Example:
        >>> from kafkastream.common import Types
        >>> order = Types.ROW_NAMED(["id", "price"], [Types.LONG(), Types.DOUBLE()])
        >>> schema = JsonRowDeserializationSchema.builder().type_info(order).build()
        >>> schema.deserialize(b'{"id": 7, "price": "1.5", "note": "gift"}')
        Row(id=7, price=1.5)
    """

    Builder: ClassVar[type[JsonRowDeserializationSchemaBuilder]]

    _type_info: RowTypeInfo
    _fail_on_missing_field: bool = False
    _ignore_parse_errors: bool = False
    _read: Callable[[bytes], Row | None] = attrs.field(init=False, eq=False, repr=False)

    def __attrs_post_init__(self) -> None:
        if not isinstance(self._type_info, RowTypeInfo):
            raise _no_row_type("JsonRowDeserializationSchema", self._type_info)
        if self._fail_on_missing_field and self._ignore_parse_errors:
            raise DefinitionError(
                "JSON format doesn't support failOnMissingField and ignoreParseErrors are both true",
                where="JsonRowDeserializationSchema",
                now="Leave one of them out.",
            )
        object.__setattr__(self, "_read", self.reading.reader(self.reading.parser()))

    @staticmethod
    def builder() -> JsonRowDeserializationSchemaBuilder:
        """Begin to define a schema."""
        return JsonRowDeserializationSchemaBuilder()

    @property
    def reading(self) -> JsonReading:
        """Reader of messages with these settings."""
        return JsonReading(self._type_info, self._fail_on_missing_field, self._ignore_parse_errors)

    def deserialize(self, message: bytes | None) -> Row | None:
        """Return the row of a JSON object; None for ``null``."""
        if message is None and self._ignore_parse_errors:
            return None
        return self._read(non_null(message))

    def get_produced_type(self) -> RowTypeInfo:
        """Return the rows' type."""
        return self._type_info

    getProducedType = get_produced_type

    def __reduce__(self) -> tuple[type[JsonRowDeserializationSchema], tuple[RowTypeInfo, bool, bool]]:
        return (type(self), (self._type_info, self._fail_on_missing_field, self._ignore_parse_errors))


@final
@checked_methods
class JsonRowDeserializationSchemaBuilder:
    """Builder of a ``JsonRowDeserializationSchema``."""

    def __init__(self, schema: TypeInformation[Row] | str | None = None) -> None:
        self._type_info: Any = None
        self._fails = False
        self._ignores = False
        if isinstance(schema, str):
            self.json_schema(schema)
        else:
            self._type_info = schema

    def type_info(self, type_info: TypeInformation[Row]) -> JsonRowDeserializationSchemaBuilder:
        """Set the type of the rows.

        Args:
            type_info: ``Types.ROW_NAMED`` with the names of the members to read.
        """
        self._type_info = type_info
        return self

    typeInfo = type_info

    def json_schema(self, json_schema: str) -> JsonRowDeserializationSchemaBuilder:
        """Set the type of the rows by a JSON schema.

        Args:
            json_schema: Text of the schema.

        Raises:
            DefinitionError: The text is not a JSON schema, or has parts that rows cannot hold.
        """
        self._type_info = row_type_of(json_schema)
        return self

    jsonSchema = json_schema

    def fail_on_missing_field(self) -> JsonRowDeserializationSchemaBuilder:
        """Fail the job on a record that lacks a field; without this the field is None."""
        self._fails = True
        return self

    failOnMissingField = fail_on_missing_field

    def ignore_parse_errors(self) -> JsonRowDeserializationSchemaBuilder:
        """Make a field None that cannot be converted, and drop a record that is not a JSON object."""
        self._ignores = True
        return self

    ignoreParseErrors = ignore_parse_errors

    def build(self) -> JsonRowDeserializationSchema:
        """Return the schema.

        Raises:
            DefinitionError: There is no type of rows, or both switches are on.
            UnsupportedFeatureError: The type has a part that JSON rows cannot hold.
        """
        return JsonRowDeserializationSchema(self._type_info, self._fails, self._ignores)


JsonRowDeserializationSchema.Builder = JsonRowDeserializationSchemaBuilder


@final
@attrs.frozen
class JsonRowSerializationSchema(SerializationSchema[Row]):
    """A row to a JSON object without blanks, its fields in the type's order, None as ``null``, as Flink writes it.

    Rows of a declared type are written by position, as in Flink. Rows without one, which PyFlink cannot write, are
    written by name if they have the names of the schema.
    Differs from Flink: rows, times and timestamps within a MAP or LIST are refused, where Flink writes them otherwise
    than elsewhere.

    Raises:
        DefinitionError: The type is not a row type.
        UnsupportedFeatureError: The type has a part that JSON rows cannot hold.

    Example:
        >>> from kafkastream.common import Types
        >>> order = Types.ROW_NAMED(["id", "price"], [Types.LONG(), Types.DOUBLE()])
        >>> JsonRowSerializationSchema.builder().with_type_info(order).build().serialize(Row(7, None))
        b'{"id":7,"price":null}'
    """

    Builder: ClassVar[type[JsonRowSerializationSchemaBuilder]]

    _type_info: RowTypeInfo
    _write: Callable[[Row], str] = attrs.field(init=False, eq=False, repr=False)

    def __attrs_post_init__(self) -> None:
        if not isinstance(self._type_info, RowTypeInfo):
            raise _no_row_type("JsonRowSerializationSchema", self._type_info)
        object.__setattr__(self, "_write", row_writer(self._type_info))

    @property
    def row_type(self) -> RowTypeInfo:
        """Type of the rows."""
        return self._type_info

    @staticmethod
    def builder() -> JsonRowSerializationSchemaBuilder:
        """Begin to define a schema."""
        return JsonRowSerializationSchemaBuilder()

    def serialize(self, element: Row) -> bytes:
        """Return the JSON text of a row, in UTF-8."""
        return self._write(element).encode()

    def __reduce__(self) -> tuple[type[JsonRowSerializationSchema], tuple[RowTypeInfo]]:
        return (type(self), (self._type_info,))


@final
@checked_methods
class JsonRowSerializationSchemaBuilder:
    """Builder of a ``JsonRowSerializationSchema``."""

    def __init__(self, type_info: TypeInformation[Row] | None = None) -> None:
        self._type_info: Any = type_info

    def with_type_info(self, type_info: TypeInformation[Row]) -> JsonRowSerializationSchemaBuilder:
        """Set the type of the rows.

        Args:
            type_info: ``Types.ROW_NAMED`` with the names of the members to write.
        """
        self._type_info = type_info
        return self

    withTypeInfo = with_type_info

    def build(self) -> JsonRowSerializationSchema:
        """Return the schema.

        Raises:
            DefinitionError: There is no type of rows.
            UnsupportedFeatureError: The type has a part that JSON rows cannot hold.
        """
        return JsonRowSerializationSchema(self._type_info)


JsonRowSerializationSchema.Builder = JsonRowSerializationSchemaBuilder


def _no_row_type(where: str, given: object) -> DefinitionError:
    return DefinitionError(
        f"the type of its rows is {given!r}" if given is not None else "it has no type information",
        where=where,
        now="Give it Types.ROW_NAMED(names, types).",
    )
