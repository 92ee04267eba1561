"""Clauses of ``JSON_VALUE``, ``JSON_QUERY`` and ``JSON_EXISTS``."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import TYPE_CHECKING, Any, Final

from sqlglot import exp

from kafkastream.sql.plan.casts import cast
from kafkastream.sql.plan.expression import NULL, TRUE, Literal, TypedExpression, is_null
from kafkastream.sql.plan.functions.json_constructors import RAW_JSON
from kafkastream.sql.plan.functions.json_functions import checked_path
from kafkastream.sql.plan.user_call import user_call
from kafkastream.sql.session_functions import PYTHON_FUNCTIONS, NamedFunction
from kafkastream.sql.type_families import TEXT
from kafkastream.sql.types import DataType, Kind

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
    clauses = _clauses(of, node, "NULL", "DEFAULT", "ERROR")
    returning = node.args.get("returning")
    type_: DataType = returning.meta["type"].nullable() if returning else DataType.string()
    defaults = {event: of.typed(value) if value else NULL for event, (_, value) in clauses.items()}
    default = defaults.get("ERROR", NULL)
    is_told = any(what == "ERROR" for what, _ in clauses.values())
    if is_told or type_.kind in _RETURNED or (_is_lax(node) and defaults.get("EMPTY", NULL) != default):
        return _value_told(of, node, type_, clauses, defaults)
    found = _read(of, node, PYTHON_FUNCTIONS["__json_value"])
    if returning:
        scalar = found
        found = of.located(node, lambda: cast(scalar, type_, tries=True))
    return found if is_null(default) else of.call(node, "$OR_DEFAULT", found, default, of.compile(node.expressions[0]))


def _value_told(
    of: ExpressionCompiler,
    node: exp.Expr,
    type_: DataType,
    clauses: _Clauses,
    defaults: Mapping[str, TypedExpression],
) -> TypedExpression:
    """Compile JSON_VALUE that tells a missing value from an error, or whose value must have a type in the document."""
    mode = f"{_mode(node)} {_RETURNED.get(type_.kind, '')}".strip()
    told = _read(of, node, PYTHON_FUNCTIONS["__json_value_told"], mode)
    values = [_on(of, node, clauses, event, defaults.get(event, NULL)) for event in ("EMPTY", "ERROR")]
    texts = [one if is_null(one) else of.located(node, partial(cast, one, DataType.string())) for one in values]
    found = of.call(node, "$JSON_TOLD", told, *texts)
    return found if type_.kind in TEXT else of.located(node, lambda: cast(found, type_))


def _on(
    of: ExpressionCompiler, node: exp.Expr, clauses: _Clauses, event: str, default: TypedExpression
) -> TypedExpression:
    """Return the value of a clause, which may fail the job."""
    what, _ = clauses.get(event, ("NULL", None))
    if what == "ERROR":
        return of.call(node, "$JSON_FAILS", Literal.text(node.name.upper()))
    return Literal.text("[]" if what == "EMPTY ARRAY" else "{}") if what.startswith("EMPTY") else default


def _mode(node: exp.Expr) -> str:
    return "lax" if _is_lax(node) else "strict"


def _is_lax(node: exp.Expr) -> bool:
    """Return whether a path is lax: without an error for a missing value. Without a mode it is strict, as in Flink."""
    return str(node.expressions[1].name).startswith("lax ")


def _query(of: ExpressionCompiler, node: exp.Expr) -> TypedExpression:
    clauses = _clauses(of, node, "NULL", "ERROR", "EMPTY ARRAY", "EMPTY OBJECT")
    returning, wrapper = node.args.get("returning"), node.meta["wrapper"]
    type_ = returning.meta["type"].nullable() if returning else DataType.string()
    if type_ not in _QUERIES:
        raise of.text.refused(node, f"JSON_QUERY returns STRING or ARRAY<STRING>, not {type_}.", "CAST the result.")
    is_plain = {what for what, _ in clauses.values()} <= {"NULL"}
    if is_plain and wrapper == "WITHOUT":
        return _read(of, node, _QUERIES[type_])
    if type_.kind is not Kind.ARRAY:
        told = _read(of, node, PYTHON_FUNCTIONS["__json_query_told"], f"{_mode(node)} {wrapper}")
        return of.call(node, "$JSON_TOLD", told, *(_on(of, node, clauses, one, NULL) for one in ("EMPTY", "ERROR")))
    if not is_plain:
        what = "JSON_QUERY RETURNING ARRAY<STRING> gives NULL ON EMPTY and NULL ON ERROR here."
        raise of.text.refused(node, what, "Leave the clauses out, and write COALESCE around it.")
    return _read(of, node, PYTHON_FUNCTIONS["__json_query_wrapped"], wrapper)


def _read(of: ExpressionCompiler, node: exp.Expr, function: NamedFunction, *more: str) -> TypedExpression:
    """Compile a call of a function of a document and a path, which Python computes."""
    name, arguments = function.name, [of.typed(one) for one in node.expressions]
    if len(arguments) != 2 or arguments[0].type.kind not in TEXT:
        types = ", ".join(f"<{one.type}>" for one in arguments)
        raise of.text.error(node, f"Cannot apply '{name}' to arguments of type '{name}({types})'", "")
    path = of.located(node, lambda: checked_path(arguments), node.expressions)
    return user_call(function, [arguments[0], *map(Literal.text, (path, *more))])


def _exists(of: ExpressionCompiler, node: exp.Expr) -> TypedExpression:
    clauses = _clauses(of, node, "FALSE", "TRUE", "UNKNOWN")
    found, (on_error, _) = _plain(of, node), clauses.get("ERROR", ("FALSE", None))
    if on_error == "FALSE" or _is_lax(node):
        return found
    return of.call(node, "$TRUE_OR", found, TRUE if on_error == "TRUE" else NULL)


def _constructed(of: ExpressionCompiler, node: exp.Expr) -> TypedExpression:
    """``JSON_OBJECT`` and ``JSON_ARRAY``: by default, an object shows NULLs and an array leaves them out."""
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
_RETURNED: Final = {Kind.INT: "INT", Kind.DOUBLE: "DOUBLE", Kind.BOOLEAN: "BOOLEAN"}
"""Types that Flink returns if they are those of the document, and fails otherwise."""
_QUERIES: Final[Mapping[DataType, NamedFunction]] = {
    one.function.result_type: one
    for spark_name, one in PYTHON_FUNCTIONS.items()
    if spark_name in ("__json_query", "__json_query_texts")
}
JSON_CALLS: Final[Mapping[str, Callable[[Any, Any], TypedExpression]]] = {
    "JSON_VALUE": _value,
    "JSON_QUERY": _query,
    "JSON_EXISTS": _exists,
    "JSON_OBJECT": _constructed,
    "JSON_ARRAY": _constructed,
}
"""Compilers by name."""
