"""Joins of two relations: regular, window, interval, and temporal joins."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import attrs
from sqlglot import exp

from kafkastream.errors import DefinitionError
from kafkastream.sql.changelog import ChangelogMode
from kafkastream.sql.expressions.column_scope import Scope
from kafkastream.sql.plan.expression import TypedExpression, columns_in, shifted
from kafkastream.sql.plan.operations import IntervalJoin, Join, JoinKind, Operation
from kafkastream.sql.plan.plan_builder import PlannedRows, WindowColumns, filtered, normalized
from kafkastream.sql.plan.relations import Relation, Stateful
from kafkastream.sql.planner.from_clause import source
from kafkastream.sql.planner.join_conditions import Conditions, conditions_of, conjuncts
from kafkastream.sql.planner.join_parts import both_fields, keyed, trimmed
from kafkastream.sql.planner.temporal_joins import versioned
from kafkastream.sql.planner.unnest import unnested

if TYPE_CHECKING:
    from kafkastream.sql.planner.query_planner import SelectPlanner

__all__ = ["joined_rows"]

_OUTER = {"LEFT": JoinKind.LEFT, "RIGHT": JoinKind.RIGHT, "FULL": JoinKind.FULL}


def joined_rows(
    planner: SelectPlanner, rows: PlannedRows, scope: Scope, join: exp.Join, conditions: list[exp.Expr]
) -> tuple[PlannedRows, Scope, list[exp.Expr]]:
    """Plan a join; removes the conditions of WHERE that belong to it from the list."""
    text = planner.text
    if join.args.get("using") or join.args.get("method"):
        raise text.refused(join, "USING and NATURAL are not supported.", "Write ON a.k = b.k.")
    text.only(join, "this", "on", "side", "kind")
    kind = _kind(planner, join)
    on = join.args.get("on")
    if isinstance(join.this, exp.Unnest):
        if on is not None and not (isinstance(on, exp.Boolean) and on.this):
            raise text.refused(on, "UNNEST is joined ON TRUE.", "Write the condition into WHERE.")
        if kind not in (JoinKind.INNER, JoinKind.LEFT):
            raise text.refused(
                join, f"A {kind.value} join with UNNEST is not possible.", "Write CROSS JOIN or LEFT JOIN."
            )
        return (*unnested(planner, rows, scope, join.this, outer=kind is JoinKind.LEFT), conditions)
    version = join.this.args.get("version") if isinstance(join.this, exp.Table) else None
    if version:
        join.this.set("version", None)
    other, other_scope = source(planner, join.this)
    nodes = list(conjuncts(on)) if on is not None else []
    if kind is JoinKind.INNER:
        taken = [one for one in conditions if _joins(planner, scope, other_scope, one)]
        nodes, conditions = [*nodes, *taken], [one for one in conditions if one not in taken]
    elif on is None:
        raise text.error(join, f"A {kind.value} JOIN needs ON.", "Write ON a.k = b.k.")
    found = conditions_of(planner, scope, other_scope, [one for one in nodes if not _is_true(one)])
    if version:
        result = versioned(planner, (rows, other), (scope, other_scope), found, kind, version)
    else:
        result = _of_two(planner, (rows, other), found, kind, join)
    fields = result.relation.fields
    return result, attrs.evolve(scope.joined(other_scope), fields=fields), conditions


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
    """Whether a condition of WHERE refers to both sides."""
    if node.find(exp.Query):
        return False
    try:
        found = columns_in(planner.compiler(left.joined(right)).compile(node))
    except DefinitionError:
        return False
    return bool(found) and min(found) < len(left.fields) <= max(found)


def _of_two(
    planner: SelectPlanner, rows: tuple[PlannedRows, PlannedRows], found: Conditions, kind: JoinKind, join: exp.Join
) -> PlannedRows:
    text, relations = planner.text, [one.relation for one in rows]
    for one in rows:
        if one.window and one.window.gap_ms is not None:
            raise text.refused(join, "Rows of SESSION cannot be joined.", "Aggregate them first.")
    is_append = all(one.changelog is ChangelogMode.APPEND for one in relations)
    width = len(relations[0].fields)
    relations, rest = _pushed(planner, relations, found.rest, kind)
    if found.bound and not is_append:
        low, high = found.bound.lower_ms, found.bound.upper_ms
        what = f"Times that are {low} to {high} ms apart are only joined when nothing changes in both inputs."
        raise text.refused(join, what, "Join by the keys alone, or read append-only tables.")
    if rest and kind is not JoinKind.INNER:
        what = f"A {kind.value} JOIN takes equations and bounds of time attributes only."
        raise text.refused(
            join, what, "Put conditions of one side into a query: LEFT JOIN (SELECT * FROM b WHERE ...) AS b."
        )
    if found.bound is None:
        relations = [normalized(one, planner.ttl_ms) for one in relations]
    (left, left_keys), (right, right_keys) = (
        keyed(one, keys) for one, keys in zip(relations, (found.left, found.right), strict=True)
    )
    widths = (len(left.fields), len(right.fields))
    operation: Operation
    ends = None if found.bound else _window_ends([one.window for one in rows], left_keys, right_keys)
    if found.bound:
        bound = found.bound
        operation = IntervalJoin(
            kind=kind,
            widths=widths,
            times=bound.times,
            lower_ms=bound.lower_ms,
            upper_ms=bound.upper_ms,
            time=bound.time,
        )
    else:
        operation = Join(kind=kind, widths=widths, ttl_ms=0 if ends else planner.ttl_ms, window_end=ends)
    is_added_to = is_append and (found.bound is not None or ends is not None or kind is JoinKind.INNER)
    keys = None
    if left.upsert_key is not None and right.upsert_key is not None:
        keys = (*left.upsert_key, *(at + widths[0] for at in right.upsert_key))
    relation = Stateful(
        merged=(left, right),
        keys=(left_keys, right_keys),
        operation=operation,
        fields=both_fields(left, right, kind),
        changelog=ChangelogMode.APPEND if is_added_to else ChangelogMode.RETRACT,
        upsert_key=keys,
    )
    result = trimmed(relation, (width, len(relations[1].fields)), widths, rest)
    return PlannedRows(result, attrs.evolve(rows[0].window, time=None) if ends and rows[0].window else None)


def _pushed(
    planner: SelectPlanner, relations: list[Relation], conditions: Sequence[TypedExpression], kind: JoinKind
) -> tuple[list[Relation], list[TypedExpression]]:
    """Push conditions on one side below the join, if the result is the same; return the others."""
    width = len(relations[0].fields)
    sides: tuple[list[TypedExpression], list[TypedExpression]] = ([], [])
    rest = []
    for one in conditions:
        found = columns_in(one)
        if found and max(found) < width and kind in (JoinKind.INNER, JoinKind.RIGHT):
            sides[0].append(one)
        elif found and min(found) >= width and kind in (JoinKind.INNER, JoinKind.LEFT):
            sides[1].append(shifted(one, width))
        else:
            rest.append(one)
    return [filtered(relation, side, planner.ttl_ms) for relation, side in zip(relations, sides, strict=True)], rest


def _window_ends(
    windows: Sequence[WindowColumns | None], left: tuple[int, ...], right: tuple[int, ...]
) -> tuple[int, int] | None:
    """Return the positions of both sides' window ends, if the window bounds are among the keys."""
    one, other = windows
    pairs = set(zip(left, right, strict=True))
    if one is None or other is None or not {(one.start, other.start), (one.end, other.end)} <= pairs:
        return None
    return one.end, other.end
