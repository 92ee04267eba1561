"""Casts of values of rows in Python, with Flink's results."""

from __future__ import annotations

import datetime
import math
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from decimal import Decimal
from itertools import repeat
from typing import Any, Final
from zoneinfo import ZoneInfo

from kafkastream.errors import UnsupportedFeatureError, UserFunctionError
from kafkastream.model.common.value_printing import java_double, java_float, single
from kafkastream.operators.table.aggregates.sql_arithmetic import arithmetic
from kafkastream.sql.plan.expression import Cast, CastMode
from kafkastream.sql.type_families import APPROXIMATE, BYTES, NUMERIC, STAMPS, TEXT, WHOLE
from kafkastream.sql.types import DataType, Kind

__all__ = ["Convert", "NotInPythonError", "conversion", "micros_of", "stamp_of", "truncated"]

Convert = Callable[[Any], Any]
"""Converts a value that is not NULL."""

_DAY: Final = 86_400_000_000
_EPOCH: Final = datetime.datetime(1970, 1, 1)  # noqa: DTZ001 - times have no zone, or are in UTC
_MICROSECOND: Final = datetime.timedelta(microseconds=1)
_LONGEST: Final = 2**31 - 1
_MOST_DIGITS: Final = 38
_BITS: Final = {Kind.TINYINT: 8, Kind.SMALLINT: 16, Kind.INT: 32, Kind.BIGINT: 64}
_WHOLE_TEXT: Final = re.compile(r"[+-]?[0-9]+(\.[0-9]*)?")
_NUMBER_TEXT: Final = re.compile(r"[+-]?([0-9]+(\.[0-9]*)?|\.[0-9]+)([eE][+-]?[0-9]+)?")
_PERHAPS_NUMBER: Final = re.compile(r"[\x00-\x1f]|nan|inf|[0-9.][df]$", re.IGNORECASE)
"""Texts that Java or Spark may take for numbers: with tabs, ``NaN`` and ``1.5d``."""
_STAMP_TEXT: Final = re.compile(
    r"([0-9]{4})-([0-9]{2})-([0-9]{2})(?: ([0-9]{2}):([0-9]{2}):([0-9]{2})(?:\.([0-9]{1,9}))?)?"
)


class NotInPythonError(Exception):
    """Part of a query that the driver cannot compute in Python; the text names it."""


def conversion(cast: Cast, zone: ZoneInfo) -> Convert:
    """Return the conversion of a cast.

    Args:
        cast: The cast.
        zone: Time zone of the session.

    Raises:
        NotInPythonError: Only Spark computes it.
    """
    source, target = cast.value.type, cast.type
    convert = _conversion(source, target, zone)
    if convert is None:
        raise NotInPythonError(f"CAST from {source.nullable()} to {target.nullable()}")
    return _trying(convert) if cast.mode is CastMode.TRY_CAST else convert


def _trying(convert: Convert) -> Convert:
    def tried(value: Any) -> Any:
        try:
            return convert(value)
        except UserFunctionError:
            return None

    return tried


def _conversion(source: DataType, target: DataType, zone: ZoneInfo) -> Convert | None:
    """Return the conversion of a value from one type to another; None if only Spark has it."""
    if source.nullable() == target.nullable():
        return _same
    if source.kind in NUMERIC and target.kind in NUMERIC:
        return _of_number(source, target)
    if target.kind in TEXT:
        text = _same if source.kind in TEXT else _text_of(source, zone)
        return None if text is None else _with_length(text, target)
    if source.kind in TEXT:
        return _of_text(target)
    if source.kind is Kind.BOOLEAN and target.kind in WHOLE:
        return int
    if source.kind in WHOLE and target.kind is Kind.BOOLEAN:
        return bool
    if source.kind in BYTES and target.kind in BYTES and target.size == _LONGEST:
        return _same
    if source.inner_types and source.kind is target.kind:
        return _of_parts(source, target, zone)
    return _of_time(source, target, zone)


def _of_time(source: DataType, target: DataType, zone: ZoneInfo) -> Convert | None:
    cut = truncated(target.size or 0)
    match source.kind, target.kind:
        case from_, to if from_ is to and to in STAMPS:
            return cut
        case Kind.TIMESTAMP, Kind.TIMESTAMP_LTZ:
            return lambda value: cut(_instant(value, zone))
        case Kind.TIMESTAMP_LTZ, Kind.TIMESTAMP:
            return lambda value: cut(_local(value, zone))
        case Kind.TIMESTAMP, Kind.DATE:
            return lambda value: value // _DAY
        case Kind.TIMESTAMP_LTZ, Kind.DATE:
            return lambda value: _local(value, zone) // _DAY
        case Kind.DATE, Kind.TIMESTAMP:
            return lambda value: value * _DAY
        case Kind.DATE, Kind.TIMESTAMP_LTZ:
            return lambda value: _instant(value * _DAY, zone)
        case _:
            return None


