"""CSV files of rows, with the settings of PyFlink's ``CsvSchema``."""

from __future__ import annotations

from typing import Any, ClassVar, Final, NoReturn, final

import attrs
from typing_extensions import Self

from kafkastream.errors import DefinitionError, UnsupportedFeatureError
from kafkastream.model.common.argument_checks import checked_methods
from kafkastream.model.common.types import RowTypeInfo, Types
from kafkastream.model.connectors.file_formats import StreamFormat
from kafkastream.model.formats.csv_reading import CsvReading
from kafkastream.model.formats.csv_text import CsvDialect
from kafkastream.model.formats.csv_writing import CsvWriting
from kafkastream.sql.files.parquet_file_format import RowDataBulkWriterFactory
from kafkastream.sql.type_information import row_type_info
from kafkastream.sql.types import DataType, Kind, RowField

__all__ = ["CsvBulkWriters", "CsvReaderFormat", "CsvSchema", "CsvSchemaBuilder", "CsvWriterFactory"]

_SEPARATOR: Final = ";"
_ALIKE: Final = "Give all columns the one separator: set_array_element_separator."


@final
@attrs.frozen
class CsvSchema:
    """Columns and syntax of CSV files; made by ``CsvSchema.builder()``.

    Args:
        fields: The columns.
        dialect: Delimiter, quote and escape characters.
        array_separator: Separator of the elements of arrays.
        line_separator: Line end of written files.
        null_value: Text for None; without one, no text is read as None, and None is written as an empty column.
        has_header: Whether the first line is a header.
        is_strict: Whether the header must have the names of the columns.
        skips_first: Whether to skip the first row.
    """

    fields: tuple[RowField, ...] = ()
    dialect: CsvDialect = attrs.field(factory=CsvDialect)
    array_separator: str = _SEPARATOR
    line_separator: str = "\n"
    null_value: str | None = None
    has_header: bool = False
    is_strict: bool = False
    skips_first: bool = False

    @staticmethod
    def builder() -> CsvSchemaBuilder:
        """Return a builder."""
        return CsvSchemaBuilder()

    def size(self) -> int:
        """Return the number of columns."""
        return len(self.fields)

    def __len__(self) -> int:
        return len(self.fields)

    @property
    def names(self) -> list[str]:
        """Return the names of the columns."""
        return [field.name for field in self.fields]

    @property
    def row_type(self) -> DataType:
        """Return the type of the rows."""
        return DataType.of(Kind.ROW, fields=self.fields)

    @property
    def reading(self) -> CsvReading:
        """Return the reader of lines."""
        return CsvReading(
            type_info=self._type_info,
            dialect=self.dialect,
            array_delimiter=self.array_separator,
            null_literal=self.null_value,
            ignore_parse_errors=False,
        )

    @property
    def writing(self) -> CsvWriting:
        """Return the writer of lines."""
        return CsvWriting(
            type_info=self._type_info,
            dialect=self.dialect,
            array_delimiter=self.array_separator,
            null_literal=self.null_value or "",
            line_delimiter=self.line_separator,
        )

    @property
    def _type_info(self) -> RowTypeInfo:
        plain = row_type_info((field.name, field.type) for field in self.fields)
        arrays = [
            Types.OBJECT_ARRAY(type_info.elements[0]) if field.type.kind is Kind.ARRAY else type_info
            for field, type_info in zip(self.fields, plain.elements, strict=True)
        ]
        return Types.ROW_NAMED(self.names, arrays)


