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
from kafkastream.sql.planner.from_clause import source
from kafkastream.sql.planner.joins.common_columns import common_names, equations, with_common_columns, with_sides
from kafkastream.sql.planner.joins.join_conditions import Conditions, conjuncts, join_conditions
from kafkastream.sql.planner.joins.join_parts import both_fields, keyed, without_computed_keys
from kafkastream.sql.planner.joins.joins_on_pairs import MARK, pairs_matched, pushed
from kafkastream.sql.planner.joins.laterals import correlated, is_correlated
from kafkastream.sql.planner.joins.temporal_joins import versioned
from kafkastream.sql.planner.window_table_functions import closed_sessions

if TYPE_CHECKING:
    from kafkastream.sql.planner.query_planner import SelectPlanner

__all__ = ["joined_rows", "of_two"]

_OUTER = {"LEFT": JoinKind.LEFT, "RIGHT": JoinKind.RIGHT, "FULL": JoinKind.FULL}


def joined_rows(
    planner: SelectPlanner, rows: PlannedRows, scope: Scope, join: exp.Join, conditions: list[exp.Expr]
) -> tuple[PlannedRows, Scope, list[exp.Expr]]:
    """Plan a join; removes the conditions of WHERE that belong to it from the list."""
    text = planner.text
    text.only(join, "this", "on", "side", "kind", "using", "method")
    rows = closed_sessions(planner, rows, join)
    kind = _kind(planner, join)
    on = join.args.get("on")
    if is_correlated(join.this):
        result, scope, further = correlated(planner, rows, scope, join, kind)
        return result, scope, [*conditions, *further]
    version = join.this.args.get("version") if isinstance(join.this, exp.Table) else None
    other, other_scope = source(planner, _without_version(join.this))
    other = closed_sessions(planner, other, join)
    names = common_names(planner, join, scope, other_scope)
    nodes = [*equations(names), *(conjuncts(on) if on is not None else ())]
    if kind is JoinKind.INNER:
        taken = [one for one in conditions if _joins(planner, scope, other_scope, one)]
        asking = [one for one in nodes if one.find(exp.Query)]
        nodes = [*(one for one in nodes if one not in asking), *taken]
        conditions = [*(one for one in conditions if one not in taken), *asking]
    elif on is None and not (join.args.get("using") or join.args.get("method")):
        raise text.error(join, f"A {kind.value} JOIN needs ON.", "Write ON a.k = b.k.")
    planner = attrs.evolve(planner, hinted=planner.hinted.of_scopes(scope, other_scope))
    sides = with_sides((scope, other_scope), names)
    given = [one for one in nodes if not _is_true(one)]
    if version:
        found = join_conditions(planner, _without_times(sides[0]), _without_times(sides[1]), given)
        result = versioned(planner, (rows, other), (scope, other_scope), found, kind, version)
    else:
        found = join_conditions(planner, *sides, given)
        result = of_two(planner, (rows, other), found, kind, join)
    return (*with_common_columns(planner, result, (scope, other_scope), names), conditions)


def _without_times(scope: Scope) -> Scope:
    """Return a scope whose times bound no join."""
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


def _kind(planner: SelectPlanner, join: exp.Join) -> JoinKind:
    side, kind = (join.args.get("side") or "").upper(), (join.args.get("kind") or "").upper()
    if kind in ("SEMI", "ANTI") or kind not in ("", "INNER", "OUTER", "CROSS"):
        raise planner.text.refused(
            join, f"{side} {kind} JOIN is not supported.", "Write WHERE [NOT] EXISTS (SELECT ...)."
        )
    return _OUTER.get(side, JoinKind.INNER)


def _joins(planner: SelectPlanner, left: Scope, right: Scope, node: exp.Expr) -> bool:
    """Return whether a condition of WHERE refers to both sides."""
    if node.find(exp.Query):
        return False
    try:
        found = columns_in(planner.compiler(left.joined(right)).compile(node))
    except DefinitionError:
        return False
    return bool(found) and min(found) < len(left.fields) <= max(found)


