"""Check and conversion of a collection's elements to their declared type."""

from __future__ import annotations

import datetime
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from decimal import Decimal
from typing import Any, Final

from kafkastream.errors import DefinitionError
from kafkastream.model.common.coercion import coercion_of
from kafkastream.model.common.row import Row
from kafkastream.model.common.time import Instant
from kafkastream.model.common.types import RowTypeInfo, TypeInformation, TypeKind
from kafkastream.model.common.value_printing import shown

__all__ = ["typed_elements"]

_Type = TypeInformation[Any]


def typed_elements(elements: Sequence[object], type_info: _Type) -> Sequence[object]:
    """Return the elements as values of the declared type; None is of every type.

    Stricter than between operators, as in Flink: no integer is made of a float, and none of a bool.

    Raises:
        DefinitionError: An element is of another type; the message has the element and the part that does not fit.

    Example:
        >>> from kafkastream.model.common.types import Types
        >>> typed_elements([(1, "a")], Types.ROW([Types.INT(), Types.STRING()]))
        [Row(f0=1, f1='a')]
        >>> typed_elements([(1, "a")], Types.TUPLE([Types.INT(), Types.INT()]))
        Traceback (most recent call last):
        ...
        kafkastream.errors.DefinitionError: [invalid-definition] 'a' is not of type Integer
          at element 1 of the collection: (1, 'a')
          Declare the type that the elements have, or leave it out: TupleTypeInfo(Integer, Integer) is not theirs.
    """
    for number, element in enumerate(elements, 1):
        misfit = next(_misfits(element, type_info), None)
        if misfit is not None:
            raise DefinitionError(
                misfit,
                where=f"element {number} of the collection: {shown(element)}",
                now=f"Declare the type that the elements have, or leave it out: {type_info!r} is not theirs.",
            )
    coercion = coercion_of(type_info)
    return elements if coercion is None else coercion.all(elements)


def _misfits(value: Any, type_info: _Type) -> Iterator[str]:
    """Yield descriptions of the parts of a value that are not of its type."""
    if value is None:
        return
    if not _FITS[type_info.kind](value):
        yield f"{shown(value)} is not of type {type_info!r}"
        return
    parts = _parts(value, type_info)
    if parts is None:
        yield f"{shown(value)} has {_fields_of(value)}, not the {len(type_info.elements)} of {type_info!r}"
        return
    for part, kind in parts:
        yield from _misfits(part, kind)


def _parts(value: Any, type_info: _Type) -> Iterable[tuple[Any, _Type]] | None:
    """Return the values inside a value, with the type of each; None if their number differs from the type's."""
    types = type_info.elements
    match type_info.kind:
        case TypeKind.MAP:
            return [pair for item in value.items() for pair in zip(item, types, strict=True)]
        case TypeKind.ROW | TypeKind.TUPLE:
            values = _values(value, type_info)
            return None if values is None or len(values) != len(types) else list(zip(values, types, strict=True))
        case _ if isinstance(value, (bytes, bytearray)):
            return []
        case _:
            return [(item, kind) for kind in types for item in value]


def _values(value: Any, type_info: _Type) -> Sequence[Any] | None:
    """Return the values of the fields of a row or tuple, in the order of its type; None if the names differ."""
    names = type_info.field_names if isinstance(type_info, RowTypeInfo) else ()
    if isinstance(value, Mapping):
        return None if value and not value.keys() & set(names) else [value.get(name) for name in names]
    fields = getattr(value, "_fields", None)
    if not names or fields is None or not isinstance(value, Row):
        return list(value)
    return value.get_fields_by_names(names) if set(names) <= set(fields) else None


def _fields_of(value: Any) -> str:
    fields = value if isinstance(value, Mapping) else getattr(value, "_fields", None)
    return f"{len(value)} fields" if fields is None else f"the fields {', '.join(map(repr, fields))}"


def _whole_number(bits: int) -> Callable[[Any], bool]:
    return lambda value: _is_whole(value) and -(2 ** (bits - 1)) <= value < 2 ** (bits - 1)


def _is_whole(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


def _is_number(value: Any) -> bool:
    return isinstance(value, float) or _is_whole(value)


def _is_day(value: Any) -> bool:
    return isinstance(value, datetime.date) and not isinstance(value, datetime.datetime)


def _is_list(value: Any) -> bool:
    return isinstance(value, (list, tuple))


def _of(*kinds: type) -> Callable[[Any], bool]:
    return lambda value: isinstance(value, kinds)


_FITS: Final[Mapping[TypeKind, Callable[[Any], bool]]] = {
    TypeKind.STRING: _of(str),
    TypeKind.BYTE: _whole_number(8),
    TypeKind.BOOLEAN: _of(bool),
    TypeKind.SHORT: _whole_number(16),
    TypeKind.INT: _whole_number(32),
    TypeKind.LONG: _whole_number(64),
    TypeKind.FLOAT: _is_number,
    TypeKind.DOUBLE: _is_number,
    TypeKind.CHAR: lambda value: isinstance(value, str) and len(value) == 1,
    TypeKind.BIG_INT: _is_whole,
    TypeKind.BIG_DEC: _of(Decimal),
    TypeKind.INSTANT: _of(Instant),
    TypeKind.VOID: lambda _: False,
    TypeKind.SQL_DATE: _is_day,
    TypeKind.SQL_TIME: _of(datetime.time),
    TypeKind.SQL_TIMESTAMP: _of(datetime.datetime),
    TypeKind.PICKLED_BYTE_ARRAY: lambda _: True,
    TypeKind.ROW: _of(Row, tuple, list, Mapping),
    TypeKind.TUPLE: _of(Row, tuple, list),
    TypeKind.MAP: _of(Mapping),
    TypeKind.LIST: _is_list,
    TypeKind.PRIMITIVE_ARRAY: _of(list, tuple, bytes, bytearray),
    TypeKind.BASIC_ARRAY: _is_list,
    TypeKind.OBJECT_ARRAY: _is_list,
}
