"""Types of columns that JSON values show.

====================================================  ================
JSON                                                  type
====================================================  ================
``null``                                              none: it has no type
``true``, ``false``                                   BOOLEAN
a number without fraction and exponent                BIGINT; DECIMAL(38, 0) beyond 64 bits, STRING beyond 38 digits
another number                                        DOUBLE; STRING beyond its range
text as ``2024-05-01``                                DATE
text as ``2024-05-01 12:30:00.123`` or with ``T``     TIMESTAMP(3), or more precise; TIMESTAMP_LTZ with ``Z`` at its end
other text, an object, an array                       STRING
====================================================  ================

A value that fits the existing column has the column's own type, whatever the table says: 5 fits an INT. A number that
does not fit a DECIMAL shows the DECIMAL that it needs, and a time of day the precision.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from decimal import Decimal, InvalidOperation
from typing import Final, final

import attrs
import msgspec

from kafkastream.cdc.errors import MalformedRecordError
from kafkastream.cdc.merge import widened_type
from kafkastream.cdc.times import time_check
from kafkastream.cdc.values import Conversion, Convert, Json, json_text
from kafkastream.model.formats.malformed import is_malformed, malformed
from kafkastream.sql.time_texts import time_type
from kafkastream.sql.types import DataType, Kind

__all__ = ["Known", "MemberType", "found_types", "json_type"]

Known = Mapping[str, tuple[DataType, Convert]]
"""Existing columns by name: type, and a function that checks whether a value fits."""


@final
@attrs.frozen
class MemberType:
    """Type of a member that the record itself declares.

    Args:
        type: Type of the member.
        transform: Converts the member's JSON to that of the type, where it differs, such as days since 1970 for a DATE.
    """

    type: DataType
    transform: Callable[[Json], Json] | None = None


_STRING: Final = DataType.string()
_BOOLEAN: Final = DataType.of(Kind.BOOLEAN)
_DOUBLE: Final = DataType.of(Kind.DOUBLE)
_BIGINT: Final = DataType.of(Kind.BIGINT)
_MOST_DIGITS: Final = 38
_MOST_FRACTION: Final = 9
_MOST_WHOLE: Final = 1 << 63
_SEPARATORS: Final = (" ", "T")


def found_types(
    members: Mapping[str, Json],
    known: Known,
    types: Mapping[str, MemberType],
    fixed: Mapping[str, DataType],
    conversion: Conversion,
    primitive_as_string: bool,
) -> Iterator[tuple[str, DataType]]:
    """Yield the types inferred from an object's members, by name; a null has no type unless the record declares it.

    Args:
        members: JSON of the members.
        known: Existing columns.
        types: Types that the record declares.
        fixed: Types that the user has fixed.
        conversion: Conversion of values.
        primitive_as_string: Infer STRING for all new columns.

    Raises:
        MalformedRecordError: A text is not UTF-8, or a value contradicts its type.
    """
    for name, value in members.items():
        data = bytes(value)
        try:
            if name in fixed:
                conversion.converter(fixed[name])(data)
                yield name, fixed[name]
            elif name in types and not primitive_as_string:
                yield name, _told(types[name], data, conversion)
            elif data != b"null":
                yield name, _STRING if primitive_as_string and name not in known else _shown(data, known.get(name))
        except Exception as error:
            raise MalformedRecordError(f"member {name[:100]!r}: {malformed(error)}") from error
    if not primitive_as_string:
        yield from ((name, told.type) for name, told in types.items() if name not in members)


def _told(told: MemberType, data: bytes, conversion: Conversion) -> DataType:
    if data == b"null":
        return told.type
    plain = data if told.transform is None else bytes(told.transform(data))
    return widened_type(told.type, _shown(plain, (told.type, conversion.converter(told.type))))


def _shown(data: bytes, column: tuple[DataType, Convert] | None) -> DataType:
    if column is None:
        return json_type(data)
    type_, convert = column
    return type_ if _fits(data, convert) else json_type(data, type_)


def _fits(data: bytes, convert: Convert) -> bool:
    try:
        convert(data)
    except Exception as error:
        if not is_malformed(error):
            raise
        return False
    return True


def json_type(data: bytes, column: DataType | None = None) -> DataType:
    """Infer the type of a JSON value other than null.

    Args:
        data: JSON value.
        column: Type of the column that cannot hold the value; None for a new column.

    Raises:
        ValueError: The value is not UTF-8.

    Example:
        >>> [str(json_type(data)) for data in (b"5", b"5.0", b'"2024-05-01T12:30"', b"[1]")]
        ['BIGINT', 'DOUBLE', 'TIMESTAMP(3)', 'STRING']
        >>> str(json_type(b"12.345", DataType.of(Kind.DECIMAL, 4, 2)))
        'DECIMAL(5, 3)'
    """
    text = json_text(data)
    match data[:1]:
        case b'"' if column is not None and column.kind is Kind.TIME:
            return _clock(text)
        case b'"':
            return _time(text) or _STRING
        case b"t" | b"f":
            return _BOOLEAN
        case b"{" | b"[":
            return _STRING
        case _ if column is not None and column.kind is Kind.DECIMAL:
            return _decimal(text)
        case _ if text.lstrip("-").isdecimal():
            return _whole(text)
        case _:
            return _STRING if _is_beyond_double(data) else _DOUBLE


def _time(text: str) -> DataType | None:
    return next(filter(None, (time_type(text, separator) for separator in _SEPARATORS)), None)


def _clock(text: str) -> DataType:
    """Return the TIME that holds a text with more fractional digits than its column."""
    type_ = DataType.of(Kind.TIME, min(_MOST_FRACTION, len(text.partition(".")[2])))
    return type_ if time_check(type_).is_usual(text) is not None else _STRING


def _whole(text: str) -> DataType:
    if len(text.lstrip("-")) > _MOST_DIGITS:
        return _STRING
    return _BIGINT if -_MOST_WHOLE <= int(text) < _MOST_WHOLE else DataType.of(Kind.DECIMAL, _MOST_DIGITS)


def _decimal(text: str) -> DataType:
    """Return the DECIMAL with the scale and precision of a number."""
    try:
        number = Decimal(text)
    except InvalidOperation:  # the exponent exceeds what Decimal can hold
        return _STRING
    exponent = number.as_tuple().exponent
    assert isinstance(exponent, int), text
    scale = max(0, -exponent)
    whole = max(0, number.adjusted() + 1) if number else 0
    fits = whole + scale <= _MOST_DIGITS
    return DataType.of(Kind.DECIMAL, max(1, whole + scale), scale) if fits else _STRING


def _is_beyond_double(data: bytes) -> bool:
    try:
        msgspec.json.decode(data, type=float)
    except ValueError:
        return True
    return False