@final
@checked_methods
class CsvSchemaBuilder:
    """Builds a ``CsvSchema``.

    Example:
        >>> CsvSchema.builder().add_number_column("id").add_string_column("name").build().names
        ['id', 'name']
    """

    def __init__(self) -> None:
        self._schema = CsvSchema()
        self._separators: set[str] = set()

    def build(self) -> CsvSchema:
        """Return the schema.

        Raises:
            UnsupportedFeatureError: Arrays have several separators.
        """
        if len(self._separators) > 1:
            raise UnsupportedFeatureError(
                f"arrays with the separators {sorted(self._separators)}", where="CsvSchema", now=_ALIKE
            )
        separators = iter(self._separators)
        return attrs.evolve(self._schema, array_separator=next(separators, self._schema.array_separator))

    def add_array_column(self, name: str, separator: str = _SEPARATOR, element_type: DataType | None = None) -> Self:
        """Add a column with arrays.

        Args:
            name: Name of the column.
            separator: Text between elements; has to be equal for all columns with arrays.
            element_type: Type of the elements; STRING if None.
        """
        self._separators.add(separator)
        return self._add(name, DataType.of(Kind.ARRAY, parts=(element_type or DataType.string(),)))

    addArrayColumn = add_array_column

    def add_boolean_column(self, name: str) -> Self:
        """Add a column ``name`` of type BOOLEAN."""
        return self._add(name, DataType.of(Kind.BOOLEAN))

    addBooleanColumn = add_boolean_column

    def add_number_column(self, name: str, number_type: DataType | None = None) -> Self:
        """Add a column with numbers.

        Args:
            name: Name of the column.
            number_type: Type of the numbers; BIGINT if None.
        """
        return self._add(name, number_type or DataType.of(Kind.BIGINT))

    addNumberColumn = add_number_column

    def add_string_column(self, name: str) -> Self:
        """Add a column ``name`` of type STRING."""
        return self._add(name, DataType.string())

    addStringColumn = add_string_column

    def add_columns_from(self, schema: CsvSchema) -> Self:
        """Add all columns of another schema."""
        if any(field.type.kind is Kind.ARRAY for field in schema.fields):
            self._separators.add(schema.array_separator)
        return self._with(fields=(*self._schema.fields, *schema.fields))

    addColumnsFrom = add_columns_from

    def clear_columns(self) -> Self:
        """Remove all columns."""
        self._separators.clear()
        return self._with(fields=())

    clearColumns = clear_columns

    def set_allow_comments(self, allow: bool = True) -> Self:
        """Skip lines that begin with ``#`` if ``allow`` is true."""
        return self._dialect(comments=allow)

    setAllowComments = set_allow_comments

    def set_any_property_name(self, name: str) -> NoReturn:
        """Refused: a row has no more columns than its schema.

        Raises:
            UnsupportedFeatureError: Always.
        """
        raise UnsupportedFeatureError(
            "columns beyond those of the schema", where=f"set_any_property_name({name!r})", now="Add the columns."
        )

    setAnyPropertyName = set_any_property_name

    def set_array_element_separator(self, separator: str) -> Self:
        """Set the separator of array elements; default: a semicolon."""
        self._separators.clear()
        return self._with(array_separator=separator)

    setArrayElementSeparator = set_array_element_separator

    def disable_array_element_separator(self) -> NoReturn:
        """Refused: elements of arrays without a separator cannot be distinguished.

        Raises:
            UnsupportedFeatureError: Always.
        """
        raise UnsupportedFeatureError(
            "arrays without a separator", where="CsvSchema.disable_array_element_separator", now=_ALIKE
        )

    disableArrayElementSeparator = disable_array_element_separator

    def remove_array_element_separator(self, index: int) -> NoReturn:
        """Refused: elements of arrays without a separator cannot be distinguished.

        Raises:
            UnsupportedFeatureError: Always.
        """
        raise UnsupportedFeatureError(
            "arrays without a separator", where=f"CsvSchema.remove_array_element_separator({index!r})", now=_ALIKE
        )

    removeArrayElementSeparator = remove_array_element_separator

    def set_column_separator(self, char: str) -> Self:
        """Set the separator of columns to the character ``char``; default: a comma."""
        return self._dialect(delimiter=_character(char))

    setColumnSeparator = set_column_separator

    def disable_escape_char(self) -> Self:
        """Use no escape character, which is the default."""
        return self._dialect(escape=None)

    disableEscapeChar = disable_escape_char

    def set_escape_char(self, char: str) -> Self:
        """Set the escape character ``char``: the character after it is taken literally."""
        return self._dialect(escape=_character(char))

    setEscapeChar = set_escape_char

    def set_line_separator(self, separator: str) -> Self:
        """Set the line end of written files to ``separator``; default: a line feed."""
        return self._with(line_separator=separator)

    setLineSeparator = set_line_separator

    def set_null_value(self, null_value: str) -> Self:
        """Write None as the text ``null_value``, and read that as None."""
        return self._with(null_value=null_value)

    setNullValue = set_null_value

    def disable_quote_char(self) -> Self:
        """Write no quotes."""
        return self._dialect(quote=None)

    disableQuoteChar = disable_quote_char

    def set_quote_char(self, char: str) -> Self:
        """Set the quote character to ``char``; default: a double quote."""
        return self._dialect(quote=_character(char))

    setQuoteChar = set_quote_char

    def set_skip_first_data_row(self, skip: bool = True) -> Self:
        """Skip the first row if ``skip`` is true."""
        return self._with(skips_first=skip)

    setSkipFirstDataRow = set_skip_first_data_row

    def set_strict_headers(self, strict: bool = True) -> Self:
        """Require the names of the columns in the header if ``strict`` is true."""
        return self._with(is_strict=strict)

    setStrictHeaders = set_strict_headers

    def set_use_header(self, use: bool = True) -> Self:
        """Read and write a header in the first line if ``use`` is true."""
        return self._with(has_header=use)

    setUseHeader = set_use_header

    def size(self) -> int:
        """Return the number of columns."""
        return len(self._schema)

    def __len__(self) -> int:
        return len(self._schema)

    def _add(self, name: str, kind: DataType) -> Self:
        return self._with(fields=(*self._schema.fields, RowField(name, kind)))

    def _with(self, **changes: Any) -> Self:
        self._schema = attrs.evolve(self._schema, **changes)
        return self

    def _dialect(self, **changes: Any) -> Self:
        return self._with(dialect=attrs.evolve(self._schema.dialect, **changes))


