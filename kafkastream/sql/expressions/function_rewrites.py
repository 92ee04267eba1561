"""Functions whose Spark SQL depends on the types or the values of their arguments."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, Final

from sqlglot import exp

from kafkastream.sql.expressions.call_arguments import counted, invalid_count
from kafkastream.sql.expressions.json_calls import JSON_REWRITES
from kafkastream.sql.expressions.operator_expressions import common, comparable
from kafkastream.sql.expressions.time_calls import TIME_REWRITES
from kafkastream.sql.plan.spark_type_names import WHOLE, quoted_text, spark_type
from kafkastream.sql.types import Kind

if TYPE_CHECKING:
    from kafkastream.sql.expressions.expressions import Translator

__all__ = ["REWRITES"]


def _literal_number(node: exp.Expr) -> int | None:
    sign = -1 if isinstance(node, exp.Neg) else 1
    value = node.this if isinstance(node, exp.Neg) else node
    return sign * int(value.name) if isinstance(value, exp.Literal) and value.is_int else None


def _substring(of: Translator, node: exp.Expr) -> str:
    """Beyond the beginning there is nothing in Flink; Spark would count on from there. A negative length is NULL."""
    arguments = counted(of, node, 2, 3)
    return _cut(arguments, [_literal_number(argument) for argument in node.expressions])


def _cut(arguments: list[str], known: list[int | None]) -> str:
    """``SUBSTRING`` of translated arguments, of which some are known."""
    text, start = arguments[:2]
    plain = f"substring({', '.join(arguments)})"
    cases = []
    if known[1] is None or known[1] < 0:
        cases.append(f"when {start} < -char_length({text}) then ''")
    if len(arguments) > 2 and ((length := known[2]) is None or length < 0):
        cases.append(f"when {arguments[2]} < 0 then null")
    return f"case {' '.join(reversed(cases))} else {plain} end" if cases else plain


def _pad(of: Translator, node: exp.Expr) -> str:
    text, length, filling = counted(of, node, 3, 3)
    return f"if({length} < 0 or {filling} = '', null, {node.name.lower()}({text}, {length}, {filling}))"


def _replace(of: Translator, node: exp.Expr) -> str:
    arguments = counted(of, node, 3, 3)
    searched = node.expressions[1]
    if not searched.is_string or not searched.name:
        what = "REPLACE takes a text to look for that is written out and not empty here."
        raise of.text.refused(searched, what, "Write REGEXP_REPLACE(text, pattern, replacement).")
    return f"replace({', '.join(arguments)})"


def _split_index(of: Translator, node: exp.Expr) -> str:
    text, _, index = counted(of, node, 3, 3)
    delimiter = node.expressions[1]
    if not delimiter.is_string or not delimiter.name:
        raise of.text.refused(
            delimiter, "SPLIT_INDEX takes a delimiter that is written out as a text here.", "Write it so."
        )
    pattern = quoted_text(re.sub(r"([^0-9A-Za-z\s_])", r"\\\1", delimiter.name))
    return f"if({text} = '', null, get(split({text}, {pattern}, -1), {index}))"


def _logarithm(of: Translator, node: exp.Expr) -> str:
    (value,) = counted(of, node, 1, 1)
    below = f"when {value} = 0 then double('-Infinity') when {value} < 0 then double('NaN')"
    return f"case {below} else {node.name.lower()}({value}) end"


def _mod(of: Translator, node: exp.Expr) -> str:
    if len(node.expressions) != 2:
        raise invalid_count(of, node)
    left, right = node.expressions
    return of.sql(exp.Mod(this=left.copy(), expression=right.copy()))


def _truncate(of: Translator, node: exp.Expr) -> str:
    value, *digits = counted(of, node, 1, 2)
    type_ = of.type_of(value)
    if type_.kind not in WHOLE | {Kind.DECIMAL}:
        raise of.text.refused(node, f"TRUNCATE of {type_} is not supported.", "CAST the number to a DECIMAL.")
    places = ", ".join(digits or ["0"])
    return f"if({value} >= 0, floor({value}, {places}), ceil({value}, {places}))"


def _sign(of: Translator, node: exp.Expr) -> str:
    (value,) = counted(of, node, 1, 1)
    return f"cast(sign({value}) as {spark_type(of.type_of(value))})"


def _coalesce(of: Translator, node: exp.Expr) -> str:
    arguments = counted(
        of, node, 2 if node.name.upper() == "IFNULL" else 1, 2 if node.name.upper() == "IFNULL" else 255
    )
    return f"coalesce({', '.join(common(of, node, arguments))})"


def _nullif(of: Translator, node: exp.Expr) -> str:
    return f"nullif({', '.join(comparable(of, node, counted(of, node, 2, 2)))})"


def _if(of: Translator, node: exp.Expr) -> str:
    condition, *values = counted(of, node, 3, 3)
    return f"if({condition}, {', '.join(common(of, node, values))})"


def _extreme(of: Translator, node: exp.Expr) -> str:
    """NULL among the arguments is the result in Flink; Spark passes over it."""
    arguments = common(of, node, counted(of, node, 2, 255))
    missing = " or ".join(f"{argument} is null" for argument in arguments)
    return f"if({missing}, null, {node.name.lower()}({', '.join(arguments)}))"


def _row(of: Translator, node: exp.Expr) -> str:
    fields = (f"'EXPR${at}', {of.sql(argument)}" for at, argument in enumerate(node.expressions))
    return f"named_struct({', '.join(fields)})"


REWRITES: Final[Mapping[str, Callable[[Any, exp.Expr], str]]] = {
    "substring": _substring,
    "pad": _pad,
    "replace": _replace,
    "split_index": _split_index,
    "logarithm": _logarithm,
    "mod": _mod,
    "truncate": _truncate,
    "sign": _sign,
    "coalesce": _coalesce,
    "nullif": _nullif,
    "if": _if,
    "extreme": _extreme,
    "row": _row,
    **JSON_REWRITES,
    **TIME_REWRITES,
}
"""Each by the name that the table of functions gives it."""
