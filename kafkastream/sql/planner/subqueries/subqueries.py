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
from kafkastream.sql.planner.subqueries.columns_around import Around
from kafkastream.sql.planner.subqueries.inner_queries import (
    InnerQuery,
    column_named,
    existence,
    gives_one_row,
    named_columns,
    values_in,
    whole_query,
)
from kafkastream.sql.planner.subqueries.scalar_queries import joined_value
from kafkastream.sql.types import DataType, Kind

if TYPE_CHECKING:
    from kafkastream.sql.planner.query_planner import SelectPlanner

__all__ = ["answered", "filtered_by_queries", "has_query"]

Compile = Callable[[exp.Expr], TypedExpression]
_BOOLEAN: Final = DataType.of(Kind.BOOLEAN)
_OTHERWISE: Final[Mapping[type[exp.Expr], type[exp.Expr]]] = {
    exp.EQ: exp.NEQ,
    exp.NEQ: exp.EQ,
    exp.GT: exp.LTE,
    exp.LTE: exp.GT,
    exp.LT: exp.GTE,
    exp.GTE: exp.LT,
}
"""Comparisons, each with the one that holds where it does not."""


def has_query(node: exp.Expr) -> bool:
    """Return whether an expression contains a query."""
    return node.find(exp.Query) is not None


def filtered_by_queries(
    planner: SelectPlanner, rows: PlannedRows, scope: Scope, conditions: list[exp.Expr]
) -> tuple[PlannedRows, Scope, list[exp.Expr]]:
    """Apply the [NOT] IN and [NOT] EXISTS among conditions; return the rows and the other conditions."""
    rest: list[exp.Expr] = []
    for node in conditions:
        is_not = isinstance(node, exp.Not)
        inner = _bare(node.this if is_not else node)
        kind = JoinKind.ANTI if is_not else JoinKind.SEMI
        if isinstance(inner, exp.Exists) and not gives_one_row(_query_of(inner)):
            found = existence(planner, Around(rows, scope), _query_of(inner))
            rows = _joined(planner, rows, scope, found, [], kind, inner)
        elif isinstance(inner, exp.In) and not is_not and _is_aggregate(planner, Around(rows, scope), inner):
            rest.append(exp.EQ(this=inner.this, expression=exp.Subquery(this=_query_of(inner))))
            continue
        elif isinstance(inner, exp.In) and inner.args.get("query"):
            rows = _within(planner, rows, scope, inner, kind)
        else:
            rest.append(node)
            continue
        scope = Scope(rows.relation.fields, scope.sources)
    return rows, scope, rest


def _is_aggregate(planner: SelectPlanner, around: Around, node: exp.In) -> bool:
    """Return whether IN compares with one aggregate of a query that is bound to the query around it, and so is an equation.

    Not so for COUNT and for NOT IN: in Flink, IN finds nothing where the query reads no rows, and COUNT would be 0.
    """
    query = _query_of(node) if node.args.get("query") else None
    if query is None or not gives_one_row(query) or len(query.expressions) > 1:
        return False
    aggregate = query.expressions[0].unalias()
    is_one = list(calls_in(aggregate)) == [aggregate] and not is_call(aggregate, "COUNT")
    return is_one and whole_query(planner, around, query) is None


def answered(
    planner: SelectPlanner, rows: PlannedRows, scope: Scope, nodes: Sequence[exp.Expr], compiled: Compile
) -> tuple[PlannedRows, dict[int, TypedExpression]]:
    """Join the queries in expressions; return the rows with more columns, and the value of each query's node.

    Args:
        planner: Planner of the query around them.
        rows: Its rows.
        scope: Scope of columns that the queries may refer to.
        nodes: Expressions.
        compiled: Compiles an expression over the rows.
    """
    answers: dict[int, TypedExpression] = {}
    for node in (one for part in nodes for one in _queries_in(planner, part)):
        scope = attrs.evolve(scope, fields=rows.relation.fields)
        if isinstance(node, exp.Exists):
            rows, answers[id(node)] = _exists(planner, rows, scope, node)
        elif isinstance(node, exp.In):
            compared = _compared(planner, rows, scope, node, _query_of(node), exp.EQ, compiled)
            rows, answers[id(node)] = _holds_for_one(planner, compared, node)
        elif _is_quantified(node):
            is_all = isinstance(node.expression, exp.All)
            kind = _OTHERWISE[type(node)] if is_all else type(node)
            compared = _compared(planner, rows, scope, node, _query_of(node.expression), kind, compiled)
            rows, answer = _holds_for_one(planner, compared, node)
            answers[id(node)] = call("NOT", answer) if is_all else answer
        else:
            rows, answers[id(node)] = joined_value(planner, rows, scope, _query_of(node), node)
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
    """Return whether an expression compares with ANY or ALL of a query's values."""
    return type(node) in _OTHERWISE and isinstance(node.expression, exp.Any | exp.All)


def _bare(node: exp.Expr) -> exp.Expr:
    while isinstance(node, exp.Paren):
        node = node.this
    return node


