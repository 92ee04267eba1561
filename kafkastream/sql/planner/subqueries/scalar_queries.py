"""Queries that give one value, as outer joins: ``SELECT a, (SELECT MAX(b) FROM t WHERE t.k = s.k) FROM s``."""

from __future__ import annotations

from typing import TYPE_CHECKING

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
from kafkastream.sql.planner.subqueries.inner_queries import (
    InnerQuery,
    gives_one_row,
    hidden_column,
    plan_correlated_groups,
    plan_correlated_query,
    plan_uncorrelated_query,
    without_clauses,
)
from kafkastream.sql.planner.subqueries.outer_columns import ScopedRows
from kafkastream.sql.types import DataType, Kind

if TYPE_CHECKING:
    from kafkastream.sql.planner.aggregates.grouping import GroupedRows
    from kafkastream.sql.planner.query_planner import SelectPlanner

__all__ = ["join_scalar_query"]

_NO_CONDITIONS = Conditions((), (), None, ())
_VALUE = "$value"
_ZERO = Literal(0, DataType.of(Kind.BIGINT).not_null())


def join_scalar_query(
    planner: SelectPlanner, rows: PlannedRows, scope: Scope, query: exp.Expr, node: exp.Expr
) -> tuple[PlannedRows, TypedExpression]:
    """Join the value of a query, which is NULL if the query gives no row; a query of more rows fails the job.

    Args:
        planner: Planner of the outer query.
        rows: Rows of the outer query.
        scope: Scope of these.
        query: The query.
        node: Its node in the expression, for errors.
    """
    from kafkastream.sql.planner.joins.joins import join_inputs

    uncorrelated = plan_uncorrelated_query(planner, ScopedRows(rows, scope), query)
    if uncorrelated is None:
        return _join_correlated_value(planner, rows, scope, query, node)
    relation, width = uncorrelated.relation, len(rows.relation.fields)
    if len(relation.fields) != 1:
        message = f"A query in an expression must have one column, and this one has {len(relation.fields)}."
        raise planner.text.error(node, message, "Select one.")
    if not gives_one_row(query):
        relation = _single_row(relation, planner.ttl_ms)
    joined = join_inputs(planner, (rows, PlannedRows(relation)), _NO_CONDITIONS, JoinKind.LEFT, node)
    return joined, reference(joined.relation, width)


def _single_value(type_: DataType) -> AggregateCall:
    return AggregateCall(
        function=AggregateFunction.SINGLE_VALUE, argument=0, type=type_.nullable(), argument_type=type_
    )


def _single_row(relation: Relation, ttl_ms: int) -> Stateful:
    """Return the one row of a relation."""
    field = relation.fields[0]
    return Stateful(
        merged=(normalized(relation, ttl_ms),),
        keys=((),),
        operation=GroupAggregate(calls=(_single_value(field.type),), keys=0, ttl_ms=ttl_ms),
        fields=(Field(field.name, field.type.nullable()),),
        changelog=ChangelogMode.RETRACT,
        upsert_key=(),
    )


class _JoinedGroupCompiler(ExpressionCompiler):
    """Compiles the selected expression of a correlated query over the rows that are joined with its groups."""

    def __init__(self, planner: SelectPlanner, both: Scope, inner: ExpressionCompiler, groups: GroupedRows) -> None:
        super().__init__(planner.text, both, planner.catalog)
        self._inner = inner
        self._groups = groups
        self.width = 0
        self.fields: tuple[Field, ...] = ()

    def compile(self, node: exp.Expr) -> TypedExpression:
        """Compile an expression; COUNT is 0 where the left join has found no group."""
        aggregate = aggregate_of(self._inner, node)
        if aggregate is not None:
            index = self.width + self._groups.columns[aggregate]
            column = ColumnRef(index, self.fields[index].type)
            is_count = aggregate.call.function is AggregateFunction.COUNT
            return call("COALESCE", column, _ZERO) if is_count else column
        expression = super().compile(node)
        if name_parts(node) is not None and max(columns_in(expression), default=-1) >= self.width:
            message = f"Expression '{self.text.shown(node)}' is not being grouped"
            raise self.text.error(node, message, "Take MAX(...) or another aggregate of it.")
        return expression


