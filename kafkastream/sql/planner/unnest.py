"""``CROSS JOIN UNNEST(array) AS t (c)``."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sqlglot import exp

from kafkastream.sql.expressions.column_scope import Scope
from kafkastream.sql.plan.expression import Call, calls_user
from kafkastream.sql.plan.functions.window_functions import elements
from kafkastream.sql.plan.plan_builder import PlannedRows, normalized, reference
from kafkastream.sql.plan.relations import Explode, Field
from kafkastream.sql.planner.table_functions import computed_first, without_column
from kafkastream.sql.types import DataType, Kind, RowField

if TYPE_CHECKING:
    from kafkastream.sql.planner.query_planner import SelectPlanner

__all__ = ["unnested"]

_ORDINALITY = "ORDINALITY"


def unnested(
    planner: SelectPlanner, rows: PlannedRows, scope: Scope, node: exp.Unnest, *, outer: bool
) -> tuple[PlannedRows, Scope]:
    """Plan ``UNNEST``: each row once per element of a column."""
    text = planner.text
    text.only(node, "expressions", "alias", "offset")
    if len(node.expressions) != 1:
        raise text.refused(node, "UNNEST takes one array, map or multiset.", "Join an UNNEST for each.")
    value = planner.compiler(scope).compile(node.expressions[0])
    columns = list(elements(value.type))
    if not columns:
        what = f"Cannot apply 'UNNEST' to arguments of type 'UNNEST(<{value.type}>)'"
        raise text.error(node, what, "It takes an ARRAY, a MAP or a MULTISET.")
    offset = node.args.get("offset")
    if offset:
        columns.append(RowField(_ORDINALITY, DataType.of(Kind.INT).not_null()))
    array = Call("$UNNEST", (value,), DataType.of(Kind.ARRAY, parts=(DataType.of(Kind.ROW, fields=tuple(columns)),)))
    names = [one.name for one in node.args["alias"].args.get("columns") or ()] if node.args.get("alias") else []
    if isinstance(offset, exp.Identifier):
        names = [*names, offset.name]
    if names and len(names) != len(columns):
        what = f"{len(names)} column names are given for the {len(columns)} columns of UNNEST."
        raise text.error(node, what, "Name each column.")
    added = tuple(
        Field(names[at] if names else one.name, one.type.nullable() if outer else one.type)
        for at, one in enumerate(columns)
    )
    relation = normalized(rows.relation, planner.ttl_ms)
    place = None
    if calls_user(array):
        relation, place = computed_first(relation, array)
    exploded = Explode(
        input=relation,
        array=array if place is None else reference(relation, place),
        outer=outer,
        fields=(*relation.fields, *added),
        changelog=relation.changelog,
    )
    result = exploded if place is None else without_column(exploded, place)
    return PlannedRows(result, rows.window), scope.joined(Scope.of(added, node.alias))
