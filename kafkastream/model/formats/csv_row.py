"""Rows as lines of CSV."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, ClassVar, Generic, TypeVar, final

import attrs
from typing_extensions import Self

from kafkastream.errors import DefinitionError
from kafkastream.model.common.argument_checks import checked_methods
from kafkastream.model.common.row import Row
from kafkastream.model.common.types import RowTypeInfo, TypeInformation
from kafkastream.model.formats.csv_reading import CsvReading
from kafkastream.model.formats.csv_text import CsvDialect
from kafkastream.model.formats.csv_writing import CsvWriting
from kafkastream.model.formats.schema import DeserializationSchema, SerializationSchema, non_null

__all__ = [
    "CsvRowBuilder",
    "CsvRowDeserializationSchema",
    "CsvRowDeserializationSchemaBuilder",
    "CsvRowSerializationSchema",
    "CsvRowSerializationSchemaBuilder",
]

S = TypeVar("S", CsvReading, CsvWriting)

_LINE_DELIMITERS = ("\n", "\r", "\r\n", "")


@checked_methods
class CsvRowBuilder(Generic[S]):
    """Setters of the dialect of CSV that is read or written."""

    def __init__(self, settings: S) -> None:
        self._settings: S = settings

    def set_array_element_delimiter(self, delimiter: str) -> Self:
        """Set the text between elements of arrays, and between fields of nested rows.

        Args:
            delimiter: Text of any length; a semicolon by default.

        Raises:
            DefinitionError: The text is empty.
        """
        return self._with(array_delimiter=_text(delimiter))

    setArrayElementDelimiter = set_array_element_delimiter

    def set_quote_character(self, c: str) -> Self:
        """Set the character around quoted columns.

        Args:
            c: The character; a double quote by default.

        Raises:
            DefinitionError: The text has not one character.
        """
        return self._with_dialect(quote=_character(c))

    setQuoteCharacter = set_quote_character

    def set_escape_character(self, c: str) -> Self:
        """Set the escape character: the one after it is read as it is, and within quotes it is written twice.

        Args:
            c: The character; none by default.

        Raises:
            DefinitionError: The text has not one character.
        """
        return self._with_dialect(escape=_character(c))

    setEscapeCharacter = set_escape_character

    def _with(self, **changes: Any) -> Self:
        self._settings = attrs.evolve(self._settings, **changes)
        return self

    def _with_dialect(self, **changes: Any) -> Self:
        return self._with(dialect=attrs.evolve(self._settings.dialect, **changes))


@final
@attrs.frozen
class CsvRowDeserializationSchema(DeserializationSchema[Row]):
    """A line of CSV per record to a row, by the rules of Flink's class of this name; made with its ``Builder``.

    Columns go to the fields by position; text keeps its blanks, numbers do not. Dates are ``2024-02-29``, times
    ``12:30:01``, timestamps ``2024-02-29 12:30:01.5``, byte arrays base64. An empty column is an empty string, and an
    error for a number. Of several lines the first is read. A tombstone fails the job unless errors are ignored.
    Differs from Flink: timestamps end at microseconds, as Python's do.

    Raises:
        UnsupportedFeatureError: The type has a part that CSV rows cannot hold.

    Example:
        >>> from kafkastream.common import Types
        >>> order = Types.ROW_NAMED(["item", "counts"], [Types.STRING(), Types.OBJECT_ARRAY(Types.INT())])
        >>> CsvRowDeserializationSchema.Builder(order).build().deserialize(b'"cup, small",1;2')
        Row(item='cup, small', counts=[1, 2])
    """

    Builder: ClassVar[type[CsvRowDeserializationSchemaBuilder]]

    reading: CsvReading
    _read: Callable[[bytes], Row | None] = attrs.field(init=False, eq=False, repr=False)

    def __attrs_post_init__(self) -> None:
        object.__setattr__(self, "_read", self.reading.reader())

    def deserialize(self, message: bytes | None) -> Row | None:
        """Return the row of a line."""
        if message is None and self.reading.ignore_parse_errors:
            return None
        return self._read(non_null(message))

    def get_produced_type(self) -> RowTypeInfo:
        """Return the rows' type."""
        return self.reading.type_info

    getProducedType = get_produced_type

    def __reduce__(self) -> tuple[type[CsvRowDeserializationSchema], tuple[CsvReading]]:
        return (type(self), (self.reading,))


@final
@checked_methods
class CsvRowDeserializationSchemaBuilder(CsvRowBuilder[CsvReading]):
    """Builder of a ``CsvRowDeserializationSchema``.

    Args:
        type_info: The rows' type.

    Raises:
        DefinitionError: The type is not a row type.
    """

    def __init__(self, type_info: TypeInformation[Row]) -> None:
        row = _row_type(type_info, "CsvRowDeserializationSchema")
        reading = CsvReading(
            type_info=row, dialect=CsvDialect(), array_delimiter=";", null_literal=None, ignore_parse_errors=False
        )
        super().__init__(reading)

    def set_field_delimiter(self, delimiter: str) -> Self:
        """Set the character between columns.

        Args:
            delimiter: The character; a comma by default.

        Raises:
            DefinitionError: The text has not one character.
        """
        return self._with_dialect(delimiter=_character(delimiter))

    setFieldDelimiter = set_field_delimiter

    def set_allow_comments(self, allow_comments: bool) -> Self:
        """Pass over lines that begin with ``#``; a record that has no other line is an error.

        Args:
            allow_comments: Pass over such lines; False by default.
        """
        return self._with_dialect(comments=allow_comments)

    setAllowComments = set_allow_comments

    def set_null_literal(self, null_literal: str) -> Self:
        """Read the text ``null_literal`` as None; no text is None by default."""
        return self._with(null_literal=null_literal)

    setNullLiteral = set_null_literal

    def set_ignore_parse_errors(self, ignore_parse_errors: bool) -> Self:
        """Make a column None that cannot be converted, drop a record that cannot be read; both fail the job otherwise.

        Args:
            ignore_parse_errors: Ignore such errors; False by default.
        """
        return self._with(ignore_parse_errors=ignore_parse_errors)

    setIgnoreParseErrors = set_ignore_parse_errors

    def build(self) -> CsvRowDeserializationSchema:
        """Return the schema.

        Raises:
            UnsupportedFeatureError: The type has a part that CSV rows cannot hold.
        """
        return CsvRowDeserializationSchema(self._settings)


