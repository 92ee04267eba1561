"""``JSON_VALUE``, ``JSON_QUERY`` and ``JSON_EXISTS``."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, Final

from sqlglot import exp

from kafkastream.sql.plan.casts import converted
from kafkastream.sql.plan.spark_type_names import quoted_text
from kafkastream.sql.types import DataType

if TYPE_CHECKING:
    from kafkastream.sql.expressions.expressions import Translator

__all__ = ["JSON_REWRITES"]

_PATH = re.compile(r"\$(\.[A-Za-z_]\w*|\[\d+\]|\['[^']+'\])*")


def _found(of: Translator, node: exp.Expr) -> tuple[str, str, str]:
    """The text, the path, and what is there as a VARIANT; NULL when there is nothing, or no JSON."""
    text, path = node.expressions
    steps = re.sub(r"^(lax|strict)\s+", "", path.name) if path.is_string else ""
    if not _PATH.fullmatch(steps):
        what = "A path of JSON is written out as '$.name', '$[0]' or \"$['name']\" here, and steps behind them."
        raise of.text.refused(path, what, "Write it so.")
    source, where = of.sql(text), quoted_text(steps)
    return source, where, f"try_variant_get(try_parse_json({source}), {where}, 'variant')"


def _clauses(of: Translator, node: exp.Expr, *allowed: str) -> dict[str, tuple[str, exp.Expr | None]]:
    clauses: dict[str, tuple[str, exp.Expr | None]] = node.meta.get("json", {})
    for event, (what, _) in clauses.items():
        if what not in allowed:
            shown = f"{what} ON {event}"
            raise of.text.refused(
                node, f"{shown} is not supported in {node.name.upper()}.", "Leave it out: NULL is given."
            )
    return clauses


def _value(of: Translator, node: exp.Expr) -> str:
    clauses = _clauses(of, node, "NULL", "DEFAULT")
    _, _, found = _found(of, node)
    scalar = f"if(schema_of_variant({found}) rlike '^(OBJECT|ARRAY)', null, cast({found} as string))"
    returning = node.args.get("returning")
    if returning:
        target = returning.meta["type"]
        scalar = converted(of, node, scalar, DataType.string(), target, "try_cast")
    defaults = {event: of.sql(value) if value else "null" for event, (_, value) in clauses.items()}
    if not any(value != "null" for value in defaults.values()):
        return scalar
    if defaults.get("EMPTY", "null") != defaults.get("ERROR", "null"):
        what = "JSON_VALUE gives the same DEFAULT ON EMPTY and ON ERROR here, or none."
        raise of.text.refused(node, what, "Write both with the same value.")
    return f"coalesce({scalar}, {defaults['EMPTY']})"


def _query(of: Translator, node: exp.Expr) -> str:
    _clauses(of, node, "NULL")
    text, where, found = _found(of, node)
    return f"if(schema_of_variant({found}) rlike '^(OBJECT|ARRAY)', get_json_object({text}, {where}), null)"


def _exists(of: Translator, node: exp.Expr) -> str:
    _clauses(of, node, "FALSE")
    return f"({_found(of, node)[2]} is not null)"


JSON_REWRITES: Final[Mapping[str, Callable[[Any, exp.Expr], str]]] = {
    "json_value": _value,
    "json_query": _query,
    "json_exists": _exists,
}
"""Each by the name that the table of functions gives it."""
