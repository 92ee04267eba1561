"""What joins share: keys as columns, the columns of both sides, and leaving out those that are only keys."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from kafkastream.sql.expressions.column_scope import Scope
from kafkastream.sql.plan.operations import JoinKind
from kafkastream.sql.plan.plan_builder import column_of, filtered, projected
from kafkastream.sql.plan.relations import Field, Relation, column

if TYPE_CHECKING:
    from kafkastream.sql.planner.query_planner import Planner

__all__ = ["both_fields", "keyed", "trimmed"]

_MISSING_LEFT = frozenset({JoinKind.RIGHT, JoinKind.FULL})
_MISSING_RIGHT = frozenset({JoinKind.LEFT, JoinKind.FULL})


def both_fields(left: Relation, right: Relation, kind: JoinKind) -> tuple[Field, ...]:
    """The columns of both, which are no time attributes any more; those of a side that may be missing are nullable."""
    sides = ((left, kind in _MISSING_LEFT), (right, kind in _MISSING_RIGHT))
    return tuple(
        Field(field.name, field.type.nullable() if may_miss else field.type)
        for side, may_miss in sides
        for field in side.fields
    )


def keyed(planner: Planner, relation: Relation, keys: Sequence[str]) -> tuple[Relation, tuple[int, ...]]:
    """A relation with its keys as columns: those that are computed come behind the others."""
    added = [key for key in dict.fromkeys(keys) if column_of(key) is None]
    if not added:
        return relation, tuple(place for key in keys if (place := column_of(key)) is not None)
    fields = relation.fields
    every = [column(at) for at in range(len(fields))]
    names = [*(field.name for field in fields), *(f"$key{at}" for at in range(len(added)))]
    of = planner.translator(Scope(fields, ()))
    wider = projected(relation, [*every, *added], names, [*(field.type for field in fields), *of.types(added)])
    places = {**{one: at for at, one in enumerate(every)}, **{one: len(every) + at for at, one in enumerate(added)}}
    return wider, tuple(places[key] for key in keys)


def trimmed(relation: Relation, wanted: tuple[int, int], widths: tuple[int, int], condition: str | None) -> Relation:
    """The columns of both sides without computed keys; the condition is over these."""
    kept = [*range(wanted[0]), *range(widths[0], widths[0] + wanted[1])]
    if len(kept) == len(relation.fields) and condition is None:
        return relation
    fields = [relation.fields[at] for at in kept]
    columns = [column(at) for at in kept]
    without = relation
    if len(kept) != len(relation.fields):
        without = projected(relation, columns, [field.name for field in fields], [field.type for field in fields])
    if condition is None:
        return without
    return filtered(without, [condition])
