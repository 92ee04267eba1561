"""Functions with a grammar of their own, as ``TRIM(LEADING 'x' FROM s)``."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final

from sqlglot import exp

from kafkastream.sql.expressions.function_rewrites import REWRITES
from kafkastream.sql.expressions.time_calls import extracted, rounded

__all__ = ["GRAMMAR_CALLS"]


def _substring(of: Any, node: exp.Expr) -> str:
    of.text.only(node, "this", "start", "length")
    arguments = [node.this, node.args.get("start"), node.args.get("length")]
    call = exp.Anonymous(this="SUBSTRING", expressions=[argument for argument in arguments if argument])
    return REWRITES["substring"](of, call)


def _trim(of: Any, node: exp.Expr) -> str:
    of.text.only(node, "this", "expression", "position")
    what = of.sql(node.expression) if node.expression else "' '"
    return f"trim({node.args.get('position') or 'BOTH'} {what} FROM {of.sql(node.this)})"


def _position(of: Any, node: exp.Expr) -> str:
    of.text.only(node, "this", "substr")
    return f"position({of.sql(node.args['substr'])} in {of.sql(node.this)})"


def _overlay(of: Any, node: exp.Expr) -> str:
    of.text.only(node, "this", "expression", "from_", "for_")
    text, other, start = of.sql(node.this), of.sql(node.expression), of.sql(node.args["from_"])
    length = of.sql(node.args["for_"]) if node.args.get("for_") else f"char_length({other})"
    inside = f"{start} <= 0 or {start} > char_length({text})"
    return f"if({inside}, {text}, overlay({text} placing {other} from {start} for greatest({length}, 0)))"


GRAMMAR_CALLS: Final[Mapping[type[exp.Expr], Callable[[Any, exp.Expr], str]]] = {
    exp.Extract: extracted,
    exp.Floor: rounded,
    exp.Ceil: rounded,
    exp.Substring: _substring,
    exp.Trim: _trim,
    exp.StrPosition: _position,
    exp.Overlay: _overlay,
}
"""Each by its node."""
