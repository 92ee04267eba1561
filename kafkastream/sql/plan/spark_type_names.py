"""Types and text literals in Spark SQL."""

from __future__ import annotations

from kafkastream.sql.quoting import quoted
from kafkastream.sql.type_families import APPROXIMATE, BYTES, TEXT, WHOLE
from kafkastream.sql.types import DataType, Kind

__all__ = ["decimal_of", "quoted_text", "spark_type"]

_PLAIN = {
    **{kind: kind.value.lower() for kind in (*WHOLE, *APPROXIMATE, Kind.BOOLEAN, Kind.DATE)},
    **dict.fromkeys(TEXT, "string"),
    **dict.fromkeys(BYTES, "binary"),
    Kind.TIMESTAMP: "timestamp_ntz",
    Kind.TIMESTAMP_LTZ: "timestamp",
    Kind.INTERVAL_YEAR_MONTH: "interval year to month",
    Kind.INTERVAL_DAY_SECOND: "interval day to second",
}
_DIGITS = {Kind.TINYINT: 3, Kind.SMALLINT: 5, Kind.INT: 10, Kind.BIGINT: 19}


def spark_type(type_: DataType) -> str:
    """Return a type in Spark SQL: TIMESTAMP is Spark's ``timestamp_ntz``, TIMESTAMP_LTZ its ``timestamp``.

    Example:
        >>> spark_type(DataType.of(Kind.ARRAY, parts=(DataType.of(Kind.TIMESTAMP, 3),)))
        'array<timestamp_ntz>'
    """
    match type_.kind:
        case Kind.DECIMAL:
            return f"decimal({type_.size},{type_.scale})"
        case Kind.TIME:
            return f"time({min(type_.size or 0, 6)})"
        case Kind.ROW:
            return f"struct<{', '.join(f'{quoted(one.name)}: {spark_type(one.type)}' for one in type_.fields)}>"
        case Kind.MULTISET:
            return f"map<{spark_type(type_.parts[0])}, int>"
        case Kind.ARRAY | Kind.MAP:
            return f"{type_.kind.value.lower()}<{', '.join(map(spark_type, type_.parts))}>"
        case kind:
            return _PLAIN[kind]


def decimal_of(type_: DataType) -> DataType:
    """Return the DECIMAL of an integer type in Flink's arithmetic."""
    return DataType.of(Kind.DECIMAL, _DIGITS[type_.kind], 0) if type_.kind in _DIGITS else type_


def quoted_text(text: str) -> str:
    r"""Return a text as a literal of Spark SQL, in which a backslash escapes, unlike in Flink.

    Example:
        >>> print(quoted_text("it's \\d"))
        'it\'s \\d'
    """
    return "'" + text.replace("\\", "\\\\").replace("'", "\\'") + "'"
