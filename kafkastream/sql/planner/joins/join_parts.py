"""Helpers of joins: keys as columns, the columns of both sides, and removal of computed keys."""

from __future__ import annotations

from collections.abc import Sequence

from kafkastream.sql.plan.expression import TypedExpression
from kafkastream.sql.plan.operations import JoinKind
from kafkastream.sql.plan.plan_builder import column_of, filtered, projected, reference, references
from kafkastream.sql.plan.relations import Field, Relation

__all__ = ["both_fields", "with_key_columns", "without_computed_keys"]

_OPTIONAL_LEFT = frozenset({JoinKind.RIGHT, JoinKind.FULL})
_OPTIONAL_RIGHT = frozenset({JoinKind.LEFT, JoinKind.FULL})


def both_fields(left: Relation, right: Relation, kind: JoinKind) -> tuple[Field, ...]:
    """Return the columns of both sides, without time attributes; those of an optional side are nullable."""
    sides = ((left, kind in _OPTIONAL_LEFT), (right, kind in _OPTIONAL_RIGHT))
    return tuple(
        Field(field.name, field.type.nullable() if may_miss else field.type)
        for side, may_miss in sides
        for field in side.fields
    )


def with_key_columns(relation: Relation, keys: Sequence[TypedExpression]) -> tuple[Relation, tuple[int, ...]]:
    """Return a relation with its keys as columns; computed keys are appended."""
    added = [key for key in dict.fromkeys(keys) if column_of(key) is None]
    if not added:
        return relation, tuple(column for key in keys if (column := column_of(key)) is not None)
    expressions = [*references(relation), *added]
    names = [*(field.name for field in relation.fields), *(f"$key{number}" for number in range(len(added)))]
    wider = projected(relation, expressions, names)
    indexes = {expression: index for index, expression in enumerate(expressions)}
    return wider, tuple(indexes[key] for key in keys)


def without_computed_keys(
    relation: Relation, wanted: tuple[int, int], widths: tuple[int, int], conditions: Sequence[TypedExpression]
) -> Relation:
    """Drop computed keys from the columns of both sides, and apply conditions over the remaining ones."""
    both = [*range(wanted[0]), *range(widths[0], widths[0] + wanted[1])]
    remaining = [index for index in both if index < len(relation.fields)]
    if len(remaining) != len(relation.fields):
        names = [relation.fields[index].name for index in remaining]
        relation = projected(relation, [reference(relation, index) for index in remaining], names)
    return filtered(relation, conditions)
