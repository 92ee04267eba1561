"""Queries inside of expressions: their rows, and the conditions that bind them to the query around them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Final, NamedTuple

import attrs
from sqlglot import exp

from kafkastream.errors import DefinitionError, KafkastreamError
from kafkastream.sql.expressions.aggregate_calls import calls_in
from kafkastream.sql.expressions.column_scope import NamedTable, Scope
from kafkastream.sql.plan.expression import TRUE, TypedExpression, columns_in
from kafkastream.sql.plan.plan_builder import PlannedRows, filtered, projected, reference, references
from kafkastream.sql.plan.relations import Field
from kafkastream.sql.planner.joins.join_conditions import Conditions, conditions_around, conjuncts
from kafkastream.sql.planner.subqueries.columns_around import Around, resolved, with_columns_around
from kafkastream.sql.planner.window_table_functions import closed_sessions

if TYPE_CHECKING:
    from kafkastream.sql.planner.query_planner import SelectPlanner

__all__ = [
    "InnerQuery",
    "bound_groups",
    "bound_query",
    "column_named",
    "existence",
    "gives_one_row",
    "named_columns",
    "values_in",
    "whole_query",
    "without",
]

_ONLY_ALONE: Final = ("group", "having", "distinct", "with_", "order", "limit", "offset", "windows", "qualify")
"""Clauses that a query with columns of the query around it cannot have."""


class InnerQuery(NamedTuple):
    """A query inside of an expression.

    Args:
        rows: Its rows: all columns of its FROM, if it is bound.
        scope: Scope of its columns.
        bound: Its conditions with columns of the query around it.
        copied: Columns of the query around it that are columns of the rows, too: position there, and here.
    """

    rows: PlannedRows
    scope: Scope
    bound: tuple[exp.Expr, ...] = ()
    copied: tuple[tuple[int, int], ...] = ()

    def conditions(self, planner: SelectPlanner, around: Around, nodes: Sequence[exp.Expr]) -> Conditions:
        """Return the conditions that bind the query to the one around it, and further ones."""
        found = conditions_around(planner, around.scope, self.scope, [*nodes, *self.bound])
        keys = range(len(found.left), len(found.left) + len(self.copied))
        return found._replace(
            left=(*found.left, *(reference(around.rows.relation, at) for at, _ in self.copied)),
            right=(*found.right, *(reference(self.rows.relation, at) for _, at in self.copied)),
            null_safe=(*found.null_safe, *keys),
        )


def named_columns(names: Sequence[str], places: Sequence[int]) -> NamedTable:
    """Return columns under names that no column of a table has."""
    return NamedTable("", tuple(zip(names, places, strict=True)))


def gives_one_row(query: exp.Expr) -> bool:
    """Return whether a query gives one row, whatever it reads: it has aggregates and no GROUP BY."""
    if not isinstance(query, exp.Select) or query.args.get("group") or query.args.get("having"):
        return False
    return any(next(calls_in(one), None) is not None for one in query.expressions)


def existence(planner: SelectPlanner, outer: Around, query: exp.Expr) -> InnerQuery:
    """Plan the query of EXISTS, of which only the number of rows matters."""
    found = whole_query(planner, outer, query)
    if found is None and query.args.get("having"):
        return bound_groups(planner, outer, query, [])
    if found is None:
        return bound_query(planner, outer, without(query, "distinct", "order", "group"))
    relation = projected(found.relation, [TRUE], ["$exists"], ttl_ms=planner.ttl_ms)
    return InnerQuery(PlannedRows(relation), Scope.of(relation.fields))


def values_in(planner: SelectPlanner, outer: Around, query: exp.Expr, names: Sequence[str]) -> InnerQuery:
    """Plan the query of IN, with names for its selected columns."""
    from kafkastream.sql.planner.select import selected_items

    whole = whole_query(planner, outer, query)
    if whole is not None:
        _check_width(planner, query, len(whole.relation.fields), len(names))
        places = range(len(names))
        return InnerQuery(whole, Scope(whole.relation.fields, (named_columns(names, places),)))
    if query.args.get("having") or (query.args.get("group") and not _selects_keys(query)):
        _check_width(planner, query, len(query.expressions), len(names))
        return bound_groups(planner, outer, query, names)
    inner = bound_query(planner, outer, without(query, "distinct", "order", "group"))
    if gives_one_row(query):
        raise planner.text.refused(
            query,
            "IN takes no aggregates that are bound to the query around it, but for IN with one MAX, MIN, SUM or AVG.",
            _JOIN,
        )
    items = selected_items(planner.text, inner.scope, query.expressions)
    _check_width(planner, query, len(items), len(names))
    of = planner.compiler(inner.scope)
    values: list[TypedExpression] = [item.column or of.compile(item.node) for item in items]
    relation, width = inner.rows.relation, len(inner.rows.relation.fields)
    wider = projected(relation, [*references(relation), *values], [*_names(relation.fields), *names])
    sources = (*inner.scope.sources, named_columns(names, range(width, width + len(names))))
    return inner._replace(rows=attrs.evolve(inner.rows, relation=wider), scope=Scope(wider.fields, sources))


def bound_groups(planner: SelectPlanner, outer: Around, query: exp.Expr, names: Sequence[str]) -> InnerQuery:
    """Plan a query with GROUP BY that equations bind: their sides in the query are further keys of its groups.

    Args:
        planner: Planner of the query around it.
        outer: The query around it.
        query: The query.
        names: Names for its first columns.
    """
    flat = without(query, "distinct", "order")
    group, having = flat.args.pop("group", None), flat.args.pop("having", None)
    if group is None:
        what = "HAVING without GROUP BY is not supported in a query with columns of the query around it."
        raise planner.text.refused(query, what, _JOIN)
    inner = bound_query(planner, outer, flat)
    if inner.copied:
        what = "A query with GROUP BY around a query that names columns two levels out is not supported."
        raise planner.text.refused(query, what, _JOIN)
    sides = [_sides(planner, outer.scope, inner.scope, one) for one in inner.bound]
    if having is not None:
        _check_keys(planner, inner.scope, group.expressions, [key for key, _ in sides])
    own = [one for one in conjuncts(flat.args["where"].this) if not any(one is other for other in inner.bound)]
    flat.set("expressions", [*flat.expressions, *(key for key, _ in sides)])
    flat.set("where", exp.Where(this=exp.and_(*own)) if own else None)
    flat.set("group", exp.Group(expressions=[*group.expressions, *(key for key, _ in sides)]))
    flat.set("having", having)
    rows = planner.query(flat)
    width, keys = len(rows.relation.fields), [f"$key{at}" for at in range(len(sides))]
    places = named_columns([*names, *keys], [*range(len(names)), *range(width - len(keys), width)])
    bound = (exp.EQ(this=of, expression=column_named(key)) for key, (_, of) in zip(keys, sides, strict=True))
    return InnerQuery(rows, Scope(rows.relation.fields, (places,)), tuple(bound))


def _sides(planner: SelectPlanner, outer: Scope, inner: Scope, node: exp.Expr) -> tuple[exp.Expr, exp.Expr]:
    """Return the side of an equation that a query computes, and that of the query around it."""
    of, width = planner.compiler(outer.outer().joined(inner)), len(outer.fields)
    if isinstance(node, exp.EQ):
        for key, other in ((node.this, node.expression), (node.expression, node.this)):
            keys, others = columns_in(of.compile(key)), columns_in(of.compile(other))
            if keys and others and min(keys) >= width > max(others):
                return key, other
    what = "Only equations of its columns with columns of the query around it bind a query with GROUP BY."
    raise planner.text.refused(node, what, _JOIN)


def _check_keys(planner: SelectPlanner, inner: Scope, keys: Sequence[exp.Expr], binding: Sequence[exp.Expr]) -> None:
    """Refuse HAVING where a column binds the query that is none of its keys: Flink 2.2 then filters by another column."""
    of = planner.compiler(inner)
    known = {of.compile(one) for one in keys}
    for one in binding:
        if of.compile(one) not in known:
            what = f"HAVING in a query that is bound by {planner.text.shown(one)} needs it in GROUP BY."
            raise planner.text.refused(one, what, "Group by it, too, or join the tables.")


def without(query: exp.Expr, *clauses: str) -> exp.Expr:
    """Return a query without those of some clauses that do not change which values it gives at least once."""
    left = query.copy()
    for clause in clauses:
        if _changes_no_values(query, clause):
            left.set(clause, None)
    return left


def _selects_keys(query: exp.Expr) -> bool:
    """Return whether all selected columns of a query are keys of its groups."""
    group = query.args.get("group")
    return group is not None and {one.unalias() for one in query.expressions} <= set(group.expressions)


def _changes_no_values(query: exp.Expr, clause: str) -> bool:
    node = query.args.get(clause)
    match clause:
        case "order":
            return not (query.args.get("limit") or query.args.get("offset"))
        case "group":
            are_plain = isinstance(node, exp.Group) and not any(
                node.args[key] for key in node.args if key != "expressions"
            )
            return are_plain and not query.args.get("having")
    return not (isinstance(node, exp.Distinct) and node.args.get("on"))


_JOIN: Final = "Join the tables."


def whole_query(planner: SelectPlanner, outer: Around, query: exp.Expr) -> PlannedRows | None:
    """Plan a query by itself; None if it may be bound to the query around it.

    Raises:
        DefinitionError: The query is invalid, whatever is around it.
        UnsupportedFeatureError: A part of the query other than its WHERE names a column of the query around it.
    """
    try:
        return planner.query(query)
    except DefinitionError as error:
        if not isinstance(query, exp.Select) or not query.args.get("where"):
            raise _explained(planner, outer, query, error) from None
        return None


def _explained(planner: SelectPlanner, outer: Around, query: exp.Expr, error: DefinitionError) -> KafkastreamError:
    """Return the error of a query, which may be about a name of the query around it."""
    for name in query.find_all(exp.Column):
        if planner.text.error(name, "").where == error.where and resolved(planner, outer.scope, name) is not None:
            what = (
                f"{planner.text.shown(name)} is a column of a query further out. A query in an expression can name it in "
                "its WHERE, but not in FROM, HAVING or UNION."
            )
            return planner.text.refused(name, what, "Move the comparison into WHERE, or join the tables.")
    return error


def bound_query(planner: SelectPlanner, outer: Around, query: exp.Expr) -> InnerQuery:
    """Plan FROM and WHERE of a query; conditions with columns of the query around it are left over."""
    from kafkastream.sql.planner.select import from_rows

    text = planner.text
    if not isinstance(query, exp.Select) or not query.args.get("from_"):
        raise text.refused(query, "This query inside of an expression needs a FROM.", _JOIN)
    for clause in _ONLY_ALONE:
        if query.args.get(clause):
            what = f"{clause.rstrip('_').upper()} is not supported in a query with columns of the query around it."
            raise text.refused(query, what, "Put it into a view, or join the tables.")
    rows, scope, conditions = from_rows(planner, query, list(conjuncts(query.args["where"].this)))
    inner = Around(closed_sessions(planner, rows, query), scope)
    try:
        return _filtered(planner, outer, inner, conditions)
    except DefinitionError:
        wider = with_columns_around(planner, outer, inner, conditions, query)
        if wider is None:
            raise
        nested = [one for one in conditions if one.find(exp.Query) is not None]
        return _filtered(planner, outer, wider[0], nested)._replace(copied=wider[1])


def _filtered(planner: SelectPlanner, outer: Around, inner: Around, conditions: list[exp.Expr]) -> InnerQuery:
    """Apply the conditions of a query that it can compute by itself."""
    from kafkastream.sql.planner.subqueries.subqueries import answered, filtered_by_queries, has_query

    rows, scope, conditions = filtered_by_queries(planner, *inner, conditions)
    with_query = list(filter(has_query, conditions))
    rows, answers = answered(planner, rows, scope, with_query, planner.compiler(scope).compile)
    scope = attrs.evolve(scope, fields=rows.relation.fields)
    own, bound = [], []
    for one in conditions:
        try:
            own.append(planner.compiler(scope, answers).compile(one))
        except DefinitionError:
            planner.compiler(outer.scope.outer().joined(scope)).compile(one)
            bound.append(one)
    relation = filtered(rows.relation, own, planner.ttl_ms)
    return InnerQuery(attrs.evolve(rows, relation=relation), scope, tuple(bound))


def column_named(name: str) -> exp.Column:
    """Return a column under a name that no column of a table has."""
    return exp.column(exp.to_identifier(name, quoted=True))


def _check_width(planner: SelectPlanner, query: exp.Expr, found: int, wanted: int) -> None:
    if found != wanted:
        what = f"{wanted} values are compared with {found} columns."
        raise planner.text.error(query, what, f"Select {'one' if wanted == 1 else wanted}.")


def _names(fields: Sequence[Field]) -> list[str]:
    return [field.name for field in fields]
