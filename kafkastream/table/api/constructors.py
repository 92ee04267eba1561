"""Expressions that are not methods of others: calls of built-in functions, lists, and constructors of JSON."""

from __future__ import annotations

from typing import Any

from kafkastream.errors import DefinitionError
from kafkastream.table.api.expression_tree import Aggregate, ColumnNode, Columns, Form, Strength, Text, call_form, infix
from kafkastream.table.api.json_clauses import JsonOnNull
from kafkastream.table.api.tree_methods import given, node_of
from kafkastream.table.expression import Expression

__all__ = [
    "built_in",
    "joined",
    "json",
    "json_array",
    "json_array_agg",
    "json_object",
    "json_object_agg",
    "json_string",
    "listed",
    "ranges_of",
]


def built_in(name: str, *args: Any) -> Expression[Any]:
    """Return the call of a built-in function."""
    return Expression(call_form(name, *given(*args)))


def listed(before: str, after: str, *args: Any) -> Expression[Any]:
    """Return values with commas between them."""
    values = given(*args)
    return Expression(Form(f"{before}{', '.join(f'{{{at}}}' for at in range(len(values)))}{after}", values))


def joined(symbol: str, strength: Strength, first: Any, *others: Any) -> Expression[Any]:
    """Return conditions with an operator between them."""
    node = node_of(first)
    for other in others:
        node = infix(symbol, node, node_of(other), strength)
    return Expression(node)


def ranges_of(where: str, *given_columns: Any) -> tuple[tuple[str | int, str | int], ...]:
    """Return the ranges of columns that ``with_columns`` is given.

    Raises:
        DefinitionError: An argument is not a column.
    """
    found: list[tuple[str | int, str | int]] = []
    for one in given_columns:
        match one._node if isinstance(one, Expression) else one:
            case Columns(ranges):
                found.extend(ranges)
            case ColumnNode(name):
                found.append((name, name))
            case Text(value=int(place)) | int(place):
                found.append((place, place))
            case _:
                raise DefinitionError(
                    "The parameters of withColumns() or withoutColumns() only accept column names or column indices.",
                    where=where,
                    now="Write col('a'), a number, or range_('a', 'c').",
                )
    return tuple(found)


def json(value: Any) -> Expression[Any]:
    """Put ``value``, a text of JSON, into ``json_object`` and ``json_array`` as it is."""
    return built_in("JSON", value)


def json_string(value: Any) -> Expression[Any]:
    """Serialize a value as JSON; NULL stays NULL."""
    return built_in("JSON_STRING", value)


def json_array(on_null: JsonOnNull = JsonOnNull.ABSENT, *args: Any) -> Expression[Any]:
    """Return a JSON array of values, as a string.

    Args:
        on_null: Whether NULL values are written (``NULL``) or left out (``ABSENT``, the default).
        args: Elements; strings are quoted, unless they are calls of ``json`` or of other JSON constructors.
    """
    return listed("JSON_ARRAY(", f" {on_null.name} ON NULL)" if args else ")", *args)


def json_object_agg(on_null: JsonOnNull, key_expr: Any, value_expr: Any) -> Expression[Any]:
    """Return a JSON object with a member for each row of a group.

    Args:
        on_null: Whether members with a NULL value are written (``NULL``) or left out (``ABSENT``).
        key_expr: Key of the member.
        value_expr: Value of the member.
    """
    return Expression(
        Aggregate("JSON_OBJECTAGG", given(key_expr, value_expr), form=f"KEY {{0}} VALUE {{1}} {on_null.name} ON NULL")
    )


def json_array_agg(on_null: JsonOnNull, item_expr: Any) -> Expression[Any]:
    """Return a JSON array with an element for each row of a group.

    Args:
        on_null: Whether NULL elements are written (``NULL``) or left out (``ABSENT``).
        item_expr: The element.
    """
    return Expression(Aggregate("JSON_ARRAYAGG", given(item_expr), form=f"{{0}} {on_null.name} ON NULL"))


def json_object(on_null: JsonOnNull = JsonOnNull.NULL, *args: Any) -> Expression[Any]:
    """Return a JSON object, as a string.

    Args:
        on_null: Whether members with a NULL value are written (``NULL``, the default) or left out (``ABSENT``).
        args: Keys and values in turn; keys are string literals.
    """
    places = range(0, len(args) - 1, 2)
    members = ", ".join(f"KEY {{{at}}} VALUE {{{at + 1}}}" for at in places)
    return Expression(Form(f"JSON_OBJECT({members}{f' {on_null.name} ON NULL' if args else ''})", given(*args)))
