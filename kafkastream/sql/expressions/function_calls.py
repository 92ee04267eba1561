"""Calls of functions by name, and the alternatives to those that are refused."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Final, TypeGuard

from sqlglot import exp

from kafkastream.sql.expressions.aggregate_names import AGGREGATES, GROUP_WINDOWS
from kafkastream.sql.expressions.json_calls import JSON_CALLS
from kafkastream.sql.plan.expression import Literal, TypedExpression
from kafkastream.sql.plan.functions import NAMES
from kafkastream.sql.plan.functions.signatures import misfit
from kafkastream.sql.plan.functions.time_functions import TIME_UNITS
from kafkastream.sql.plan.user_call import user_call
from kafkastream.sql.session_functions import NamedFunction
from kafkastream.sql.table_options import did_you_mean
from kafkastream.sql.types import DataType
from kafkastream.sql.user_functions import FunctionKind

if TYPE_CHECKING:
    from kafkastream.sql.expressions.expression_compiler import ExpressionCompiler

__all__ = ["REFUSED_FUNCTIONS", "called", "called_name", "is_call"]

_PLACES = {
    FunctionKind.TABLE: "Write FROM t, LATERAL TABLE({}(a)) AS r (b).",
    FunctionKind.AGGREGATE: "Aggregates belong to SELECT and HAVING.",
    FunctionKind.TABLE_AGGREGATE: "Use Table.flat_aggregate.",
}
_WITH_UNIT = frozenset({"TIMESTAMPADD", "TIMESTAMPDIFF"})

_MODEL: Final = "Call the model in a Python function: {0} needs one in Flink's catalog."
_VARIANT: Final = "There is no type VARIANT here: read values by JSON_VALUE or JSON_QUERY."
_CLASS: Final = "It makes an object of a Java class; write ROW(...)."
REFUSED_FUNCTIONS: Final[Mapping[str, str]] = {
    "APPROX_COUNT_DISTINCT": "Flink has it for batches alone: write COUNT(DISTINCT x).",
    "CURRENT_WATERMARK": "The watermark is not to be seen by expressions here.",
    "JSON": "JSON(text) is a value of JSON_OBJECT or JSON_ARRAY.",
    **{name: _MODEL.format(name) for name in ("ML_EVALUATE", "ML_PREDICT", "VECTOR_SEARCH")},
    "OBJECT_OF": _CLASS,
    "OBJECT_UPDATE": _CLASS,
    "PARSE_JSON": _VARIANT,
    "SOURCE_WATERMARK": "Write WATERMARK FOR ts AS ts - INTERVAL '5' SECOND.",
    "TRY_PARSE_JSON": _VARIANT,
}
"""Alternative to each function."""


def called_name(node: exp.Expr) -> str:
    """Return the name of the function that a node calls."""
    return node.this.name if isinstance(node.this, exp.Identifier) else str(node.this)


def is_call(node: exp.Expr, *names: str) -> TypeGuard[exp.Anonymous]:
    """Return whether a node is a call of one of the named functions."""
    return isinstance(node, exp.Anonymous) and called_name(node).upper() in names


def called(of: ExpressionCompiler, node: exp.Expr) -> TypedExpression:
    """Compile a call.

    Raises:
        UnsupportedFeatureError: The function is not known.
        DefinitionError: The arguments do not fit.
    """
    of.text.only(node, "this", "expressions", "returning")
    name = called_name(node).upper()
    user = of.user_function(node)
    if user is not None:
        _check_kind(of, node, user)
        arguments = [of.compile(argument) for argument in node.expressions]
        return of.located(node, lambda: user_call(user, arguments))
    if isinstance(node.parent, exp.Dot) and node.parent.expression is node:
        raise of.text.error(
            node.parent,
            f"No match found for function signature {of.text.shown(node.parent)}.",
            "CREATE FUNCTION makes one.",
        )
    if name in AGGREGATES:
        raise of.text.error(
            node, f"The aggregate function {name} is not allowed here.", "Aggregates belong to SELECT and HAVING."
        )
    if name in GROUP_WINDOWS:
        raise of.text.error(node, f"{name} belongs to a query with its window in GROUP BY.", GROUP_WINDOWS[name])
    if name not in NAMES:
        known = [*NAMES, *AGGREGATES]
        now = REFUSED_FUNCTIONS.get(name) or did_you_mean(name, known) or "The documentation lists the functions."
        raise of.text.refused(node, f"No match found for function signature {name}: it is not known here.", now)
    if name in _WITH_UNIT:
        return _with_unit(of, node, name)
    if name == "CURRENT_DATABASE":
        if what := misfit(name, [of.compile(one) for one in node.expressions]):
            raise of.text.error(node, what, "Leave the arguments out.")
        return Literal(of.catalog.database, DataType.string().not_null())
    if name in JSON_CALLS:
        return JSON_CALLS[name](of, node)
    return of.call(node, name, *map(of.compile, node.expressions), nodes=node.expressions)


def _check_kind(of: ExpressionCompiler, node: exp.Expr, user: NamedFunction) -> None:
    """Check that a user-defined function is a scalar function."""
    kind = user.function.kind
    if kind is not FunctionKind.SCALAR:
        raise of.text.error(node, f"The {kind.value} {user.name} is not allowed here.", _PLACES[kind].format(user.name))


def _with_unit(of: ExpressionCompiler, node: exp.Expr, name: str) -> TypedExpression:
    if len(node.expressions) != 3:
        raise of.text.error(node, f"{name} takes a unit and two values.")
    written, first, second = node.expressions
    unit = written.name.upper().removeprefix("SQL_TSI_")
    if unit not in TIME_UNITS:
        what = f"{written.name} is not a unit of time."
        raise of.text.error(written, what, f"Take one of {', '.join(sorted(TIME_UNITS))}.")
    return of.call(node, f"{name} {unit}", of.compile(first), of.compile(second), nodes=(first, second))
