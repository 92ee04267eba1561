"""Cast rules of Flink (``LogicalTypeCasts``): which types ``CAST`` turns into which."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from kafkastream.sql.types import DataType, Kind

__all__ = ["castable", "implicitly_castable"]

_TEXT: Final = frozenset({Kind.CHAR, Kind.VARCHAR})
_BYTES: Final = frozenset({Kind.BINARY, Kind.VARBINARY})
_WHOLE: Final = frozenset({Kind.TINYINT, Kind.SMALLINT, Kind.INT, Kind.BIGINT})
_NUMERIC: Final = _WHOLE | {Kind.DECIMAL, Kind.FLOAT, Kind.DOUBLE}
_STAMPS: Final = frozenset({Kind.TIMESTAMP, Kind.TIMESTAMP_LTZ})
_MADE_OF_TYPES: Final = frozenset({Kind.ARRAY, Kind.MULTISET, Kind.MAP, Kind.ROW})
_SOURCES: Final[Mapping[Kind, frozenset[Kind]]] = {
    **dict.fromkeys(_TEXT, frozenset(Kind) - _MADE_OF_TYPES),
    **dict.fromkeys(_BYTES, _BYTES | _TEXT),
    **dict.fromkeys(_NUMERIC, _NUMERIC | _TEXT | {Kind.BOOLEAN}),
    Kind.BOOLEAN: _TEXT | _NUMERIC | {Kind.BOOLEAN},
    Kind.DATE: _STAMPS | _TEXT | {Kind.DATE},
    Kind.TIME: _STAMPS | _TEXT | {Kind.TIME},
    **dict.fromkeys(_STAMPS, _STAMPS | _TEXT | {Kind.DATE, Kind.TIME}),
    Kind.INTERVAL_YEAR_MONTH: _TEXT | {Kind.INTERVAL_YEAR_MONTH},
    Kind.INTERVAL_DAY_SECOND: _TEXT | {Kind.INTERVAL_DAY_SECOND},
}


def castable(source: DataType, target: DataType) -> bool:
    """Whether ``CAST`` takes a value of ``source`` to ``target`` (``LogicalTypeCasts.supportsExplicitCast``).

    As in Flink, NULL in a target without NULL is left to the data.
    Differs from Flink: arrays, maps and rows do not become text, which Spark would write in another way.

    Example:
        >>> (
        ...     castable(DataType.of(Kind.BIGINT), DataType.of(Kind.INT)),
        ...     castable(DataType.of(Kind.INT), DataType.of(Kind.DATE)),
        ... )
        (True, False)
    """
    if target.kind not in _MADE_OF_TYPES:
        return source.kind in _SOURCES[target.kind]
    ours, theirs = _children(source), _children(target)
    return source.kind is target.kind and len(ours) == len(theirs) and all(map(castable, ours, theirs))


def _children(type_: DataType) -> tuple[DataType, ...]:
    return type_.parts or tuple(field.type for field in type_.fields)


_WITHOUT_LOSS: Final[Mapping[Kind, frozenset[Kind]]] = {
    Kind.CHAR: frozenset({Kind.CHAR}),
    Kind.VARCHAR: _TEXT,
    Kind.BOOLEAN: frozenset({Kind.BOOLEAN}),
    Kind.BINARY: frozenset({Kind.BINARY}),
    Kind.VARBINARY: _BYTES,
    Kind.TINYINT: frozenset({Kind.TINYINT}),
    Kind.SMALLINT: frozenset({Kind.TINYINT, Kind.SMALLINT}),
    Kind.INT: frozenset({Kind.TINYINT, Kind.SMALLINT, Kind.INT}),
    Kind.BIGINT: _WHOLE,
    Kind.DECIMAL: _NUMERIC,
    Kind.FLOAT: _WHOLE | {Kind.FLOAT, Kind.DECIMAL},
    Kind.DOUBLE: _NUMERIC,
    Kind.DATE: frozenset({Kind.DATE, Kind.TIMESTAMP}),
    Kind.TIME: frozenset({Kind.TIME, Kind.TIMESTAMP}),
    **dict.fromkeys(_STAMPS, _STAMPS),
}


def implicitly_castable(source: DataType, target: DataType) -> bool:
    """Whether a value of ``source`` is taken for ``target`` unasked (``LogicalTypeCasts.supportsImplicitCast``).

    Example:
        >>> (
        ...     implicitly_castable(DataType.of(Kind.INT), DataType.of(Kind.BIGINT)),
        ...     implicitly_castable(DataType.of(Kind.INT), DataType.string()),
        ... )
        (True, False)
    """
    if target.kind in _WITHOUT_LOSS:
        return source.kind in _WITHOUT_LOSS[target.kind]
    ours, theirs = _children(source), _children(target)
    same = source.kind is target.kind and len(ours) == len(theirs)
    return same and all(map(implicitly_castable, ours, theirs))
