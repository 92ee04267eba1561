"""Fields that are members of nested objects, such as ``a.b``."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import reduce
from typing import TypeVar

from pyspark.sql import Column, functions

from kafkastream.spark.sql.formats.message_reading import Fail, Reader
from kafkastream.sql.types import DataType, Kind, RowField

__all__ = ["flattened", "nested"]

T = TypeVar("T")

_Path = tuple[str, ...]


def flattened(row: DataType, reader: Callable[[DataType], Reader]) -> Reader:
    """Return the reader of messages whose nested members are columns.

    Args:
        row: The type of the rows.
        reader: Function from a nested row type to the reader of such messages.
    """
    paths = [_path(field.name) for field in row.fields]
    rows = _nested_type({path: field.type for path, field in zip(paths, row.fields, strict=True)})
    inner = reader(rows)

    def finished(plain: Column, other: Column, fail: Fail) -> list[Column]:
        tops = inner.finished(plain, other, fail)
        found = dict(zip((field.name for field in rows.fields), tops, strict=True))
        return [reduce(Column.getField, path[1:], found[path[0]]).alias(".".join(path)) for path in paths]

    return inner._replace(finished=finished)


def nested(names: Sequence[str], columns: Sequence[Column]) -> list[Column]:
    """Return the struct fields of nested members with these columns."""
    return _nested_columns({_path(name): column for name, column in zip(names, columns, strict=True)})


def _path(name: str) -> _Path:
    return tuple(name.split("."))


def _nested_type(types: Mapping[_Path, DataType]) -> DataType:
    fields = (RowField(name, inner[()] if () in inner else _nested_type(inner)) for name, inner in _by_name(types))
    return DataType.of(Kind.ROW, fields=tuple(fields))


def _nested_columns(columns: Mapping[_Path, Column]) -> list[Column]:
    return [
        (inner[()] if () in inner else functions.struct(*_nested_columns(inner))).alias(name)
        for name, inner in _by_name(columns)
    ]


def _by_name(parts: Mapping[_Path, T]) -> Iterator[tuple[str, dict[_Path, T]]]:
    """Yield each member with its parts, by their paths within it."""
    for name in dict.fromkeys(path[0] for path in parts):
        yield name, {path[1:]: part for path, part in parts.items() if path[0] == name}
