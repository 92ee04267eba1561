"""Conversion of the results of user-defined functions to values that Arrow accepts."""

from __future__ import annotations

import datetime
import decimal
import operator
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, Final

from kafkastream.errors import UserFunctionError
from kafkastream.model.common.row import Row
from kafkastream.model.common.value_printing import shown
from kafkastream.sql.types import DataType, Kind

__all__ = ["NO_VALUE", "not_of_type", "result_rows", "written"]

_Convert = Callable[[Any], Any]
_BITS: Final = {Kind.TINYINT: 7, Kind.SMALLINT: 15, Kind.INT: 31, Kind.BIGINT: 63}
_MICROS: Final = 6
_MILLIS: Final = 3
"""Precision of TIME in Flink."""

NO_VALUE: Final = (TypeError, ValueError, LookupError, ArithmeticError)
"""Errors of a result that is not of the declared type."""


def written(kind: DataType) -> _Convert:
    """Return the converter of results to values that Arrow accepts for a type.

    The converter raises TypeError, ValueError, LookupError or ArithmeticError for a value that is not of the type.

    Example:
        >>> written(DataType.of(Kind.DECIMAL, 5, 2))(decimal.Decimal("1.005")), written(DataType.of(Kind.BIGINT))(True)
        (Decimal('1.00'), 1)
    """
    write = _writer(kind)
    return lambda value: None if value is None else write(value)


def _writer(kind: DataType) -> _Convert:
    match kind.kind:
        case one if one in _BITS:
            return _whole(_BITS[one])
        case Kind.DECIMAL:
            return _decimal(kind.size or 10, kind.scale or 0)
        case Kind.TIME:
            return _time(min(kind.size or 0, _MILLIS))
        case Kind.TIMESTAMP:
            return _stamp(kind.size or 0, None)
        case Kind.TIMESTAMP_LTZ:
            return _stamp(kind.size or 0, datetime.timezone.utc)
        case Kind.ARRAY:
            return _array(written(kind.parts[0]))
        case Kind.MAP:
            return _map(written(kind.parts[0]), written(kind.parts[1]))
        case Kind.MULTISET:
            return _map(written(kind.parts[0]), _whole(_BITS[Kind.INT]))
        case Kind.ROW:
            return _row([field.name for field in kind.fields], [written(field.type) for field in kind.fields])
        case one:
            return _SIMPLE[one]


def _of(*kinds: type) -> _Convert:
    def same(value: Any) -> Any:
        if not isinstance(value, kinds):
            raise TypeError(value)
        return value

    return same


def _number(value: Any) -> float:
    if isinstance(value, str | bytes):
        raise TypeError(value)
    return float(value)


def _boolean(value: Any) -> bool:
    own = value.item() if type(value).__module__ == "numpy" else value
    if not isinstance(own, bool):
        raise TypeError(value)
    return own


def _day(value: Any) -> datetime.date:
    if isinstance(value, datetime.datetime):
        return value.date()
    if not isinstance(value, datetime.date):
        raise TypeError(value)
    return value


_TEXT: Final = _of(str)
_BYTES: Final = _of(bytes, bytearray, memoryview)
_SIMPLE: Final[Mapping[Kind, _Convert]] = {
    Kind.CHAR: _TEXT,
    Kind.VARCHAR: _TEXT,
    Kind.BINARY: lambda value: bytes(_BYTES(value)),
    Kind.VARBINARY: lambda value: bytes(_BYTES(value)),
    Kind.BOOLEAN: _boolean,
    Kind.FLOAT: _number,
    Kind.DOUBLE: _number,
    Kind.DATE: _day,
}


def _whole(bits: int) -> _Convert:
    def whole(value: Any) -> int:
        number = operator.index(value)
        if not -(2**bits) <= number < 2**bits:
            raise OverflowError(value)
        return number

    return whole


def _decimal(precision: int, scale: int) -> _Convert:
    context, unit = decimal.Context(prec=precision), decimal.Decimal(1).scaleb(-scale)

    def number(value: Any) -> Any:
        if not isinstance(value, decimal.Decimal):
            value = decimal.Decimal(operator.index(value))
        return value.quantize(unit, context=context)

    return number


def _floored(value: Any, digits: int) -> Any:
    return value.replace(microsecond=value.microsecond - value.microsecond % 10 ** (_MICROS - digits))


def _time(digits: int) -> _Convert:
    return lambda value: _floored(_of(datetime.time)(value), digits)


def _stamp(digits: int, zone: datetime.timezone | None) -> _Convert:
    """Return the converter of timestamps: TIMESTAMP drops a time zone, TIMESTAMP_LTZ assumes UTC, as in PyFlink."""

    def stamp(value: Any) -> Any:
        value = _floored(_of(datetime.datetime)(value), min(digits, _MICROS))
        if zone is None or value.tzinfo is None:
            return value.replace(tzinfo=zone)
        return value.astimezone(zone)

    return stamp


def _array(write: _Convert) -> _Convert:
    def array(value: Iterable[Any]) -> list[Any]:
        if isinstance(value, str | bytes | Mapping):
            raise TypeError(value)
        return [write(one) for one in value]

    return array


def _map(key: _Convert, item: _Convert) -> _Convert:
    def pairs(value: Mapping[Any, Any]) -> list[tuple[Any, Any]]:
        if not isinstance(value, Mapping):
            raise TypeError(value)
        return [(key(one), item(other)) for one, other in value.items()]

    return pairs


def _row(names: list[str], writes: Sequence[_Convert]) -> _Convert:
    def row(value: Any) -> dict[str, Any]:
        match value:
            case Mapping():
                values = [value[name] for name in names]
            case Row():
                values = value.get_fields_by_names(names)
            case tuple() | list():
                values = list(value)
            case _:
                raise TypeError(value)
        return {name: write(one) for name, write, one in zip(names, writes, values, strict=True)}

    return row


def result_rows(results: Any) -> Iterator[tuple[Any, ...]]:
    """Yield the rows that a call of a table function gives, as PyFlink understands its result.

    Example:
        >>> list(result_rows([1, ("a", 2), Row("b", 3)])), list(result_rows("abc")), list(result_rows(None))
        ([(1,), ('a', 2), ('b', 3)], [('abc',)], [])
    """
    if results is None:
        return
    several = results if isinstance(results, list | range | Iterator) else (results,)
    for one in several:
        yield tuple(one) if isinstance(one, tuple | Row) else (one,)


def not_of_type(name: str, result: object, kind: DataType) -> UserFunctionError:
    """Return the error of a function that returned a value of another type.

    Args:
        name: Name of the function.
        result: Its result.
        kind: Declared type.
    """
    return UserFunctionError(
        f"function {name!r} returned {shown(result)}, a {type(result).__name__}, which is not of type {kind}",
        now="Return a value of the result type, or declare another type.",
    )
