"""Decodes and encodes messages in Python, from Arrow to Arrow, for formats that Spark expressions cannot handle.

Conversions that do not need Python are left to Spark: times come and go as numbers.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import repeat
from typing import Any, Final, TypeVar, final

import attrs
import pyarrow as pa
from pyspark.sql import DataFrame
from pyspark.sql.types import BinaryType, StringType, StructField, StructType

from kafkastream.model.formats.malformed import malformed
from kafkastream.spark.internals.python import arrow_type_of, map_in_arrow

__all__ = ["PROBLEM", "ROW", "MessageDecoder", "MessageEncoder", "decoded", "encoded_messages"]

ROW: Final = "row"
"""Field with the row of a message."""
PROBLEM: Final = "problem"
"""Field with the error text of a message without a row; both fields are NULL for a skipped message."""

T = TypeVar("T")
S = TypeVar("S")
_Batches = Iterator[pa.RecordBatch]


class MessageDecoder(ABC):
    """Decoder of messages to rows; it is pickled.

    Attributes:
        skips_bad: Whether to skip a message that cannot be decoded; otherwise it fails the job.
    """

    skips_bad: bool = False

    @abstractmethod
    def opened(self) -> Callable[[bytes], Mapping[str, Any]]:
        """Return the function from a message to plain values; it raises an Exception for a message that is malformed."""


class MessageEncoder(ABC):
    """Encoder of rows to messages; it is pickled."""

    @abstractmethod
    def opened(self) -> Callable[[Mapping[str, Any]], bytes]:
        """Return the function from plain values to a message; it raises OSError or ValueError for bad values."""


def decoded(records: DataFrame, message: str, column: str, row: StructType, decoder: MessageDecoder) -> DataFrame:
    """Return records with a new column: a struct of ``ROW`` and ``PROBLEM``, NULL for a NULL message.

    Args:
        records: DataFrame with any columns.
        message: Name of the column with messages.
        column: Name of the new column.
        row: Struct of plain types.
        decoder: Decoder of the messages.
    """
    parsed = StructType([StructField(ROW, row), StructField(PROBLEM, StringType())])
    schema = StructType([*records.schema.fields, StructField(column, parsed)])
    return map_in_arrow(records, _Decoding(message, column, arrow_type_of(parsed), decoder), schema)


def encoded_messages(rows: DataFrame, encoders: Mapping[str, MessageEncoder], problem: str) -> DataFrame:
    """Return rows with messages for structs of plain values; NULL stays NULL.

    Args:
        rows: DataFrame with any columns.
        encoders: Encoders by the names of columns.
        problem: Name of a new column with the error text of a row that cannot be encoded, or NULL.
    """
    fields = [
        StructField(field.name, BinaryType()) if field.name in encoders else field for field in rows.schema.fields
    ]
    schema = StructType([*fields, StructField(problem, StringType())])
    return map_in_arrow(rows, _Encoding(encoders, problem), schema)


@final
@attrs.frozen
class _Decoding:
    """Decoding of a task's messages, called by ``mapInArrow``."""

    message: str
    column: str
    kind: pa.DataType
    decoder: MessageDecoder

    def __call__(self, batches: Iterable[pa.RecordBatch]) -> _Batches:
        decode = self.decoder.opened() if self.decoder.skips_bad else _until_failure(self.decoder.opened())
        for arrow in batches:
            results = [self._result(decode, message) for message in arrow[self.message].to_pylist()]
            columns = {name: arrow[name] for name in arrow.schema.names}
            yield pa.RecordBatch.from_pydict({**columns, self.column: self._array(results)})

    def _result(self, decode: Callable[[bytes], Mapping[str, Any]], message: bytes | None) -> dict[str, Any] | None:
        if message is None:
            return None
        try:
            return {ROW: decode(message)}
        except Exception as error:  # noqa: BLE001 - ``malformed`` decides
            return self._without_row(error)

    def _without_row(self, error: Exception) -> dict[str, Any] | None:
        if isinstance(error, OSError):  # a registry does not answer
            return {PROBLEM: str(error)}
        problem = str(malformed(error))
        return None if self.decoder.skips_bad else {PROBLEM: problem}

    def _array(self, results: Sequence[dict[str, Any] | None]) -> pa.Array:
        try:
            return pa.array(results, self.kind)
        except Exception:  # noqa: BLE001 - a value is not of its column's type; find its message
            return pa.array([self._fitting(result) for result in results], self.kind)

    def _fitting(self, result: dict[str, Any] | None) -> dict[str, Any] | None:
        try:
            pa.array([result], self.kind)
        except Exception as error:  # noqa: BLE001 - as above
            return self._without_row(error)
        return result


@final
@attrs.frozen
class _Encoding:
    """Encoding of a task's rows, called by ``mapInArrow``."""

    encoders: Mapping[str, MessageEncoder]
    problem: str

    def __call__(self, batches: Iterable[pa.RecordBatch]) -> _Batches:
        encoders = {name: _until_failure(encoder.opened()) for name, encoder in self.encoders.items()}
        for arrow in batches:
            problems: list[str | None] = list(repeat(None, arrow.num_rows))
            columns = {name: arrow[name] for name in arrow.schema.names}
            for name, encode in encoders.items():
                columns[name] = _messages(encode, arrow[name].to_pylist(), problems)
            yield pa.RecordBatch.from_pydict({**columns, self.problem: pa.array(problems, pa.string())})


def _messages(
    encode: Callable[[Mapping[str, Any]], bytes], rows: list[dict[str, Any] | None], problems: list[str | None]
) -> pa.Array:
    messages: list[bytes | None] = []
    for place, row in enumerate(rows):
        try:
            messages.append(None if row is None else encode(row))
        except (OSError, ValueError) as error:
            messages.append(None)
            problems[place] = str(error)
    return pa.array(messages, pa.binary())


def _until_failure(convert: Callable[[T], S]) -> Callable[[T], S]:
    """Yield batches until one fails; later ones fail with the same error, without asking a registry again."""
    failures: list[str] = []

    def converted(value: T) -> S:
        if failures:
            raise ValueError(failures[0])
        try:
            return convert(value)
        except Exception as error:
            failures.append(str(error))
            raise

    return converted
