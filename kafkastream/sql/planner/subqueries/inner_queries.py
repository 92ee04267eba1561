"""Queries in expressions: their rows, and the conditions that correlate them with the outer query."""

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
from kafkastream.sql.planner.joins.join_conditions import Conditions, classify_correlation, conjuncts
from kafkastream.sql.planner.subqueries.outer_columns import ScopedRows, join_outer_columns, resolve_or_none
from kafkastream.sql.planner.window_table_functions import with_closed_sessions

if TYPE_CHECKING:
    from kafkastream.sql.planner.query_planner import SelectPlanner

__all__ = [
    "InnerQuery",
    "gives_one_row",
    "hidden_column",
    "hidden_columns",
    "plan_correlated_groups",
    "plan_correlated_query",
    "plan_exists_query",
    "plan_in_query",
    "plan_uncorrelated_query",
    "without_clauses",
]

_UNCORRELATED_CLAUSES: Final = (
    "group",
    "having",
    "distinct",
    "with_",
    "order",
    "limit",
    "offset",
    "windows",
    "qualify",
)
"""Clauses that a correlated query cannot have."""


class InnerQuery(NamedTuple):
    """A query inside of an expression.

    Args:
        rows: Its rows; if it is correlated: those of its FROM, with all columns.
        scope: Scope of its columns.
        correlated: Its conditions with columns of the outer query.
        copied: Columns of the outer query that are joined to the rows, too: position there, and in the rows.
    """

    rows: PlannedRows
    scope: Scope
    correlated: tuple[exp.Expr, ...] = ()
    copied: tuple[tuple[int, int], ...] = ()

    def conditions(self, planner: SelectPlanner, outer: ScopedRows, nodes: Sequence[exp.Expr]) -> Conditions:
        """Return the conditions that correlate the query with the outer one, and further ones."""
        classified = classify_correlation(planner, outer.scope, self.scope, [*nodes, *self.correlated])
        keys = range(len(classified.left), len(classified.left) + len(self.copied))
        # NULL equals NULL in copied columns: both sides are values of the same outer rows
        return classified._replace(
            left=(*classified.left, *(reference(outer.rows.relation, column) for column, _ in self.copied)),
            right=(*classified.right, *(reference(self.rows.relation, column) for _, column in self.copied)),
            null_safe=(*classified.null_safe, *keys),
        )


def hidden_columns(names: Sequence[str], indexes: Sequence[int]) -> NamedTable:
    """Return columns under names that no column of a table can have."""
    return NamedTable("", tuple(zip(names, indexes, strict=True)))


def gives_one_row(query: exp.Expr) -> bool:
    """Return whether a query gives one row, whatever it reads: it has aggregates and no GROUP BY."""
    if not isinstance(query, exp.Select) or query.args.get("group") or query.args.get("having"):
        return False
    return any(next(calls_in(expression), None) is not None for expression in query.expressions)


def plan_exists_query(planner: SelectPlanner, outer: ScopedRows, query: exp.Expr) -> InnerQuery:
    """Plan the query of EXISTS, of which only the number of rows matters."""
    rows = plan_uncorrelated_query(planner, outer, query)
    if rows is None and query.args.get("having"):
        return plan_correlated_groups(planner, outer, query, [])
    if rows is None:
        return plan_correlated_query(planner, outer, without_clauses(query, "distinct", "order", "group"))
    relation = projected(rows.relation, [TRUE], ["$exists"], ttl_ms=planner.ttl_ms)
    return InnerQuery(PlannedRows(relation), Scope.of(relation.fields))


def plan_in_query(planner: SelectPlanner, outer: ScopedRows, query: exp.Expr, names: Sequence[str]) -> InnerQuery:
    """Plan the query of IN, with names for its selected columns.

    A correlated query with groups is grouped by its correlated columns, too; any other correlated one is planned as its FROM and WHERE
    with the selected expressions appended, as IN does not depend on duplicates or on an order.
    """
    from kafkastream.sql.planner.select import selected_items

    rows = plan_uncorrelated_query(planner, outer, query)
    if rows is not None:
        _check_column_count(planner, query, len(rows.relation.fields), len(names))
        indexes = range(len(names))
        return InnerQuery(rows, Scope(rows.relation.fields, (hidden_columns(names, indexes),)))
    if query.args.get("having") or (query.args.get("group") and not _selects_keys(query)):
        _check_column_count(planner, query, len(query.expressions), len(names))
        return plan_correlated_groups(planner, outer, query, names)
    inner = plan_correlated_query(planner, outer, without_clauses(query, "distinct", "order", "group"))
    if gives_one_row(query):
        raise planner.text.refused(
            query,
            "IN takes no aggregates that are bound to the query around it, but for IN with one MAX, MIN, SUM or AVG.",
            _ADVICE,
        )
    items = selected_items(planner.text, inner.scope, query.expressions)
    _check_column_count(planner, query, len(items), len(names))
    compiler = planner.compiler(inner.scope)
    values: list[TypedExpression] = [item.column or compiler.compile(item.node) for item in items]
    relation, width = inner.rows.relation, len(inner.rows.relation.fields)
    wider = projected(relation, [*references(relation), *values], [*_field_names(relation.fields), *names])
    sources = (*inner.scope.sources, hidden_columns(names, range(width, width + len(names))))
    return inner._replace(rows=attrs.evolve(inner.rows, relation=wider), scope=Scope(wider.fields, sources))


