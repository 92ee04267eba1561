"""Readers of messages as rows, and helpers shared by formats."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from pyspark.sql import Column, DataFrame, functions

from kafkastream.sql.types import DataType, Kind

__all__ = ["Fail", "Leaf", "Reader", "holds", "map_leaves", "map_parts", "or_fail"]

Fail = Callable[[Column], Column]
"""Function from a text to an expression that fails the job at a record; it has any type."""

Leaf = Callable[[Column, DataType], Column]
"""Conversion of a scalar value."""


class Reader(NamedTuple):
    """Reader of a format, in steps.

    Each step's result is a column of its own, so that nothing is computed twice. Most messages are one row and take a
    fast path; only the others pay for the slower one.

    Args:
        parsed: Function from a message to its parsed form; NULL if it cannot be parsed.
        finished: Function from the parsed form, an element of ``others`` and the failure to the fields of a row; the
            element of ``others`` counts, unless it is NULL.
        others: Function from the parsed form, the message and the failure to an array with an element per row, for a
            message that is not one plain row.
        is_plain: Function from the parsed form to whether it is the only row of the message.
        changes: Function from a finished row, as a struct, the message and the failure to an array of structs with
            ``kind``, ``row`` and ``metadata``: for change event formats.
        reads_null: Whether a message that is NULL is a row as well.
        decode: Function from records, the name of the column with messages and the name of a new column to records with
            the parsed form in that column; replaces ``parsed`` for formats in Python. The parsed form is a struct whose
            field ``PROBLEM`` fails the job unless it is NULL.
        null_problem: Error text if a message that is NULL fails the job; None if it does not.
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
    """Return a converted value; if it is NULL and its source is not, the job fails, unless errors are ignored."""
    return value if failure is None else functions.coalesce(value, functions.when(source.isNotNull(), failure))


def map_leaves(loose: Column, kind: DataType, leaf: Leaf, is_leaf: Callable[[DataType], bool]) -> Column:
    """Return a value with its matching leaves converted; other parts are unchanged.

    Args:
        loose: Value whose type has the same structure.
        kind: Type of the result.
        leaf: Conversion of a leaf.
        is_leaf: Whether leaves of a type are converted.
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
    """Return whether a type, or a type nested in it, satisfies ``is_leaf``."""
    match kind.kind:
        case Kind.ROW:
            return any(holds(field.type, is_leaf) for field in kind.fields)
        case Kind.ARRAY | Kind.MAP | Kind.MULTISET:
            return any(holds(part, is_leaf) for part in map_parts(kind))
        case _:
            return is_leaf(kind)


def map_parts(kind: DataType) -> tuple[DataType, ...]:
    """Return the types of keys and values of a MAP or MULTISET."""
    return (kind.parts[0], DataType.of(Kind.INT)) if kind.kind is Kind.MULTISET else kind.parts
