"""Types of Kafka Connect schemas, with Connect's and Debezium's logical types, and conversion of their values."""

from __future__ import annotations

import base64
import datetime
from collections.abc import Callable, Mapping
from functools import partial
from typing import Final

import msgspec

from kafkastream.cdc.inference import MemberType
from kafkastream.cdc.values import Json, json_text
from kafkastream.model.formats.java_text import scaled_decimal
from kafkastream.sql.types import DataType, Kind

__all__ = ["row_types"]

_MOST_DIGITS: Final = 38
_EPOCH: Final = datetime.datetime(1970, 1, 1)  # noqa: DTZ001 - of timestamps without time zone
_QUOTE: Final = b'"'


class ConnectField(msgspec.Struct, gc=False):
    """Schema, as Connect's ``JsonConverter`` writes it.

    Attributes:
        type: Primitive type, or struct, array or map.
        field: Name of the member in a struct.
        name: Name of the logical type.
        parameters: Parameters of the logical type.
        fields: Members of a struct.
    """

    type: str = ""
    field: str = ""
    name: str | None = None
    parameters: dict[str, str] | None = None
    fields: list[ConnectField] | None = None


_schema_of: Final = msgspec.json.Decoder(ConnectField | None).decode


def row_types(schema: Json) -> Mapping[str, MemberType]:
    """Return the types of rows' members by the schema of a Debezium event.

    Raises:
        ValueError: The JSON is not a schema of a Debezium event.

    Example:
        >>> after = b'{"type": "struct", "field": "after", "fields": [{"type": "int32", "field": "id"}]}'
        >>> {
        ...     name: str(told.type)
        ...     for name, told in row_types(b'{"type": "struct", "fields": [' + after + b"]}").items()
        ... }
        {'id': 'INT'}
    """
    envelope = _schema_of(schema)
    halves = {field.field: field.fields for field in (envelope.fields if envelope is not None else None) or ()}
    fields = halves.get("after") or halves.get("before")
    if fields is None:
        raise ValueError("the schema next to the payload is not that of a Debezium event")
    return {field.field: _member_type(field) for field in fields}


def _member_type(field: ConnectField) -> MemberType:
    if field.name in _LOGICAL:
        return _LOGICAL[field.name]
    if field.name == "org.apache.kafka.connect.data.Decimal":
        return _decimal(field.parameters or {})
    return _PRIMITIVE.get(field.type, _STRING)


def _decimal(parameters: Mapping[str, str]) -> MemberType:
    scale, digits = int(parameters.get("scale", 0)), int(parameters.get("connect.decimal.precision", _MOST_DIGITS))
    as_number = partial(_number_of_bytes, scale)
    if digits > _MOST_DIGITS or not 0 <= scale <= digits:
        return MemberType(DataType.string(), lambda value: _quoted(as_number(value).decode()))
    return MemberType(DataType.of(Kind.DECIMAL, digits, scale), as_number)


def _number_of_bytes(scale: int, value: Json) -> bytes:
    """Return the number that Connect writes as the bytes of an unscaled integer; numbers are unchanged."""
    data = bytes(value)
    if not data.startswith(_QUOTE):
        return data
    unscaled = int.from_bytes(base64.b64decode(json_text(data), validate=True), "big", signed=True)
    return format(scaled_decimal(unscaled, scale), "f").encode()


def _variable_scale(value: Json) -> Json:
    """Return the number of a struct with ``scale`` and ``value``, as text."""
    number = msgspec.json.decode(value, type=_ScaledDecimal)
    return _quoted(_number_of_bytes(number.scale, number.value).decode())


class _ScaledDecimal(msgspec.Struct):
    scale: int
    value: msgspec.Raw


def _quoted(text: str) -> bytes:
    return b'"' + text.encode() + b'"'


def _day(value: Json) -> Json:
    return _at(value, lambda days: (_EPOCH + datetime.timedelta(days=days)).date().isoformat())


def _clock(digits: int, value: Json) -> Json:
    """Return a time of day, given in units of its precision."""
    return _at(value, lambda units: _clock_text(units, digits))