def plan_correlated_groups(
    planner: SelectPlanner, outer: ScopedRows, query: exp.Expr, names: Sequence[str]
) -> InnerQuery:
    """Plan a query with GROUP BY that is correlated by equations: their sides in the query become further keys of its groups.

    Args:
        planner: Planner of the outer query.
        outer: The outer query.
        query: The query.
        names: Names for its first columns.
    """
    flat = without_clauses(query, "distinct", "order")
    group, having = flat.args.pop("group", None), flat.args.pop("having", None)
    if group is None:
        message = "HAVING without GROUP BY is not supported in a query with columns of the query around it."
        raise planner.text.refused(query, message, _ADVICE)
    inner = plan_correlated_query(planner, outer, flat)
    if inner.copied:
        message = "A query with GROUP BY around a query that names columns two levels out is not supported."
        raise planner.text.refused(query, message, _ADVICE)
    sides = [_split_equation(planner, outer.scope, inner.scope, condition) for condition in inner.correlated]
    if having is not None:
        _check_having_keys(planner, inner.scope, group.expressions, [key for key, _ in sides])
    own_conditions = [
        conjunct
        for conjunct in conjuncts(flat.args["where"].this)
        if not any(conjunct is other for other in inner.correlated)
    ]
    flat.set("expressions", [*flat.expressions, *(key for key, _ in sides)])
    flat.set("where", exp.Where(this=exp.and_(*own_conditions)) if own_conditions else None)
    flat.set("group", exp.Group(expressions=[*group.expressions, *(key for key, _ in sides)]))
    flat.set("having", having)
    rows = planner.plan(flat)
    width, keys = len(rows.relation.fields), [f"$key{number}" for number in range(len(sides))]
    columns = hidden_columns([*names, *keys], [*range(len(names)), *range(width - len(keys), width)])
    bound = (
        exp.EQ(this=outer_side, expression=hidden_column(key)) for key, (_, outer_side) in zip(keys, sides, strict=True)
    )
    return InnerQuery(rows, Scope(rows.relation.fields, (columns,)), tuple(bound))


def _split_equation(planner: SelectPlanner, outer: Scope, inner: Scope, node: exp.Expr) -> tuple[exp.Expr, exp.Expr]:
    """Split an equation into the side over columns of the query and the side over columns of the outer query."""
    compiler, width = planner.compiler(outer.outer().joined(inner)), len(outer.fields)
    if isinstance(node, exp.EQ):
        for key, other in ((node.this, node.expression), (node.expression, node.this)):
            keys, others = columns_in(compiler.compile(key)), columns_in(compiler.compile(other))
            if keys and others and min(keys) >= width > max(others):
                return key, other
    message = "Only equations of its columns with columns of the query around it bind a query with GROUP BY."
    raise planner.text.refused(node, message, _ADVICE)


def _check_having_keys(
    planner: SelectPlanner, inner: Scope, keys: Sequence[exp.Expr], binding: Sequence[exp.Expr]
) -> None:
    """Refuse HAVING if the query is correlated by a column that is not a key of GROUP BY: Flink 2.2 filters by another column."""
    compiler = planner.compiler(inner)
    compiled_keys = {compiler.compile(key) for key in keys}
    for key in binding:
        if compiler.compile(key) not in compiled_keys:
            message = f"HAVING in a query that is bound by {planner.text.shown(key)} needs it in GROUP BY."
            raise planner.text.refused(key, message, "Group by it, too, or join the tables.")


def without_clauses(query: exp.Expr, *clauses: str) -> exp.Expr:
    """Return a query without those of the clauses that do not change the set of its values."""
    remaining = query.copy()
    for clause in clauses:
        if _is_removable(query, clause):
            remaining.set(clause, None)
    return remaining


