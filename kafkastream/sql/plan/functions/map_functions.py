"""Functions that make maps, or arrays of a map's entries."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

import attrs

from kafkastream.sql.plan.expression import Call
from kafkastream.sql.plan.functions.bound_arguments import bound_text
from kafkastream.sql.plan.functions.built_in import (
    Arguments,
    BuiltInFunction,
    CallError,
    always_nullable,
    returns,
)
from kafkastream.sql.plan.functions.window_functions import failure
from kafkastream.sql.type_families import TEXT
from kafkastream.sql.types import DataType, Kind, RowField

__all__ = ["MAP_FUNCTIONS"]

_MANY: Final = 255
_ARRAY: Final = (Kind.ARRAY,)
_TEXT_MAP: Final = DataType.of(Kind.MAP, parts=(DataType.string(), DataType.string()))
_LAST: Final = "filter({0}, (x, i) -> not exists(slice({0}, i + 2, size({0})), y -> y.k <=> x.k))"
"""Entries without a later one of the same key: a map keeps the last."""
_FROM_ARRAYS: Final = (
    "case when {0} is null or {1} is null then null when size({0}) <> size({1}) then %s "
    "else transform({0}, (x, i) -> struct(x as k, get({1}, i) as v)) end"
)


def _map_of_last(entries: str) -> str:
    return f"map_from_entries({bound_text(_LAST, [entries], 'w')})"


def _from_arrays(_: Call, texts: Sequence[str]) -> str:
    return _map_of_last(bound_text(_FROM_ARRAYS % texts[2], texts[:2]))


def _or_failure(arguments: Arguments) -> Arguments:
    words = "MAP_FROM_ARRAYS takes as many values as keys."
    return [*arguments, failure(words)]


def _from_arrays_type(arguments: Arguments) -> DataType:
    keys, values = arguments[:2]
    return returns(DataType.of(Kind.MAP, parts=(keys.type.parts[0], values.type.parts[0])))(arguments[:2])


def _united_type(arguments: Arguments) -> DataType:
    maps = [one.type for one in arguments]
    parts = []
    for column in zip(*(one.parts for one in maps), strict=True):
        kinds = {one.nullable() for one in column}
        type_ = column[0] if len(kinds) == 1 else DataType.string()
        parts.append(attrs.evolve(type_, is_nullable=any(one.is_nullable for one in column)))
    return returns(DataType.of(Kind.MAP, parts=tuple(parts)))(arguments)


def _same_parts(arguments: Arguments) -> Arguments:
    maps = [one.type for one in arguments]
    for column in zip(*(one.parts for one in maps), strict=True):
        if len({one.nullable() for one in column}) > 1 and not {one.kind for one in column} <= TEXT:
            shown = ", ".join(map(str, maps))
            raise CallError.unsupported(f"Maps of several types are not supported: {shown}.", "CAST them to one type.")
    return arguments


def _united(_: Call, texts: Sequence[str]) -> str:
    found = texts[0]
    for text in texts[1:]:
        entries = bound_text("concat(map_entries({0}), map_entries({1}))", [found, text])
        renamed = f"transform({entries}, x -> struct(x.key as k, x.value as v))"
        found = _map_of_last(renamed)
    return found


def _entries_type(arguments: Arguments) -> DataType:
    key, value = arguments[0].type.parts
    row = DataType.of(Kind.ROW, fields=(RowField("key", key), RowField("value", value)))
    return returns(DataType.of(Kind.ARRAY, parts=(row,)))(arguments)


def _of_text(_: Call, texts: Sequence[str]) -> str:
    """Return STR_TO_MAP, whose delimiters are regular expressions."""
    text, between, inside = texts if len(texts) > 1 else (*texts, "','", "'='")
    parts = bound_text(
        f"if({{0}} = '', array(), transform({_shortened()}, "
        "x -> struct(get(split(x, {2}, 2), 0) as k, get(split(x, {2}, 2), 1) as v)))",
        [text, f"split({text}, {between}, -1)", inside],
    )
    return _map_of_last(f"cast({parts} as array<struct<k: string, v: string>>)")


def _both_delimiters(arguments: Arguments) -> Arguments:
    if len(arguments) == 2:
        raise CallError("STR_TO_MAP takes a text, or a text and both delimiters.", "Write both.")
    return arguments


def _shortened() -> str:
    last = "coalesce(array_max(transform({1}, (p, i) -> if(p = '', 0, i + 1))), 0)"
    return f"slice({{1}}, 1, {last})"


MAP_FUNCTIONS: Final[Mapping[str, BuiltInFunction]] = {
    "MAP_ENTRIES": BuiltInFunction(
        _entries_type,
        lambda _, texts: f"transform(map_entries({texts[0]}), e -> named_struct('key', e.key, 'value', e.value))",
        (1, 1),
        ((Kind.MAP,),),
    ),
    "MAP_FROM_ARRAYS": BuiltInFunction(_from_arrays_type, _from_arrays, (2, 2), (_ARRAY, _ARRAY), _or_failure),
    "MAP_UNION": BuiltInFunction(_united_type, _united, (1, _MANY), ((Kind.MAP,),), _same_parts),
    "STR_TO_MAP": BuiltInFunction(always_nullable(_TEXT_MAP), _of_text, (1, 3), (TEXT,), _both_delimiters),
}
"""Functions by name."""
