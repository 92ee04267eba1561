"""Formats of tables that Python reads and writes."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence

from pyspark.sql import Column, DataFrame, functions
from pyspark.sql.types import StructType

from kafkastream.spark.sql.formats.message_format import MessageFormat
from kafkastream.spark.sql.formats.message_reading import Fail, Reader
from kafkastream.spark.sql.formats.plain_values import plain, plain_type, rich
from kafkastream.spark.sql.formats.python_steps import ROW, MessageDecoder, MessageEncoder, decoded
from kafkastream.sql.connectors.key_value_fields import RecordPart
from kafkastream.sql.types import DataType

__all__ = ["PythonFormat"]


class PythonFormat(MessageFormat):
    """A format whose messages Python decodes and encodes."""

    @property
    def null_problem(self) -> str | None:
        """Return the error text if a message that is NULL fails the job; None if it does not."""
        return None

    @abstractmethod
    def decoder(self, part: RecordPart) -> MessageDecoder:
        """Return the decoder of messages; errors as of ``reader_of``."""

    @abstractmethod
    def encoder(self, part: RecordPart) -> MessageEncoder:
        """Return the encoder of messages; errors as of ``encoder_of``."""

    def reader(self, part: RecordPart, metadata: Sequence[str]) -> Reader:
        """Read messages by the decoder."""
        return _reader(part.row_type, self.decoder(part), self.null_problem)

    def message(self, part: RecordPart, columns: Sequence[Column], kind: Column | None) -> Column:
        """Return rows as structs for the encoder."""
        fields = zip(columns, part.row_type.fields, strict=True)
        return functions.struct(*(plain(column, field.type).alias(field.name) for column, field in fields))


def _reader(kind: DataType, decoder: MessageDecoder, null_problem: str | None) -> Reader:
    row = plain_type(kind)
    assert isinstance(row, StructType)

    def decode(records: DataFrame, message: str, column: str) -> DataFrame:
        return decoded(records, message, column, row, decoder)

    def finished(parsed: Column, _: Column, fail: Fail) -> list[Column]:
        values = parsed.getField(ROW)
        return [rich(values.getField(field.name), field.type, fail).alias(field.name) for field in kind.fields]

    return Reader(lambda message: message, finished, decode=decode, null_problem=null_problem)
