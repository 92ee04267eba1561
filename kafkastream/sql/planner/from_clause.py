"""Entries of FROM: tables, views, queries in parentheses, VALUES, and window functions."""

from __future__ import annotations

from typing import TYPE_CHECKING

import attrs
from sqlglot import exp

from kafkastream.model.common.immutable import FrozenMap
from kafkastream.sql.connectors import source_of
from kafkastream.sql.expressions.column_scope import Scope
from kafkastream.sql.parser.parsed_query import QueryText
from kafkastream.sql.plan.plan_builder import ONE_ROW, PlannedRows, with_distinct_names, with_names
from kafkastream.sql.plan.planning_catalog import ResolvedTable, View
from kafkastream.sql.plan.relations import Scan
from kafkastream.sql.planner.hints import parse_hints
from kafkastream.sql.syntax.cursor import Cursor
from kafkastream.sql.syntax.expressions import hinted_options
from kafkastream.sql.table_options import did_you_mean

if TYPE_CHECKING:
    from kafkastream.sql.planner.query_planner import SelectPlanner

__all__ = ["plan_from_entry", "with_column_aliases"]


def plan_from_entry(planner: SelectPlanner, node: exp.Expr) -> tuple[PlannedRows, Scope]:
    """Plan an entry of FROM; return its rows and its scope."""
    if isinstance(node, exp.Subquery) and isinstance(node.this, exp.Table) and not node.args.get("alias"):
        return _plan_parenthesized_join(planner, node.this)
    rows = _plan_entry(planner, node)
    match = node.args.get("match")
    if match is not None:
        from kafkastream.sql.planner.patterns.match_recognize import plan_match_recognize

        rows, node = plan_match_recognize(planner, rows, match), match
    rows = with_column_aliases(planner, node, rows)
    return rows, Scope.of(rows.relation.fields, _alias(node))


def _plan_parenthesized_join(planner: SelectPlanner, node: exp.Table) -> tuple[PlannedRows, Scope]:
    from kafkastream.sql.planner.joins.joins import plan_join

    rows, scope = plan_from_entry(planner, node)
    for join in node.args.get("joins") or ():
        rows, scope, _ = plan_join(planner, rows, scope, join, [])
    return rows, scope


def with_column_aliases(planner: SelectPlanner, node: exp.Expr, rows: PlannedRows) -> PlannedRows:
    """Return rows with the column names of ``AS t (a, b)``, if given."""
    alias = node.args.get("alias")
    columns = alias.args.get("columns") if isinstance(alias, exp.TableAlias) else None
    if not columns:
        return rows
    relation = rows.relation
    if len(columns) != len(relation.fields):
        message = f"{len(columns)} column names are given for {len(relation.fields)} columns."
        raise planner.text.error(columns[0], message, "Name each column.")
    return attrs.evolve(rows, relation=with_names(relation, [column.name for column in columns]))


def _alias(node: exp.Expr) -> str:
    """Return the name that qualifies the columns of an entry of FROM."""
    if node.alias:
        return node.alias
    return node.name if isinstance(node, exp.Table) and isinstance(node.this, exp.Identifier) else ""


def _plan_entry(planner: SelectPlanner, node: exp.Expr) -> PlannedRows:
    from kafkastream.sql.planner.window_table_functions import WINDOW_FUNCTIONS, plan_window_function

    text = planner.text
    match node:
        case exp.Table() if isinstance(node.this, exp.Anonymous):
            text.only(node, "this", "alias", "joins")
            is_window = node.this.name.upper() in WINDOW_FUNCTIONS
            return plan_window_function(planner, node.this) if is_window else _plan_table_function_alone(planner, node)
        case exp.Table() if isinstance(node.this, exp.Dot) and isinstance(node.this.expression, exp.Anonymous):
            return _plan_table_function_alone(planner, node)
        case exp.Table():
            return _plan_table(planner, node)
        case exp.Subquery():
            text.only(node, "this", "alias", "joins", "with_", "partition", "match")
            return with_distinct_names(planner.plan(node.this))
        case exp.Values():
            return PlannedRows(planner.plan_values(node))
        case exp.Lateral() if isinstance(node.this, exp.Table):
            text.only(node, "this", "alias", "joins")
            return _plan_table_function_alone(planner, node)
        case exp.Lateral() if isinstance(node.this, exp.Subquery):
            return with_distinct_names(planner.plan(node.this))
        case exp.Unnest():
            raise text.refused(node, "UNNEST must join a table.", "Write FROM t CROSS JOIN UNNEST(t.c) AS u(e).")
        case _:
            raise text.refused(node, f"{text.shown(node)} is not supported in FROM.", "Name a table or a query.")


def _plan_table_function_alone(planner: SelectPlanner, node: exp.Expr) -> PlannedRows:
    """Plan a table function that no other entry of FROM precedes."""
    from kafkastream.sql.planner.table_functions import plan_table_function, without_column

    rows, _ = plan_table_function(planner, PlannedRows(ONE_ROW), Scope(ONE_ROW.fields, ()), node, outer=False)
    return PlannedRows(without_column(rows.relation, 0))


def _plan_table(planner: SelectPlanner, node: exp.Table) -> PlannedRows:
    text = planner.text
    text.only(node, "this", "db", "catalog", "alias", "hints", "joins", "partition", "match")
    path = tuple(part.name for part in node.parts)
    if len(path) == 1 and path[0] in planner.with_queries:
        if node.args.get("hints"):
            raise text.error(node, "A query of WITH takes no OPTIONS.", "Put the hint after the table that it reads.")
        return planner.with_queries[path[0]].rows()
    table = planner.catalog.table(path)
    if table is None:
        names = [*planner.with_queries, *planner.catalog.tables()]
        raise text.error(node, f"Object '{'.'.join(path)}' not found", did_you_mean(path[-1], names))
    if isinstance(table, View):
        return _plan_view(planner, node, path, table)
    return PlannedRows(_scan_table(table, _hinted_options(text, node)))


def _plan_view(planner: SelectPlanner, node: exp.Table, path: tuple[str, ...], view: View) -> PlannedRows:
    if node.args.get("hints"):
        raise planner.text.error(node, "A view takes no OPTIONS.", "Put the hint after the table that it reads.")
    inner = planner.planner_of_view(node, path, view)
    rows = with_distinct_names(inner.plan(inner.text.query()))
    if not view.columns:
        return rows
    return attrs.evolve(rows, relation=with_names(rows.relation, view.columns))


def _hinted_options(text: QueryText, node: exp.Table) -> FrozenMap[str, str]:
    hints = node.args.get("hints") or []
    merged: dict[str, str] = {}
    for hint in hints:
        cursor = Cursor(str(hint.this))
        if cursor.sees("/*+", "OPTIONS"):
            merged.update(hinted_options(cursor))
        else:
            parse_hints(text, hint)  # the others have a meaning only after SELECT
    return FrozenMap(merged)


def _scan_table(resolved: ResolvedTable, hinted: FrozenMap[str, str]) -> Scan:
    table, changelog = resolved.definition, resolved.changelog
    if hinted:
        table = attrs.evolve(table, options=FrozenMap({**table.options, **hinted}))
        changelog = source_of(table).changelog  # a hint may change the format
    names = [field.name for field in resolved.fields]
    key = tuple(names.index(name) for name in table.schema.primary_key) or None
    return Scan(
        table=table,
        fields=resolved.fields,
        changelog=changelog,
        upsert_key=key,
        expressions=resolved.expressions,
        watermark=resolved.watermark,
    )
