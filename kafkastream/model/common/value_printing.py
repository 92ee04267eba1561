"""Text of values as Flink writes it: the output of ``print()``."""

from __future__ import annotations

import datetime
import math
import struct
from collections.abc import Callable, Iterable, Mapping
from decimal import Decimal
from typing import Any, Final

from kafkastream.model.common.row import Row, RowKind
from kafkastream.model.common.time import Instant
from kafkastream.model.common.types import RowTypeInfo, TypeInformation, TypeKind

__all__ = ["flink_string", "java_double", "java_float", "printed", "shown", "single"]

_SHOWN = 200

_Type = TypeInformation[Any]


def printed(value: object, type_info: TypeInformation[Any] | None) -> str:
    """Return the text that PyFlink's ``DataStream.print()`` writes for ``value``.

    Same as ``flink_string``, except that PyFlink writes a row in Python, before Java sees it
    (``DataStream._align_output_type``): no space after commas, and Python's ``str`` of each value.

    Example:
        >>> from kafkastream.model.common.types import Types
        >>> printed(Row("a", None), Types.ROW([Types.STRING(), Types.INT()]))
        '+I[a,None]'
    """
    if isinstance(type_info, RowTypeInfo) and isinstance(value, Row):
        return f"{value.get_row_kind()}[{','.join(map(str, value))}]"
    return flink_string(value, type_info)


def flink_string(value: object, type_info: TypeInformation[Any] | None) -> str:
    """Return ``value`` as Java's ``toString`` shows it in Flink; without a type (pickled elements), Python's ``str``.

    Differs from Java: arrays show their values (Java prints their address), maps keep Python's order.

    Example:
        >>> from kafkastream.model.common.types import Types
        >>> flink_string(Row("a", None, 1e10), Types.ROW([Types.STRING(), Types.INT(), Types.DOUBLE()]))
        '+I[a, null, 1.0E10]'
        >>> flink_string(("a", True), Types.TUPLE([Types.STRING(), Types.BOOLEAN()]))
        '(a,true)'
        >>> flink_string(True, None)
        'True'
    """
    if type_info is None:
        return str(value)
    return _typed(value, type_info)


def _typed(value: Any, type_info: _Type) -> str:
    write = _WRITERS.get(type_info.kind)
    if write is None:
        return str(value)
    return "null" if value is None else write(value, type_info)


def _boolean(value: Any, _: _Type) -> str:
    return "true" if value else "false"


def _float(value: Any, _: _Type) -> str:
    return java_float(value)


def _double(value: Any, _: _Type) -> str:
    return java_double(value)


def _string(value: Any, _: _Type) -> str:
    return str(value)


def _time(value: datetime.time, _: _Type) -> str:
    return value.isoformat("seconds")


def _timestamp(value: datetime.datetime, _: _Type) -> str:
    fraction = f"{value.microsecond:06}".rstrip("0") or "0"
    return f"{value.replace(microsecond=0, tzinfo=None)}.{fraction}"


def _instant(value: Instant, _: _Type) -> str:
    second = datetime.datetime(1970, 1, 1) + datetime.timedelta(seconds=value.seconds)  # noqa: DTZ001 - always UTC
    return f"{second.isoformat()}{_fraction(value.nanos)}Z"


def _fraction(nanos: int) -> str:
    digits = f"{nanos:09}"
    while digits.endswith("000"):
        digits = digits[:-3]
    return f".{digits}" if digits else ""


def _row(value: Any, type_info: _Type) -> str:
    assert isinstance(type_info, RowTypeInfo)
    kind = value.get_row_kind() if isinstance(value, Row) else RowKind.INSERT
    return f"{kind}[{_joined(_row_values(value, type_info), type_info.elements, ', ')}]"


def _row_values(value: Any, type_info: RowTypeInfo) -> Iterable[Any]:
    names = type_info.field_names
    if isinstance(value, Mapping):
        return [value.get(name) for name in names]
    fields = getattr(value, "_fields", None)
    if fields is not None and tuple(fields) != names and set(names) <= set(fields):
        return [value[name] for name in names]
    values: Iterable[Any] = value
    return values