def _query_of(node: exp.Expr) -> exp.Expr:
    query: exp.Expr = node.args["query"] if isinstance(node, exp.In) else node.this
    while isinstance(query, exp.Subquery) and not query.args.get("with_"):
        query = query.this
    return query


def _exists(
    planner: SelectPlanner, rows: PlannedRows, scope: Scope, node: exp.Exists
) -> tuple[PlannedRows, TypedExpression]:
    if gives_one_row(_query_of(node)):
        return rows, TRUE
    found = existence(planner, Around(rows, scope), _query_of(node))
    return _marked(planner, rows, scope, found, [], node)


class _Compared(NamedTuple):
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


def _holds_for_one(planner: SelectPlanner, compared: _Compared, node: exp.Expr) -> tuple[PlannedRows, TypedExpression]:
    """Return whether comparisons hold for a row of a query: NULL, if it is unknown for one of them, and true for none."""
    rows, scope, inner, nodes, may_be_null = compared
    rows, holds = _marked(planner, rows, scope, inner, nodes, node)
    if not may_be_null:
        return rows, holds
    unknown = exp.Is(this=exp.Paren(this=_all(nodes)), expression=exp.Null())
    rows, is_unknown = _marked(planner, rows, attrs.evolve(scope, fields=rows.relation.fields), inner, [unknown], node)
    return rows, Case((holds, is_unknown), (TRUE, typed_null(_BOOLEAN)), FALSE, _BOOLEAN)


def _within(planner: SelectPlanner, rows: PlannedRows, scope: Scope, node: exp.In, kind: JoinKind) -> PlannedRows:
    """Return the rows whose values are among those of a query, or with ANTI those that are known not to be."""
    compiled = planner.compiler(scope).compile
    rows, scope, inner, nodes, may_be_null = _compared(planner, rows, scope, node, _query_of(node), exp.EQ, compiled)
    if kind is JoinKind.ANTI and may_be_null:
        nodes = [exp.Not(this=exp.Is(this=exp.Paren(this=_all(nodes)), expression=exp.Boolean(this=False)))]
    return _joined(planner, rows, scope, inner, nodes, kind, node)


def _compared(
    planner: SelectPlanner,
    rows: PlannedRows,
    scope: Scope,
    node: exp.Expr,
    query: exp.Expr,
    kind: type[exp.Expr],
    compiled: Compile,
) -> _Compared:
    """Return comparisons of a kind between the left side of a node and a query."""
    operand = _bare(node.this)
    operands = operand.expressions if isinstance(operand, exp.Tuple) else [operand]
    values = [compiled(one) for one in operands]
    relation = rows.relation
    added = [one for one in dict.fromkeys(values) if column_of(one) is None]
    if added:
        names = [*(field.name for field in relation.fields), *(f"$value{at}" for at in range(len(added)))]
        relation = projected(relation, [*references(relation), *added], names, ttl_ms=planner.ttl_ms)
    every = [*references(rows.relation), *added]
    of, in_ = ([f"${side}{at}" for at in range(len(values))] for side in ("of", "in"))
    inner = values_in(planner, Around(attrs.evolve(rows, relation=relation), scope), query, in_)
    outer = Scope(relation.fields, (*scope.sources, named_columns(of, [every.index(one) for one in values])))
    nodes: list[exp.Expr] = [
        kind(this=column_named(one), expression=column_named(other)) for one, other in zip(of, in_, strict=True)
    ]
    places = dict(inner.scope.sources[-1].columns)
    may_be_null = any(one.type.is_nullable for one in values) or any(
        inner.rows.relation.fields[places[name]].type.is_nullable for name in in_
    )
    return _Compared(attrs.evolve(rows, relation=relation), outer, inner, nodes, may_be_null)


def _all(nodes: Sequence[exp.Expr]) -> exp.Expr:
    """Return the conjunction of conditions."""
    return reduce(lambda one, other: exp.And(this=one, expression=other), nodes)


def _marked(
    planner: SelectPlanner,
    rows: PlannedRows,
    scope: Scope,
    inner: InnerQuery,
    nodes: Sequence[exp.Expr],
    node: exp.Expr,
) -> tuple[PlannedRows, ColumnRef]:
    """Return the rows with an added BOOLEAN column: whether conditions hold for a row of a query."""
    width = len(rows.relation.fields)
    joined = _joined(planner, rows, scope, inner, nodes, JoinKind.MARK, node)
    return joined, reference(joined.relation, width)


def _joined(
    planner: SelectPlanner,
    rows: PlannedRows,
    scope: Scope,
    inner: InnerQuery,
    nodes: Sequence[exp.Expr],
    kind: JoinKind,
    node: exp.Expr,
) -> PlannedRows:
    from kafkastream.sql.planner.joins.joins import of_two

    found = inner.conditions(planner, Around(rows, scope), nodes)
    return of_two(planner, (rows, inner.rows), found, kind, node)
