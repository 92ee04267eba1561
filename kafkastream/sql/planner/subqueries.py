"""``[NOT] IN (SELECT ...)`` and ``[NOT] EXISTS (SELECT ...)`` in WHERE, as semi and anti joins."""

from __future__ import annotations

from typing import TYPE_CHECKING

import attrs
from sqlglot import exp

from kafkastream.errors import DefinitionError
from kafkastream.sql.changelog import ChangelogMode
from kafkastream.sql.expressions.column_scope import Scope
from kafkastream.sql.plan.expression import columns_in
from kafkastream.sql.plan.operations import Join, JoinKind
from kafkastream.sql.plan.plan_builder import PlannedRows, filtered, normalized, projected, reference, without_times
from kafkastream.sql.plan.relations import Relation, Stateful
from kafkastream.sql.planner.from_clause import source
from kafkastream.sql.planner.join_conditions import conditions_of, conjuncts
from kafkastream.sql.planner.join_parts import keyed

if TYPE_CHECKING:
    from kafkastream.sql.planner.query_planner import SelectPlanner

__all__ = ["filtered_by_queries"]

_VALUE = "$in"
"""Name of the column of an IN subquery, which no table's column can have."""


def filtered_by_queries(
    planner: SelectPlanner, rows: PlannedRows, scope: Scope, conditions: list[exp.Expr]
) -> tuple[PlannedRows, Scope, list[exp.Expr]]:
    """Apply the subqueries in WHERE; return the rows and the other conditions."""
    rest = []
    for node in conditions:
        is_not = isinstance(node, exp.Not)
        inner = node.this if is_not else node
        while isinstance(inner, exp.Paren):
            inner = inner.this
        kind = JoinKind.ANTI if is_not else JoinKind.SEMI
        if isinstance(inner, exp.Exists):
            rows = _exists(planner, rows, scope, inner, kind)
        elif isinstance(inner, exp.In) and inner.args.get("query"):
            rows = _in(planner, rows, scope, inner, kind)
        else:
            rest.append(node)
            continue
        scope = Scope(rows.relation.fields, scope.sources)
    return rows, scope, rest


def _in(planner: SelectPlanner, rows: PlannedRows, scope: Scope, node: exp.In, kind: JoinKind) -> PlannedRows:
    query = node.args["query"]
    inner = planner.query(query.this if isinstance(query, exp.Subquery) else query).relation
    if len(inner.fields) != 1:
        raise planner.text.error(node, "A query in IN must have one column.", "Select one.")
    equation = exp.EQ(this=node.this.copy(), expression=exp.column(exp.to_identifier(_VALUE, quoted=True)))
    value = planner.compiler(scope).compile(node.this).type
    if kind is JoinKind.ANTI and (value.is_nullable or inner.fields[0].type.is_nullable):
        what = "NOT IN with values that may be NULL is not supported: one NULL among them keeps no row at all."
        raise planner.text.refused(node, what, "Write NOT EXISTS (SELECT 1 FROM b WHERE b.k = a.k).")
    return _joined(
        planner, rows, scope, inner, Scope.of((attrs.evolve(inner.fields[0], name=_VALUE),)), [equation], kind, node
    )


def _exists(planner: SelectPlanner, rows: PlannedRows, scope: Scope, node: exp.Exists, kind: JoinKind) -> PlannedRows:

    text, query = planner.text, node.this
    if not isinstance(query, exp.Select) or not query.args.get("from_"):
        raise text.refused(node, "EXISTS takes SELECT ... FROM one table WHERE ... here.", "Join the tables.")
    for clause in ("joins", "group", "having", "distinct", "with_", "order", "limit", "windows"):
        if query.args.get(clause):
            raise text.refused(
                node, "EXISTS takes SELECT ... FROM one table WHERE ... here.", "Put the rest into a view."
            )
    inner, inner_scope = source(planner, query.args["from_"].this)
    own, both = [], []
    for one in conjuncts(query.args["where"].this) if query.args.get("where") else ():
        try:
            own.append(planner.compiler(inner_scope).compile(one))
        except DefinitionError:
            both.append(one)
    relation = inner.relation
    relation = filtered(relation, own, planner.ttl_ms)
    return _joined(planner, rows, scope, relation, inner_scope, both, kind, node)


def _joined(
    planner: SelectPlanner,
    rows: PlannedRows,
    scope: Scope,
    inner: Relation,
    inner_scope: Scope,
    nodes: list[exp.Expr],
    kind: JoinKind,
    node: exp.Expr,
) -> PlannedRows:
    found = conditions_of(planner, Scope(rows.relation.fields, scope.sources), inner_scope, nodes)
    width = len(rows.relation.fields)
    if found.rest or found.bound or any(min(columns_in(one), default=width) >= width for one in found.left):
        what = "A query inside of WHERE may only be bound by equations with columns outside."
        raise planner.text.refused(node, what, "Join the tables.")
    left, left_keys = keyed(normalized(rows.relation, planner.ttl_ms), found.left)
    right, right_keys = keyed(normalized(inner, planner.ttl_ms), found.right)
    is_append = all(one.changelog is ChangelogMode.APPEND for one in (left, right)) and kind is JoinKind.SEMI
    relation = Stateful(
        merged=(left, right),
        keys=(left_keys, right_keys),
        operation=Join(kind=kind, widths=(len(left.fields), len(right.fields)), ttl_ms=planner.ttl_ms),
        fields=without_times(left.fields),
        changelog=ChangelogMode.APPEND if is_append else ChangelogMode.RETRACT,
        upsert_key=left.upsert_key,
    )
    if len(left.fields) == width:
        return PlannedRows(relation)
    names = [field.name for field in relation.fields[:width]]
    return PlannedRows(projected(relation, [reference(relation, at) for at in range(width)], names))