def _tuple(value: Any, type_info: _Type) -> str:
    return f"({_joined(value, type_info.elements, ',')})"


def _joined(values: Iterable[Any], types: Iterable[_Type], separator: str) -> str:
    return separator.join(_typed(value, inner) for value, inner in zip(values, types, strict=False))


def _list(value: Any, type_info: _Type) -> str:
    (element,) = type_info.elements
    return f"[{', '.join(_typed(item, element) for item in value)}]"


def _bytes_or_list(value: Any, type_info: _Type) -> str:
    # Java's bytes are signed.
    return str([(byte + 128) % 256 - 128 for byte in value]) if isinstance(value, bytes) else _list(value, type_info)


def _map(value: Any, type_info: _Type) -> str:
    key_type, value_type = type_info.elements
    return f"{{{', '.join(f'{_typed(k, key_type)}={_typed(v, value_type)}' for k, v in value.items())}}}"


# Pickled elements are missing: they are Python's, and so is their text.
_WRITERS: Final[Mapping[TypeKind, Callable[[Any, _Type], str]]] = {
    TypeKind.STRING: _string,
    TypeKind.BYTE: _string,
    TypeKind.BOOLEAN: _boolean,
    TypeKind.SHORT: _string,
    TypeKind.INT: _string,
    TypeKind.LONG: _string,
    TypeKind.FLOAT: _float,
    TypeKind.DOUBLE: _double,
    TypeKind.CHAR: _string,
    TypeKind.BIG_INT: _string,
    TypeKind.BIG_DEC: _string,
    TypeKind.INSTANT: _instant,
    TypeKind.VOID: _string,
    TypeKind.SQL_DATE: _string,
    TypeKind.SQL_TIME: _time,
    TypeKind.SQL_TIMESTAMP: _timestamp,
    TypeKind.ROW: _row,
    TypeKind.TUPLE: _tuple,
    TypeKind.MAP: _map,
    TypeKind.LIST: _bytes_or_list,
    TypeKind.PRIMITIVE_ARRAY: _bytes_or_list,
    TypeKind.BASIC_ARRAY: _bytes_or_list,
    TypeKind.OBJECT_ARRAY: _list,
}

_NOT_FINITE: Final = {"inf": "Infinity", "-inf": "-Infinity", "nan": "NaN"}


def java_double(value: float) -> str:
    """Return ``Double.toString`` of Java 19 and newer: the shortest digits that mean ``value`` (older versions add
    some).

    See https://bugs.openjdk.org/browse/JDK-4511638.

    Example:
        >>> java_double(1e10), java_double(0.001), java_double(1)
        ('1.0E10', '0.001', '1.0')
    """
    plain = value == 0 or 1e-3 <= abs(value) < 1e7
    return repr(float(value)) if plain else _scientific(repr(float(value)))


def _scientific(text: str) -> str:
    if text in _NOT_FINITE:
        return _NOT_FINITE[text]
    digits, _, exponent = f"{Decimal(text).normalize():E}".partition("E")
    return f"{digits if '.' in digits else digits + '.0'}E{int(exponent)}"


def java_float(value: float) -> str:
    """Return ``Float.toString`` of Java 19 and newer, of ``value`` rounded to 32 bits.

    Example:
        >>> java_float(0.1 + 0.2)
        '0.3'
    """
    rounded = single(value)
    shorter = (float(f"{rounded:.{digits}g}") for digits in range(1, 10))
    return java_double(next((candidate for candidate in shorter if single(candidate) == rounded), rounded))


def single(value: float) -> float:
    """Return ``value`` rounded to 32 bits, as Java's ``float`` holds it."""
    try:
        (rounded,) = struct.unpack("f", struct.pack("f", value))
    except OverflowError:
        return math.copysign(math.inf, value)
    return float(rounded)


def shown(element: object) -> str:
    """Return the ``repr`` of an element, shortened for a message."""
    text = repr(element)
    return text if len(text) <= _SHOWN else f"{text[:_SHOWN]}…"
