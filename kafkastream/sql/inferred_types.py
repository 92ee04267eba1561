"""Infers the types of a program's values, if it declares none."""

from __future__ import annotations

import datetime
from collections.abc import Iterable, Mapping, Sequence
from decimal import Decimal
from functools import reduce
from typing import Any, Final

import attrs

from kafkastream.errors import DefinitionError
from kafkastream.model.common.row import Row
from kafkastream.model.common.value_printing import shown
from kafkastream.sql.types import DataType, Kind, RowField

__all__ = ["inferred_row"]

_WHERE: Final = "from_elements"
_SIMPLE: Final[Mapping[type, DataType]] = {
    bool: DataType.of(Kind.BOOLEAN),
    int: DataType.of(Kind.BIGINT),
    float: DataType.of(Kind.DOUBLE),
    str: DataType.string(),
    bytes: DataType.bytes_(),
    bytearray: DataType.bytes_(),
    Decimal: DataType.of(Kind.DECIMAL, 38, 18),
    datetime.date: DataType.of(Kind.DATE),
    datetime.time: DataType.of(Kind.TIME, 0),
    datetime.datetime: DataType.of(Kind.TIMESTAMP_LTZ, 6),
}


def inferred_row(elements: Sequence[Any], names: Sequence[str] | None = None) -> DataType:
    """Infer the ROW type of elements, as PyFlink does: ``int`` is BIGINT, ``float`` DOUBLE, ``datetime`` TIMESTAMP_LTZ.

    Args:
        elements: Rows, tuples, lists or dicts with the same fields.
        names: Names of the fields; default: their own names, or ``_1``, ``_2`` and so on.

    Raises:
        DefinitionError: There are no elements, they are not rows, or their types differ or cannot be inferred.

    Example:
        >>> str(inferred_row([(1, None), (2, "b")], ["id", "name"]))
        'ROW<`id` BIGINT, `name` STRING>'
    """
    if not elements:
        raise DefinitionError("can not infer schema from empty dataset", where=_WHERE, now="Give the columns' types.")
    found = reduce(_merged, map(_row, elements))
    assert found is not None
    if names is not None and len(names) != len(found.fields):
        raise DefinitionError(
            f"{len(names)} names are given for {len(found.fields)} columns", where=_WHERE, now="Name each column."
        )
    named = found.fields if names is None else _renamed(found.fields, names)
    for field in named:
        if not _is_known(field.type):
            raise DefinitionError(
                f"the type of column '{field.name}' cannot be inferred: all its values, or all values of a part of it, are None",
                where=_WHERE,
                now="Give the columns' types: DataTypes.ROW([DataTypes.FIELD('id', DataTypes.BIGINT())]).",
            )
    return attrs.evolve(found, fields=tuple(named))


_UNKNOWN: Final = DataType.of(Kind.CHAR, 0)


def _is_known(kind: DataType) -> bool:
    return kind is not _UNKNOWN and all(map(_is_known, kind.inner_types))


def _renamed(fields: Iterable[RowField], names: Sequence[str]) -> list[RowField]:
    return [attrs.evolve(field, name=name) for field, name in zip(fields, names, strict=True)]


def _row(value: Any) -> DataType:
    if isinstance(value, Mapping):
        return _row_of(value.keys(), value.values())
    found = _of(tuple(value) if isinstance(value, list) else value)
    if found.kind is not Kind.ROW:
        raise DefinitionError(
            f"an element is not a row: {shown(value)}", where=_WHERE, now="Give tuples, lists or rows: [(1, 'a')]."
        )
    return found


def _of(value: Any) -> DataType:
    match value:
        case None:
            return _UNKNOWN
        case Row():
            names = getattr(value, "_fields", None) or [f"_{place}" for place in range(1, len(value) + 1)]
            return _row_of(names, value)
        case tuple():
            return _row_of([f"_{place}" for place in range(1, len(value) + 1)], value)
        case list():
            return DataType.of(Kind.ARRAY, parts=(_of_all(value),))
        case Mapping():
            return DataType.of(Kind.MAP, parts=(_of_all(value.keys()), _of_all(value.values())))
        case _ if type(value) in _SIMPLE:
            return _SIMPLE[type(value)]
        case _:
            raise DefinitionError(f"not supported type: {type(value).__name__}", where=f"{_WHERE}: {shown(value)}")


def _row_of(names: Iterable[str], values: Iterable[Any]) -> DataType:
    fields = (RowField(name, _of(value)) for name, value in zip(names, values, strict=True))
    return DataType.of(Kind.ROW, fields=tuple(fields))


def _of_all(values: Iterable[Any]) -> DataType:
    return reduce(_merged, map(_of, values), _UNKNOWN)


def _merged(one: DataType, other: DataType) -> DataType:
    """Return the common type of two inferred types, merged part by part and field by field."""
    if one is _UNKNOWN or other is _UNKNOWN or one == other:
        return other if one is _UNKNOWN else one
    if one.kind is other.kind and len(one.parts) == len(other.parts) and len(one.fields) == len(other.fields):
        parts = tuple(map(_merged, one.parts, other.parts))
        fields = tuple(
            attrs.evolve(field, type=_merged(field.type, same.type))
            for field, same in zip(one.fields, other.fields, strict=True)
        )
        return attrs.evolve(one, parts=parts, fields=fields)
    raise DefinitionError(
        f"Can not merge type {one} and {other}", where=_WHERE, now="Give all elements values of the same types."
    )
