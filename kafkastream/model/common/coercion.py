"""Coercion of values to a declared type, as Flink's serializer for the type would hand them to the next operator."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import chain
from typing import Any, Final

from kafkastream.model.common.coercion_rules import KEY, Coercion, MistypedError, of_types
from kafkastream.model.common.row import Row, RowKind, named_rows
from kafkastream.model.common.scalar_coercion import SCALARS
from kafkastream.model.common.types import RowTypeInfo, TypeInformation, TypeKind

__all__ = ["Coercion", "MistypedError", "coercion_of"]

_Type = TypeInformation[Any]


def coercion_of(type_info: _Type | None) -> Coercion | None:
    """Return the coercion to a declared type; None for pickled values, which stay unchanged.

    Example:
        >>> from kafkastream.model.common.types import Types
        >>> coercion_of(Types.ROW_NAMED(["w", "n"], [Types.STRING(), Types.DOUBLE()])).one(Row(n=1, w="a"))
        Row(w='a', n=1.0)
        >>> coercion_of(Types.INT()).one("7")
        Traceback (most recent call last):
        ...
        kafkastream.model.common.coercion_rules.MistypedError: '7' (a str) is not of type Integer
    """
    if type_info is None or type_info.kind in _KEPT:
        return None
    if type_info.kind in SCALARS:
        return SCALARS[type_info.kind]
    return _COMPOSED[type_info.kind](type_info)


def _row(type_info: _Type) -> Coercion:
    assert isinstance(type_info, RowTypeInfo)
    names, known = list(type_info.field_names), frozenset(type_info.field_names)
    coerced = _fields(type_info, names)

    def one(value: Any) -> Row:
        if isinstance(value, Row):
            row = named_rows(names, [coerced(_values_of(value, names, type_info), value)])[0]
            row._row_kind = value._row_kind
            return row
        if isinstance(value, Mapping) and (not value or known & value.keys()):
            return named_rows(names, [coerced([value.get(name) for name in names], value)])[0]
        if isinstance(value, (tuple, list)):
            return named_rows(names, [coerced(value, value)])[0]
        raise MistypedError(value, type_info)

    return Coercion(one, _column_of_rows(names, [coercion_of(field) for field in type_info.elements]))


def _values_of(row: Row, names: list[str], type_info: _Type) -> Sequence[Any]:
    """Return a row's values for the fields of its type, as PyFlink finds them; additional values are dropped."""
    fields = getattr(row, "_fields", names)
    if fields == names:
        return row._values[: len(names)]
    if not set(names) <= set(fields):
        raise MistypedError(row, type_info)
    return row.get_fields_by_names(names)


def _column_of_rows(
    names: list[str], inner: Sequence[Coercion | None]
) -> Callable[[Sequence[Any]], Sequence[Any] | None]:
    """Coerce rows field by field; rows that already have the declared types are not copied."""
    insert, size = RowKind.INSERT, {len(names)}

    def column(rows: Sequence[Any]) -> Sequence[Any] | None:
        if set(map(type, rows)) != {Row} or not all(row._row_kind is insert for row in rows):
            return None
        values = [row._values for row in rows]
        fields = list(map(_names_of, rows))
        is_named = all(one == names for one in fields)
        if set(map(len, values)) != size or not (is_named or all(one is None for one in fields)):
            return None
        try:
            columns = _by_column(values, inner)
        except MistypedError:
            return None
        if columns is None:
            return rows if is_named else named_rows(names, map(list, values))
        return named_rows(names, map(list, zip(*columns, strict=True)))

    return column


def _names_of(row: Row) -> list[str] | None:
    """Return the names that a row has, past its ``__getattr__``, which costs as much as all the rest."""
    try:
        return _FIELDS.__get__(row, Row)  # type: ignore[no-any-return]  # the slot of the names
    except AttributeError:
        return None


def _by_column(values: Sequence[Sequence[Any]], inner: Sequence[Coercion | None]) -> list[Sequence[Any]] | None:
    """Coerce the columns of rows or tuples of one length.

    Returns:
        The columns; None where nothing changes.

    Raises:
        MistypedError: A value is of another type.
    """
    columns = list(zip(*values, strict=True))
    coerced = [one if kind is None else kind.all(one) for one, kind in zip(columns, inner, strict=True)]
    return coerced if any(one is not given for one, given in zip(coerced, columns, strict=True)) else None


