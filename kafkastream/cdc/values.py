"""Conversion of JSON values by column types: slower than typed decoding, but for every value that a type holds."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from decimal import Context, Decimal, Inexact, InvalidOperation
from functools import partial
from typing import Annotated, Any, Final, final

import attrs
import msgspec

from kafkastream.cdc.errors import MisfitError
from kafkastream.cdc.times import time_check
from kafkastream.errors import UnsupportedFeatureError
from kafkastream.sql.type_families import BYTES, TEXT, TIMES
from kafkastream.sql.types import DataType, Kind

__all__ = ["Conversion", "Convert", "checked", "json_members", "json_text", "wire_type"]

Json = msgspec.Raw | bytes
Convert = Callable[[Json], Any]
"""Function from a JSON value to a row's value; raises ``ValueError`` if the type cannot hold it."""

_MOST: Final = 2**31 - 1
_QUOTE: Final = ord('"')
_NESTED: Final = frozenset(b"{[")
_NUMERIC: Final = frozenset(b"-0123456789")
_NUMBER: Final = re.compile(r"-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?", re.ASCII)
_GREATEST_FLOAT: Final = 3.4028234663852886e38
_BITS: Final = {Kind.TINYINT: 8, Kind.SMALLINT: 16, Kind.INT: 32, Kind.BIGINT: 64}

_text_of: Final[Callable[[Json], str]] = msgspec.json.Decoder(str).decode
_elements_of: Final[Callable[[Json], list[msgspec.Raw]]] = msgspec.json.Decoder(list[msgspec.Raw]).decode
json_members: Final[Callable[[Json], dict[str, msgspec.Raw]]] = msgspec.json.Decoder(dict[str, msgspec.Raw]).decode


def wire_type(type_: DataType) -> Any:
    """Return the type as which msgspec decodes a column's common values: ``Raw`` if ``checked`` does the rest."""
    match type_.kind:
        case Kind.BOOLEAN:
            return bool | None
        case Kind.DOUBLE:
            return float | None
        case Kind.FLOAT:
            return Annotated[float, msgspec.Meta(ge=-_GREATEST_FLOAT, le=_GREATEST_FLOAT)] | None
        case kind if kind in _BITS:
            high = (1 << (_BITS[kind] - 1)) - 1
            return Annotated[int, msgspec.Meta(ge=-high - 1, le=high)] | None
        case kind if kind in TEXT | BYTES:
            basic = str if kind in TEXT else bytes
            return basic | None if type_.size == _MOST else Annotated[basic, msgspec.Meta(max_length=type_.size)] | None
        case kind if kind in TIMES:
            return str | None
        case _:
            return msgspec.Raw


def checked(type_: DataType, conversion: Conversion) -> Callable[[Any], Any] | None:
    """Return the function that finishes values decoded as ``wire_type``; None if nothing is left to do."""
    if type_.kind in TIMES:
        return time_check(type_, conversion.time_zone)
    return conversion.converter(type_) if wire_type(type_) is msgspec.Raw else None


def json_text(value: Json) -> str:
    """Return a JSON value as text: a string's contents, a number as written, an object or array without spaces.

    Example:
        >>> [json_text(value) for value in (b'"a"', b"1.50", b"true", b'{"b": [1, 2]}')]
        ['a', '1.50', 'true', '{"b":[1,2]}']
    """
    data = bytes(value)
    if data[0] == _QUOTE:
        return _text_of(data)
    return (msgspec.json.format(data, indent=-1) if data[0] in _NESTED else data).decode()


@final
@attrs.frozen
class Conversion:
    """Rules of the conversion from JSON values to values of rows.

    Args:
        reads_texts: Accept numbers and booleans written as text.
        time_zone: Time zone of texts without one in TIMESTAMP_LTZ columns.
    """

    reads_texts: bool = False
    time_zone: str = "UTC"

    def converter(self, type_: DataType) -> Convert:
        """Return the function from a JSON value to a value of a type.

        Raises:
            UnsupportedFeatureError: The type is not supported in pipelines.

        Example:
            >>> convert = Conversion().converter(DataType.of(Kind.DECIMAL, 4, 2))
            >>> convert(b"1.5"), convert(b"null")
            (Decimal('1.50'), None)
        """
        convert = self._of_values(type_)

        def nullable(value: Json) -> Any:
            return None if bytes(value) == b"null" else convert(value)

        return nullable

    def _of_values(self, type_: DataType) -> Convert:
        match type_.kind:
            case kind if kind in TEXT:
                return json_text if type_.size == _MOST else partial(_short_text, type_)
            case kind if kind in TIMES:
                return partial(_time, time_check(type_, self.time_zone))
            case Kind.DECIMAL:
                return self._texts_too(_decimal(type_))
            case Kind.ARRAY:
                return partial(_array, self.converter(type_.parts[0]))
            case Kind.MAP if type_.parts[0].kind in TEXT:
                return partial(_map, self.converter(type_.parts[1]))
            case Kind.ROW:
                return partial(_row, {field.name: self.converter(field.type) for field in type_.fields})
            case kind if kind in BYTES:
                return msgspec.json.Decoder(wire_type(type_)).decode
            case _ if wire_type(type_) is not msgspec.Raw:
                return self._texts_too(msgspec.json.Decoder(wire_type(type_)).decode)
            case _:
                raise UnsupportedFeatureError(
                    f"a pipeline's rows cannot hold {type_}", now="Use STRING: the value is then its JSON."
                )

    def _texts_too(self, convert: Convert) -> Convert:
        return partial(_of_text, convert) if self.reads_texts else convert


def _of_text(convert: Convert, value: Json) -> Any:
    data = bytes(value)
    if data[0] != _QUOTE:
        return convert(data)
    text = _text_of(data)
    if _NUMBER.fullmatch(text) is None and text not in {"true", "false"}:
        raise MisfitError(f"{text[:100]!r} is not a number")
    return convert(text.encode())


def _short_text(type_: DataType, value: Json) -> str:
    text = json_text(value)
    if len(text) > (type_.size or 0):
        raise MisfitError(f"a text of {len(text)} characters does not fit {type_}")
    return text


def _time(check: Callable[[str], str], value: Json) -> str:
    return check(_text_of(value))


def _decimal(type_: DataType) -> Convert:
    context = Context(prec=type_.size, traps=[Inexact, InvalidOperation])
    scale = Decimal(1).scaleb(-(type_.scale or 0))

    def convert(value: Json) -> Decimal:
        data = bytes(value)
        if data[0] not in _NUMERIC:
            raise MisfitError(f"{json_text(data)[:100]!r} is not a number")
        try:
            return Decimal(data.decode()).quantize(scale, context=context)
        except (Inexact, InvalidOperation):
            raise MisfitError(f"{data[:100].decode()} is not of type {type_}") from None

    return convert


def _array(convert: Convert, value: Json) -> list[Any]:
    return [convert(element) for element in _elements_of(value)]


def _map(convert: Convert, value: Json) -> dict[str, Any]:
    return {key: convert(member) for key, member in json_members(value).items()}


def _row(converts: Mapping[str, Convert], value: Json) -> dict[str, Any]:
    members = json_members(value)
    if members.keys() - converts.keys():
        raise MisfitError(f"unknown fields of the ROW: {', '.join(sorted(members.keys() - converts.keys()))[:100]}")
    return {name: convert(members[name]) if name in members else None for name, convert in converts.items()}
