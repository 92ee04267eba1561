"""Operators of Flink SQL as Spark SQL."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final

from sqlglot import exp

from kafkastream.sql.plan.spark_type_names import (
    NUMERIC,
    STAMPS,
    TEXT,
    TIMES,
    WHOLE,
    decimal_of,
    quoted_text,
    spark_type,
)
from kafkastream.sql.types import DataType, Kind

if TYPE_CHECKING:
    from kafkastream.sql.expressions.expressions import Translator

__all__ = ["WRITERS", "common", "comparison"]

_APPROXIMATE = frozenset({Kind.FLOAT, Kind.DOUBLE})
_INTERVALS = frozenset({Kind.INTERVAL_DAY_SECOND, Kind.INTERVAL_YEAR_MONTH})
_ORDERED = (Kind.TINYINT, Kind.SMALLINT, Kind.INT, Kind.BIGINT)


def _misapplied(of: Translator, node: exp.Expr, sign: str, types: Sequence[DataType]) -> Exception:
    arguments = f" {sign} ".join(f"<{type_}>" for type_ in types)
    return of.text.error(node, f"Cannot apply '{sign}' to arguments of type '{arguments}'", "CAST one of them.")


def _arithmetic(of: Translator, node: exp.Expr, sign: str) -> str:
    left, right = of.sql(node.this), of.sql(node.expression)
    types = of.types((left, right))
    kinds = {type_.kind for type_ in types}
    if kinds & _INTERVALS:
        if kinds & TEXT or (kinds <= TIMES | _INTERVALS and sign not in "+-"):
            raise _misapplied(of, node, sign, types)
        stamp = next((type_ for type_ in types if type_.kind in STAMPS), None)
        sql = f"({left} {sign} {right})"
        return of.typed(sql, stamp) if stamp else sql
    if not kinds <= NUMERIC:
        if "null" not in (left, right):
            raise _misapplied(of, node, sign, types)
        return f"({left} {sign} {right})"
    left, right = _as_decimals(types, left, right)
    if sign == "/":
        return _divided(types, left, right)
    if sign == "%":
        return modulo(types, left, right)
    return f"({left} {sign} {right})"


def _as_decimals(types: Sequence[DataType], *values: str) -> list[str]:
    """Whole numbers beside a DECIMAL with Flink's digits: Spark takes fewer for a literal, and others for BIGINT."""
    if Kind.DECIMAL not in {type_.kind for type_ in types}:
        return list(values)
    return [
        f"cast({value} as {spark_type(decimal_of(type_))})" if type_.kind in WHOLE else value
        for type_, value in zip(types, values, strict=True)
    ]


def _divided(types: Sequence[DataType], left: str, right: str) -> str:
    kinds = [type_.kind for type_ in types]
    if set(kinds) <= WHOLE:
        return f"cast(({left} div {right}) as {spark_type(DataType.of(max(kinds, key=_ORDERED.index)))})"
    if set(kinds) & _APPROXIMATE:
        without = f"if({left} = 0 or isnan({left}), double('NaN'), sign({left}) * double('Infinity'))"
        divided = f"case when {right} = 0 then {without} else {left} / {right} end"
        return f"cast({divided} as {'double' if set(kinds) != {Kind.FLOAT} else 'float'})"
    return f"({left} / {right})"


def modulo(types: Sequence[DataType], left: str, right: str) -> str:
    """``MOD``: the type of whole numbers is the divisor's."""
    if {type_.kind for type_ in types} & _APPROXIMATE:
        return f"if({right} = 0, double('NaN'), {left} % {right})"
    if {type_.kind for type_ in types} <= WHOLE:
        return f"cast(({left} % {right}) as {spark_type(types[1])})"
    return f"({left} % {right})"


def comparison(of: Translator, node: exp.Expr, sign: str) -> str:
    """Two values compared."""
    left, right = comparable(of, node, [of.sql(node.this), of.sql(node.expression)])
    return f"({left} {sign} {right})"


def comparable(of: Translator, node: exp.Expr, values: Sequence[str]) -> list[str]:
    """Values that may be compared; texts beside times become times, as Flink does."""
    types = of.types(values)
    kinds = {type_.kind for type_, value in zip(types, values, strict=True) if value != "null"}
    times = [type_ for type_ in types if type_.kind in TIMES]
    if kinds & TEXT and kinds - TEXT:
        if not kinds <= TEXT | TIMES:
            shown = " and ".join(sorted({str(type_) for type_ in types}))
            what = f"implicit type conversion between {shown} is not supported on comparing"
            raise of.text.error(node, what, "CAST one of them.")
        return [
            f"cast({value} as {spark_type(times[0])})" if type_.kind in TEXT else value
            for type_, value in zip(types, values, strict=True)
        ]
    return list(values)


