"""Formats of part files on a worker: line formats and bulk formats."""

from __future__ import annotations

import json
from abc import ABC, abstractmethod
from collections.abc import Iterable, Sequence
from typing import IO, TYPE_CHECKING, Any, final

import attrs
import pyarrow as pa

from kafkastream.model.common.types import TypeInformation
from kafkastream.model.common.value_printing import flink_string
from kafkastream.model.connectors.file_formats import BulkWriterFactory
from kafkastream.model.connectors.file_sink_settings import Encoder
from kafkastream.model.formats.charsets import encoded
from kafkastream.spark.sql.files.parquet_files import ParquetWriter
from kafkastream.spark.sql.rows.element_columns import ElementRows
from kafkastream.spark.worker.batches import each
from kafkastream.spark.worker.registry import Registry, unregistered
from kafkastream.sql.files.avro_file_format import AvroWriterFactory
from kafkastream.sql.files.csv_file_format import CsvWriterFactory
from kafkastream.sql.files.parquet_file_format import ParquetWriterFactory

if TYPE_CHECKING:
    from fastavro.write import Writer

__all__ = ["Chunk", "ColumnPart", "LinePart", "Part", "PartFormat", "part_format"]

Chunk = Sequence[Any] | pa.RecordBatch
"""An encoded batch of elements, one entry per element."""


class Part(ABC):
    """An open part file."""

    @property
    @abstractmethod
    def size(self) -> int:
        """Number of bytes so far."""

    @abstractmethod
    def write(self, chunk: Any, begin: int, most: int | None) -> int:
        """Write entries from ``begin`` on until the file has more than ``most`` bytes; return the number written."""

    def end(self) -> None:
        """Write the end of the file, such as a footer."""


class PartFormat(ABC):
    """Format of the part files of a sink."""

    @abstractmethod
    def chunks(self, values: Sequence[Any]) -> Iterable[tuple[str | None, Chunk]]:
        """Encode elements to chunks by directory; None means the directory of the current time.

        Raises:
            ElementError: An element cannot be encoded.
        """

    @abstractmethod
    def begin(self, stream: IO[bytes]) -> Part:
        """Begin a part file."""

    def completed(self, values: Sequence[Any]) -> Iterable[str] | None:
        """Return the directories that are complete now; None, the default, for those that elements are written to."""
        return None


@Registry
def part_format(encoder: Encoder | BulkWriterFactory, element_type: TypeInformation[Any] | None) -> PartFormat:
    """Return the format of part files that the encoder's ``engine_module`` registers for its class.

    Args:
        encoder: Encoder or bulk writer factory of the sink.
        element_type: Declared type of the elements, if any.

    Raises:
        DefinitionError: No format is registered.
    """
    raise unregistered("file format", type(encoder), "a PartFormat with @part_format.register")


@final
@attrs.define(eq=False)
class LinePart(Part):
    """A part file of lines."""

    stream: IO[bytes]
    _size: int = 0

    @property
    def size(self) -> int:
        """Number of bytes written."""
        return self._size

    def write(self, chunk: Sequence[bytes], begin: int, most: int | None) -> int:
        """Write lines."""
        lines = chunk[begin:] if begin else chunk
        if most is not None and self._size + sum(map(len, lines)) > most:
            return self._write_some(lines, most)
        data = b"".join(lines)
        self.stream.write(data)
        self._size += len(data)
        return len(lines)

    def _write_some(self, lines: Sequence[bytes], most: int) -> int:
        for number, line in enumerate(lines):
            if self._size > most:
                return number
            self.stream.write(line)
            self._size += len(line)
        return len(lines)


class _Lines(PartFormat):
    @abstractmethod
    def line(self, value: Any) -> bytes:
        """Return the line of an element, with its line end."""

    def chunks(self, values: Sequence[Any]) -> Iterable[tuple[str | None, Chunk]]:
        """Make a line of each element."""
        return [(None, each(self.line, values))]

    def begin(self, stream: IO[bytes]) -> Part:
        """Begin a part file of lines."""
        return LinePart(stream)


