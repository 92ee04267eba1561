"""Queries in expressions, as joins: ``[NOT] IN`` and ``[NOT] EXISTS``, and the values that queries give."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import reduce
from typing import TYPE_CHECKING, Final, NamedTuple

import attrs
from sqlglot import exp

from kafkastream.sql.expressions.aggregate_calls import calls_in
from kafkastream.sql.expressions.column_scope import Scope
from kafkastream.sql.expressions.function_calls import is_call
from kafkastream.sql.plan.casts import typed_null
from kafkastream.sql.plan.expression import FALSE, TRUE, Case, ColumnRef, TypedExpression
from kafkastream.sql.plan.functions import call
from kafkastream.sql.plan.operations import JoinKind
from kafkastream.sql.plan.plan_builder import PlannedRows, column_of, projected, reference, references
from kafkastream.sql.planner.subqueries.inner_queries import (
    InnerQuery,
    gives_one_row,
    hidden_column,
    hidden_columns,
    plan_exists_query,
    plan_in_query,
    plan_uncorrelated_query,
)
from kafkastream.sql.planner.subqueries.outer_columns import ScopedRows
from kafkastream.sql.planner.subqueries.scalar_queries import join_scalar_query
from kafkastream.sql.types import DataType, Kind

if TYPE_CHECKING:
    from kafkastream.sql.planner.query_planner import SelectPlanner

__all__ = ["filter_by_subqueries", "has_query", "join_subqueries"]

Compile = Callable[[exp.Expr], TypedExpression]
_BOOLEAN: Final = DataType.of(Kind.BOOLEAN)
_NEGATED: Final[Mapping[type[exp.Expr], type[exp.Expr]]] = {
    exp.EQ: exp.NEQ,
    exp.NEQ: exp.EQ,
    exp.GT: exp.LTE,
    exp.LTE: exp.GT,
    exp.LT: exp.GTE,
    exp.GTE: exp.LT,
}
"""Comparisons with their negations."""


def has_query(node: exp.Expr) -> bool:
    """Return whether an expression contains a query."""
    return node.find(exp.Query) is not None


def filter_by_subqueries(
    planner: SelectPlanner, rows: PlannedRows, scope: Scope, conditions: list[exp.Expr]
) -> tuple[PlannedRows, Scope, list[exp.Expr]]:
    """Apply the [NOT] IN and [NOT] EXISTS among conditions; return the rows and the other conditions."""
    rest: list[exp.Expr] = []
    for node in conditions:
        is_not = isinstance(node, exp.Not)
        inner = _without_parentheses(node.this if is_not else node)
        kind = JoinKind.ANTI if is_not else JoinKind.SEMI
        if isinstance(inner, exp.Exists) and not gives_one_row(_query_of(inner)):
            inner_query = plan_exists_query(planner, ScopedRows(rows, scope), _query_of(inner))
            rows = _join_query(planner, rows, scope, inner_query, [], kind, inner)
        elif isinstance(inner, exp.In) and not is_not and _is_aggregate(planner, ScopedRows(rows, scope), inner):
            rest.append(exp.EQ(this=inner.this, expression=exp.Subquery(this=_query_of(inner))))
            continue
        elif isinstance(inner, exp.In) and inner.args.get("query"):
            rows = _filter_in(planner, rows, scope, inner, kind)
        else:
            rest.append(node)
            continue
        scope = Scope(rows.relation.fields, scope.sources)
    return rows, scope, rest


def _is_aggregate(planner: SelectPlanner, outer: ScopedRows, node: exp.In) -> bool:
    """Return whether IN compares with one aggregate of a correlated query, and so is an equation.

    Not so for COUNT and for NOT IN: in Flink, IN finds nothing where the query reads no rows, and COUNT would be 0.
    """
    query = _query_of(node) if node.args.get("query") else None
    if query is None or not gives_one_row(query) or len(query.expressions) > 1:
        return False
    aggregate = query.expressions[0].unalias()
    is_one = list(calls_in(aggregate)) == [aggregate] and not is_call(aggregate, "COUNT")
    return is_one and plan_uncorrelated_query(planner, outer, query) is None


def join_subqueries(
    planner: SelectPlanner, rows: PlannedRows, scope: Scope, nodes: Sequence[exp.Expr], compile_: Compile
) -> tuple[PlannedRows, dict[int, TypedExpression]]:
    """Join the queries in expressions; return the rows with more columns, and the value of each query's node.

    Args:
        planner: Planner of the query around them.
        rows: Its rows.
        scope: Scope of columns that the queries may refer to.
        nodes: Expressions.
        compile_: Compiles an expression over the rows.
    """
    answers: dict[int, TypedExpression] = {}
    for node in (query for part in nodes for query in _queries_in(planner, part)):
        scope = attrs.evolve(scope, fields=rows.relation.fields)
        if isinstance(node, exp.Exists):
            rows, answers[id(node)] = _join_exists(planner, rows, scope, node)
        elif isinstance(node, exp.In):
            compared = _plan_comparison(planner, rows, scope, node, _query_of(node), exp.EQ, compile_)
            rows, answers[id(node)] = _holds_for_any(planner, compared, node)
        elif _is_quantified(node):
            is_all = isinstance(node.expression, exp.All)
            kind = _NEGATED[type(node)] if is_all else type(node)
            compared = _plan_comparison(planner, rows, scope, node, _query_of(node.expression), kind, compile_)
            rows, answer = _holds_for_any(planner, compared, node)
            answers[id(node)] = call("NOT", answer) if is_all else answer
        else:
            rows, answers[id(node)] = join_scalar_query(planner, rows, scope, _query_of(node), node)
    return rows, answers


def _queries_in(planner: SelectPlanner, node: exp.Expr) -> Iterator[exp.Expr]:
    """Yield the queries in an expression, with their IN or EXISTS; not those inside of others, or of FILTER."""
    is_in = isinstance(node, exp.In) and node.args.get("query")
    if isinstance(node, exp.Exists | exp.Subquery) or is_in or _is_quantified(node):
        yield node
    elif not isinstance(node, exp.Filter):
        for child in node.iter_expressions():
            yield from _queries_in(planner, child)


def _is_quantified(node: exp.Expr) -> bool:
    """Return whether an expression is a comparison with ANY or ALL of a query."""
    return type(node) in _NEGATED and isinstance(node.expression, exp.Any | exp.All)


def _without_parentheses(node: exp.Expr) -> exp.Expr:
    while isinstance(node, exp.Paren):
        node = node.this
    return node


def _query_of(node: exp.Expr) -> exp.Expr:
    query: exp.Expr = node.args["query"] if isinstance(node, exp.In) else node.this
    while isinstance(query, exp.Subquery) and not query.args.get("with_"):
        query = query.this
    return query


def _join_exists(
    planner: SelectPlanner, rows: PlannedRows, scope: Scope, node: exp.Exists
) -> tuple[PlannedRows, TypedExpression]:
    if gives_one_row(_query_of(node)):
        return rows, TRUE
    inner_query = plan_exists_query(planner, ScopedRows(rows, scope), _query_of(node))
    return _mark_matches(planner, rows, scope, inner_query, [], node)


class _Comparison(NamedTuple):
    """Values that are compared with those of a query.

    Args:
        rows: Rows with the values.
        scope: Scope of these, with names for the values.
        inner: The query, with names for its columns.
        nodes: Comparisons of the values with the columns.
        may_be_null: Whether NULL may be compared.
    """

    rows: PlannedRows
    scope: Scope
    inner: InnerQuery
    nodes: list[exp.Expr]
    may_be_null: bool


def _holds_for_any(
    planner: SelectPlanner, compared: _Comparison, node: exp.Expr
) -> tuple[PlannedRows, TypedExpression]:
    """Return whether comparisons hold for any row of a query: NULL if they hold for none, and are unknown for one."""
    rows, scope, inner, nodes, may_be_null = compared
    rows, holds = _mark_matches(planner, rows, scope, inner, nodes, node)
    if not may_be_null:
        return rows, holds
    unknown = exp.Is(this=exp.Paren(this=_all(nodes)), expression=exp.Null())
    rows, is_unknown = _mark_matches(
        planner, rows, attrs.evolve(scope, fields=rows.relation.fields), inner, [unknown], node
    )
    return rows, Case((holds, is_unknown), (TRUE, typed_null(_BOOLEAN)), FALSE, _BOOLEAN)


def _filter_in(planner: SelectPlanner, rows: PlannedRows, scope: Scope, node: exp.In, kind: JoinKind) -> PlannedRows:
    """Return the rows whose values are among those of a query, or with ANTI those that are known not to be."""
    compile_ = planner.compiler(scope).compile
    rows, scope, inner, nodes, may_be_null = _plan_comparison(
        planner, rows, scope, node, _query_of(node), exp.EQ, compile_
    )
    if kind is JoinKind.ANTI and may_be_null:
        nodes = [exp.Not(this=exp.Is(this=exp.Paren(this=_all(nodes)), expression=exp.Boolean(this=False)))]
    return _join_query(planner, rows, scope, inner, nodes, kind, node)


def _plan_comparison(
    planner: SelectPlanner,
    rows: PlannedRows,
    scope: Scope,
    node: exp.Expr,
    query: exp.Expr,
    kind: type[exp.Expr],
    compile_: Compile,
) -> _Comparison:
    """Plan the comparison of the left side of a node with a query, by an operator: add its values to the rows."""
    operand = _without_parentheses(node.this)
    operands = operand.expressions if isinstance(operand, exp.Tuple) else [operand]
    values = [compile_(operand) for operand in operands]
    relation = rows.relation
    added = [value for value in dict.fromkeys(values) if column_of(value) is None]
    if added:
        names = [*(field.name for field in relation.fields), *(f"$value{number}" for number in range(len(added)))]
        relation = projected(relation, [*references(relation), *added], names, ttl_ms=planner.ttl_ms)
    columns = [*references(rows.relation), *added]
    left_names, right_names = ([f"${side}{number}" for number in range(len(values))] for side in ("of", "in"))
    inner = plan_in_query(planner, ScopedRows(attrs.evolve(rows, relation=relation), scope), query, right_names)
    outer = Scope(
        relation.fields, (*scope.sources, hidden_columns(left_names, [columns.index(value) for value in values]))
    )
    nodes: list[exp.Expr] = [
        kind(this=hidden_column(left_name), expression=hidden_column(right_name))
        for left_name, right_name in zip(left_names, right_names, strict=True)
    ]
    indexes = dict(inner.scope.sources[-1].columns)
    may_be_null = any(value.type.is_nullable for value in values) or any(
        inner.rows.relation.fields[indexes[name]].type.is_nullable for name in right_names
    )
    return _Comparison(attrs.evolve(rows, relation=relation), outer, inner, nodes, may_be_null)


def _all(nodes: Sequence[exp.Expr]) -> exp.Expr:
    """Return the conjunction of conditions."""
    return reduce(lambda left, right: exp.And(this=left, expression=right), nodes)


def _mark_matches(
    planner: SelectPlanner,
    rows: PlannedRows,
    scope: Scope,
    inner: InnerQuery,
    nodes: Sequence[exp.Expr],
    node: exp.Expr,
) -> tuple[PlannedRows, ColumnRef]:
    """Add a BOOLEAN column to the rows: whether conditions hold for any row of a query."""
    width = len(rows.relation.fields)
    joined = _join_query(planner, rows, scope, inner, nodes, JoinKind.MARK, node)
    return joined, reference(joined.relation, width)


def _join_query(
    planner: SelectPlanner,
    rows: PlannedRows,
    scope: Scope,
    inner: InnerQuery,
    nodes: Sequence[exp.Expr],
    kind: JoinKind,
    node: exp.Expr,
) -> PlannedRows:
    from kafkastream.sql.planner.joins.joins import join_inputs

    conditions = inner.conditions(planner, ScopedRows(rows, scope), nodes)
    return join_inputs(planner, (rows, inner.rows), conditions, kind, node)
