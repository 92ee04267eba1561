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
from kafkastream.sql.planner.aggregates.grouping import aggregated, is_grouped
from kafkastream.sql.planner.from_clause import source
from kafkastream.sql.planner.hints import checked_hints, hinted_ttls
from kafkastream.sql.planner.joins.join_conditions import conjuncts
from kafkastream.sql.planner.joins.joins import joined_rows
from kafkastream.sql.planner.ordering import ordered, ordering_of
from kafkastream.sql.planner.over.over_aggregates import has_frames, with_frames
from kafkastream.sql.planner.over.over_frames import with_named_windows
from kafkastream.sql.planner.over.qualify import qualified
from kafkastream.sql.planner.over.top_n import ranked
from kafkastream.sql.planner.subqueries.subqueries import answered, filtered_by_queries, has_query
from kafkastream.sql.planner.window_table_functions import closed_sessions

if TYPE_CHECKING:
    from kafkastream.sql.expressions.expression_compiler import ExpressionCompiler
    from kafkastream.sql.parser.parsed_query import QueryText
    from kafkastream.sql.planner.query_planner import SelectPlanner

__all__ = ["Item", "from_rows", "selected", "selected_items"]


_CLAUSES = (
    *("expressions", "from_", "joins", "where", "group", "having"),
    *("distinct", "with_", "order", "limit", "offset", "hint"),
)


class Item(NamedTuple):
    """A selected column: an expression, or a column of ``*``."""

    name: str
    node: exp.Expr
    column: ColumnRef | None = None


def selected(planner: SelectPlanner, node: exp.Select, *, is_top: bool) -> PlannedRows:
    """Plan a SELECT."""
    text = planner.text
    node = with_named_windows(text, node)
    if node.args.get("qualify"):
        return qualified(planner, node, is_top=is_top)
    text.only(node, *_CLAUSES)
    planner = attrs.evolve(planner, hinted=hinted_ttls(planner, node))
    conditions = list(conjuncts(node.args["where"].this)) if node.args.get("where") else []
    rows, scope, conditions = from_rows(planner, node, conditions)
    _check_hints(planner, node, scope)
    if not is_grouped(node) or any(map(has_query, conditions)):
        rows = closed_sessions(planner, rows, node)
    find_user_aggregates(planner.compiler(scope), node)
    rows, scope, condition = _where(planner, rows, scope, conditions)
    ordering = ordering_of(planner, node, selected_items(text, scope, node.expressions), is_top=is_top)
    chosen = ordering.items
    if is_grouped(node):
        result = aggregated(planner, node, rows, scope, condition, chosen)
    else:
        of = planner.compiler(scope)
        if any(has_query(item.node) for item in chosen):
            rows = attrs.evolve(rows, relation=_met(planner, rows, condition))
            rows, answers = answered(planner, rows, scope, [item.node for item in chosen], of.compile)
            of, condition = planner.compiler(Scope(rows.relation.fields, scope.sources), answers), None
        result = _columns(planner, rows, of, condition, chosen)
    return ordered(planner, node, result, ordering)


def _columns(
    planner: SelectPlanner,
    rows: PlannedRows,
    of: ExpressionCompiler,
    condition: TypedExpression | None,
    chosen: Sequence[Item],
) -> PlannedRows:
    """Plan the selected columns of rows without GROUP BY."""
    if has_frames(chosen):
        return with_frames(planner, rows, of, condition, chosen)
    expressions = [item.column or of.compile(item.node) for item in chosen]
    names = [item.name for item in chosen]
    relation = projected(rows.relation, expressions, names, condition, planner.ttl_ms, _proctimes(chosen))
    return PlannedRows(relation, rewindowed(rows.window, expressions))


def _check_hints(planner: SelectPlanner, node: exp.Select, scope: Scope) -> None:
    """Check the hints of a query, unless they may name a query in it."""
    if node.args.get("hint") and not any(
        map(has_query, (*node.expressions, *filter(None, map(node.args.get, ("where", "having")))))
    ):
        has_joins = len(scope.sources) > 1
        checked_hints(planner, node, scope, has_state=has_joins or is_grouped(node), has_joins=has_joins)


