"""Calls of functions, by the table of functions and the rewrites that it names."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from sqlglot import exp

from kafkastream.sql.expressions.aggregate_names import AGGREGATES, GROUP_WINDOWS
from kafkastream.sql.expressions.call_arguments import invalid_count
from kafkastream.sql.expressions.function_rewrites import REWRITES
from kafkastream.sql.expressions.function_table import FUNCTIONS
from kafkastream.sql.plan.user_calls import IN_SUBQUERY, calls_user, user_call
from kafkastream.sql.table_options import did_you_mean

if TYPE_CHECKING:
    from kafkastream.sql.expressions.expressions import Translator

__all__ = ["call_name", "called", "called_name"]

_NEAREST = {
    "CURRENT_ROW_TIMESTAMP": "CURRENT_TIMESTAMP, which is one time for each micro-batch, is there.",
    "CURRENT_WATERMARK": "The watermark is not to be seen by expressions here.",
    "INITCAP": "Write UPPER(LEFT(s, 1)) || LOWER(SUBSTRING(s, 2)).",
    "SOURCE_WATERMARK": "Write WATERMARK FOR ts AS ts - INTERVAL '5' SECOND.",
}


def called_name(node: exp.Expr) -> str:
    """The name of what is called."""
    return node.this.name if isinstance(node.this, exp.Identifier) else str(node.this)


def call_name(node: exp.Expr) -> str:
    """The same in capitals."""
    return called_name(node).upper()


def called(of: Translator, node: exp.Expr) -> str:
    """A call in Spark SQL.

    Raises:
        UnsupportedFeatureError: The function is not known.
        DefinitionError: It takes other arguments.
    """
    of.text.only(node, "this", "expressions", "returning")
    name = call_name(node)
    user = of.user_function(node)
    if user is not None:
        return user_call(of, node, user)
    if isinstance(node.parent, exp.Dot):
        raise of.text.error(
            node.parent,
            f"No match found for function signature {of.text.shown(node.parent)}.",
            "CREATE FUNCTION makes one.",
        )
    if name in AGGREGATES:
        raise of.text.error(
            node, f"The aggregate function {name} may not stand here.", "Aggregates belong to SELECT and HAVING."
        )
    if name in GROUP_WINDOWS:
        raise of.text.error(node, f"{name} belongs to a query with its window in GROUP BY.", GROUP_WINDOWS[name])
    function = FUNCTIONS.get(name)
    if function is None:
        known = [*FUNCTIONS, *AGGREGATES]
        now = _NEAREST.get(name) or did_you_mean(name, known) or "The documentation lists the functions that are there."
        raise of.text.refused(node, f"No match found for function signature {name}: it is not known here.", now)
    if function.rewrite:
        return REWRITES[function.rewrite](of, node)
    form = function.form(len(node.expressions))
    if form is None or (not node.expressions and "{*}" in form):
        raise invalid_count(of, node)
    arguments = [of.sql(argument) for argument in node.expressions]
    if "->" in form and any(map(calls_user, arguments[1:])):
        raise of.text.refused(
            node, f"{of.text.shown(node)} cannot have a call of a Python function inside.", IN_SUBQUERY
        )
    return form.replace("{*}", ", ".join(arguments)) if "{*}" in form else _filled(form, arguments)


def _filled(form: str, arguments: list[str]) -> str:
    return re.sub(r"\{(\d)\}", lambda place: arguments[int(place[1])], form)
