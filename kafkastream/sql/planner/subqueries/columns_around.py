"""Queries between one that names a column and the one that has it: they get the column by a join."""

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
from kafkastream.sql.planner.joins.join_conditions import conditions_around

if TYPE_CHECKING:
    from kafkastream.sql.planner.query_planner import SelectPlanner

__all__ = ["Around", "resolved", "with_columns_around"]


class Around(NamedTuple):
    """The query around another one.

    Args:
        rows: Its rows.
        scope: Scope of its columns that the inner query may refer to.
    """

    rows: PlannedRows
    scope: Scope


def resolved(planner: SelectPlanner, scope: Scope, name: exp.Expr) -> ColumnRef | FieldAccess | None:
    """Return the column of a name; None if it is unknown or ambiguous."""
    try:
        return scope.resolve(planner.text, name)
    except DefinitionError:
        return None


def with_columns_around(
    planner: SelectPlanner, outer: Around, inner: Around, conditions: Sequence[exp.Expr], node: exp.Expr
) -> tuple[Around, tuple[tuple[int, int], ...]] | None:
    """Join a query with the distinct values of the columns around it that its conditions name, also in queries of theirs.

    Args:
        planner: Planner of the queries.
        outer: The query around it.
        inner: The query.
        conditions: Its conditions.
        node: Its node, for errors.

    Returns:
        The wider query, and the positions of these columns in the query around it and in this one; None if queries in
        the conditions name none.

    Raises:
        UnsupportedFeatureError: Flink gives wrong rows for the query.
    """
    from kafkastream.sql.planner.joins.joins import of_two

    nested = [query for one in conditions for query in one.find_all(exp.Query)]
    if not any(_columns_of(planner, outer, inner, nested)):
        return None
    for one in conditions:
        _check_existence(planner, outer, inner, one)
    relation = outer.rows.relation
    places = sorted({at for at, _ in _columns_of(planner, outer, inner, conditions)})
    own = [reference(relation, at) for at in places]
    names = [relation.fields[at].name for at in places]
    values = planner.distinct(projected(relation, own, names, ttl_ms=planner.ttl_ms))
    new = {at: place for place, at in enumerate(places)}
    sources = tuple(
        attrs.evolve(one, columns=tuple((name, new[at]) for name, at in one.columns if at in new), is_outer=True)
        for one in outer.scope.sources
    )
    around = Scope(values.fields, sources)
    plain = [one for one in conditions if one.find(exp.Query) is None]
    found = conditions_around(planner, around, inner.scope, plain)
    rows = of_two(planner, (PlannedRows(values), inner.rows), found, JoinKind.INNER, node)
    scope = attrs.evolve(around.joined(inner.scope), fields=rows.relation.fields)
    return Around(rows, scope), tuple(new.items())


def _columns_of(
    planner: SelectPlanner, outer: Around, inner: Around, nodes: Sequence[exp.Expr]
) -> Iterator[tuple[int, exp.Expr]]:
    """Yield the columns around a query that nodes name and the query itself does not have: position and name."""
    for name in (name for node in nodes for name in node.find_all(exp.Column)):
        if resolved(planner, inner.scope, name) is None:
            found = resolved(planner, outer.scope, name)
            yield from () if found is None else ((at, name) for at in columns_in(found))


def _check_existence(planner: SelectPlanner, outer: Around, inner: Around, condition: exp.Expr) -> None:
    """Refuse EXISTS that names columns two levels out where Flink 2.2 gives wrong rows: if negated, or unrelated to the query."""
    for node in condition.find_all(exp.Exists):
        above = list(_above(node, condition))
        name = next((name for _, name in _columns_of(planner, outer, inner, [node])), None)
        if name is None or any(isinstance(one, exp.Query) for one in above):
            continue
        own = _scope_of(planner, node.this)
        is_related = any(
            (own is None or resolved(planner, own, one) is None) and resolved(planner, inner.scope, one) is not None
            for one in node.find_all(exp.Column)
        )
        if is_related and not any(isinstance(one, exp.Not) for one in above):
            continue
        shown = planner.text.shown(name)
        what = (
            f"NOT EXISTS with {shown}, a column two levels out, is not supported."
            if is_related
            else f"EXISTS with {shown}, a column two levels out, and none of the query around it is not supported."
        )
        raise planner.text.refused(name, what, "Join the tables; Flink 2.2 would give wrong rows.")


def _scope_of(planner: SelectPlanner, query: exp.Expr) -> Scope | None:
    """Return the scope of a query's own tables, whose names have precedence; None for a query without FROM."""
    from kafkastream.sql.planner.select import from_rows

    return from_rows(planner, query, [])[1] if isinstance(query, exp.Select) else None


def _above(node: exp.Expr, top: exp.Expr) -> Iterator[exp.Expr]:
    """Yield the nodes between a node and one above it, that one included."""
    while node is not top and node.parent is not None:
        node = node.parent
        yield node
