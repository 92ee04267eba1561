"""Converts fields of elements to values that Arrow accepts for the columns of a table."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from datetime import datetime, timezone
from decimal import ROUND_HALF_UP, Context, Decimal
from typing import Any, Final

from kafkastream.model.common.row import Row
from kafkastream.model.common.time import Instant
from kafkastream.model.common.types import TypeInformation, TypeKind
from kafkastream.sql.type_information import field_names
from kafkastream.sql.types import DataType

__all__ = ["Convert", "converter", "parts_of"]

Convert = Callable[[Any], Any]
_MICROS: Final = 1_000_000
_MOST_DIGITS: Final = Context(prec=76, rounding=ROUND_HALF_UP)


def parts_of(value: Any, names: Sequence[str]) -> Sequence[Any]:
    """Return the fields of an element or of a nested row."""
    if isinstance(value, Row):
        parts: Sequence[Any] = value.get_fields_by_names(names) if hasattr(value, "_fields") else list(value)
    elif isinstance(value, Mapping):
        parts = [value[name] for name in names]
    elif isinstance(value, (tuple, list)):
        parts = value
    else:
        raise TypeError(f"it has no fields, and the columns are {', '.join(names)}")
    if len(parts) != len(names):
        raise ValueError(f"it has {len(parts)} fields, and the columns are {', '.join(names)}")
    return parts


def converter(kind: TypeInformation[Any], type_: DataType) -> Convert | None:
    """Return the converter of a value for Arrow; None if it is unchanged."""
    match kind.kind:
        case TypeKind.INSTANT:
            return _micros
        case TypeKind.BIG_DEC:
            return _rounded(type_.size or 0, type_.scale or 0)
        case TypeKind.ROW | TypeKind.TUPLE:
            names = field_names(kind)
            converts = [_known(part, field.type) for part, field in zip(kind.elements, type_.fields, strict=True)]
            return lambda value: tuple(
                convert(part) for convert, part in zip(converts, parts_of(value, names), strict=True)
            )
        case TypeKind.MAP:
            key, item = (_known(part, own) for part, own in zip(kind.elements, type_.parts, strict=True))
            return lambda value: [(key(k), item(v)) for k, v in value.items()]
        case TypeKind.PRIMITIVE_ARRAY if not type_.parts:
            return lambda value: bytes(byte & 0xFF for byte in value)
        case _ if kind.elements:
            part = _known(kind.elements[0], type_.parts[0])
            return lambda value: list(map(part, value))
        case _:
            return None


def _known(kind: TypeInformation[Any], type_: DataType) -> Convert:
    convert = converter(kind, type_)
    return lambda value: value if value is None or convert is None else convert(value)


def _micros(value: Instant | datetime) -> int | datetime:
    """Return an instant in µs; a ``datetime`` without a zone is in the machine's time zone, as in PyFlink."""
    if isinstance(value, datetime):
        return value.astimezone(timezone.utc)
    return value.seconds * _MICROS + value.nanos // 1000


def _rounded(digits: int, scale: int) -> Convert:
    """Return the converter that rounds a decimal to its scale, as Flink's DecimalData does; NULL on overflow."""
    exponent = Decimal(1).scaleb(-scale)
    most = Decimal(10) ** (digits - scale)

    def rounded(value: Decimal) -> Decimal | None:
        exact = value.quantize(exponent, context=_MOST_DIGITS)
        return exact if abs(exact) < most else None

    return rounded
