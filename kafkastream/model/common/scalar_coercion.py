"""Coercion of numbers, texts and times to declared types."""

from __future__ import annotations

import datetime
from array import array
from collections.abc import Callable, Mapping, Sequence
from decimal import Decimal, InvalidOperation
from types import NoneType
from typing import Any, Final

from kafkastream.model.common.coercion_rules import Coercion, MistypedError, of_types
from kafkastream.model.common.time import Instant
from kafkastream.model.common.types import TypeInformation, TypeKind
from kafkastream.model.common.value_printing import single

__all__ = ["SCALARS"]

_BITS: Final = {TypeKind.BYTE: 8, TypeKind.SHORT: 16, TypeKind.INT: 32, TypeKind.LONG: 64}
_TEXTS: Final = (str, bytes, bytearray)  # int() and float() would read numbers from them
_NUMBERS: Final = frozenset({float, int, bool})


def _integer(kind: TypeKind) -> Coercion:
    """Return a coercion that truncates fractions and refuses numbers out of range, as PyFlink's ``coder_impl_fast``
    does.
    """
    type_info: TypeInformation[int] = TypeInformation(kind)
    limit = 1 << (_BITS[kind] - 1)

    def one(value: Any) -> int:
        number = _whole(value, type_info)
        if not -limit <= number < limit:
            raise MistypedError(value, type_info, "is out of range")
        return number

    def column(values: Sequence[Any]) -> Sequence[Any] | None:
        kinds = set(map(type, values))
        if not kinds <= {int, NoneType}:
            return None
        numbers = [value for value in values if value is not None] if NoneType in kinds else values
        return values if not numbers or (-limit <= min(numbers) and max(numbers) < limit) else None

    return Coercion(one, column)


def _big_integer(value: Any) -> int:
    """Accept integers of any size; PyFlink's coder refuses more than 64 bits, though Java's BigInteger has them."""
    return _whole(value, TypeInformation(TypeKind.BIG_INT))


def _whole(value: Any, type_info: TypeInformation[Any]) -> int:
    if isinstance(value, _TEXTS):
        raise MistypedError(value, type_info)
    try:
        return int(value)
    except (TypeError, ValueError, OverflowError):
        raise MistypedError(value, type_info) from None


def _boolean(value: Any) -> bool:
    type_info: TypeInformation[bool] = TypeInformation(TypeKind.BOOLEAN)
    number = _whole(value, type_info)
    if not 0 <= number <= 255:  # PyFlink's coder writes a byte
        raise MistypedError(value, type_info)
    return bool(number)


def _real(kind: TypeKind) -> Callable[[Any], float]:
    type_info: TypeInformation[float] = TypeInformation(kind)

    def one(value: Any) -> float:
        if isinstance(value, _TEXTS):
            raise MistypedError(value, type_info)
        try:
            return float(value)
        except (TypeError, ValueError, OverflowError):
            raise MistypedError(value, type_info) from None

    return one


def _float() -> Coercion:
    real = _real(TypeKind.FLOAT)

    def column(values: Sequence[Any]) -> Sequence[Any] | None:
        return array("f", values).tolist() if _NUMBERS.issuperset(map(type, values)) else None

    return Coercion(lambda value: single(real(value)), column)


def _text(kind: TypeKind) -> Callable[[Any], str]:
    type_info: TypeInformation[str] = TypeInformation(kind)

    def one(value: Any) -> str:
        if not isinstance(value, str):
            raise MistypedError(value, type_info)
        return str.__str__(value)

    return one


def _character() -> Coercion:
    text, fits = _text(TypeKind.CHAR), of_types(str)

    def one(value: Any) -> str:
        character = text(value)
        if len(character) != 1:
            raise MistypedError(value, TypeInformation(TypeKind.CHAR))
        return character

    def column(values: Sequence[Any]) -> Sequence[Any] | None:
        return values if fits(values) and all(value is None or len(value) == 1 for value in values) else None

    return Coercion(one, column)


def _decimal(value: Any) -> Decimal:
    try:
        return Decimal(str(value))
    except InvalidOperation:
        raise MistypedError(value, TypeInformation(TypeKind.BIG_DEC)) from None


def _instant(value: Any) -> Instant:
    if not isinstance(value, Instant):
        raise MistypedError(value, TypeInformation(TypeKind.INSTANT))
    return value


def _day(value: Any) -> datetime.date:
    if not isinstance(value, datetime.date):
        raise MistypedError(value, TypeInformation(TypeKind.SQL_DATE))
    return datetime.date(value.year, value.month, value.day)


def _time(value: Any) -> datetime.time:
    if not isinstance(value, (datetime.time, datetime.datetime)):
        raise MistypedError(value, TypeInformation(TypeKind.SQL_TIME))
    return datetime.time(value.hour, value.minute, value.second, _millis(value))


def _timestamp(value: Any) -> datetime.datetime:
    if not isinstance(value, datetime.datetime):
        raise MistypedError(value, TypeInformation(TypeKind.SQL_TIMESTAMP))
    return value.replace(microsecond=_millis(value), tzinfo=None)


def _millis(value: datetime.time | datetime.datetime) -> int:
    return value.microsecond - value.microsecond % 1000


def _times(one: Callable[[Any], Any], kind: type) -> Coercion:
    """Return a coercion that keeps times without a zone and with whole milliseconds as they are."""
    fits = of_types(kind)

    def column(values: Sequence[Any]) -> Sequence[Any] | None:
        if not fits(values):
            return None
        kept = all(value is None or (value.tzinfo is None and not value.microsecond % 1000) for value in values)
        return values if kept else None

    return Coercion(one, column)


SCALARS: Final[Mapping[TypeKind, Coercion]] = {
    **{kind: _integer(kind) for kind in _BITS},
    TypeKind.STRING: Coercion.of_kinds(_text(TypeKind.STRING), str),
    TypeKind.CHAR: _character(),
    TypeKind.BIG_INT: Coercion.of_kinds(_big_integer, int),
    TypeKind.BOOLEAN: Coercion.of_kinds(_boolean, bool),
    TypeKind.FLOAT: _float(),
    TypeKind.DOUBLE: Coercion.of_kinds(_real(TypeKind.DOUBLE), float),
    TypeKind.BIG_DEC: Coercion.of_kinds(_decimal, Decimal),
    TypeKind.INSTANT: Coercion.of_kinds(_instant, Instant),
    TypeKind.SQL_DATE: Coercion.of_kinds(_day, datetime.date),
    TypeKind.SQL_TIME: _times(_time, datetime.time),
    TypeKind.SQL_TIMESTAMP: _times(_timestamp, datetime.datetime),
}
"""The coercion to each type that holds no others; PyFlink's golden values are in tests/differential/values."""