def _where(
    planner: SelectPlanner, rows: PlannedRows, scope: Scope, nodes: Sequence[exp.Expr]
) -> tuple[PlannedRows, Scope, TypedExpression | None]:
    """Apply conditions that need a join; return the others, as one condition over the rows."""
    plain, with_query = [one for one in nodes if not has_query(one)], list(filter(has_query, nodes))
    of = planner.compiler(scope)
    written = [of.compile(one) for one in plain]
    bounds = {rows.window.start, rows.window.end, rows.window.time} if rows.window else set()
    if any(columns_in(one) & bounds for one in written):
        rows = closed_sessions(planner, rows, plain[0])
    rows, written = _filtered_first(planner, rows, written)
    if not with_query:
        return rows, scope, conjunction(written)
    rows = attrs.evolve(rows, relation=_met(planner, rows, conjunction(written)))
    rows, scope, with_query = filtered_by_queries(planner, rows, scope, with_query)
    rows, answers = answered(planner, rows, scope, with_query, planner.compiler(scope).compile)
    scope = Scope(rows.relation.fields, scope.sources)
    of = planner.compiler(scope, answers)
    return rows, scope, conjunction([of.compile(one) for one in with_query])


def _met(planner: SelectPlanner, rows: PlannedRows, condition: TypedExpression | None) -> Relation:
    """Return the rows that meet a condition."""
    return filtered(rows.relation, [] if condition is None else [condition], planner.ttl_ms)


def _proctimes(chosen: Sequence[Item]) -> frozenset[int]:
    """The selected columns that are ``PROCTIME()``."""
    return frozenset(at for at, item in enumerate(chosen) if is_call(item.node.unalias(), "PROCTIME"))


def selected_items(text: QueryText, scope: Scope, nodes: Sequence[exp.Expr]) -> list[Item]:
    """Return the selected columns, with ``*`` and ``t.*`` expanded."""
    chosen: list[Item] = []
    for node in nodes:
        stars = list(_star(text, scope, node))
        if stars:
            chosen.extend(Item(scope_name, node, ColumnRef(at, scope.fields[at].type)) for scope_name, at in stars)
            continue
        bare, name = node, f"EXPR${len(chosen)}"
        if isinstance(node, exp.Alias):
            text.only(node, "this", "alias")
            bare, name = node.this, node.alias
        elif parts := name_parts(node):
            name = parts[-1].name
        chosen.append(Item(name, bare))
    return chosen


def _star(text: QueryText, scope: Scope, node: exp.Expr) -> Iterator[tuple[str, int]]:
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
    sources = [one for one in scope.sources if one.alias == node.args["table"].name]
    if not sources:
        raise text.error(node, f"Table '{node.args['table'].name}' not found")
    yield from ((name, at) for name, at in sources[0].columns if name)


def from_rows(
    planner: SelectPlanner, node: exp.Select, conditions: list[exp.Expr]
) -> tuple[PlannedRows, Scope, list[exp.Expr]]:
    """Plan FROM; return its rows, its scope, and the conditions of WHERE that remain."""
    if not node.args.get("from_"):
        return PlannedRows(ONE_ROW), Scope(ONE_ROW.fields, ()), conditions
    first = node.args["from_"].this
    joins = [*(first.args.get("joins") or ()), *(node.args.get("joins") or ())]
    if not joins:
        found = ranked(planner, node, first, conditions)
        if found is not None:
            return found
    rows, scope = source(planner, first)
    for join in joins:
        rows, scope, conditions = joined_rows(planner, rows, scope, join, conditions)
    return rows, scope, conditions


def _filtered_first(
    planner: SelectPlanner, rows: PlannedRows, conditions: list[TypedExpression]
) -> tuple[PlannedRows, list[TypedExpression]]:
    """Filter by other conditions before those that call user-defined functions, as Flink does."""
    plain, calling = [one for one in conditions if not calls_user(one)], list(filter(calls_user, conditions))
    if not plain or not calling:
        return rows, conditions
    return attrs.evolve(rows, relation=filtered(rows.relation, plain, planner.ttl_ms)), calling