def of_two(
    planner: SelectPlanner, rows: tuple[PlannedRows, PlannedRows], found: Conditions, kind: JoinKind, node: exp.Expr
) -> PlannedRows:
    """Plan a regular, window or interval join.

    Args:
        planner: Planner of the query.
        rows: Both inputs.
        found: Conditions of the join.
        kind: Kind of the join; MARK adds a column.
        node: Node of the join, for errors.
    """
    relations = _checked(planner, rows, found, node)
    widths = len(relations[0].fields), len(relations[1].fields)
    relations, found = pushed(relations, found, kind, planner.ttl_ms)
    if found.bound is None:
        relations = [normalized(one, planner.ttl_ms) for one in relations]
    (left, left_keys), (right, right_keys) = (
        keyed(one, keys) for one, keys in zip(relations, (found.left, found.right), strict=True)
    )
    window = None if found.bound else _common_window([one.window for one in rows], left_keys, right_keys)
    is_append = all(one.changelog is ChangelogMode.APPEND for one in (left, right))
    if window is not None and not is_append:
        what = "StreamPhysicalWindowJoin doesn't support consuming update and delete changes"
        raise planner.text.error(node, what, "Join without window_end, or read append-only tables.")
    join = _operation(planner, (left, right), found, kind, window)
    needs_pairs = kind is JoinKind.MARK or (bool(found.rest) and kind is not JoinKind.INNER)
    relation = (
        pairs_matched((left, right), (left_keys, right_keys), join, widths[0], found.rest)
        if needs_pairs
        else Stateful(merged=(left, right), keys=(left_keys, right_keys), operation=join, fields=())
    )
    relation = attrs.evolve(
        relation,
        fields=_fields((left, right), kind, window),
        changelog=_changelog((left, right), join),
        upsert_key=_upsert_key(left, right, kind),
    )
    rest = () if needs_pairs else found.rest
    result = without_computed_keys(relation, widths, join.widths, rest)
    return PlannedRows(result, window and window[0])


def _checked(
    planner: SelectPlanner, rows: tuple[PlannedRows, PlannedRows], found: Conditions, node: exp.Expr
) -> list[Relation]:
    """Return the inputs of a join, unless they cannot be joined."""
    relations = [one.relation for one in rows]
    if found.bound and any(one.changelog is not ChangelogMode.APPEND for one in relations):
        low, high = found.bound.lower_ms, found.bound.upper_ms
        what = f"Times that are {low} to {high} ms apart are only joined when nothing changes in both inputs."
        raise planner.text.refused(node, what, "Join by the keys alone, or read append-only tables.")
    return relations


def _operation(
    planner: SelectPlanner,
    sides: tuple[Relation, Relation],
    found: Conditions,
    kind: JoinKind,
    window: tuple[WindowColumns, WindowColumns] | None,
) -> Join | IntervalJoin:
    widths, bound = (len(sides[0].fields), len(sides[1].fields)), found.bound
    if bound:
        return IntervalJoin(
            kind=kind,
            widths=widths,
            times=bound.times,
            lower_ms=bound.lower_ms,
            upper_ms=bound.upper_ms,
            time=bound.time,
            null_safe=found.null_safe,
        )
    if window is None:
        ttl_ms, right_ms = planner.hinted.sides(planner.ttl_ms)
        right_ttl_ms = None if right_ms == ttl_ms else right_ms
        return Join(kind=kind, widths=widths, ttl_ms=ttl_ms, null_safe=found.null_safe, right_ttl_ms=right_ttl_ms)
    one, other = window
    return Join(
        kind=kind,
        widths=widths,
        window_end=(one.end, other.end),
        time=one.attribute,
        zone=one.zone,
        null_safe=found.null_safe,
    )


def _fields(
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
    return tuple(attrs.evolve(field, time=times.get(at)) for at, field in enumerate(fields))


def _changelog(sides: Sequence[Relation], join: Join | IntervalJoin) -> ChangelogMode:
    is_append = all(one.changelog is ChangelogMode.APPEND for one in sides)
    is_final = isinstance(join, IntervalJoin) or join.window_end is not None
    is_added_to = is_append and (is_final or join.kind in (JoinKind.INNER, JoinKind.SEMI))
    return ChangelogMode.APPEND if is_added_to else ChangelogMode.RETRACT


def _upsert_key(left: Relation, right: Relation, kind: JoinKind) -> tuple[int, ...] | None:
    if kind.has_only_left:
        return left.upsert_key
    if left.upsert_key is None or right.upsert_key is None:
        return None
    return (*left.upsert_key, *(at + len(left.fields) for at in right.upsert_key))


def _common_window(
    windows: Sequence[WindowColumns | None], left: tuple[int, ...], right: tuple[int, ...]
) -> tuple[WindowColumns, WindowColumns] | None:
    """Return the windows of both sides, if their bounds are among the keys."""
    one, other = windows
    pairs = set(zip(left, right, strict=True))
    if one is None or other is None or not {(one.start, other.start), (one.end, other.end)} <= pairs:
        return None
    return one, other