def _clock_text(units: int, digits: int) -> str:
    if units < 0:
        return f"-{_clock_text(-units, digits)}"
    seconds, fraction = divmod(units, 10**digits)
    minutes, second = divmod(seconds, 60)
    return f"{minutes // 60:02d}:{minutes % 60:02d}:{second:02d}{_fraction(fraction, digits)}"


def _stamp(digits: int, value: Json) -> Json:
    """Return a timestamp, given in units of its precision since 1970."""
    return _at(value, lambda units: _stamp_text(units, digits))


def _stamp_text(units: int, digits: int) -> str:
    seconds, fraction = divmod(units, 10**digits)
    return f"{(_EPOCH + datetime.timedelta(seconds=seconds)).isoformat(sep=' ')}{_fraction(fraction, digits)}"


def _fraction(fraction: int, digits: int) -> str:
    return f".{fraction:0{digits}d}".rstrip("0") if fraction else ""


def _at(value: Json, text_of: Callable[[int], str]) -> Json:
    """Return a time as text; out of range, it stays a number, which makes the column STRING."""
    units = msgspec.json.decode(value, type=int)
    try:
        return _quoted(text_of(units))
    except OverflowError:
        return str(units).encode()


def _zoned(value: Json) -> Json:
    """Return a timestamp with an offset in UTC, with all its digits."""
    text = json_text(value)
    head, point, rest = text.partition(".")
    digits = len(rest) - len(rest.lstrip("0123456789"))
    whole, fraction, zone = (head, rest[:digits], rest[digits:]) if point else (text, "", "")
    moment = datetime.datetime.fromisoformat((whole + zone).replace("Z", "+00:00"))
    utc = moment.astimezone(datetime.timezone.utc).replace(tzinfo=None)
    return _quoted(f"{utc.isoformat(sep=' ')}{'.' + fraction if fraction else ''}Z")


_STRING: Final = MemberType(DataType.string())
_DATE: Final = MemberType(DataType.of(Kind.DATE), _day)
_TIMES: Final = {digits: MemberType(DataType.of(Kind.TIME, digits), partial(_clock, digits)) for digits in (3, 6, 9)}
_STAMPS: Final = {
    digits: MemberType(DataType.of(Kind.TIMESTAMP, digits), partial(_stamp, digits)) for digits in (3, 6, 9)
}
_LOGICAL: Final[Mapping[str | None, MemberType]] = {
    "org.apache.kafka.connect.data.Date": _DATE,
    "org.apache.kafka.connect.data.Time": _TIMES[3],
    "org.apache.kafka.connect.data.Timestamp": _STAMPS[3],
    "io.debezium.time.Date": _DATE,
    "io.debezium.time.Time": _TIMES[3],
    "io.debezium.time.MicroTime": _TIMES[6],
    "io.debezium.time.NanoTime": _TIMES[9],
    "io.debezium.time.Timestamp": _STAMPS[3],
    "io.debezium.time.MicroTimestamp": _STAMPS[6],
    "io.debezium.time.NanoTimestamp": _STAMPS[9],
    "io.debezium.time.ZonedTimestamp": MemberType(DataType.of(Kind.TIMESTAMP_LTZ, 6), _zoned),
    "io.debezium.data.VariableScaleDecimal": MemberType(DataType.string(), _variable_scale),
}
_PRIMITIVE: Final[Mapping[str, MemberType]] = {
    "boolean": MemberType(DataType.of(Kind.BOOLEAN)),
    "int8": MemberType(DataType.of(Kind.TINYINT)),
    "int16": MemberType(DataType.of(Kind.SMALLINT)),
    "int32": MemberType(DataType.of(Kind.INT)),
    "int64": MemberType(DataType.of(Kind.BIGINT)),
    "float": MemberType(DataType.of(Kind.FLOAT)),
    "float32": MemberType(DataType.of(Kind.FLOAT)),
    "double": MemberType(DataType.of(Kind.DOUBLE)),
    "float64": MemberType(DataType.of(Kind.DOUBLE)),
    "string": _STRING,
    "bytes": MemberType(DataType.bytes_()),
}
