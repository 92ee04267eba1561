"""Columns of a query two levels out: the query in between gets them by a join."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, NamedTuple

import attrs
from sqlglot import exp

from kafkastream.errors import DefinitionError
from kafkastream.sql.expressions.column_scope import Scope
from kafkastream.sql.plan.expression import ColumnRef, FieldAccess, columns_in
from kafkastream.sql.plan.operations import JoinKind
from kafkastream.sql.plan.plan_builder import PlannedRows, projected, reference
from kafkastream.sql.planner.joins.join_conditions import classify_correlation

if TYPE_CHECKING:
    from kafkastream.sql.planner.query_planner import SelectPlanner

__all__ = ["ScopedRows", "join_outer_columns", "resolve_or_none"]


class ScopedRows(NamedTuple):
    """Rows of a query, with the scope of their columns.

    Args:
        rows: The rows.
        scope: Their columns that conditions, and inner queries, may refer to.
    """

    rows: PlannedRows
    scope: Scope


def resolve_or_none(planner: SelectPlanner, scope: Scope, name: exp.Expr) -> ColumnRef | FieldAccess | None:
    """Return the column that a name refers to; None if it is unknown or ambiguous."""
    try:
        return scope.resolve(planner.text, name)
    except DefinitionError:
        return None


def join_outer_columns(
    planner: SelectPlanner, outer: ScopedRows, inner: ScopedRows, conditions: Sequence[exp.Expr], node: exp.Expr
) -> tuple[ScopedRows, tuple[tuple[int, int], ...]] | None:
    """Join a query with the distinct values of the outer columns that its conditions, and queries in these, refer to.

    Args:
        planner: Planner of the queries.
        outer: The query around the inner one.
        inner: The inner query.
        conditions: Conditions of its WHERE.
        node: Its node, for errors.

    Returns:
        The wider query, and the positions of these columns in the outer query and in the wider one; None if no query in
        the conditions refers to one.

    Raises:
        UnsupportedFeatureError: Flink gives wrong rows for the query.
    """
    from kafkastream.sql.planner.joins.joins import join_inputs

    nested = [query for condition in conditions for query in condition.find_all(exp.Query)]
    if not any(_outer_columns_named(planner, outer, inner, nested)):
        return None
    for condition in conditions:
        _check_exists(planner, outer, inner, condition)
    relation = outer.rows.relation
    columns = sorted({column for column, _ in _outer_columns_named(planner, outer, inner, conditions)})
    outer_references = [reference(relation, column) for column in columns]
    names = [relation.fields[column].name for column in columns]
    values = planner.deduplicate(projected(relation, outer_references, names, ttl_ms=planner.ttl_ms))
    new_positions = {column: index for index, column in enumerate(columns)}
    sources = tuple(
        attrs.evolve(
            source,
            columns=tuple((name, new_positions[column]) for name, column in source.columns if column in new_positions),
            is_outer=True,
        )
        for source in outer.scope.sources
    )
    values_scope = Scope(values.fields, sources)
    plain = [condition for condition in conditions if condition.find(exp.Query) is None]
    classified = classify_correlation(planner, values_scope, inner.scope, plain)
    rows = join_inputs(planner, (PlannedRows(values), inner.rows), classified, JoinKind.INNER, node)
    scope = attrs.evolve(values_scope.joined(inner.scope), fields=rows.relation.fields)
    return ScopedRows(rows, scope), tuple(new_positions.items())


def _outer_columns_named(
    planner: SelectPlanner, outer: ScopedRows, inner: ScopedRows, nodes: Sequence[exp.Expr]
) -> Iterator[tuple[int, exp.Expr]]:
    """Yield the outer columns that expressions refer to, position and name; a name that the inner query has is its own."""
    for name in (name for node in nodes for name in node.find_all(exp.Column)):
        if resolve_or_none(planner, inner.scope, name) is None:
            expression = resolve_or_none(planner, outer.scope, name)
            yield from () if expression is None else ((column, name) for column in columns_in(expression))


def _check_exists(planner: SelectPlanner, outer: ScopedRows, inner: ScopedRows, condition: exp.Expr) -> None:
    """Refuse EXISTS that names columns two levels out where Flink 2.2 gives wrong rows: if negated, or unrelated to the query."""
    for node in condition.find_all(exp.Exists):
        above = list(_ancestors(node, condition))
        name = next((name for _, name in _outer_columns_named(planner, outer, inner, [node])), None)
        if name is None or any(isinstance(ancestor, exp.Query) for ancestor in above):
            continue
        own_scope = _own_scope(planner, node.this)
        is_related = any(
            (own_scope is None or resolve_or_none(planner, own_scope, column) is None)
            and resolve_or_none(planner, inner.scope, column) is not None
            for column in node.find_all(exp.Column)
        )
        if is_related and not any(isinstance(ancestor, exp.Not) for ancestor in above):
            continue
        shown = planner.text.shown(name)
        message = (
            f"NOT EXISTS with {shown}, a column two levels out, is not supported."
            if is_related
            else f"EXISTS with {shown}, a column two levels out, and none of the query around it is not supported."
        )
        raise planner.text.refused(name, message, "Join the tables; Flink 2.2 would give wrong rows.")


def _own_scope(planner: SelectPlanner, query: exp.Expr) -> Scope | None:
    """Return the scope of a query's own tables, whose names have precedence; None for a query without FROM."""
    from kafkastream.sql.planner.select import plan_from

    return plan_from(planner, query, [])[1] if isinstance(query, exp.Select) else None


def _ancestors(node: exp.Expr, top: exp.Expr) -> Iterator[exp.Expr]:
    """Yield the ancestors of a node up to one of them, which is included."""
    while node is not top and node.parent is not None:
        node = node.parent
        yield node
