"""Cast rules of Flink (``LogicalTypeCasts``): the pairs of types that ``CAST`` accepts."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Final

from kafkastream.sql.type_families import ATOMIC, BYTES, CONSTRUCTED, NUMERIC, STAMPS, TEXT, WHOLE
from kafkastream.sql.types import DataType, Kind

__all__ = ["castable", "implicitly_castable"]

_SOURCES: Final[Mapping[Kind, frozenset[Kind]]] = {
    **dict.fromkeys(TEXT, ATOMIC),
    **dict.fromkeys(BYTES, BYTES | TEXT),
    **dict.fromkeys(NUMERIC, NUMERIC | TEXT | {Kind.BOOLEAN}),
    Kind.BOOLEAN: TEXT | NUMERIC | {Kind.BOOLEAN},
    Kind.DATE: STAMPS | TEXT | {Kind.DATE},
    Kind.TIME: STAMPS | TEXT | {Kind.TIME},
    **dict.fromkeys(STAMPS, STAMPS | TEXT | {Kind.DATE, Kind.TIME}),
    Kind.INTERVAL_YEAR_MONTH: TEXT | {Kind.INTERVAL_YEAR_MONTH},
    Kind.INTERVAL_DAY_SECOND: TEXT | {Kind.INTERVAL_DAY_SECOND},
}


def castable(source: DataType, target: DataType) -> bool:
    """Return whether ``CAST`` converts ``source`` to ``target`` (``LogicalTypeCasts.supportsExplicitCast``).

    As in Flink, NULL for a NOT NULL target is only found at run time.
    Arrays, maps and rows are cast to text by expressions alone (``kafkastream.sql.plan.casts``).

    Example:
        >>> (
        ...     castable(DataType.of(Kind.BIGINT), DataType.of(Kind.INT)),
        ...     castable(DataType.of(Kind.INT), DataType.of(Kind.DATE)),
        ... )
        (True, False)
    """
    if target.kind not in CONSTRUCTED:
        return source.kind in _SOURCES[target.kind]
    return _fits_inside(castable, source, target)


_WITHOUT_LOSS: Final[Mapping[Kind, frozenset[Kind]]] = {
    Kind.CHAR: frozenset({Kind.CHAR}),
    Kind.VARCHAR: TEXT,
    Kind.BOOLEAN: frozenset({Kind.BOOLEAN}),
    Kind.BINARY: frozenset({Kind.BINARY}),
    Kind.VARBINARY: BYTES,
    Kind.TINYINT: frozenset({Kind.TINYINT}),
    Kind.SMALLINT: frozenset({Kind.TINYINT, Kind.SMALLINT}),
    Kind.INT: frozenset({Kind.TINYINT, Kind.SMALLINT, Kind.INT}),
    Kind.BIGINT: WHOLE,
    Kind.DECIMAL: NUMERIC,
    Kind.FLOAT: WHOLE | {Kind.FLOAT, Kind.DECIMAL},
    Kind.DOUBLE: NUMERIC,
    Kind.DATE: frozenset({Kind.DATE, Kind.TIMESTAMP}),
    Kind.TIME: frozenset({Kind.TIME, Kind.TIMESTAMP}),
    **dict.fromkeys(STAMPS, STAMPS),
}


def implicitly_castable(source: DataType, target: DataType) -> bool:
    """Return whether ``source`` is converted to ``target`` implicitly (``LogicalTypeCasts.supportsImplicitCast``).

    Example:
        >>> (
        ...     implicitly_castable(DataType.of(Kind.INT), DataType.of(Kind.BIGINT)),
        ...     implicitly_castable(DataType.of(Kind.INT), DataType.string()),
        ... )
        (True, False)
    """
    if target.kind in _WITHOUT_LOSS:
        return source.kind in _WITHOUT_LOSS[target.kind]
    return _fits_inside(implicitly_castable, source, target)


def _fits_inside(fits: Callable[[DataType, DataType], bool], source: DataType, target: DataType) -> bool:
    """Return whether two types have the same shape, and their inner types fit in pairs."""
    ours, theirs = source.inner_types, target.inner_types
    return source.kind is target.kind and len(ours) == len(theirs) and all(map(fits, ours, theirs))
