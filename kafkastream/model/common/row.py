"""Rows: records of several fields."""

from __future__ import annotations

import enum
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, final, overload

from kafkastream.errors import DefinitionError
from kafkastream.model.common.stand_ins import Refused

__all__ = ["Row", "RowKind", "field_values", "named_rows"]


class RowKind(enum.Enum):
    """Kind of change that a row describes in a changelog; ``str`` gives Flink's short form.

    Example:
        >>> print(RowKind.UPDATE_BEFORE)
        -U
    """

    to_j_row_kind = Refused()

    INSERT = 0
    UPDATE_BEFORE = 1
    UPDATE_AFTER = 2
    DELETE = 3

    def __str__(self) -> str:
        return _SHORT[self.value]


_SHORT = ("+I", "-U", "+U", "-D")


@final
class Row:
    """Record of several values, with or without field names, and a row kind.

    Same as PyFlink's: values are read and set by position, by name and (read only) as attributes.
    ``Row("name", "age")`` can be called to make rows with these names.
    Differs: equal rows have equal hashes, also when their names are in another order.

    Example:
        >>> row = Row(name="Alice", age=11)
        >>> row.name, row["age"], row[0], "name" in row
        ('Alice', 11, 'Alice', True)
        >>> Person = Row("name", "age")
        >>> Person("Bob", 12)
        Row(name='Bob', age=12)
    """

    __slots__ = ("_fields", "_row_kind", "_values")
    # Left unset on a row without names, as in PyFlink: code asks hasattr(row, "_fields").
    _fields: list[str]
    _values: list[Any]
    _row_kind: RowKind

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        if kwargs:
            if args:
                raise DefinitionError("Can not use both args and kwargs to create Row")
            self._fields = list(kwargs)
            self._values = list(kwargs.values())
        else:
            self._values = list(args)
        self._row_kind = RowKind.INSERT

    @staticmethod
    def of_kind(row_kind: RowKind, *args: Any, **kwargs: Any) -> Row:
        """Return a row of a kind of change.

        Args:
            row_kind: Kind of change, such as ``RowKind.DELETE``.
            args: Fields.
            kwargs: Fields by name, instead of ``args``.
        """
        row = Row(*args, **kwargs)
        row._row_kind = row_kind
        return row

    ofKind = of_kind

    def as_dict(self, recursive: bool = False) -> dict[str, Any]:
        """Return the values by name.

        Args:
            recursive: Convert nested rows, too.
        """
        if not hasattr(self, "_fields"):
            raise TypeError("Cannot convert a Row without field names into a dict")
        values = map(_plain, self._values) if recursive else self._values
        return dict(zip(self._fields, values, strict=False))

    asDict = as_dict

    def get_row_kind(self) -> RowKind:
        """Return the kind of change that the row describes."""
        return self._row_kind

    getRowKind = get_row_kind

    def set_row_kind(self, row_kind: RowKind) -> None:
        """Set the kind of change that the row describes."""
        self._row_kind = row_kind

    setRowKind = set_row_kind

    def set_field_names(self, field_names: Sequence[str]) -> None:
        """Name the values, in their order.

        Args:
            field_names: A name for each value.
        """
        self._fields = list(field_names)

    setFieldNames = set_field_names

    def get_fields_by_names(self, names: Sequence[str]) -> list[Any]:
        """Return the values of the named fields; of a row without names, all values."""
        if not hasattr(self, "_fields") or self._fields == names:
            return self._values
        return [self._values[self._position(name)] for name in names]

    getFieldsByNames = get_fields_by_names

    def _position(self, name: object) -> int:
        try:
            return self._fields.index(name)  # type: ignore[arg-type]  # anything may be asked for
        except (AttributeError, ValueError):
            fields = getattr(self, "_fields", [])
            raise DefinitionError(f"the row has no field {name!r}; its fields are {fields}") from None

    def __call__(self, *args: Any) -> Row:
        """Return a row of ``args`` with this row's values as its field names."""
        if len(args) > len(self._values):
            raise DefinitionError(f"Can not create Row with fields {self}, expected {len(self)} values but got {args}")
        return _rebuild(self._values, args, self._row_kind)

    def __contains__(self, item: object) -> bool:
        return item in getattr(self, "_fields", self._values)

    @overload
    def __getitem__(self, item: slice) -> list[Any]: ...
    @overload
    def __getitem__(self, item: int | str) -> Any: ...
    def __getitem__(self, item: int | slice | str) -> Any:
        if isinstance(item, str):
            return self._values[self._position(item)]
        return self._values[item]

    def __setitem__(self, key: int | slice | str, value: Any) -> None:
        if isinstance(key, slice):
            self._values[key] = value
        else:
            self._values[key if isinstance(key, int) else self._position(key)] = value

    def __getattr__(self, name: str) -> Any:
        if name[:1] != "_":
            try:
                return self._values[self._fields.index(name)]
            except (AttributeError, ValueError):
                pass
        raise AttributeError(f"the row has no field {name!r}", name=name, obj=self)

    def __iter__(self) -> Iterator[Any]:
        return iter(self._values)

    def __len__(self) -> int:
        return len(self._values)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Row):
            return NotImplemented
        if self._row_kind is not other._row_kind:
            return False
        if getattr(self, "_fields", None) == getattr(other, "_fields", None):
            return self._values == other._values
        return _comparable(self) == _comparable(other)

    def __hash__(self) -> int:
        _, values = _comparable(self)
        return hash(tuple(values))

    def __repr__(self) -> str:
        if not hasattr(self, "_fields"):
            return f"<Row({', '.join(map(repr, self._values))})>"
        pairs = zip(self._fields, self._values, strict=False)
        return f"Row({', '.join(f'{name}={value!r}' for name, value in pairs)})"

    def __copy__(self) -> Row:
        copy = Row.__new__(Row)
        if hasattr(self, "_fields"):
            copy._fields = self._fields
        copy._values = self._values.copy()
        copy._row_kind = self._row_kind
        return copy

    def __reduce__(self) -> tuple[object, ...]:
        return (_rebuild, (getattr(self, "_fields", None), tuple(self._values), self._row_kind))


