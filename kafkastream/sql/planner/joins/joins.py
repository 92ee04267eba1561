"""Joins of two relations: regular, window, interval, and temporal joins."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import attrs
from sqlglot import exp

from kafkastream.errors import DefinitionError
from kafkastream.sql.changelog import ChangelogMode
from kafkastream.sql.expressions.column_scope import Scope
from kafkastream.sql.plan.expression import columns_in
from kafkastream.sql.plan.operations import IntervalJoin, Join, JoinKind
from kafkastream.sql.plan.plan_builder import PlannedRows, WindowColumns, normalized, without_times
from kafkastream.sql.plan.relations import Field, Relation, Stateful
from kafkastream.sql.planner.from_clause import plan_from_entry
from kafkastream.sql.planner.joins.common_columns import common_names, equations, with_common_columns, with_side_aliases
from kafkastream.sql.planner.joins.join_conditions import Conditions, classify_join_conditions, conjuncts
from kafkastream.sql.planner.joins.join_parts import both_fields, with_key_columns, without_computed_keys
from kafkastream.sql.planner.joins.joins_on_pairs import MARK, join_on_pairs, push_down_conditions
from kafkastream.sql.planner.joins.laterals import is_lateral, plan_lateral
from kafkastream.sql.planner.joins.temporal_joins import plan_temporal_join
from kafkastream.sql.planner.window_table_functions import with_closed_sessions

if TYPE_CHECKING:
    from kafkastream.sql.planner.query_planner import SelectPlanner

__all__ = ["join_inputs", "plan_join"]

_OUTER_KINDS = {"LEFT": JoinKind.LEFT, "RIGHT": JoinKind.RIGHT, "FULL": JoinKind.FULL}


def plan_join(
    planner: SelectPlanner, rows: PlannedRows, scope: Scope, join: exp.Join, conditions: list[exp.Expr]
) -> tuple[PlannedRows, Scope, list[exp.Expr]]:
    """Plan a join; return its rows and scope, and the conditions of WHERE that are not part of the join."""
    text = planner.text
    text.only(join, "this", "on", "side", "kind", "using", "method")
    rows = with_closed_sessions(planner, rows, join)
    kind = _join_kind(planner, join)
    on = join.args.get("on")
    if is_lateral(join.this):
        result, scope, further = plan_lateral(planner, rows, scope, join, kind)
        return result, scope, [*conditions, *further]
    version = join.this.args.get("version") if isinstance(join.this, exp.Table) else None
    other, other_scope = plan_from_entry(planner, _without_version(join.this))
    other = with_closed_sessions(planner, other, join)
    names = common_names(planner, join, scope, other_scope)
    nodes = [*equations(names), *(conjuncts(on) if on is not None else ())]
    if kind is JoinKind.INNER:
        where_conditions = [
            condition for condition in conditions if _refers_to_both(planner, scope, other_scope, condition)
        ]
        query_conditions = [node for node in nodes if node.find(exp.Query)]
        # a condition ON with a subquery means the same in WHERE, which can join the subquery
        nodes = [*(node for node in nodes if node not in query_conditions), *where_conditions]
        conditions = [*(condition for condition in conditions if condition not in where_conditions), *query_conditions]
    elif on is None and not (join.args.get("using") or join.args.get("method")):
        raise text.error(join, f"A {kind.value} JOIN needs ON.", "Write ON a.k = b.k.")
    planner = attrs.evolve(planner, hinted=planner.hinted.of_scopes(scope, other_scope))
    sides = with_side_aliases((scope, other_scope), names)
    join_nodes = [node for node in nodes if not _is_true(node)]
    if version:
        classified = classify_join_conditions(
            planner, _without_time_attributes(sides[0]), _without_time_attributes(sides[1]), join_nodes
        )
        result = plan_temporal_join(planner, (rows, other), (scope, other_scope), classified, kind, version)
    else:
        classified = classify_join_conditions(planner, *sides, join_nodes)
        result = join_inputs(planner, (rows, other), classified, kind, join)
    return (*with_common_columns(planner, result, (scope, other_scope), names), conditions)


def _without_time_attributes(scope: Scope) -> Scope:
    """Return a scope without time attributes, so that comparisons of times do not become an interval join."""
    return attrs.evolve(scope, fields=without_times(scope.fields))


def _without_version(node: exp.Expr) -> exp.Expr:
    """Return an entry of FROM without its FOR SYSTEM_TIME; the tree itself, which may be planned again, keeps it."""
    if not node.args.get("version"):
        return node
    bare = node.copy()
    bare.set("version", None)
    return bare


def _is_true(node: exp.Expr) -> bool:
    return isinstance(node, exp.Boolean) and bool(node.this)


def _join_kind(planner: SelectPlanner, join: exp.Join) -> JoinKind:
    side, kind = (join.args.get("side") or "").upper(), (join.args.get("kind") or "").upper()
    if kind in ("SEMI", "ANTI") or kind not in ("", "INNER", "OUTER", "CROSS"):
        raise planner.text.refused(
            join, f"{side} {kind} JOIN is not supported.", "Write WHERE [NOT] EXISTS (SELECT ...)."
        )
    return _OUTER_KINDS.get(side, JoinKind.INNER)


def _refers_to_both(planner: SelectPlanner, left: Scope, right: Scope, node: exp.Expr) -> bool:
    """Return whether a condition of WHERE has columns of both sides, and can be a condition of the join."""
    if node.find(exp.Query):
        return False
    try:
        columns = columns_in(planner.compiler(left.joined(right)).compile(node))
    except DefinitionError:
        return False
    return bool(columns) and min(columns) < len(left.fields) <= max(columns)


def join_inputs(
    planner: SelectPlanner,
    rows: tuple[PlannedRows, PlannedRows],
    conditions: Conditions,
    kind: JoinKind,
    node: exp.Expr,
) -> PlannedRows:
    """Plan a regular, window or interval join.

    Args:
        planner: Planner of the query.
        rows: Both inputs.
        conditions: Conditions of the join.
        kind: Kind of the join; MARK adds a column.
        node: Node of the join, for errors.
    """
    relations = _checked_inputs(planner, rows, conditions, node)
    widths = len(relations[0].fields), len(relations[1].fields)
    relations, conditions = push_down_conditions(relations, conditions, kind, planner.ttl_ms)
    if conditions.bound is None:
        relations = [normalized(relation, planner.ttl_ms) for relation in relations]
    (left, left_keys), (right, right_keys) = (
        with_key_columns(relation, keys)
        for relation, keys in zip(relations, (conditions.left, conditions.right), strict=True)
    )
    window = None if conditions.bound else _common_window([side.window for side in rows], left_keys, right_keys)
    is_append = all(side.changelog is ChangelogMode.APPEND for side in (left, right))
    if window is not None and not is_append:
        message = "StreamPhysicalWindowJoin doesn't support consuming update and delete changes"
        raise planner.text.error(node, message, "Join without window_end, or read append-only tables.")
    join = _join_operation(planner, (left, right), conditions, kind, window)
    needs_pairs = kind is JoinKind.MARK or (bool(conditions.rest) and kind is not JoinKind.INNER)
    relation = (
        join_on_pairs((left, right), (left_keys, right_keys), join, widths[0], conditions.rest)
        if needs_pairs
        else Stateful(merged=(left, right), keys=(left_keys, right_keys), operation=join, fields=())
    )
    relation = attrs.evolve(
        relation,
        fields=_result_fields((left, right), kind, window),
        changelog=_result_changelog((left, right), join),
        upsert_key=_result_upsert_key(left, right, kind),
    )
    rest = () if needs_pairs else conditions.rest
    result = without_computed_keys(relation, widths, join.widths, rest)
    return PlannedRows(result, window and window[0])


def _checked_inputs(
    planner: SelectPlanner, rows: tuple[PlannedRows, PlannedRows], conditions: Conditions, node: exp.Expr
) -> list[Relation]:
    """Return the inputs of a join; an interval join needs append-only ones."""
    relations = [side.relation for side in rows]
    if conditions.bound and any(relation.changelog is not ChangelogMode.APPEND for relation in relations):
        low, high = conditions.bound.lower_ms, conditions.bound.upper_ms
        message = f"Times that are {low} to {high} ms apart are only joined when nothing changes in both inputs."
        raise planner.text.refused(node, message, "Join by the keys alone, or read append-only tables.")
    return relations


def _join_operation(
    planner: SelectPlanner,
    sides: tuple[Relation, Relation],
    conditions: Conditions,
    kind: JoinKind,
    window: tuple[WindowColumns, WindowColumns] | None,
) -> Join | IntervalJoin:
    widths, bound = (len(sides[0].fields), len(sides[1].fields)), conditions.bound
    if bound:
        return IntervalJoin(
            kind=kind,
            widths=widths,
            times=bound.times,
            lower_ms=bound.lower_ms,
            upper_ms=bound.upper_ms,
            time=bound.time,
            null_safe=conditions.null_safe,
        )
    if window is None:
        ttl_ms, right_ms = planner.hinted.sides(planner.ttl_ms)
        right_ttl_ms = None if right_ms == ttl_ms else right_ms
        return Join(kind=kind, widths=widths, ttl_ms=ttl_ms, null_safe=conditions.null_safe, right_ttl_ms=right_ttl_ms)
    left_window, right_window = window
    return Join(
        kind=kind,
        widths=widths,
        window_end=(left_window.end, right_window.end),
        time=left_window.attribute,
        zone=left_window.zone,
        null_safe=conditions.null_safe,
    )


def _result_fields(
    sides: tuple[Relation, Relation], kind: JoinKind, windows: tuple[WindowColumns, WindowColumns] | None
) -> tuple[Field, ...]:
    """Return the columns of a join; those with the last instant of a window stay time attributes in a window join."""
    left, right = sides
    if kind.has_only_left:
        fields = (*without_times(left.fields), *((MARK,) if kind is JoinKind.MARK else ()))
    else:
        fields = both_fields(left, right, kind)
    begins = (0, len(left.fields))
    times = {
        begin + window.time: window.attribute
        for begin, window in zip(begins, windows or (), strict=False)
        if window.time is not None
    }
    return tuple(attrs.evolve(field, time=times.get(index)) for index, field in enumerate(fields))


def _result_changelog(sides: Sequence[Relation], join: Join | IntervalJoin) -> ChangelogMode:
    is_append = all(side.changelog is ChangelogMode.APPEND for side in sides)
    is_final = isinstance(join, IntervalJoin) or join.window_end is not None
    is_added_to = is_append and (is_final or join.kind in (JoinKind.INNER, JoinKind.SEMI))
    return ChangelogMode.APPEND if is_added_to else ChangelogMode.RETRACT


def _result_upsert_key(left: Relation, right: Relation, kind: JoinKind) -> tuple[int, ...] | None:
    if kind.has_only_left:
        return left.upsert_key
    if left.upsert_key is None or right.upsert_key is None:
        return None
    return (*left.upsert_key, *(index + len(left.fields) for index in right.upsert_key))


def _common_window(
    windows: Sequence[WindowColumns | None], left: tuple[int, ...], right: tuple[int, ...]
) -> tuple[WindowColumns, WindowColumns] | None:
    """Return the windows of both sides, if their bounds are among the keys."""
    left_window, right_window = windows
    pairs = set(zip(left, right, strict=True))
    if (
        left_window is None
        or right_window is None
        or not {(left_window.start, right_window.start), (left_window.end, right_window.end)} <= pairs
    ):
        return None
    return left_window, right_window