def _same(value: Any) -> Any:
    return value


def _of_parts(source: DataType, target: DataType, zone: ZoneInfo) -> Convert | None:
    """Return the conversion of an ARRAY or a ROW, part by part."""
    parts = [_conversion(*pair, zone) for pair in zip(source.inner_types, target.inner_types, strict=True)]
    known = [part for part in parts if part is not None]
    if len(known) < len(parts):
        return None
    match target.kind:
        case Kind.ARRAY:
            return lambda value: tuple(None if element is None else known[0](element) for element in value)
        case Kind.ROW:
            return lambda value: tuple(
                None if field is None else part(field) for part, field in zip(known, value, strict=True)
            )
        case _:
            return None


def truncated(digits: int) -> Convert:
    """Return the conversion of a time in µs to one with fewer digits of a second."""
    unit = 10 ** (6 - min(digits, 6))
    return _same if unit == 1 else lambda value: value - value % unit


def _of_number(source: DataType, target: DataType) -> Convert | None:
    numbers = arithmetic(target)
    if target.kind is Kind.DECIMAL:
        if source.kind is Kind.FLOAT:
            return None  # Flink takes the digits of the same DOUBLE
        return lambda value: _decimal(value, target)
    if target.kind in APPROXIMATE:
        return (lambda value: single(float(value))) if target.kind is Kind.FLOAT else float
    if source.kind is Kind.DECIMAL:
        return lambda value: _fitting_whole(int(value), value, target)
    if source.kind in APPROXIMATE:
        return lambda value: numbers.fitting(_saturated(value, 64 if target.kind is Kind.BIGINT else 32))
    return numbers.fitting


def _decimal(value: Any, target: DataType) -> Decimal | None:
    """Return a number as a DECIMAL, by the digits that are shown, as ``BigDecimal.valueOf`` does; NULL if it is too large."""
    number = Decimal(repr(value) if isinstance(value, float) else value)
    if not number.is_finite():
        raise UserFunctionError(f"{value} is no value of {target.nullable()}")
    return None if number.adjusted() >= _MOST_DIGITS else arithmetic(target).fitting(number)


def _saturated(value: float, bits: int) -> int:
    """Return a number as Java's ``(int)`` and ``(long)`` do.

    https://docs.oracle.com/javase/specs/jls/se17/html/jls-5.html#jls-5.1.3
    """
    half: int = 1 << (bits - 1)
    if math.isnan(value):
        return 0
    if math.isinf(value):
        return half - 1 if value > 0 else -half
    return max(-half, min(half - 1, int(value)))


def _fitting_whole(number: int, value: Any, target: DataType) -> int:
    half = 1 << (_BITS[target.kind] - 1)
    if not -half <= number < half:
        raise _not_cast(value, target)
    return number


def _not_cast(value: Any, target: DataType) -> UserFunctionError:
    return UserFunctionError(f"{value!r} cannot be cast to {target.nullable()}", now="Use TRY_CAST, which gives NULL.")


def _with_length(text: Convert, target: DataType) -> Convert:
    length = target.size or 1
    if target.kind is Kind.CHAR:
        return lambda value: text(value)[:length].ljust(length)
    return text if length == _LONGEST else lambda value: text(value)[:length]


def _text_of_bytes(value: bytes) -> str:
    try:
        return value.decode()
    except UnicodeDecodeError:  # Java puts other characters in the place of malformed bytes than Python
        raise _by_spark("bytes that are not UTF-8") from None


_TEXTS: Final[Mapping[Kind, Convert]] = {
    **dict.fromkeys(WHOLE, str),
    **dict.fromkeys(TEXT, _same),
    Kind.BOOLEAN: lambda value: str(value).upper(),
    Kind.DECIMAL: lambda value: f"{value:f}",
    Kind.DOUBLE: java_double,
    Kind.FLOAT: java_float,
    Kind.DATE: lambda value: stamp_of(value * _DAY, 0)[:10],
    **dict.fromkeys(BYTES, _text_of_bytes),
}
"""Conversions to texts, by kinds whose texts do not depend on a precision."""


