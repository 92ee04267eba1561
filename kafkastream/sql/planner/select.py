"""``SELECT``: its FROM, WHERE and selected columns."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, NamedTuple

import attrs
from sqlglot import exp

from kafkastream.sql.expressions.aggregate_calls import find_user_aggregates
from kafkastream.sql.expressions.column_scope import Scope, name_parts
from kafkastream.sql.expressions.function_calls import is_call
from kafkastream.sql.plan.expression import ColumnRef, TypedExpression, calls_user, columns_in, conjunction
from kafkastream.sql.plan.plan_builder import ONE_ROW, PlannedRows, filtered, projected, rewindowed
from kafkastream.sql.plan.relations import Relation
from kafkastream.sql.planner.aggregates.grouping import is_grouped, plan_aggregation
from kafkastream.sql.planner.from_clause import plan_from_entry
from kafkastream.sql.planner.hints import check_hints, hinted_ttls
from kafkastream.sql.planner.joins.join_conditions import conjuncts
from kafkastream.sql.planner.joins.joins import plan_join
from kafkastream.sql.planner.ordering import ordering_of, plan_order_by
from kafkastream.sql.planner.over.over_aggregates import has_over_calls, plan_over_aggregates
from kafkastream.sql.planner.over.over_frames import inline_named_windows
from kafkastream.sql.planner.over.qualify import plan_qualify
from kafkastream.sql.planner.over.top_n import plan_top_n
from kafkastream.sql.planner.subqueries.subqueries import filter_by_subqueries, has_query, join_subqueries
from kafkastream.sql.planner.window_table_functions import with_closed_sessions

if TYPE_CHECKING:
    from kafkastream.sql.expressions.expression_compiler import ExpressionCompiler
    from kafkastream.sql.parser.parsed_query import QueryText
    from kafkastream.sql.planner.query_planner import SelectPlanner

__all__ = ["SelectItem", "plan_from", "plan_select", "selected_items"]


_CLAUSES = (
    *("expressions", "from_", "joins", "where", "group", "having"),
    *("distinct", "with_", "order", "limit", "offset", "hint"),
)


class SelectItem(NamedTuple):
    """A selected column: an expression, or a column of ``*``."""

    name: str
    node: exp.Expr
    column: ColumnRef | None = None


def plan_select(planner: SelectPlanner, node: exp.Select, *, is_top: bool) -> PlannedRows:
    """Plan a SELECT."""
    text = planner.text
    node = inline_named_windows(text, node)
    if node.args.get("qualify"):
        return plan_qualify(planner, node, is_top=is_top)
    text.only(node, *_CLAUSES)
    planner = attrs.evolve(planner, hinted=hinted_ttls(planner, node))
    conditions = list(conjuncts(node.args["where"].this)) if node.args.get("where") else []
    rows, scope, conditions = plan_from(planner, node, conditions)
    _check_query_hints(planner, node, scope)
    # only an aggregation takes rows whose sessions are still open
    if not is_grouped(node) or any(map(has_query, conditions)):
        rows = with_closed_sessions(planner, rows, node)
    find_user_aggregates(planner.compiler(scope), node)
    rows, scope, condition = _plan_where(planner, rows, scope, conditions)
    ordering = ordering_of(planner, node, selected_items(text, scope, node.expressions), is_top=is_top)
    chosen = ordering.items
    if is_grouped(node):
        result = plan_aggregation(planner, node, rows, scope, condition, chosen)
    else:
        compiler = planner.compiler(scope)
        if any(has_query(item.node) for item in chosen):
            rows = attrs.evolve(rows, relation=_filter_rows(planner, rows, condition))
            rows, answers = join_subqueries(planner, rows, scope, [item.node for item in chosen], compiler.compile)
            compiler, condition = planner.compiler(Scope(rows.relation.fields, scope.sources), answers), None
        result = _plan_columns(planner, rows, compiler, condition, chosen)
    return plan_order_by(planner, node, result, ordering)


def _plan_columns(
    planner: SelectPlanner,
    rows: PlannedRows,
    compiler: ExpressionCompiler,
    condition: TypedExpression | None,
    chosen: Sequence[SelectItem],
) -> PlannedRows:
    """Plan the selected columns of rows without GROUP BY."""
    if has_over_calls(chosen):
        return plan_over_aggregates(planner, rows, compiler, condition, chosen)
    expressions = [item.column or compiler.compile(item.node) for item in chosen]
    names = [item.name for item in chosen]
    relation = projected(rows.relation, expressions, names, condition, planner.ttl_ms, _proctime_columns(chosen))
    return PlannedRows(relation, rewindowed(rows.window, expressions))


def _check_query_hints(planner: SelectPlanner, node: exp.Select, scope: Scope) -> None:
    """Check the hints of a query; not if it has subqueries, whose tables the hints may name."""
    if node.args.get("hint") and not any(
        map(has_query, (*node.expressions, *filter(None, map(node.args.get, ("where", "having")))))
    ):
        has_joins = len(scope.sources) > 1
        check_hints(planner, node, scope, has_state=has_joins or is_grouped(node), has_joins=has_joins)


def _plan_where(
    planner: SelectPlanner, rows: PlannedRows, scope: Scope, nodes: Sequence[exp.Expr]
) -> tuple[PlannedRows, Scope, TypedExpression | None]:
    """Apply conditions that need a join; return the others, as one condition over the rows."""
    plain, with_query = [node for node in nodes if not has_query(node)], list(filter(has_query, nodes))
    compiler = planner.compiler(scope)
    conditions = [compiler.compile(node) for node in plain]
    bounds = {rows.window.start, rows.window.end, rows.window.time} if rows.window else set()
    if any(columns_in(condition) & bounds for condition in conditions):
        rows = with_closed_sessions(planner, rows, plain[0])
    rows, conditions = _filter_before_user_functions(planner, rows, conditions)
    if not with_query:
        return rows, scope, conjunction(conditions)
    rows = attrs.evolve(rows, relation=_filter_rows(planner, rows, conjunction(conditions)))
    rows, scope, with_query = filter_by_subqueries(planner, rows, scope, with_query)
    rows, answers = join_subqueries(planner, rows, scope, with_query, planner.compiler(scope).compile)
    scope = Scope(rows.relation.fields, scope.sources)
    compiler = planner.compiler(scope, answers)
    return rows, scope, conjunction([compiler.compile(node) for node in with_query])


def _filter_rows(planner: SelectPlanner, rows: PlannedRows, condition: TypedExpression | None) -> Relation:
    """Return the rows that meet a condition."""
    return filtered(rows.relation, [] if condition is None else [condition], planner.ttl_ms)


def _proctime_columns(chosen: Sequence[SelectItem]) -> frozenset[int]:
    """Return the positions of the selected columns that are ``PROCTIME()``."""
    return frozenset(index for index, item in enumerate(chosen) if is_call(item.node.unalias(), "PROCTIME"))


def selected_items(text: QueryText, scope: Scope, nodes: Sequence[exp.Expr]) -> list[SelectItem]:
    """Return the selected columns, with ``*`` and ``t.*`` expanded."""
    chosen: list[SelectItem] = []
    for node in nodes:
        stars = list(_expand_star(text, scope, node))
        if stars:
            chosen.extend(SelectItem(name, node, ColumnRef(index, scope.fields[index].type)) for name, index in stars)
            continue
        expression, name = node, f"EXPR${len(chosen)}"
        if isinstance(node, exp.Alias):
            text.only(node, "this", "alias")
            expression, name = node.this, node.alias
        elif parts := name_parts(node):
            name = parts[-1].name
        chosen.append(SelectItem(name, expression))
    return chosen


def _expand_star(text: QueryText, scope: Scope, node: exp.Expr) -> Iterator[tuple[str, int]]:
    is_qualified = isinstance(node, exp.Column) and isinstance(node.this, exp.Star)
    star = node.this if is_qualified else node
    if not isinstance(star, exp.Star):
        return
    text.only(star)
    if not scope.sources:
        raise text.error(node, "SELECT * needs a FROM.")
    if not is_qualified:
        yield from scope.visible()
        return
    sources = [source for source in scope.sources if source.alias == node.args["table"].name]
    if not sources:
        raise text.error(node, f"Table '{node.args['table'].name}' not found")
    yield from ((name, index) for name, index in sources[0].columns if name)


def plan_from(
    planner: SelectPlanner, node: exp.Select, conditions: list[exp.Expr]
) -> tuple[PlannedRows, Scope, list[exp.Expr]]:
    """Plan FROM; return its rows, its scope, and the conditions of WHERE that remain."""
    if not node.args.get("from_"):
        return PlannedRows(ONE_ROW), Scope(ONE_ROW.fields, ()), conditions
    first = node.args["from_"].this
    joins = [*(first.args.get("joins") or ()), *(node.args.get("joins") or ())]
    if not joins:
        top_n = plan_top_n(planner, node, first, conditions)
        if top_n is not None:
            return top_n
    rows, scope = plan_from_entry(planner, first)
    for join in joins:
        rows, scope, conditions = plan_join(planner, rows, scope, join, conditions)
    return rows, scope, conditions


def _filter_before_user_functions(
    planner: SelectPlanner, rows: PlannedRows, conditions: list[TypedExpression]
) -> tuple[PlannedRows, list[TypedExpression]]:
    """Apply the conditions without user-defined functions first, as Flink does; return the rows and the other conditions."""
    plain, calling = (
        [condition for condition in conditions if not calls_user(condition)],
        list(filter(calls_user, conditions)),
    )
    if not plain or not calling:
        return rows, conditions
    return attrs.evolve(rows, relation=filtered(rows.relation, plain, planner.ttl_ms)), calling
