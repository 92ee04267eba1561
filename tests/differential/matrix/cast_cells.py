"""``CAST`` and ``TRY_CAST`` between all pairs of types."""

from __future__ import annotations

from tests.differential.matrix.family import Family, family

__all__ = ["CAST_FAMILIES"]

_TEXT_TARGETS = ("STRING", "CHAR(3)", "VARCHAR(4)")
_NUMBER_TARGETS = ("TINYINT", "SMALLINT", "INT", "BIGINT", "FLOAT", "DOUBLE", "DECIMAL(5, 2)", "DECIMAL(38, 10)")
_TIME_TARGETS = ("DATE", "TIME", "TIMESTAMP(0)", "TIMESTAMP(3)", "TIMESTAMP(9)", "TIMESTAMP_LTZ(0)", "TIMESTAMP_LTZ(6)")
_OTHERS = ("BOOLEAN", "BYTES", "BINARY(2)", "INTERVAL DAY TO SECOND", "INTERVAL YEAR TO MONTH", "ARRAY<INT>")
_TARGETS = (*_TEXT_TARGETS, *_NUMBER_TARGETS, *_TIME_TARGETS, *_OTHERS)


def _casts(columns: str, targets: tuple[str, ...], *words: str) -> list[str]:
    return [f"{word}({column} AS {target})" for column in columns.split() for target in targets for word in words]


_TEXTS = (
    *(None, "", "abc", "12", " 12 ", "+5", "1.50", "-0.0", "1e3", "1e400", "NaN", "Infinity", "128"),
    *("2147483648", "99999.995", "true", "F", "2021-03-28", "2021-3-8", "2021-03-28 02:30:00.1234567", "12:34:56.7"),
    *("1969-12-31T23:59:59", "2021-02-30", "\U0001f600\u00e9"),
)
_NUMBERS = (
    (None, None, None, None, None, None, None),
    (0, 0, 0, 0, "-0.0", "-0.0", "0.00"),
    (1, -1, 1, -1, 1.5, -2.5, "1.50"),
    (127, 32767, 2147483647, 9223372036854775807, "3.4028235E38", "1.7976931348623157E308", "99999999.99"),
    (-128, -32768, -2147483648, -9223372036854775808, "NaN", "NaN", "-99999999.99"),
    (10, 1000, 100000, 10000000000, "Infinity", "-Infinity", "0.05"),
    (5, 12, 123, 1234, 1.1, 0.1, "-0.50"),
    (99, 999, 9999, 99999, 16777216.0, 1e7, "999.995"),
    (7, 7, 7, 7, 1e-5, 123456789.125, "10.00"),
)
_STAMPS = (
    (None, None, None, None, None, None),
    *(
        (f"{day}T{clock}", f"{day}T{clock[:8]}", f"{day}T{clock}456789", instant, day, clock[:8])
        for day, clock, instant in (
            ("1970-01-01", "00:00:00.000", "1970-01-01T00:00:00Z"),
            ("1969-12-31", "23:59:59.999", "1969-12-31T22:59:59.999Z"),
            ("2021-03-28", "02:30:00.500", "2021-03-28T00:59:59.999Z"),
            ("2021-10-31", "02:30:15.120", "2021-10-31T01:30:00.007Z"),
            ("0001-01-01", "00:00:01.000", "0001-01-01T12:00:00.500Z"),
            ("1582-10-10", "10:10:10.010", "1582-10-10T10:10:10.010Z"),
            ("9999-12-31", "12:00:00.100", "9999-12-30T22:00:00Z"),
        )
    ),
)
_INTERVALS = ("INTERVAL '1' DAY", "INTERVAL '-1 02:03:04.567' DAY TO SECOND", "INTERVAL '1-2' YEAR TO MONTH", "NULL")

CAST_FAMILIES: tuple[Family, ...] = (
    family("from_texts", "s STRING", [(one,) for one in _TEXTS], *_casts("s", _TARGETS, "CAST", "TRY_CAST")),
    family(
        "from_numbers",
        "t TINYINT; s SMALLINT; i INT; l BIGINT; f FLOAT; d DOUBLE; m DECIMAL(10, 2)",
        _NUMBERS,
        *_casts("t s i l f d m", (*_TEXT_TARGETS, *_NUMBER_TARGETS, "BOOLEAN"), "CAST"),
        *_casts("i d", (*_TIME_TARGETS, *_OTHERS), "CAST"),
        *_casts("l d m", ("TINYINT", "INT", "DECIMAL(3, 1)", "CHAR(2)"), "TRY_CAST"),
    ),
    family(
        "from_times",
        "t TIMESTAMP(3); t0 TIMESTAMP(0); t9 TIMESTAMP(9); z TIMESTAMP_LTZ(3); d DATE; c TIME(3)",
        _STAMPS,
        *_casts("t t9 z d c", (*_TEXT_TARGETS, *_TIME_TARGETS, "BIGINT", "BOOLEAN", "BYTES"), "CAST"),
        *_casts("t0", _TIME_TARGETS, "TRY_CAST"),
    ),
    family(
        "from_truth",
        "b BOOLEAN",
        [(True,), (False,), (None,)],
        *_casts("b", _TARGETS, "CAST", "TRY_CAST"),
    ),
    family(
        "from_others",
        "one INT",
        [(1,)],
        *(
            f"{word}({interval} AS {target})"
            for interval in _INTERVALS
            for target in _TARGETS
            for word in ("CAST", "TRY_CAST")
        ),
    ),
)
"""Families of casts."""