def _text_of(source: DataType, zone: ZoneInfo) -> Convert | None:
    match source.kind:
        case Kind.TIMESTAMP:
            return lambda value: stamp_of(value, source.size or 0)
        case Kind.TIMESTAMP_LTZ:
            return lambda value: stamp_of(_local(value, zone), source.size or 0)
        case Kind.ARRAY:
            part = _text_of(source.parts[0], zone)
            return None if part is None else lambda value: f"[{', '.join(_part_texts(repeat(part), value))}]"
        case Kind.ROW:
            parts = [_text_of(field.type, zone) for field in source.fields]
            known = [part for part in parts if part is not None]
            return None if len(known) < len(parts) else lambda value: f"({', '.join(_part_texts(known, value))})"
        case kind:
            return _TEXTS.get(kind)


def _part_texts(parts: Iterable[Convert], values: Iterable[Any]) -> Iterator[str]:
    return ("NULL" if value is None else part(value) for part, value in zip(parts, values, strict=False))


def stamp_of(micros: int, digits: int) -> str:
    """Return the text of a time in µs since 1970, as CAST gives it.

    Raises:
        UnsupportedFeatureError: It is not in the years 1 to 9999.

    Example:
        >>> stamp_of(1_500_000, 3)
        '1970-01-01 00:00:01.500'
    """
    try:
        text = (_EPOCH + micros * _MICROSECOND).isoformat(" ", "microseconds")
    except OverflowError:
        raise _by_spark("times beyond the years 1 to 9999") from None
    return text[: 20 + min(digits, 6)] if digits else text[:19]


def _of_text(target: DataType) -> Convert | None:
    match target.kind:
        case kind if kind in WHOLE:
            return lambda value: _whole_of_text(value, target)
        case Kind.DOUBLE:
            return lambda value: float(_matched(_NUMBER_TEXT, value, target))
        case Kind.DECIMAL:
            return lambda value: _decimal(_matched(_NUMBER_TEXT, value, target), target)
        case Kind.TIMESTAMP:
            cut = truncated(target.size or 0)
            return lambda value: cut(micros_of(value))
        case Kind.DATE:
            return lambda value: micros_of(value) // _DAY
        case Kind.VARBINARY if target.size == _LONGEST:
            return str.encode
        case _:
            return None


def _whole_of_text(value: str, target: DataType) -> int:
    text = _matched(_WHOLE_TEXT, value, target)
    return _fitting_whole(int(text.partition(".")[0]), value, target)


def _matched(pattern: re.Pattern[str], value: str, target: DataType) -> str:
    text = value.strip(" ")
    if pattern.fullmatch(text):
        return text
    if _PERHAPS_NUMBER.search(text):
        raise _by_spark(f"the cast of {value!r} to {target.nullable()}")
    raise _not_cast(value, target)


def micros_of(text: str) -> int:
    """Return the time that a text such as ``2024-05-01 12:30:00.5`` is, in µs since 1970.

    Raises:
        UnsupportedFeatureError: It is in another form, which Spark may still read.

    Example:
        >>> micros_of("1970-01-01 00:00:01.5"), micros_of("1970-01-02")
        (1500000, 86400000000)
    """
    matched = _STAMP_TEXT.fullmatch(text)
    if matched is None:
        raise _by_spark(f"the time {text!r}, which is not like '2024-05-01 12:30:00.000',")
    *parts, fraction = matched.groups()
    try:
        stamp = datetime.datetime(*(int(part or 0) for part in parts))  # type: ignore[arg-type]  # noqa: DTZ001
    except ValueError:
        raise _by_spark(f"the time {text!r}, which no calendar has,") from None
    return (stamp - _EPOCH) // _MICROSECOND + int((fraction or "").ljust(6, "0")[:6])


def _by_spark(values: str) -> UnsupportedFeatureError:
    return UnsupportedFeatureError(
        f"{values} in a query that the test driver computes in Python",
        now="JobTestDriver.of(…, spark=True) lets Spark compute it.",
    )


def _local(instant: int, zone: ZoneInfo) -> int:
    """Return what the clock of a zone shows at an instant, both in µs."""
    utc = _EPOCH.replace(tzinfo=datetime.timezone.utc) + instant * _MICROSECOND
    return (utc.astimezone(zone).replace(tzinfo=None) - _EPOCH) // _MICROSECOND


def _instant(local: int, zone: ZoneInfo) -> int:
    """Return the instant at which the clock of a zone shows a time; the first one, where it shows it twice.

    A time that it skips is moved by the length of the gap, as Java's ``ZonedDateTime.ofLocal`` does, and ``fold=0`` here.
    """
    stamp = (_EPOCH + local * _MICROSECOND).replace(tzinfo=zone)
    return (stamp.astimezone(datetime.timezone.utc).replace(tzinfo=None) - _EPOCH) // _MICROSECOND
