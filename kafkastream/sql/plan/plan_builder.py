"""Builds relations on others, while a query is planned."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import chain, count
from typing import Final, final

import attrs

from kafkastream.sql.changelog import ChangelogMode
from kafkastream.sql.plan.expression import ColumnRef, Literal, TypedExpression, conjunction
from kafkastream.sql.plan.operations import Normalize, TimeAttribute
from kafkastream.sql.plan.relations import Field, Project, Relation, Stateful, Values
from kafkastream.sql.types import DataType, Kind

__all__ = [
    "ONE_ROW",
    "PlannedRows",
    "WindowColumns",
    "column_of",
    "filtered",
    "normalized",
    "projected",
    "reference",
    "references",
    "rewindowed",
    "with_distinct_names",
    "with_names",
    "without_times",
]

ONE_ROW: Final = Values(rows=((Literal.whole(0),),), fields=(Field("ZERO", DataType.of(Kind.INT).not_null()),))
"""Input of a SELECT without FROM."""


@final
@attrs.frozen(kw_only=True)
class WindowColumns:
    """Columns with the window of a row.

    Args:
        start: Position of the column with its start.
        end: Position of the column with its end.
        time: Position of the column with its last instant (``window_time``); None if it was dropped.
        attribute: Event time or processing time.
        zone: Time zone of the bounds.
        is_local: Whether the time is a TIMESTAMP_LTZ.
        gap_ms: Gap of sessions in ms, whose bounds only aggregates determine; None for other windows.
        column: Position of the time column of sessions.
        partition: Positions of the partition columns of sessions; None if they are those of GROUP BY.
    """

    start: int
    end: int
    time: int | None
    attribute: TimeAttribute
    zone: str
    is_local: bool
    gap_ms: int | None = None
    column: int = 0
    partition: tuple[int, ...] | None = None


@final
@attrs.frozen
class PlannedRows:
    """A relation, with the window columns of its rows, if any."""

    relation: Relation
    window: WindowColumns | None = None


def column_of(expression: TypedExpression) -> int | None:
    """Return the position of a column reference; None for other expressions."""
    return expression.place if isinstance(expression, ColumnRef) else None


def reference(relation: Relation, place: int) -> ColumnRef:
    """Return a reference to a column of a relation."""
    return ColumnRef(place, relation.fields[place].type)


def references(relation: Relation) -> list[TypedExpression]:
    """Return references to all columns of a relation."""
    return [reference(relation, place) for place in range(len(relation.fields))]


def filtered(relation: Relation, conditions: Sequence[TypedExpression], ttl_ms: int = 0) -> Relation:
    """Return the rows for which all conditions hold."""
    condition = conjunction(conditions)
    if condition is None:
        return relation
    names = [field.name for field in relation.fields]
    return projected(relation, references(relation), names, condition, ttl_ms)


def normalized(relation: Relation, ttl_ms: int = 0) -> Relation:
    """Return upserts with UPDATE_BEFORE added; other relations unchanged."""
    if relation.changelog is not ChangelogMode.UPSERT:
        return relation
    key = relation.upsert_key or ()
    return Stateful(
        merged=(relation,),
        keys=(key,),
        operation=Normalize(ttl_ms=ttl_ms),
        fields=relation.fields,
        changelog=ChangelogMode.RETRACT,
        upsert_key=key,
    )


def projected(
    relation: Relation,
    expressions: Sequence[TypedExpression],
    names: Sequence[str],
    condition: TypedExpression | None = None,
    ttl_ms: int = 0,
    proctimes: frozenset[int] = frozenset(),
) -> Relation:
    """Project rows. References keep time attributes and the upsert key, unless the key loses a column."""
    places = [column_of(one) for one in expressions]
    kept = [place for place in places if place is not None]
    loses_key = relation.upsert_key is not None and not set(relation.upsert_key) <= set(kept)
    if condition is not None or loses_key:
        relation = normalized(relation, ttl_ms)
    key = None
    if relation.upsert_key is not None and not loses_key:
        key = tuple(places.index(part) for part in relation.upsert_key)
    fields = tuple(
        Field(
            name,
            expression.type,
            TimeAttribute.PROCESSING if at in proctimes else None if place is None else relation.fields[place].time,
        )
        for at, (name, expression, place) in enumerate(zip(names, expressions, places, strict=True))
    )
    return Project(
        input=relation,
        expressions=tuple(expressions),
        condition=condition,
        fields=fields,
        changelog=relation.changelog,
        upsert_key=key,
    )


def rewindowed(window: WindowColumns | None, expressions: Sequence[TypedExpression]) -> WindowColumns | None:
    """Return the window columns after a projection; None if it drops a bound."""
    if window is None:
        return None
    places = list(map(column_of, expressions))
    if window.start not in places or window.end not in places:
        return None
    time = places.index(window.time) if window.time is not None and window.time in places else None
    return attrs.evolve(window, start=places.index(window.start), end=places.index(window.end), time=time)


def without_times(fields: Sequence[Field], only: int | None = None) -> tuple[Field, ...]:
    """Return columns without time attributes; or with only one dropped, if it is given."""
    return tuple(attrs.evolve(field, time=None) if only in (None, at) else field for at, field in enumerate(fields))


def with_names(relation: Relation, names: Sequence[str]) -> Relation:
    """Return a relation with renamed columns."""
    fields = tuple(attrs.evolve(field, name=name) for field, name in zip(relation.fields, names, strict=True))
    return attrs.evolve(relation, fields=fields)


def with_distinct_names(rows: PlannedRows) -> PlannedRows:
    """Return rows with distinct column names: as in Flink, the second ``id`` becomes ``id0``."""
    names: dict[str, None] = {}
    for field in rows.relation.fields:
        tried = chain((field.name,), (f"{field.name}{number}" for number in count()))
        names[next(one for one in tried if one not in names)] = None
    return attrs.evolve(rows, relation=with_names(rows.relation, list(names)))
