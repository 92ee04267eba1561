"""``CROSS JOIN UNNEST(array) AS t (c)``."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sqlglot import exp

from kafkastream.sql.expressions.column_scope import Scope
from kafkastream.sql.plan.plan_builder import Rows, normalized
from kafkastream.sql.plan.relations import Explode, Field
from kafkastream.sql.plan.spark_type_names import quoted_text
from kafkastream.sql.plan.user_calls import IN_SUBQUERY, calls_user
from kafkastream.sql.quoting import quoted
from kafkastream.sql.types import DataType, Kind

if TYPE_CHECKING:
    from kafkastream.sql.planner.query_planner import Planner

__all__ = ["unnested"]

_ORDINALITY = "ORDINALITY"


def unnested(planner: Planner, rows: Rows, scope: Scope, node: exp.Unnest, *, outer: bool) -> tuple[Rows, Scope]:
    """Each row once for every element of a column."""
    text = planner.text
    text.only(node, "expressions", "alias", "offset")
    if len(node.expressions) != 1:
        raise text.refused(node, "UNNEST takes one array, map or multiset.", "Join an UNNEST for each.")
    of = planner.translator(scope)
    value = of.sql(node.expressions[0])
    if calls_user(value):
        raise text.refused(node, "UNNEST takes no call of a Python function.", IN_SUBQUERY)
    type_ = of.type_of(value)
    columns, elements, element = _elements(type_, value)
    if not columns:
        what = f"Cannot apply 'UNNEST' to arguments of type 'UNNEST(<{type_}>)'"
        raise text.error(node, what, "It takes an ARRAY, a MAP or a MULTISET.")
    struct = dict(zip([name for name, _ in columns], element, strict=True))
    offset = node.args.get("offset")
    if offset:
        columns, struct = [*columns, (_ORDINALITY, DataType.of(Kind.INT).not_null())], {**struct, _ORDINALITY: "i + 1"}
    parts = ", ".join(f"{quoted_text(f'f{at}')}, {part}" for at, part in enumerate(struct.values()))
    array = f"transform({elements}, {'(x, i)' if offset else 'x'} -> named_struct({parts}))"
    names = [one.name for one in node.args["alias"].args.get("columns") or ()] if node.args.get("alias") else []
    if isinstance(offset, exp.Identifier):
        names = [*names, offset.name]
    if names and len(names) != len(columns):
        what = f"{len(names)} column names are given for the {len(columns)} columns of UNNEST."
        raise text.error(node, what, "Name each column.")
    added = tuple(
        Field(names[at] if names else name, column_type.nullable() if outer else column_type)
        for at, (name, column_type) in enumerate(columns)
    )
    relation = normalized(rows.relation, planner.ttl_ms)
    exploded = Explode(
        input=relation, array=array, outer=outer, fields=(*relation.fields, *added), changelog=relation.changelog
    )
    return Rows(exploded, rows.window), scope.joined(Scope.of(added, node.alias))


def _elements(type_: DataType, value: str) -> tuple[list[tuple[str, DataType]], str, list[str]]:
    """The columns of an element, an array of the elements, and the columns of one that is called ``x``."""
    match type_.kind:
        case Kind.ARRAY if type_.parts[0].kind is Kind.ROW:
            fields = type_.parts[0].fields
            return [(one.name, one.type) for one in fields], value, [f"x.{quoted(one.name)}" for one in fields]
        case Kind.ARRAY:
            return [("EXPR$0", type_.parts[0])], value, ["x"]
        case Kind.MAP:
            return [("KEY", type_.parts[0]), ("VALUE", type_.parts[1])], f"map_entries({value})", ["x.key", "x.value"]
        case Kind.MULTISET:
            repeated = f"flatten(transform(map_entries({value}), e -> array_repeat(e.key, e.value)))"
            return [("EXPR$0", type_.parts[0])], repeated, ["x"]
        case _:
            return [], "", []
