"""Members of JSON objects, and the types of their columns."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Set
from typing import Any, Final

from kafkastream.sql.time_texts import time_type
from kafkastream.sql.types import DataType, Kind

__all__ = ["Leaf", "Path", "json_type", "member_types"]

Path = tuple[str, ...]
"""Path of a member: names of the enclosing members, then its own."""
Leaf = Callable[[Any], DataType]
"""Function from a value without members to its type."""

_NUMBERS: Final = (Kind.BIGINT, Kind.DECIMAL, Kind.DOUBLE)
_WHOLE_BITS: Final = 63
_MOST_DIGITS: Final = 38


def json_type(value: Any, separator: str) -> DataType:
    """Return the column type of a JSON value; arrays and objects are STRING.

    Args:
        value: The value.
        separator: Character between date and time of a timestamp.

    Example:
        >>> [str(json_type(value, " ")) for value in (1, 2**70, 1.5, True, "2024-05-01", "x", [1])]
        ['BIGINT', 'DECIMAL(38, 0)', 'DOUBLE', 'BOOLEAN', 'DATE', 'STRING', 'STRING']
    """
    match value:
        case bool():
            return DataType.of(Kind.BOOLEAN)
        case int():
            return _whole(value)
        case float():
            return DataType.of(Kind.DOUBLE)
        case str():
            return time_type(value, separator) or DataType.string()
        case _:
            return DataType.string()


def _whole(value: int) -> DataType:
    if -(1 << _WHOLE_BITS) <= value < 1 << _WHOLE_BITS:
        return DataType.of(Kind.BIGINT)
    if abs(value) < 10**_MOST_DIGITS:
        return DataType.of(Kind.DECIMAL, _MOST_DIGITS)
    return DataType.string()


def _merged_type(one: DataType, other: DataType) -> DataType:
    """Return the narrowest common type of two types; STRING if there is no narrower one.

    For a date and a timestamp, or timestamps with and without ``Z``, it is STRING: no format reads one as the other.

    Example:
        >>> str(_merged_type(DataType.of(Kind.BIGINT), DataType.of(Kind.DOUBLE)))
        'DOUBLE'
        >>> str(_merged_type(DataType.of(Kind.TIMESTAMP, 3), DataType.of(Kind.TIMESTAMP, 6)))
        'TIMESTAMP(6)'
    """
    if one.kind is other.kind:
        return max(one, other, key=lambda type_: type_.size or 0)
    if one.kind in _NUMBERS and other.kind in _NUMBERS:
        return max(one, other, key=lambda type_: _NUMBERS.index(type_.kind))
    return DataType.string()


def member_types(records: Iterable[Mapping[str, Any]], leaf: Leaf, *, flattens: bool) -> dict[Path, DataType]:
    """Return the members of objects, in the order of first occurrence, with the common types of their values.

    A member that is always null, always an empty object, or an object only sometimes is a STRING.

    Args:
        records: JSON objects.
        leaf: Returns the type of a value.
        flattens: Whether nested objects are replaced by their members.

    Example:
        >>> records = [{"a": 1, "b": {"c": None}}, {"a": 1.5, "b": {"c": True}}]
        >>> found = member_types(records, lambda value: json_type(value, " "), flattens=True)
        >>> {".".join(path): str(type_) for path, type_ in found.items()}
        {'a': 'DOUBLE', 'b.c': 'BOOLEAN'}
    """
    types: dict[Path, DataType | None] = {}
    objects: set[Path] = set()
    for path, value in (pair for record in records for pair in _values(record, (), flattens)):
        known = types.setdefault(path, None)
        if flattens and isinstance(value, dict):
            objects.add(path)
        elif value is not None:
            types[path] = leaf(value) if known is None else _merged_type(known, leaf(value))
    return dict(_columns(types, objects))


def _values(record: Mapping[str, Any], within: Path, flattens: bool) -> Iterator[tuple[Path, Any]]:
    for name, value in record.items():
        yield (*within, name), value
        if flattens and isinstance(value, dict):
            yield from _values(value, (*within, name), flattens)


def _columns(types: Mapping[Path, DataType | None], objects: Set[Path]) -> Iterator[tuple[Path, DataType]]:
    """Return columns with their types, for values and empty objects; STRING if the type is unknown or ambiguous."""
    with_members = {path[:-1] for path in types}
    for path, type_ in types.items():
        is_in_value = any(types[path[:length]] is not None for length in range(1, len(path)))
        if not is_in_value and not (type_ is None and path in with_members):
            yield path, type_ if type_ is not None and path not in objects else DataType.string()