def _selects_keys(query: exp.Expr) -> bool:
    """Return whether all selected columns of a query are keys of its groups."""
    group = query.args.get("group")
    return group is not None and {expression.unalias() for expression in query.expressions} <= set(group.expressions)


def _is_removable(query: exp.Expr, clause: str) -> bool:
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


_ADVICE: Final = "Join the tables."


def plan_uncorrelated_query(planner: SelectPlanner, outer: ScopedRows, query: exp.Expr) -> PlannedRows | None:
    """Plan a query by itself; None if it may be correlated.

    Raises:
        DefinitionError: The query is invalid, whatever is around it.
        UnsupportedFeatureError: A part of the query other than its WHERE refers to a column of the outer query.
    """
    try:
        return planner.plan(query)
    except DefinitionError as error:
        if not isinstance(query, exp.Select) or not query.args.get("where"):
            raise _explain_error(planner, outer, query, error) from None
        return None


def _explain_error(
    planner: SelectPlanner, outer: ScopedRows, query: exp.Expr, error: DefinitionError
) -> KafkastreamError:
    """Return the error of a query; one about a column of the outer query says where such columns are supported."""
    for name in query.find_all(exp.Column):
        if (
            planner.text.error(name, "").where == error.where
            and resolve_or_none(planner, outer.scope, name) is not None
        ):
            message = (
                f"{planner.text.shown(name)} is a column of a query further out. A query in an expression can name it in "
                "its WHERE, but not in FROM, HAVING or UNION."
            )
            return planner.text.refused(name, message, "Move the comparison into WHERE, or join the tables.")
    return error


def plan_correlated_query(planner: SelectPlanner, outer: ScopedRows, query: exp.Expr) -> InnerQuery:
    """Plan FROM and WHERE of a correlated query; its conditions with columns of the outer query are not applied."""
    from kafkastream.sql.planner.select import plan_from

    text = planner.text
    if not isinstance(query, exp.Select) or not query.args.get("from_"):
        raise text.refused(query, "This query inside of an expression needs a FROM.", _ADVICE)
    for clause in _UNCORRELATED_CLAUSES:
        if query.args.get(clause):
            message = f"{clause.rstrip('_').upper()} is not supported in a query with columns of the query around it."
            raise text.refused(query, message, "Put it into a view, or join the tables.")
    rows, scope, conditions = plan_from(planner, query, list(conjuncts(query.args["where"].this)))
    inner = ScopedRows(with_closed_sessions(planner, rows, query), scope)
    try:
        return _apply_own_conditions(planner, outer, inner, conditions)
    except DefinitionError:
        # a query in a condition may refer to columns of the outer one, two levels out from it
        wider = join_outer_columns(planner, outer, inner, conditions, query)
        if wider is None:
            raise
        nested = [condition for condition in conditions if condition.find(exp.Query) is not None]
        return _apply_own_conditions(planner, outer, wider[0], nested)._replace(copied=wider[1])


def _apply_own_conditions(
    planner: SelectPlanner, outer: ScopedRows, inner: ScopedRows, conditions: list[exp.Expr]
) -> InnerQuery:
    """Apply the conditions of WHERE without columns of the outer query; the others are the correlated ones."""
    from kafkastream.sql.planner.subqueries.subqueries import filter_by_subqueries, has_query, join_subqueries

    rows, scope, conditions = filter_by_subqueries(planner, *inner, conditions)
    with_query = list(filter(has_query, conditions))
    rows, answers = join_subqueries(planner, rows, scope, with_query, planner.compiler(scope).compile)
    scope = attrs.evolve(scope, fields=rows.relation.fields)
    own_conditions, correlated = [], []
    for condition in conditions:
        try:
            own_conditions.append(planner.compiler(scope, answers).compile(condition))
        except DefinitionError:  # a column that the query itself does not have: it must be one of the outer query
            planner.compiler(outer.scope.outer().joined(scope)).compile(condition)
            correlated.append(condition)
    relation = filtered(rows.relation, own_conditions, planner.ttl_ms)
    return InnerQuery(attrs.evolve(rows, relation=relation), scope, tuple(correlated))


def hidden_column(name: str) -> exp.Column:
    """Return a reference to a column by a name that no column of a table can have."""
    return exp.column(exp.to_identifier(name, quoted=True))


def _check_column_count(planner: SelectPlanner, query: exp.Expr, count: int, wanted: int) -> None:
    if count != wanted:
        message = f"{wanted} values are compared with {count} columns."
        raise planner.text.error(query, message, f"Select {'one' if wanted == 1 else wanted}.")


def _field_names(fields: Sequence[Field]) -> list[str]:
    return [field.name for field in fields]