@final
@attrs.frozen
class _Texts(_Lines):
    charset: str
    element_type: TypeInformation[Any] | None

    def line(self, value: Any) -> bytes:
        """Return the text of an element, as Java's ``toString`` gives it in Flink."""
        if value is None:
            raise ValueError("there is no text of None; Flink's encoder fails, too")
        return encoded(flink_string(value, self.element_type), self.charset) + b"\n"


@part_format.register
def _(encoder: Encoder, element_type: TypeInformation[Any] | None) -> PartFormat:
    return _Texts(encoder.charset_name, element_type)


@final
class _Csv(_Lines):
    def __init__(self, factory: CsvWriterFactory) -> None:
        schema = factory.schema
        self._write = schema.writing.writer()
        names = schema.dialect.line([(name, True) for name in schema.names])
        self._header = f"{names}{schema.line_separator}".encode() if schema.has_header else b""

    def line(self, value: Any) -> bytes:
        """Return a row as CSV."""
        return self._write(value).encode()

    def begin(self, stream: IO[bytes]) -> Part:
        """Begin with the header of column names, if configured."""
        stream.write(self._header)
        return LinePart(stream, len(self._header))


@part_format.register
def _(factory: CsvWriterFactory, element_type: TypeInformation[Any] | None) -> PartFormat:
    return _Csv(factory)


@final
class _Parquet(PartFormat):
    def __init__(self, factory: ParquetWriterFactory) -> None:
        self._format = factory.format
        self._rows = ElementRows(factory.row_type)

    def chunks(self, values: Sequence[Any]) -> Iterable[tuple[str | None, Chunk]]:
        """Convert elements to columns."""
        return [(None, self._rows.of(values))]

    def begin(self, stream: IO[bytes]) -> Part:
        """Begin a part file of columns."""
        return ColumnPart(ParquetWriter(stream, self._rows.schema, self._format))


@final
@attrs.define(eq=False)
class ColumnPart(Part):
    """A part file of columns."""

    writer: ParquetWriter

    @property
    def size(self) -> int:
        """Number of bytes written, plus the maximum size of the buffered rows."""
        return self.writer.size

    def write(self, chunk: pa.RecordBatch, begin: int, most: int | None) -> int:
        """Write rows."""
        rows = chunk.slice(begin)
        self.writer.write(rows)
        return rows.num_rows

    def end(self) -> None:
        """Write the buffered rows and the footer."""
        self.writer.close()


@part_format.register
def _(factory: ParquetWriterFactory, element_type: TypeInformation[Any] | None) -> PartFormat:
    return _Parquet(factory)


@final
class _Avro(PartFormat):
    def __init__(self, factory: AvroWriterFactory) -> None:
        from fastavro import parse_schema

        self._schema = parse_schema(json.loads(factory.schema.text))

    def chunks(self, values: Sequence[Any]) -> Iterable[tuple[str | None, Chunk]]:
        """Check the elements against the schema."""
        from fastavro.validation import validate

        each(lambda value: validate(value, self._schema), values)
        return [(None, values)]

    def begin(self, stream: IO[bytes]) -> Part:
        """Begin with the schema."""
        from fastavro.write import Writer

        return _AvroPart(stream, Writer(stream, self._schema))


@final
@attrs.define(eq=False)
class _AvroPart(Part):
    stream: IO[bytes]
    writer: Writer

    @property
    def size(self) -> int:
        """Number of bytes in the file."""
        return self.stream.tell()

    def write(self, chunk: Sequence[Any], begin: int, most: int | None) -> int:
        """Write records."""
        for record in chunk[begin:]:
            self.writer.write(record)
        return len(chunk) - begin

    def end(self) -> None:
        """Write the last block."""
        self.writer.flush()


@part_format.register
def _(factory: AvroWriterFactory, element_type: TypeInformation[Any] | None) -> PartFormat:
    return _Avro(factory)
