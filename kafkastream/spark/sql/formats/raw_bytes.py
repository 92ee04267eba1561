"""The format ``raw`` of tables: bytes of one value, by Flink's rules."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, final

import attrs
from pyspark.sql import Column, functions

from kafkastream.errors import UnsupportedFeatureError
from kafkastream.model.formats.charsets import is_utf8
from kafkastream.spark.sql.formats.message_format import MessageFormat, message_format
from kafkastream.spark.sql.formats.message_reading import Fail, Reader
from kafkastream.spark.sql.formats.spark_types import spark_type
from kafkastream.sql.connectors.key_value_fields import RecordPart
from kafkastream.sql.formats import Endianness, RawFormat
from kafkastream.sql.type_families import TEXT
from kafkastream.sql.types import Kind, RowField

__all__ = ["raw_message", "raw_reader"]

_BYTES: Final = {
    Kind.BOOLEAN: 1,
    Kind.TINYINT: 1,
    Kind.SMALLINT: 2,
    Kind.INT: 4,
    Kind.BIGINT: 8,
    Kind.FLOAT: 4,
    Kind.DOUBLE: 8,
}
_CHARSETS: Final = frozenset({"US-ASCII", "ISO-8859-1", "UTF-8", "UTF-16BE", "UTF-16LE", "UTF-16", "UTF-32"})


def raw_reader(field: RowField, settings: RawFormat) -> Reader:
    """Return the reader of raw bytes: a message is one value; no message is NULL.

    Raises:
        UnsupportedFeatureError: Spark does not support the charset.
    """
    _check(field, settings)

    def finished(message: Column, _: Column, fail: Fail) -> list[Column]:
        return [_value(field, settings, message, fail).alias(field.name)]

    return Reader(lambda message: message, finished, reads_null=True)


def _value(field: RowField, settings: RawFormat, message: Column, fail: Fail) -> Column:
    match field.type.kind:
        case Kind.BINARY | Kind.VARBINARY:
            return message
        case Kind.CHAR | Kind.VARCHAR if is_utf8(settings.charset):
            return functions.make_valid_utf8(message.cast("string"))
        case Kind.CHAR | Kind.VARCHAR:
            return functions.decode(message, settings.charset)
        case kind:
            size = _BYTES[kind]
            failure = fail(
                functions.concat(
                    functions.lit(f"Size of data received for deserializing {kind.value} type is not {size}: "),
                    functions.octet_length(message).cast("string"),
                )
            )
            digits = _turned(functions.hex(message), size, settings)
            fits = functions.octet_length(message) == size
            value = functions.when(fits, _number(digits, kind, size))
            return functions.when(message.isNotNull() & ~fits, failure).otherwise(value).cast(spark_type(field.type))


def _number(digits: Column, kind: Kind, size: int) -> Column:
    """Return the number in hexadecimal digits, most significant first."""
    if kind is Kind.BOOLEAN:
        return digits != "00"
    is_negative = functions.substring(digits, 1, 1) >= "8"
    filled = functions.concat(functions.when(is_negative, "F" * (16 - 2 * size)).otherwise(""), digits)
    number = functions.conv(filled, 16, -10).cast("bigint")
    if kind is Kind.DOUBLE:
        return functions.reflect(functions.lit("java.lang.Double"), functions.lit("longBitsToDouble"), number)
    if kind is Kind.FLOAT:
        bits = number.cast("int")
        return functions.reflect(functions.lit("java.lang.Float"), functions.lit("intBitsToFloat"), bits)
    return number


def raw_message(value: Column, field: RowField, settings: RawFormat) -> Column:
    """Return values as messages; NULL is not a message.

    Raises:
        UnsupportedFeatureError: Spark does not support the charset.
    """
    _check(field, settings)
    match field.type.kind:
        case Kind.BINARY | Kind.VARBINARY:
            return value
        case Kind.CHAR | Kind.VARCHAR if is_utf8(settings.charset):
            return value.cast("binary")
        case Kind.CHAR | Kind.VARCHAR:
            return functions.encode(value, settings.charset)
        case kind:
            return functions.when(
                value.isNotNull(), functions.unhex(_turned(_digits(value, kind), _BYTES[kind], settings))
            )


def _digits(value: Column, kind: Kind) -> Column:
    size = _BYTES[kind]
    match kind:
        case Kind.BOOLEAN:
            return functions.when(value, "01").otherwise("00")
        case Kind.DOUBLE:
            bits = functions.reflect(functions.lit("java.lang.Double"), functions.lit("doubleToLongBits"), value)
        case Kind.FLOAT:
            bits = functions.reflect(functions.lit("java.lang.Float"), functions.lit("floatToIntBits"), value)
        case _:
            bits = value
    return functions.right(functions.lpad(functions.hex(bits.cast("bigint")), 16, "0"), functions.lit(2 * size))


def _turned(digits: Column, size: int, settings: RawFormat) -> Column:
    """Return the digits with reversed byte order."""
    if settings.endianness is Endianness.BIG:
        return digits
    return functions.concat(*(functions.substring(digits, 2 * at + 1, 2) for at in reversed(range(size))))


def _check(field: RowField, settings: RawFormat) -> None:
    if field.type.kind in TEXT and settings.charset.upper() not in _CHARSETS:
        if is_utf8(settings.charset):
            return
        raise UnsupportedFeatureError(
            f"Spark does not support the charset {settings.charset!r}",
            where="raw.charset",
            now=f"It supports {', '.join(sorted(_CHARSETS))};  declare the column as BYTES, and decode it in the query.",
        )


@final
@attrs.frozen
class _Raw(MessageFormat):
    settings: RawFormat

    def reader(self, part: RecordPart, metadata: Sequence[str]) -> Reader:
        """Read each message as one value."""
        return raw_reader(part.row_type.fields[0], self.settings)

    def message(self, part: RecordPart, columns: Sequence[Column], kind: Column | None) -> Column:
        """Write each value as a message."""
        return raw_message(columns[0], part.row_type.fields[0], self.settings)


@message_format.register
def _(settings: RawFormat) -> MessageFormat:
    return _Raw(settings)