def _join_correlated_value(
    planner: SelectPlanner, rows: PlannedRows, scope: Scope, query: exp.Expr, node: exp.Expr
) -> tuple[PlannedRows, TypedExpression]:
    """Join the value of a correlated query, which is grouped by its columns in the correlated conditions."""
    from kafkastream.sql.planner.aggregates.grouping import plan_groups
    from kafkastream.sql.planner.joins.joins import join_inputs

    if len(query.expressions) != 1:
        raise planner.text.error(node, "A query in an expression must have one column.", "Select one.")
    item = query.expressions[0].unalias()
    if query.args.get("group"):
        inner, item = plan_correlated_groups(planner, ScopedRows(rows, scope), query, [_VALUE]), hidden_column(_VALUE)
    else:
        inner = plan_correlated_query(planner, ScopedRows(rows, scope), without_clauses(query, "distinct", "order"))
    conditions = inner.conditions(planner, ScopedRows(rows, scope), [])
    if conditions.rest:
        inner, conditions = _join_outer_values(planner, rows, inner, conditions, node)
    inner_compiler = planner.compiler(inner.scope)
    calls = list(
        dict.fromkeys(aggregate for part in calls_in(item) if (aggregate := aggregate_of(inner_compiler, part)))
    )
    if not calls:
        value = inner_compiler.compile(item)
        single = attrs.evolve(_single_value(value.type), argument=None, distinct=bool(query.args.get("distinct")))
        calls = [RequestedAggregate(single, (value,), None)]
    groups = plan_groups(planner, inner.rows, None, list(dict.fromkeys(conditions.right)), calls)
    width = len(rows.relation.fields)
    keys = tuple(reference(groups.rows.relation, groups.columns[key]) for key in conditions.right)
    joined = join_inputs(planner, (rows, groups.rows), conditions._replace(right=keys), JoinKind.LEFT, node)
    if not gives_one_row(query):
        return joined, reference(joined.relation, width + groups.columns[calls[0]])
    compiler = _JoinedGroupCompiler(planner, scope.outer().joined(inner.scope), inner_compiler, groups)
    compiler.width, compiler.fields = width, joined.relation.fields
    return joined, compiler.compile(item)


def _join_outer_values(
    planner: SelectPlanner, rows: PlannedRows, inner: InnerQuery, conditions: Conditions, node: exp.Expr
) -> tuple[InnerQuery, Conditions]:
    """Join a query with the distinct values of its correlated columns, so that the outer query can be joined by equality.

    Needed for conditions other than equations. These columns come first.
    """
    from kafkastream.sql.planner.joins.joins import join_inputs

    outer, width = rows.relation, len(rows.relation.fields)
    needed = sorted(
        {
            column
            for expression in (*conditions.left, *conditions.rest)
            for column in columns_in(expression)
            if column < width
        }
    )
    outer_columns = [reference(outer, column) for column in needed]
    values = planner.deduplicate(
        projected(outer, outer_columns, [outer.fields[column].name for column in needed], ttl_ms=planner.ttl_ms)
    )
    indexes = {column: index for index, column in enumerate(needed)}
    behind = {width + index: len(needed) + index for index in range(len(inner.rows.relation.fields))}
    moved = conditions._replace(
        left=tuple(renumbered(expression, indexes) for expression in conditions.left),
        rest=tuple(renumbered(expression, {**indexes, **behind}) for expression in conditions.rest),
    )
    both = join_inputs(planner, (PlannedRows(values), inner.rows), moved, JoinKind.INNER, node)
    scope = attrs.evolve(Scope(values.fields, ()).joined(inner.scope), fields=both.relation.fields)
    keys = tuple(reference(both.relation, index) for index in range(len(needed)))
    return InnerQuery(both, scope), Conditions(tuple(outer_columns), keys, None, (), tuple(range(len(needed))))
