"""Queries that give one value, as outer joins: ``SELECT a, (SELECT MAX(b) FROM t WHERE t.k = s.k) FROM s``."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import attrs
from sqlglot import exp

from kafkastream.sql.changelog import ChangelogMode
from kafkastream.sql.expressions.aggregate_calls import RequestedAggregate, aggregate_of, calls_in
from kafkastream.sql.expressions.column_scope import Scope, name_parts
from kafkastream.sql.expressions.expression_compiler import ExpressionCompiler
from kafkastream.sql.plan.expression import ColumnRef, Literal, TypedExpression, columns_in, renumbered
from kafkastream.sql.plan.functions import call
from kafkastream.sql.plan.operations import AggregateCall, AggregateFunction, GroupAggregate, JoinKind
from kafkastream.sql.plan.plan_builder import PlannedRows, normalized, projected, reference
from kafkastream.sql.plan.relations import Field, Relation, Stateful
from kafkastream.sql.planner.joins.join_conditions import Conditions
from kafkastream.sql.planner.subqueries.columns_around import Around
from kafkastream.sql.planner.subqueries.inner_queries import (
    InnerQuery,
    bound_groups,
    bound_query,
    column_named,
    gives_one_row,
    whole_query,
    without,
)
from kafkastream.sql.types import DataType, Kind

if TYPE_CHECKING:
    from kafkastream.sql.planner.query_planner import SelectPlanner

__all__ = ["joined_value"]

_NO_CONDITIONS = Conditions((), (), None, ())
_VALUE = "$value"
_ZERO = Literal(0, DataType.of(Kind.BIGINT).not_null())


def joined_value(
    planner: SelectPlanner, rows: PlannedRows, scope: Scope, query: exp.Expr, node: exp.Expr
) -> tuple[PlannedRows, TypedExpression]:
    """Join the value of a query, which is NULL if the query gives no row; a query of more rows fails the job.

    Args:
        planner: Planner of the query around it.
        rows: Rows of the query around it.
        scope: Scope of these.
        query: The query.
        node: Its node in the expression, for errors.
    """
    from kafkastream.sql.planner.joins.joins import of_two

    whole = whole_query(planner, Around(rows, scope), query)
    if whole is None:
        return _bound_value(planner, rows, scope, query, node)
    relation, width = whole.relation, len(rows.relation.fields)
    if len(relation.fields) != 1:
        what = f"A query in an expression must have one column, and this one has {len(relation.fields)}."
        raise planner.text.error(node, what, "Select one.")
    if not gives_one_row(query):
        relation = _only(relation, planner.ttl_ms)
    joined = of_two(planner, (rows, PlannedRows(relation)), _NO_CONDITIONS, JoinKind.LEFT, node)
    return joined, reference(joined.relation, width)


def _single(type_: DataType) -> AggregateCall:
    return AggregateCall(
        function=AggregateFunction.SINGLE_VALUE, argument=0, type=type_.nullable(), argument_type=type_
    )


def _only(relation: Relation, ttl_ms: int) -> Stateful:
    """Return the one row of a relation."""
    field = relation.fields[0]
    return Stateful(
        merged=(normalized(relation, ttl_ms),),
        keys=((),),
        operation=GroupAggregate(calls=(_single(field.type),), keys=0, ttl_ms=ttl_ms),
        fields=(Field(field.name, field.type.nullable()),),
        changelog=ChangelogMode.RETRACT,
        upsert_key=(),
    )


class _Groups(NamedTuple):
    """Aggregates of a query, one row for each key.

    Args:
        rows: The groups.
        known: Positions of keys and aggregates among their columns.
    """

    rows: PlannedRows
    known: dict[TypedExpression | RequestedAggregate, int]


class _OfGroups(ExpressionCompiler):
    """Compiles the selected expression of a query over the rows of the join."""

    def __init__(self, planner: SelectPlanner, both: Scope, inner: ExpressionCompiler, groups: _Groups) -> None:
        super().__init__(planner.text, both, planner.catalog)
        self._inner = inner
        self._groups = groups
        self.width = 0
        self.fields: tuple[Field, ...] = ()

    def compile(self, node: exp.Expr) -> TypedExpression:
        """Compile an expression; a group that does not exist counts 0 rows."""
        aggregate = aggregate_of(self._inner, node)
        if aggregate is not None:
            place = self.width + self._groups.known[aggregate]
            column = ColumnRef(place, self.fields[place].type)
            is_count = aggregate.call.function is AggregateFunction.COUNT
            return call("COALESCE", column, _ZERO) if is_count else column
        found = super().compile(node)
        if name_parts(node) is not None and max(columns_in(found), default=-1) >= self.width:
            what = f"Expression '{self.text.shown(node)}' is not being grouped"
            raise self.text.error(node, what, "Take MAX(...) or another aggregate of it.")
        return found


def _bound_value(
    planner: SelectPlanner, rows: PlannedRows, scope: Scope, query: exp.Expr, node: exp.Expr
) -> tuple[PlannedRows, TypedExpression]:
    """Join the value of a query with columns of the query around it: the query is grouped by the columns that correlate it."""
    from kafkastream.sql.planner.aggregates.grouping import grouped
    from kafkastream.sql.planner.joins.joins import of_two

    if len(query.expressions) != 1:
        raise planner.text.error(node, "A query in an expression must have one column.", "Select one.")
    item = query.expressions[0].unalias()
    if query.args.get("group"):
        inner, item = bound_groups(planner, Around(rows, scope), query, [_VALUE]), column_named(_VALUE)
    else:
        inner = bound_query(planner, Around(rows, scope), without(query, "distinct", "order"))
    found = inner.conditions(planner, Around(rows, scope), [])
    if found.rest:
        inner, found = _with_outer_columns(planner, rows, inner, found, node)
    of = planner.compiler(inner.scope)
    calls = list(dict.fromkeys(one for part in calls_in(item) if (one := aggregate_of(of, part))))
    if not calls:
        value = of.compile(item)
        single = attrs.evolve(_single(value.type), argument=None, distinct=bool(query.args.get("distinct")))
        calls = [RequestedAggregate(single, (value,), None)]
    groups = _Groups(*grouped(planner, inner.rows, None, list(dict.fromkeys(found.right)), calls))
    width = len(rows.relation.fields)
    keys = tuple(reference(groups.rows.relation, groups.known[one]) for one in found.right)
    joined = of_two(planner, (rows, groups.rows), found._replace(right=keys), JoinKind.LEFT, node)
    if not gives_one_row(query):
        return joined, reference(joined.relation, width + groups.known[calls[0]])
    compiler = _OfGroups(planner, scope.outer().joined(inner.scope), of, groups)
    compiler.width, compiler.fields = width, joined.relation.fields
    return joined, compiler.compile(item)


def _with_outer_columns(
    planner: SelectPlanner, rows: PlannedRows, inner: InnerQuery, found: Conditions, node: exp.Expr
) -> tuple[InnerQuery, Conditions]:
    """Join a query with the distinct values of the columns that bind it; they come first, and the query is correlated by them."""
    from kafkastream.sql.planner.joins.joins import of_two

    outer, width = rows.relation, len(rows.relation.fields)
    needed = sorted({at for one in (*found.left, *found.rest) for at in columns_in(one) if at < width})
    own = [reference(outer, at) for at in needed]
    values = planner.distinct(projected(outer, own, [outer.fields[at].name for at in needed], ttl_ms=planner.ttl_ms))
    places = {at: place for place, at in enumerate(needed)}
    behind = {width + at: len(needed) + at for at in range(len(inner.rows.relation.fields))}
    moved = found._replace(
        left=tuple(renumbered(one, places) for one in found.left),
        rest=tuple(renumbered(one, {**places, **behind}) for one in found.rest),
    )
    both = of_two(planner, (PlannedRows(values), inner.rows), moved, JoinKind.INNER, node)
    scope = attrs.evolve(Scope(values.fields, ()).joined(inner.scope), fields=both.relation.fields)
    keys = tuple(reference(both.relation, at) for at in range(len(needed)))
    return InnerQuery(both, scope), Conditions(tuple(own), keys, None, (), tuple(range(len(needed))))
