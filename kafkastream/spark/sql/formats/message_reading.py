"""Readers of messages as rows, and helpers that formats share."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from pyspark.sql import Column, DataFrame, functions

from kafkastream.sql.types import DataType, Kind

__all__ = ["Fail", "Leaf", "Reader", "holds", "map_leaves", "map_parts", "or_fail"]

Fail = Callable[[Column], Column]
"""Fails the job with a text about a record; its value, which there never is, fits any type."""

Leaf = Callable[[Column, DataType], Column]
"""What a value without parts becomes."""


class Reader(NamedTuple):
    """Reader of a format, in steps.

    Each step's result is a column of its own, so that nothing is computed twice. Most messages are one row that is read
    by the plainest means: only the others pay for what they need.

    Args:
        parsed: From a message, what is parsed of it; NULL for none.
        finished: From that, one of the others, and what fails the job, the fields of a row: those of the other one,
            unless it is NULL.
        others: From what was parsed, the message, and what fails the job, an array of what makes a row each, for a
            message that is not one plain row.
        is_plain: From what was parsed, whether it is the message's one row.
        changes: From a finished row, a struct, the message, and what fails the job, an array of structs with a ``kind``, a
            ``row`` and its ``metadata``: for formats of change events.
        reads_null: Whether a message that is NULL is a row, too.
        decode: From records, the name of the column with messages, and a name, the records with what is parsed in a
            column of that name: in place of ``parsed``, for formats that need more than expressions. It is a struct
            with ``PROBLEM``, which fails the job unless it is NULL.
        null_problem: Why a message that is NULL fails the job, if it does.
    """

    parsed: Callable[[Column], Column]
    finished: Callable[[Column, Column, Fail], list[Column]]
    others: Callable[[Column, Column, Fail], Column] | None = None
    is_plain: Callable[[Column], Column] = Column.isNotNull
    changes: Callable[[Column, Column, Fail], Column] | None = None
    reads_null: bool = False
    decode: Callable[[DataFrame, str, str], DataFrame] | None = None
    null_problem: str | None = None


def or_fail(value: Column, source: Column, failure: Column | None) -> Column:
    """Return a value that was made of a source: where there is one of the source only, the job fails, or it is NULL."""
    return value if failure is None else functions.coalesce(value, functions.when(source.isNotNull(), failure))


def map_leaves(loose: Column, kind: DataType, leaf: Leaf, is_leaf: Callable[[DataType], bool]) -> Column:
    """Return a value with its leaves converted; those parts that hold none are left as they are.

    Args:
        loose: The value, whose type has the same parts.
        kind: The type that it is to have.
        leaf: What becomes of a leaf.
        is_leaf: Which leaves are to be converted.
    """
    if not holds(kind, is_leaf):
        return loose
    match kind.kind:
        case Kind.ARRAY:
            return functions.transform(loose, lambda one: map_leaves(one, kind.parts[0], leaf, is_leaf))
        case Kind.MAP | Kind.MULTISET:
            key, value = map_parts(kind)
            return functions.map_from_arrays(
                functions.transform(functions.map_keys(loose), lambda one: map_leaves(one, key, leaf, is_leaf)),
                functions.transform(functions.map_values(loose), lambda one: map_leaves(one, value, leaf, is_leaf)),
            )
        case Kind.ROW:
            fields = (
                map_leaves(loose.getField(field.name), field.type, leaf, is_leaf).alias(field.name)
                for field in kind.fields
            )
            return functions.when(loose.isNotNull(), functions.struct(*fields))
        case _:
            return leaf(loose, kind)


def holds(kind: DataType, is_leaf: Callable[[DataType], bool]) -> bool:
    """Whether a type, or a type within it, is such a leaf."""
    match kind.kind:
        case Kind.ROW:
            return any(holds(field.type, is_leaf) for field in kind.fields)
        case Kind.ARRAY | Kind.MAP | Kind.MULTISET:
            return any(holds(part, is_leaf) for part in map_parts(kind))
        case _:
            return is_leaf(kind)


def map_parts(kind: DataType) -> tuple[DataType, ...]:
    """Return the types of keys and values, of a MULTISET as well; that of the elements of an ARRAY."""
    return (kind.parts[0], DataType.of(Kind.INT)) if kind.kind is Kind.MULTISET else kind.parts