def _character(char: str) -> str:
    if len(char) != 1:
        raise DefinitionError(f"{char!r} is not one character", where="CsvSchema")
    return char


@final
@checked_methods
@attrs.frozen
class CsvReaderFormat(StreamFormat):
    """Reads rows of CSV files; for ``FileSource.for_record_stream_format``.

    Args:
        schema: The columns.
    """

    engine_module: ClassVar[str] = "kafkastream.spark.sql.files.file_contents"
    schema: CsvSchema

    @staticmethod
    def for_schema(schema: CsvSchema) -> CsvReaderFormat:
        """Read the columns of a schema.

        Raises:
            UnsupportedFeatureError: CSV cannot hold a column.
        """
        schema.reading.reader()
        return CsvReaderFormat(schema)

    forSchema = for_schema

    @property
    def produced_type(self) -> RowTypeInfo:
        """Return the type of the rows."""
        return row_type_info((field.name, field.type) for field in self.schema.fields)


@final
@attrs.frozen
class CsvWriterFactory(RowDataBulkWriterFactory):
    """Writes rows to CSV files; made by ``CsvBulkWriters``.

    Args:
        schema: The columns.
    """

    engine_module: ClassVar[str] = "kafkastream.spark.sql.files.part_formats"
    schema: CsvSchema

    def get_row_type(self) -> DataType:
        """Return the type of the rows."""
        return self.schema.row_type

    getRowType = get_row_type


@final
@checked_methods
class CsvBulkWriters:
    """Write rows to CSV files; for ``FileSink.for_bulk_format``."""

    @staticmethod
    def for_schema(schema: CsvSchema) -> RowDataBulkWriterFactory:
        """Write the columns of a schema.

        Raises:
            UnsupportedFeatureError: CSV cannot hold a column.
        """
        schema.writing.writer()
        return CsvWriterFactory(schema)

    forSchema = for_schema
