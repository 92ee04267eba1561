"""The elements of a type to JSON text, as Flink and its Jackson write it: one writer per field, made once."""

from __future__ import annotations

import base64
import datetime
import math
import operator
from collections.abc import Callable, Mapping
from decimal import Decimal
from functools import partial
from typing import Any, Final

from kafkastream.errors import UnsupportedFeatureError
from kafkastream.model.common.row import Row, field_values
from kafkastream.model.common.types import RowTypeInfo, TypeInformation, TypeKind
from kafkastream.model.common.value_printing import java_double, java_float
from kafkastream.model.formats.json_nodes import quoted_json, without_zeros
from kafkastream.model.formats.json_reading import INT_BITS

__all__ = ["NUMBERS", "real", "row_writer"]

Write = Callable[[Any], str]


def row_writer(type_info: RowTypeInfo) -> Callable[[Row], str]:
    """Return the function from a row to its JSON text.

    Raises:
        UnsupportedFeatureError: The type has a part that JSON rows cannot hold.
    """
    return _row(type_info)


def _writer(type_info: TypeInformation[Any], simple: Mapping[TypeKind, Write]) -> Write:
    write = _of_values(type_info, simple)
    return lambda value: "null" if value is None else write(value)


def _of_values(type_info: TypeInformation[Any], simple: Mapping[TypeKind, Write]) -> Write:
    elements = type_info.elements
    match type_info.kind:
        case TypeKind.ROW if simple is _SIMPLE:
            assert isinstance(type_info, RowTypeInfo)
            return _row(type_info)
        case TypeKind.OBJECT_ARRAY | TypeKind.BASIC_ARRAY:
            return partial(_array, _writer(elements[0], simple))
        case TypeKind.PRIMITIVE_ARRAY if elements[0].kind is TypeKind.BYTE:
            return _bytes
        case TypeKind.PRIMITIVE_ARRAY | TypeKind.LIST:
            return partial(_array, _writer(elements[0], _IN_COLLECTIONS))
        case TypeKind.MAP:
            return partial(_map, _key_writer(elements[0]), _writer(elements[1], _IN_COLLECTIONS))
        case kind if kind in simple:
            return simple[kind]
        case _:
            raise UnsupportedFeatureError(
                f"JSON rows cannot hold {type_info!r} here",
                where="JsonRowSerializationSchema",
                now="Flink writes rows, times and timestamps within a MAP or LIST in other ways: use ROW_NAMED and "
                "OBJECT_ARRAY, or map them to text before.",
            )


def _row(type_info: RowTypeInfo) -> Write:
    names = type_info.get_field_names()
    template = "{" + ",".join(quoted_json(name).replace("%", "%%") + ":%s" for name in names) + "}"
    writers = tuple(_writer(kind, _SIMPLE) for kind in type_info.elements)

    def row(value: Row) -> str:
        if not isinstance(value, Row):
            raise TypeError(f"the schema writes rows, got a {type(value).__name__}")
        values = field_values(value, names)
        if len(values) != len(names):
            raise ValueError(f"the row has {len(values)} values, its type has {len(names)}")
        try:
            return template % tuple([write(one) for write, one in zip(writers, values, strict=True)])
        except (TypeError, ValueError, AttributeError):
            return template % tuple(map(_named, names, writers, values))

    return row


def _named(name: str, write: Write, value: Any) -> str:
    try:
        return write(value)
    except (TypeError, ValueError, AttributeError) as error:
        raise ValueError(f"field {name!r}: {error}") from error


def _array(write: Write, value: Any) -> str:
    return f"[{','.join(map(write, value))}]"


def _map(key: Write, write: Write, value: Mapping[Any, Any]) -> str:
    return "{" + ",".join(f"{key(k)}:{write(v)}" for k, v in value.items()) + "}"


def _key_writer(type_info: TypeInformation[Any]) -> Write:
    write = _of_values(type_info, _KEYS)

    def key(value: Any) -> str:
        text = write(value)
        return text if text.startswith('"') else f'"{text}"'

    return key


def _whole(kind: TypeKind) -> Write:
    bits = INT_BITS[kind]
    low, high = -(1 << (bits - 1)), (1 << (bits - 1)) - 1

    def write(value: Any) -> str:
        number = operator.index(value)
        if not low <= number <= high:
            raise ValueError(f"{number} does not fit into {bits} bits")
        return str(number)

    return write


def _floating(text: Callable[[float], str], value: Any) -> str:
    number = real(value)
    return text(number) if math.isfinite(number) else f'"{text(number)}"'


def real(value: Any) -> float:
    """Return any number as a float; raise a TypeError for all else, text too."""
    return math.copysign(value, value)


def _boolean(value: Any) -> str:
    if not isinstance(value, bool):
        raise TypeError(f"expected a bool, got a {type(value).__name__}")
    return "true" if value else "false"


def _decimal(value: Any) -> str:
    number = Decimal(operator.index(value)) if not isinstance(value, Decimal) else value
    if not number.is_finite():
        raise ValueError(f"{number} is not a number that BIG_DEC can represent")
    return str(number)


def _char(value: Any) -> str:
    if len(value) != 1:
        raise ValueError(f"{value[:100]!r} is not a character")
    return quoted_json(value)


def _bytes(value: bytes) -> str:
    return f'"{base64.b64encode(value).decode()}"'


def _date(value: datetime.date) -> str:
    return f'"{datetime.date(value.year, value.month, value.day).isoformat()}"'


def _time(value: datetime.time) -> str:
    return f'"{value.replace(tzinfo=None).isoformat("seconds")}Z"'


def _timestamp(value: datetime.datetime) -> str:
    fraction = f".{value.microsecond:06}".rstrip("0").rstrip(".")
    return f'"{value.replace(tzinfo=None, microsecond=0).isoformat()}{fraction}Z"'


NUMBERS: Final[Mapping[TypeKind, Write]] = {
    TypeKind.BOOLEAN: _boolean,
    **{kind: _whole(kind) for kind in INT_BITS},
    TypeKind.BIG_INT: lambda value: str(operator.index(value)),
    TypeKind.BIG_DEC: _decimal,
}
_SIMPLE: Final[Mapping[TypeKind, Write]] = {
    **NUMBERS,
    TypeKind.VOID: lambda _: "null",
    TypeKind.STRING: quoted_json,
    TypeKind.CHAR: _char,
    TypeKind.FLOAT: partial(_floating, java_float),
    TypeKind.DOUBLE: partial(_floating, java_double),
    TypeKind.SQL_DATE: _date,
    TypeKind.SQL_TIME: _time,
    TypeKind.SQL_TIMESTAMP: _timestamp,
}
# Within a MAP or LIST Flink leaves the elements to Jackson, which has ways of its own.
_IN_COLLECTIONS: Final[Mapping[TypeKind, Write]] = {
    **{kind: write for kind, write in _SIMPLE.items() if kind not in {TypeKind.SQL_TIME, TypeKind.SQL_TIMESTAMP}},
    TypeKind.BIG_DEC: lambda value: str(without_zeros(_decimal(value))),
}
_KEYS: Final = {
    kind: _SIMPLE[kind] for kind in (*INT_BITS, TypeKind.STRING, TypeKind.BOOLEAN, TypeKind.FLOAT, TypeKind.DOUBLE)
}
