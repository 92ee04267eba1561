"""Joins with conditions on pairs of rows: Spark evaluates them on all pairs with equal keys."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import attrs

from kafkastream.sql.changelog import ChangelogMode
from kafkastream.sql.plan.casts import typed_null
from kafkastream.sql.plan.expression import (
    TRUE,
    Call,
    Case,
    TypedExpression,
    columns_in,
    conjunction,
    renumbered,
    shifted,
)
from kafkastream.sql.plan.functions.window_functions import OF_PAIRS
from kafkastream.sql.plan.operations import IntervalJoin, Join, JoinKind, Matches, Pairs
from kafkastream.sql.plan.plan_builder import filtered, projected, reference, references
from kafkastream.sql.plan.relations import Field, Relation, Stateful
from kafkastream.sql.planner.joins.join_conditions import Conditions
from kafkastream.sql.types import DataType, Kind

__all__ = ["MARK", "join_on_pairs", "push_down_conditions"]

MARK: Final = Field("$mark", DataType.of(Kind.BOOLEAN).not_null())
"""Column of a MARK join: whether a row has a match."""
_BOOLEAN: Final = DataType.of(Kind.BOOLEAN)
_PART: Final = Field("$part", DataType.of(Kind.TINYINT).not_null())
_NUMBER: Final = Field("$number", DataType.of(Kind.BIGINT))

_FILTERING_KINDS: Final = (
    frozenset({JoinKind.INNER, JoinKind.RIGHT, JoinKind.SEMI}),
    frozenset({JoinKind.INNER, JoinKind.LEFT, JoinKind.SEMI, JoinKind.ANTI, JoinKind.MARK}),
)
"""Kinds of joins from which a row of that side vanishes that does not meet a condition on it alone."""


def push_down_conditions(
    relations: Sequence[Relation], conditions: Conditions, kind: JoinKind, ttl_ms: int
) -> tuple[list[Relation], Conditions]:
    """Push conditions on one side below the join: as a filter, or into a key that equals none if one does not hold."""
    width = len(relations[0].fields)
    sides: tuple[list[TypedExpression], list[TypedExpression]] = ([], [])
    rest = []
    for condition in conditions.rest:
        columns = columns_in(condition)
        if not columns and kind is JoinKind.INNER:
            rest.append(condition)
        elif not columns or max(columns) < width:
            sides[0 if columns or kind is not JoinKind.RIGHT else 1].append(condition)
        elif min(columns) >= width:
            sides[1].append(shifted(condition, width))
        else:
            rest.append(condition)
    below = [
        filtered(relation, side_conditions if kind in filters else [], ttl_ms)
        for relation, side_conditions, filters in zip(relations, sides, _FILTERING_KINDS, strict=True)
    ]
    keys = [
        [] if kind in filters else side_conditions
        for side_conditions, filters in zip(sides, _FILTERING_KINDS, strict=True)
    ]
    if not any(keys):
        return below, conditions._replace(rest=tuple(rest))
    left, right = map(_true_if, keys)
    return below, conditions._replace(left=(*conditions.left, left), right=(*conditions.right, right), rest=tuple(rest))


def _true_if(conditions: Sequence[TypedExpression]) -> TypedExpression:
    """Return TRUE if all conditions hold, otherwise NULL."""
    condition = conjunction(conditions)
    return TRUE if condition is None else Case((condition,), (TRUE,), typed_null(_BOOLEAN), _BOOLEAN)


def join_on_pairs(
    sides: tuple[Relation, Relation],
    keys: tuple[tuple[int, ...], tuple[int, ...]],
    join: Join | IntervalJoin,
    width: int,
    rest: Sequence[TypedExpression],
) -> Stateful:
    """Return a join with conditions on pairs, without its columns and changes.

    Args:
        sides: Inputs, with their keys as columns.
        keys: Positions of each input's key columns.
        join: The join without the conditions.
        width: Number of columns of the left input over which the conditions are written.
        rest: The conditions, over the columns of the left input and then those of the right one.
    """
    pairs = Pairs(join=join)
    number = (_NUMBER,) if pairs.is_final else ()
    every = [[*(_nullable(field) for field in side.fields), *number] for side in sides]
    key_fields = [_nullable(sides[0].fields[column]) for column in keys[0]]
    is_append = pairs.is_final or all(side.changelog is ChangelogMode.APPEND for side in sides)
    emitted = Stateful(
        merged=sides,
        keys=keys,
        operation=pairs,
        fields=(_PART, *key_fields, *every[0], *every[1]),
        changelog=ChangelogMode.APPEND if is_append else ChangelogMode.RETRACT,
    )
    begin, middle = 1 + len(key_fields), 1 + len(key_fields) + len(every[0])
    moved = [
        renumbered(
            condition,
            {column: column + begin if column < width else column - width + middle for column in columns_in(condition)},
        )
        for condition in rest
    ]
    condition = conjunction(moved) or TRUE
    left = projected(
        emitted,
        references(emitted),
        [field.name for field in emitted.fields],
        Call(OF_PAIRS, (reference(emitted, 0), condition), _BOOLEAN),
    )
    return Stateful(
        merged=(left,),
        keys=(tuple(range(1, begin)),),
        operation=Matches(
            kind=join.kind,
            keys=len(key_fields),
            widths=(len(every[0]), len(every[1])),
            is_final=pairs.is_final,
            ttl_ms=_longest_ttl(join),
        ),
        fields=(),
    )


def _nullable(field: Field) -> Field:
    return attrs.evolve(field, type=field.type.nullable(), time=None)


def _longest_ttl(join: Join | IntervalJoin) -> int:
    """Return the time for which a row of either side may be kept, in ms; 0 for ever."""
    return max(join.ttls_ms) if isinstance(join, Join) and all(join.ttls_ms) else 0
