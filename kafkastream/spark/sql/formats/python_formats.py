"""The formats that Python reads and writes, as tables have them."""

from __future__ import annotations

from collections.abc import Sequence

from pyspark.sql import Column, DataFrame, functions
from pyspark.sql.types import StructType

from kafkastream.spark.sql.formats.message_reading import Fail, Reader
from kafkastream.spark.sql.formats.plain_values import plain, plain_type, rich
from kafkastream.spark.sql.formats.python_steps import ROW, MessageDecoder, decoded
from kafkastream.sql.types import DataType

__all__ = ["plain_row", "python_reader"]


def python_reader(kind: DataType, decoder: MessageDecoder, null_problem: str | None = None) -> Reader:
    """How messages are read that Python decodes.

    Args:
        kind: The type of the row.
        decoder: What decodes them.
        null_problem: Why a message that is NULL fails the job, if it does.
    """
    row = plain_type(kind)
    assert isinstance(row, StructType)

    def decode(records: DataFrame, message: str, column: str) -> DataFrame:
        return decoded(records, message, column, row, decoder)

    def finished(found: Column, _: Column, __: Fail) -> list[Column]:
        values = found.getField(ROW)
        return [rich(values.getField(field.name), field.type).alias(field.name) for field in kind.fields]

    return Reader(lambda message: message, finished, decode=decode, null_problem=null_problem)


def plain_row(kind: DataType, columns: Sequence[Column]) -> Column:
    """A row as Python is to encode it."""
    values = (plain(column, field.type).alias(field.name) for column, field in zip(columns, kind.fields, strict=True))
    return functions.struct(*values)