CsvRowDeserializationSchema.Builder = CsvRowDeserializationSchemaBuilder


@final
@attrs.frozen
class CsvRowSerializationSchema(SerializationSchema[Row]):
    r"""A row to a line of CSV with its end, as Flink writes it; made with its ``Builder``.

    Text is quoted where Flink quotes it, which is more often than is needed: for example, when it is longer than 24
    characters or has a blank. None is the null literal, or an empty column without one. Rows of a declared type are
    written by position, as in Flink; rows without one, which PyFlink cannot write, by name if they have the schema's names.

    Raises:
        UnsupportedFeatureError: The type has a part that CSV rows cannot hold.

    Example:
        >>> from kafkastream.common import Types
        >>> order = Types.ROW_NAMED(["item", "count"], [Types.STRING(), Types.INT()])
        >>> CsvRowSerializationSchema.Builder(order).build().serialize(Row("small cup", 2))
        b'"small cup",2\n'
    """

    Builder: ClassVar[type[CsvRowSerializationSchemaBuilder]]

    writing: CsvWriting
    _write: Callable[[Row], str] = attrs.field(init=False, eq=False, repr=False)

    def __attrs_post_init__(self) -> None:
        object.__setattr__(self, "_write", self.writing.writer())

    @property
    def row_type(self) -> RowTypeInfo:
        """Type of the rows."""
        return self.writing.type_info

    def serialize(self, element: Row) -> bytes:
        """Return the line of a row, in UTF-8."""
        return self._write(element).encode()

    def __reduce__(self) -> tuple[type[CsvRowSerializationSchema], tuple[CsvWriting]]:
        return (type(self), (self.writing,))


@final
@checked_methods
class CsvRowSerializationSchemaBuilder(CsvRowBuilder[CsvWriting]):
    """Builder of a ``CsvRowSerializationSchema``.

    Args:
        type_info: The rows' type.

    Raises:
        DefinitionError: The type is not a row type.
    """

    def __init__(self, type_info: TypeInformation[Row]) -> None:
        row = _row_type(type_info, "CsvRowSerializationSchema")
        writing = CsvWriting(
            type_info=row, dialect=CsvDialect(), array_delimiter=";", null_literal="", line_delimiter="\n"
        )
        super().__init__(writing)

    def set_field_delimiter(self, c: str) -> Self:
        """Set the character between columns.

        Args:
            c: The character; a comma by default.

        Raises:
            DefinitionError: The text has not one character.
        """
        return self._with_dialect(delimiter=_character(c))

    setFieldDelimiter = set_field_delimiter

    def set_line_delimiter(self, delimiter: str) -> Self:
        """Set the end of the line.

        Args:
            delimiter: Newline, carriage return, both, or empty; a newline by default.

        Raises:
            DefinitionError: The text is another one.
        """
        if delimiter not in _LINE_DELIMITERS:
            raise DefinitionError(
                "Unsupported new line delimiter. Only \\n, \\r, \\r\\n, or empty string are supported",
                where="CsvRowSerializationSchema",
            )
        return self._with(line_delimiter=delimiter)

    setLineDelimiter = set_line_delimiter

    def disable_quote_character(self) -> Self:
        """Write no quotes."""
        return self._with_dialect(quote=None)

    disableQuoteCharacter = disable_quote_character

    def set_null_literal(self, s: str) -> Self:
        """Write None as the text ``s``; as nothing by default."""
        return self._with(null_literal=s)

    setNullLiteral = set_null_literal

    def build(self) -> CsvRowSerializationSchema:
        """Return the schema.

        Raises:
            UnsupportedFeatureError: The type has a part that CSV rows cannot hold.
        """
        return CsvRowSerializationSchema(self._settings)


CsvRowSerializationSchema.Builder = CsvRowSerializationSchemaBuilder


def _row_type(type_info: object, where: str) -> RowTypeInfo:
    if not isinstance(type_info, RowTypeInfo):
        raise DefinitionError(
            f"Row type information expected, not {type_info!r}",
            where=where,
            now="Give it Types.ROW_NAMED(names, types).",
        )
    return type_info


def _character(c: str) -> str:
    if len(c) != 1:
        raise DefinitionError(f"{c!r} is not one character", where="a CSV schema")
    return c


def _text(text: str) -> str:
    if not text:
        raise DefinitionError("the delimiter of array elements is empty", where="a CSV schema")
    return text
