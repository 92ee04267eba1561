"""Families of types (Flink's ``LogicalTypeFamily``): kinds that the same rules hold for."""

from __future__ import annotations

from typing import Final

from kafkastream.sql.types import Kind

__all__ = [
    "APPROXIMATE",
    "ATOMIC",
    "BYTES",
    "COLLECTIONS",
    "CONSTRUCTED",
    "INTERVALS",
    "MAPS",
    "NUMERIC",
    "STAMPS",
    "TEXT",
    "TIMES",
    "WHOLE",
]

TEXT: Final = frozenset({Kind.CHAR, Kind.VARCHAR})
BYTES: Final = frozenset({Kind.BINARY, Kind.VARBINARY})
WHOLE: Final = frozenset({Kind.TINYINT, Kind.SMALLINT, Kind.INT, Kind.BIGINT})
APPROXIMATE: Final = frozenset({Kind.FLOAT, Kind.DOUBLE})
NUMERIC: Final = WHOLE | APPROXIMATE | {Kind.DECIMAL}
STAMPS: Final = frozenset({Kind.TIMESTAMP, Kind.TIMESTAMP_LTZ})
TIMES: Final = STAMPS | {Kind.DATE, Kind.TIME}
INTERVALS: Final = frozenset({Kind.INTERVAL_YEAR_MONTH, Kind.INTERVAL_DAY_SECOND})
MAPS: Final = frozenset({Kind.MAP, Kind.MULTISET})
"""Kinds that Spark has as maps: a MULTISET counts its elements."""
COLLECTIONS: Final = MAPS | {Kind.ARRAY}
CONSTRUCTED: Final = COLLECTIONS | {Kind.ROW}
ATOMIC: Final = frozenset(Kind) - CONSTRUCTED
"""Kinds without types inside, which Spark casts to a text unasked."""
