"""Clauses of ``JSON_VALUE``, ``JSON_QUERY`` and ``JSON_EXISTS``."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, Final

from sqlglot import exp

from kafkastream.sql.plan.casts import cast
from kafkastream.sql.plan.expression import NULL, TypedExpression, is_null
from kafkastream.sql.plan.functions.json_constructors import RAW_JSON

if TYPE_CHECKING:
    from kafkastream.sql.expressions.expression_compiler import ExpressionCompiler

__all__ = ["JSON_CALLS"]

_Clauses = Mapping[str, tuple[str, exp.Expr | None]]


def _clauses(of: ExpressionCompiler, node: exp.Expr, *allowed: str) -> _Clauses:
    clauses: _Clauses = node.meta.get("json", {})
    for event, (what, _) in clauses.items():
        if what not in allowed:
            shown = f"{what} ON {event} is not supported in {node.name.upper()}."
            raise of.text.refused(node, shown, "Leave it out: NULL is given.")
    return clauses


def _plain(of: ExpressionCompiler, node: exp.Expr) -> TypedExpression:
    return of.call(node, node.name.upper(), *map(of.compile, node.expressions), nodes=node.expressions)


def _value(of: ExpressionCompiler, node: exp.Expr) -> TypedExpression:
    clauses = _clauses(of, node, "NULL", "DEFAULT")
    found, returning = _plain(of, node), node.args.get("returning")
    if returning:
        scalar = found
        found = of.located(node, lambda: cast(scalar, returning.meta["type"], tries=True))
    defaults = {event: of.compile(value) if value else NULL for event, (_, value) in clauses.items()}
    if all(map(is_null, defaults.values())):
        return found
    if defaults.get("EMPTY", NULL) != defaults.get("ERROR", NULL):
        what = "JSON_VALUE gives the same DEFAULT ON EMPTY and ON ERROR here, or none."
        raise of.text.refused(node, what, "Write both with the same value.")
    return of.call(node, "COALESCE", found, defaults["EMPTY"])


def _query(of: ExpressionCompiler, node: exp.Expr) -> TypedExpression:
    _clauses(of, node, "NULL")
    return _plain(of, node)


def _exists(of: ExpressionCompiler, node: exp.Expr) -> TypedExpression:
    _clauses(of, node, "FALSE")
    return _plain(of, node)


def _constructed(of: ExpressionCompiler, node: exp.Expr) -> TypedExpression:
    """``JSON_OBJECT`` and ``JSON_ARRAY``: an object shows NULLs unless told otherwise, an array leaves them out."""
    name = node.name.upper()
    clause = node.meta.get("nulls", _USUAL_NULLS[name])
    arguments = [_nested(of, one) for one in node.expressions]
    return of.call(
        node, name if clause == _USUAL_NULLS[name] else f"{name} {clause}", *arguments, nodes=node.expressions
    )


def _nested(of: ExpressionCompiler, node: exp.Expr) -> TypedExpression:
    """Compile a value, which may be ``JSON(text)``."""
    if isinstance(node, exp.Anonymous) and node.name.upper() == "JSON" and of.user_function(node) is None:
        return of.call(node, RAW_JSON, *map(of.compile, node.expressions), nodes=node.expressions)
    return of.compile(node)


_USUAL_NULLS: Final[Mapping[str, str]] = {"JSON_OBJECT": "NULL", "JSON_ARRAY": "ABSENT"}
JSON_CALLS: Final[Mapping[str, Callable[[Any, Any], TypedExpression]]] = {
    "JSON_VALUE": _value,
    "JSON_QUERY": _query,
    "JSON_EXISTS": _exists,
    "JSON_OBJECT": _constructed,
    "JSON_ARRAY": _constructed,
}
"""Compilers by name."""