def _fields(type_info: _Type, names: Iterable[object]) -> Callable[[Sequence[Any], Any], list[Any]]:
    """Return a function that coerces the values of a row or tuple, of which there are as many as the type has fields."""
    inner = [(name, coercion_of(kind)) for name, kind in zip(names, type_info.elements, strict=True)]

    def coerced(values: Sequence[Any], whole: Any) -> list[Any]:
        if len(values) != len(inner):
            raise MistypedError(whole, type_info, f"has {len(values)} fields")
        return [
            value if kind is None else _at(name, kind, value) for (name, kind), value in zip(inner, values, strict=True)
        ]

    return coerced


def _at(place: object, coercion: Coercion, value: Any) -> Any:
    try:
        return coercion.one_or_none(value)
    except MistypedError as error:
        raise error.at(place) from None


def _tuple(type_info: _Type) -> Coercion:
    size = len(type_info.elements)
    coerced, inner = _fields(type_info, range(size)), [coercion_of(field) for field in type_info.elements]

    def one(value: Any) -> tuple[Any, ...]:
        if not isinstance(value, (tuple, list, Row)):
            raise MistypedError(value, type_info)
        return tuple(coerced(list(value)[:size], value))

    def column(values: Sequence[Any]) -> Sequence[Any] | None:
        if set(map(type, values)) != {tuple} or set(map(len, values)) != {size}:
            return None
        try:
            columns = _by_column(values, inner)
        except MistypedError:
            return None
        return values if columns is None else list(zip(*columns, strict=True))

    return Coercion(one, column)


def _list(type_info: _Type) -> Coercion:
    inner = coercion_of(type_info.elements[0])
    is_list = of_types(list)

    def one(value: Any) -> list[Any]:
        if not isinstance(value, (list, tuple)):
            raise MistypedError(value, type_info)
        return list(value) if inner is None else [_at(place, inner, item) for place, item in enumerate(value)]

    def column(values: Sequence[Any]) -> Sequence[Any] | None:
        if not is_list(values):
            return None
        return values if _is_kept(inner, list(chain.from_iterable(filter(None, values)))) else None

    return Coercion(one, column)


def _is_kept(coercion: Coercion | None, values: Sequence[Any]) -> bool:
    """Return whether all values already are as declared."""
    return not values or coercion is None or coercion.column(values) is values


def _primitive_array(type_info: _Type) -> Coercion:
    if type_info.elements[0].kind is TypeKind.BYTE:
        return _BYTES
    array = _list(type_info)

    def one(value: Any) -> list[Any]:
        values: list[Any] = array.one(value)
        if None in values:
            raise MistypedError(value, type_info, "holds None")
        return values

    def column(values: Sequence[Any]) -> Sequence[Any] | None:
        done = array.column(values)
        return None if done is None or any(None in value for value in done if value) else done

    return Coercion(one, column)


def _map(type_info: _Type) -> Coercion:
    of_key, of_value = (coercion_of(kind) for kind in type_info.elements)
    is_dict = of_types(dict)

    def one(value: Any) -> dict[Any, Any]:
        if not isinstance(value, Mapping):
            raise MistypedError(value, type_info)
        return {
            key if of_key is None else _at(KEY, of_key, key): item if of_value is None else _at(key, of_value, item)
            for key, item in value.items()
        }

    def column(values: Sequence[Any]) -> Sequence[Any] | None:
        if not is_dict(values):
            return None
        present = [value for value in values if value]
        keys, items = list(chain.from_iterable(present)), list(chain.from_iterable(one.values() for one in present))
        return values if _is_kept(of_key, keys) and _is_kept(of_value, items) else None

    return Coercion(one, column)


def _bytes(value: Any) -> bytes:
    if isinstance(value, (bytes, bytearray)):
        return bytes(value)
    raise MistypedError(value, TypeInformation(TypeKind.PRIMITIVE_ARRAY, (TypeInformation(TypeKind.BYTE),)))


_FIELDS: Final[Any] = vars(Row)["_fields"]
_BYTES: Final = Coercion.of_kinds(_bytes, bytes)
_KEPT: Final = frozenset({TypeKind.PICKLED_BYTE_ARRAY, TypeKind.VOID})
_COMPOSED: Final[Mapping[TypeKind, Callable[[_Type], Coercion]]] = {
    TypeKind.ROW: _row,
    TypeKind.TUPLE: _tuple,
    TypeKind.MAP: _map,
    TypeKind.LIST: _list,
    TypeKind.BASIC_ARRAY: _list,
    TypeKind.OBJECT_ARRAY: _list,
    TypeKind.PRIMITIVE_ARRAY: _primitive_array,
}
