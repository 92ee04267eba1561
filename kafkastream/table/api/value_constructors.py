"""Expressions of collections, numbers, strings and choices that are not methods of others."""

from __future__ import annotations

from typing import Any

from kafkastream.sql.types import DataType
from kafkastream.table.api.constructors import built_in, listed
from kafkastream.table.api.expression_tree import Form, Strength
from kafkastream.table.api.literals import null_of_type
from kafkastream.table.api.tree_methods import node_of
from kafkastream.table.expression import Expression

__all__ = [
    "array",
    "atan2",
    "coalesce",
    "concat",
    "concat_ws",
    "e",
    "if_then_else",
    "log",
    "map_",
    "map_from_arrays",
    "negative",
    "null_of",
    "pi",
    "rand",
    "rand_integer",
    "row",
    "uuid",
]


def array(head: Any, *tail: Any) -> Expression[Any]:
    """Return an array.

    Args:
        head: First element.
        tail: Further elements, of a common type.
    """
    return listed("ARRAY[", "]", head, *tail)


def row(head: Any, *tail: Any) -> Expression[Any]:
    """Return a row, whose fields have no names.

    Args:
        head: First field.
        tail: Further fields.
    """
    return built_in("ROW", head, *tail)


def map_(key: Any, value: Any, *tail: Any) -> Expression[Any]:
    """Return a map.

    Args:
        key: First key.
        value: Its value.
        tail: Further keys and values in turn.
    """
    return listed("MAP[", "]", key, value, *tail)


def map_from_arrays(key: Any, value: Any) -> Expression[Any]:
    """Return a map of an array of keys and an array of values.

    Args:
        key: Keys; a NULL among them fails the job.
        value: Values, as many as keys.
    """
    return built_in("MAP_FROM_ARRAYS", key, value)


def pi() -> Expression[Any]:
    """Return the number pi."""
    return built_in("PI")


def e() -> Expression[Any]:
    """Return the number e."""
    return built_in("E")


def rand(seed: Any = None) -> Expression[Any]:
    """Return a random DOUBLE, 0 or more and less than 1.

    Args:
        seed: Whole number that determines the sequence; None for another sequence each time.
    """
    return built_in("RAND", seed)


def rand_integer(bound: Any, seed: Any = None) -> Expression[Any]:
    """Return a pseudorandom INT from 0, included, to ``bound``, excluded.

    Args:
        bound: Upper bound.
        seed: Seed of the random numbers; by default, they differ in each run.
    """
    return built_in("RAND_INTEGER", seed, bound)


def atan2(y: Any, x: Any) -> Expression[Any]:
    """Return the angle of a point in radians, from -pi to pi.

    Args:
        y: Vertical coordinate.
        x: Horizontal coordinate.
    """
    return built_in("ATAN2", y, x)


def negative(v: Any) -> Expression[Any]:
    """Return the negative of the number ``v``."""
    return Expression(Form("-{0}", (node_of(v),), Strength.SIGN, (Strength.CALL,)))


def concat(first: Any, *others: Any) -> Expression[Any]:
    """Concatenate strings; NULL if one of them is NULL.

    Args:
        first: First string.
        others: Further strings.
    """
    return built_in("CONCAT", first, *others)


def concat_ws(separator: Any, first: Any, *others: Any) -> Expression[Any]:
    """Concatenate strings with a separator between them; strings that are NULL are left out.

    Args:
        separator: Separator; the result is NULL if it is NULL.
        first: First string.
        others: Further strings.
    """
    return built_in("CONCAT_WS", separator, first, *others)


def uuid() -> Expression[Any]:
    """Return a random UUID, as text."""
    return built_in("UUID")


def null_of(data_type: DataType) -> Expression[Any]:
    """Return NULL of the type ``data_type``."""
    return Expression(null_of_type(data_type))


def log(v: Any, base: Any = None) -> Expression[Any]:
    """Return a logarithm, as DOUBLE.

    Args:
        v: Number.
        base: Base of the logarithm; by default e.
    """
    return built_in("LOG", base, v)


def coalesce(*args: Any) -> Expression[Any]:
    """Return the first of ``args`` that is not NULL; NULL if all are."""
    return built_in("COALESCE", *args)


def if_then_else(condition: Any, if_true: Any, if_false: Any) -> Expression[Any]:
    """Return one of two values, depending on a condition.

    Args:
        condition: Condition.
        if_true: Result if the condition is true.
        if_false: Result if the condition is false or NULL.
    """
    return Expression(node_of(condition)).then(if_true, if_false)
