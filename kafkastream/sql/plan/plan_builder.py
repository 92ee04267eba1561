"""Relations while they are planned, and the steps that put one on another."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from itertools import chain, count
from typing import Final, final

import attrs

from kafkastream.sql.changelog import ChangelogMode
from kafkastream.sql.plan.operations import Normalize, TimeAttribute
from kafkastream.sql.plan.relations import Field, Project, Relation, Stateful, Values, column
from kafkastream.sql.types import DataType, Kind

__all__ = [
    "ONE_ROW",
    "Rows",
    "Window",
    "column_of",
    "columns_in",
    "filtered",
    "normalized",
    "projected",
    "renumbered",
    "rewindowed",
    "shifted",
    "with_distinct_names",
    "with_names",
    "without_times",
]

ONE_ROW: Final = Values(rows=(("0",),), fields=(Field("ZERO", DataType.of(Kind.INT).not_null()),))
"""What a SELECT without FROM reads."""

_COLUMN = re.compile(r"c(\d+)")
_COLUMNS = re.compile(r"`[^`]*`|'(?:[^'\\]|\\.)*'|\bc(\d+)\b")


@final
@attrs.frozen(kw_only=True)
class Window:
    """The columns that tell the window of a row.

    Args:
        start: The one with the beginning.
        end: The one with the end.
        time: The one with the last instant; None when it was left out.
        attribute: By which time.
        zone: The time zone of the bounds.
        is_local: Whether the time is a TIMESTAMP_LTZ.
        gap_ms: That of sessions, whose bounds are known only to their aggregates; else None.
        column: The time column of sessions.
        partition: The columns that have sessions of their own; None when they are those of GROUP BY.
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
class Rows:
    """A relation, and the window of its rows if they have one."""

    relation: Relation
    window: Window | None = None


def column_of(sql: str) -> int | None:
    """Which column an expression is; None when it is computed.

    Example:
        >>> column_of("c12"), column_of("c1 + 1")
        (12, None)
    """
    found = _COLUMN.fullmatch(sql)
    return int(found[1]) if found else None


def columns_in(sql: str) -> frozenset[int]:
    """The columns that an expression reads.

    Example:
        >>> sorted(columns_in("c1.`c5` + if(c3 = 'c4', 1, 2)"))
        [1, 3]
    """
    return frozenset(int(found[1]) for found in _COLUMNS.finditer(sql) if found[1])


def shifted(sql: str, by: int) -> str:
    """An expression over columns that stand so many places further left.

    Example:
        >>> shifted("c5.`c5` = 'c5'", 3)
        "c2.`c5` = 'c5'"
    """
    return renumbered(sql, {place: place - by for place in columns_in(sql)})


def renumbered(sql: str, places: Mapping[int, int]) -> str:
    """Return an expression over columns that stand at other places.

    Example:
        >>> renumbered("c5.`c5` + c1", {5: 1, 1: 0})
        'c1.`c5` + c0'
    """
    return _COLUMNS.sub(lambda found: column(places[int(found[1])]) if found[1] else found[0], sql)


def filtered(relation: Relation, conditions: Sequence[str], ttl_ms: int = 0) -> Relation:
    """The rows for which all conditions hold."""
    if not conditions:
        return relation
    every = [column(at) for at in range(len(relation.fields))]
    names, types = [field.name for field in relation.fields], [field.type for field in relation.fields]
    return projected(relation, every, names, types, " and ".join(conditions), ttl_ms)


def normalized(relation: Relation, ttl_ms: int = 0) -> Relation:
    """Upserts as changes with the row before; other relations as they are."""
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
    expressions: Sequence[str],
    names: Sequence[str],
    types: Sequence[DataType],
    condition: str | None = None,
    ttl_ms: int = 0,
    proctimes: frozenset[int] = frozenset(),
) -> Relation:
    """Columns of each row. A plain reference stays a time attribute and a part of the key; a key that is cut is none."""
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
            type_,
            TimeAttribute.PROCESSING if at in proctimes else None if place is None else relation.fields[place].time,
        )
        for at, (name, type_, place) in enumerate(zip(names, types, places, strict=True))
    )
    return Project(
        input=relation,
        expressions=tuple(expressions),
        condition=condition,
        fields=fields,
        changelog=relation.changelog,
        upsert_key=key,
    )


def rewindowed(window: Window | None, expressions: Sequence[str]) -> Window | None:
    """The window of rows behind a projection; None when one of its bounds is left out."""
    if window is None:
        return None
    names = list(expressions)
    if column(window.start) not in names or column(window.end) not in names:
        return None
    time = names.index(column(window.time)) if window.time is not None and column(window.time) in names else None
    return attrs.evolve(window, start=names.index(column(window.start)), end=names.index(column(window.end)), time=time)


def without_times(fields: Sequence[Field], only: int | None = None) -> tuple[Field, ...]:
    """Columns that are times of a row no more; only one, if it is given."""
    return tuple(attrs.evolve(field, time=None) if only in (None, at) else field for at, field in enumerate(fields))


def with_names(relation: Relation, names: Sequence[str]) -> Relation:
    """The same columns with other names."""
    fields = tuple(attrs.evolve(field, name=name) for field, name in zip(relation.fields, names, strict=True))
    return attrs.evolve(relation, fields=fields)


def with_distinct_names(rows: Rows) -> Rows:
    """Rows each of whose columns has a name of its own: as in Flink, the next ``id`` is ``id0``."""
    names: dict[str, None] = {}
    for field in rows.relation.fields:
        tried = chain((field.name,), (f"{field.name}{number}" for number in count()))
        names[next(one for one in tried if one not in names)] = None
    return attrs.evolve(rows, relation=with_names(rows.relation, list(names)))