def named_rows(fields: list[str], values: Iterable[list[Any]]) -> list[Row]:
    """Return rows that take over these lists of values and share the list of names, which is quicker than ``Row(...)``.

    Example:
        >>> named_rows(["name", "age"], [["Alice", 11], ["Bob", 12]])
        [Row(name='Alice', age=11), Row(name='Bob', age=12)]
    """
    made, new, kind = [], Row.__new__, RowKind.INSERT
    for one in values:
        row = new(Row)
        row._fields = fields
        row._values = one
        row._row_kind = kind
        made.append(row)
    return made


def field_values(row: Row, names: list[str]) -> list[Any]:
    """Return a row's values for the fields of a schema: by name, or in order if it does not have all of these names.

    Flink's schemas take the values in order, whatever the names: rows reach them without any.

    Example:
        >>> field_values(Row(f0=1, f1="a"), ["id", "name"]), field_values(Row(name="a", id=1), ["id", "name"])
        ([1, 'a'], [1, 'a'])
    """
    fields = getattr(row, "_fields", names)
    return row.get_fields_by_names(names) if fields != names and set(names) <= set(fields) else row._values


def _comparable(row: Row) -> tuple[list[str] | None, list[Any]]:
    names: list[str] | None = getattr(row, "_fields", None)
    if names is None:
        return None, row._values
    by_name = sorted(zip(names, row._values, strict=False), key=lambda pair: pair[0])
    return sorted(names), [value for _, value in by_name]


def _rebuild(fields: Sequence[str] | None, values: Sequence[Any], kind: RowKind) -> Row:
    row = Row.of_kind(kind, *values)
    if fields is not None:
        row.set_field_names(fields)
    return row


def _plain(value: Any) -> Any:
    match value:
        case Row():
            return value.as_dict(recursive=True)
        case list():
            return [_plain(item) for item in value]
        case dict():
            return {key: _plain(item) for key, item in value.items()}
        case _:
            return value
