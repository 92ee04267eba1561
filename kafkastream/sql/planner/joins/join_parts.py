"""Helpers of joins: keys as columns, the columns of both sides, and removal of computed keys."""

from __future__ import annotations

from collections.abc import Sequence

from kafkastream.sql.plan.expression import TypedExpression
from kafkastream.sql.plan.operations import JoinKind
from kafkastream.sql.plan.plan_builder import column_of, filtered, projected, reference, references
from kafkastream.sql.plan.relations import Field, Relation

__all__ = ["both_fields", "keyed", "without_computed_keys"]

_MISSING_LEFT = frozenset({JoinKind.RIGHT, JoinKind.FULL})
_MISSING_RIGHT = frozenset({JoinKind.LEFT, JoinKind.FULL})


def both_fields(left: Relation, right: Relation, kind: JoinKind) -> tuple[Field, ...]:
    """Return the columns of both sides, without time attributes; those of an optional side are nullable."""
    sides = ((left, kind in _MISSING_LEFT), (right, kind in _MISSING_RIGHT))
    return tuple(
        Field(field.name, field.type.nullable() if may_miss else field.type)
        for side, may_miss in sides
        for field in side.fields
    )


def keyed(relation: Relation, keys: Sequence[TypedExpression]) -> tuple[Relation, tuple[int, ...]]:
    """Return a relation with its keys as columns; computed keys are appended."""
    added = [key for key in dict.fromkeys(keys) if column_of(key) is None]
    if not added:
        return relation, tuple(place for key in keys if (place := column_of(key)) is not None)
    every = [*references(relation), *added]
    names = [*(field.name for field in relation.fields), *(f"$key{at}" for at in range(len(added)))]
    wider = projected(relation, every, names)
    places = {one: at for at, one in enumerate(every)}
    return wider, tuple(places[key] for key in keys)


def without_computed_keys(
    relation: Relation, wanted: tuple[int, int], widths: tuple[int, int], conditions: Sequence[TypedExpression]
) -> Relation:
    """Drop computed keys from the columns of both sides, and apply conditions over the remaining ones."""
    both = [*range(wanted[0]), *range(widths[0], widths[0] + wanted[1])]
    kept = [at for at in both if at < len(relation.fields)]
    if len(kept) != len(relation.fields):
        names = [relation.fields[at].name for at in kept]
        relation = projected(relation, [reference(relation, at) for at in kept], names)
    return filtered(relation, conditions)