def common(of: Translator, node: exp.Expr, values: Sequence[str]) -> list[str]:
    """Values that become one type, as branches of CASE; what Spark would make of texts beside others is refused."""
    types = of.types(values)
    kinds = {type_.kind for type_, value in zip(types, values, strict=True) if value != "null"}
    if kinds & TEXT and kinds - TEXT:
        shown = ", ".join(dict.fromkeys(str(type_) for type_ in types))
        raise of.text.error(node, f"These have no type in common: {shown}.", "CAST them to one type.")
    return _as_decimals(types, *values)


def _between(of: Translator, node: exp.Expr) -> str:
    of.text.only(node, "this", "low", "high")
    value, low, high = comparable(of, node, [of.sql(node.this), of.sql(node.args["low"]), of.sql(node.args["high"])])
    return f"({value} between {low} and {high})"


def _in(of: Translator, node: exp.Expr) -> str:
    if node.args.get("query"):
        return of.sql(node.args["query"])
    of.text.only(node, "this", "expressions")
    if not node.expressions:
        raise of.text.error(node, "IN () has no values.", "Write the values into the parentheses.")
    value, *others = comparable(of, node, [of.sql(one) for one in (node.this, *node.expressions)])
    return f"({value} in ({', '.join(others)}))"


def _is(of: Translator, node: exp.Expr) -> str:
    if not isinstance(node.expression, exp.Null | exp.Boolean):
        raise of.text.refused(node, f"{of.text.shown(node)} is not supported.", "Write IS NULL, IS TRUE or IS FALSE.")
    sign = "is not" if node.args.get("negate") else "is"
    return f"({of.sql(node.this)} {sign} {of.sql(node.expression)})"


def _escaped(of: Translator, node: exp.Expr) -> str:
    if not isinstance(node.this, exp.Like) or not node.expression.is_string or len(node.expression.name) != 1:
        raise of.text.error(node, "ESCAPE takes one character, behind LIKE.", "")
    value, pattern = of.sql(node.this.this), of.sql(node.this.expression)
    return f"({value} {_like_sign(node.this)} {pattern} escape {quoted_text(node.expression.name)})"


def _like_sign(node: exp.Expr) -> str:
    return "not like" if node.args.get("negate") else "like"


def _like(of: Translator, node: exp.Expr) -> str:
    """Nothing escapes in Flink where ESCAPE is not written; a backslash does in Spark."""
    value, pattern = of.sql(node.this), of.sql(node.expression)
    if node.expression.is_string:
        pattern = quoted_text(node.expression.name.replace("\\", "\\\\"))
    else:
        pattern = f"replace({pattern}, '\\\\', '\\\\\\\\')"
    return f"({value} {_like_sign(node)} {pattern})"


def _similar(of: Translator, node: exp.Expr) -> str:
    pattern = node.expression
    if not pattern.is_string or re.search(r"[\\^$.\[\]]", pattern.name):
        what = "SIMILAR TO takes a text with %, _, |, *, +, ?, () and {} here."
        raise of.text.refused(pattern, what, "Write REGEXP(value, pattern).")
    regex = pattern.name.replace("%", ".*").replace("_", ".")
    return f"({of.sql(node.this)} rlike {quoted_text(f'(?s)^(?:{regex})$(?!.)')})"


def _joined(of: Translator, node: exp.Expr) -> str:
    values = [of.sql(node.this), of.sql(node.expression)]
    types = of.types(values)
    if any(type_.kind not in TEXT and value != "null" for type_, value in zip(types, values, strict=True)):
        raise _misapplied(of, node, "||", types)
    return f"({values[0]} || {values[1]})"


def _signed(write: Callable[[Translator, exp.Expr, str], str], sign: str) -> Callable[[Any, exp.Expr], str]:
    return lambda of, node: write(of, node, sign)


WRITERS: Final[Mapping[type[exp.Expr], Callable[[Any, exp.Expr], str]]] = {
    **{
        kind: _signed(_arithmetic, sign)
        for kind, sign in ((exp.Add, "+"), (exp.Sub, "-"), (exp.Mul, "*"), (exp.Div, "/"), (exp.Mod, "%"))
    },
    **{
        kind: _signed(comparison, sign)
        for kind, sign in (
            (exp.EQ, "="),
            (exp.NEQ, "<>"),
            (exp.GT, ">"),
            (exp.GTE, ">="),
            (exp.LT, "<"),
            (exp.LTE, "<="),
            (exp.NullSafeEQ, "<=>"),
        )
    },
    exp.NullSafeNEQ: lambda of, node: f"(not {comparison(of, node, '<=>')})",
    exp.Between: _between,
    exp.In: _in,
    exp.Is: _is,
    exp.Like: _like,
    exp.Escape: _escaped,
    exp.SimilarTo: _similar,
    exp.DPipe: _joined,
}
