"""Calls that Flink's validator takes, with arguments that are rare."""

from __future__ import annotations

from typing import Any, Final

from tests.differential.matrix.family import Family, family

__all__ = ["RARE_FAMILIES"]

_COLUMNS: Final = (
    "i INT; l BIGINT; d DOUBLE; m DECIMAL(10, 2); s STRING; b BOOLEAN; u DATE; c TIME; t TIMESTAMP(3); "
    "z TIMESTAMP_LTZ(3); o MAP<STRING, INT>; p STRING"
)
_ROWS: Final[tuple[tuple[Any, ...], ...]] = (
    (
        1,
        2,
        1.5,
        "1.50",
        "ab1",
        True,
        "2021-05-01",
        "10:20:30",
        "2021-05-01T10:20:30.5",
        "2021-05-01T10:20:30.5Z",
        {},
        "b",
    ),
    (None,) * 12,
    (
        -3,
        4,
        -0.25,
        "-3.25",
        "",
        False,
        "1969-12-31",
        "00:00:00",
        "2021-05-02T00:00:00",
        "1969-12-31T23:00:00Z",
        None,
        "",
    ),
    (
        3,
        1,
        2.0,
        "7.00",
        "12",
        None,
        "2021-05-01",
        "23:59:59",
        "2021-05-01T00:00:00",
        "2021-05-01T00:00:00Z",
        {"k": 1},
        "1",
    ),
    (2, 4294967297, 1e10, "0.01", "bab", True, "2021-05-03", "10:20:30", "2021-05-01T10:20:30", None, {"k": None}, "B"),
)
_NOW: Final = tuple(
    f"{name}({digits}) IS NULL"
    for name in ("CURRENT_TIME", "CURRENT_TIMESTAMP", "CURRENT_ROW_TIMESTAMP", "NOW", "LOCALTIME", "LOCALTIMESTAMP")
    for digits in (0, 3)
)
_DATES: Final = tuple(
    f"{name}(c)" for name in ("YEAR", "QUARTER", "MONTH", "WEEK", "DAYOFMONTH", "DAYOFYEAR", "DAYOFWEEK")
)
_COMMON: Final = tuple(
    form.replace("?", one).replace("!", other)
    for one, other in (("u", "t"), ("t", "u"), ("c", "t"), ("t", "c"), ("u", "z"), ("z", "t"), ("u", "c"))
    for form in ("COALESCE(?, !)", "IFNULL(?, !)", "GREATEST(?, !)", "LEAST(?, !)", "NULLIF(?, !)", "IF(b, ?, !)")
)
_CALLS: Final = r"""
CURRENT_TIMESTAMP(i) IS NULL
GREATEST(i)
GREATEST(s)
LEAST(t)
LEAST(d)
GREATEST(o, o)
ELT(l, s, p)
ELT(l, 'a', 'b')
ELT(4294967297, 'a', 'b')
ELT(2, s, p)
INSTR(s, p, l)
INSTR(s, 'b', 4294967297)
INSTR(s, 'b', -1, l)
INSTR(s, 'b', CAST(2 AS BIGINT))
LOCATE(p, s, l)
LOCATE('b', s, CAST(2 AS BIGINT))
IS_ALPHA(i)
IS_ALPHA(d)
IS_ALPHA(m)
IS_DIGIT(i)
IS_DIGIT(l)
IS_DIGIT(d)
IS_DIGIT(m)
IS_DECIMAL(i)
IS_DECIMAL(d)
IS_DECIMAL(m)
IS_DECIMAL(1)
IS_DIGIT(12)
JSON_ARRAY(u)
JSON_ARRAY(c)
JSON_ARRAY(1, u)
JSON_OBJECT('k' VALUE u)
JSON_STRING(u)
NULLIF(s, i)
NULLIF(i, s)
NULLIF(s, b)
NULLIF(b, s)
NULLIF(o, o)
ROUND(d, i)
ROUND(m, i)
ROUND(d, l)
RAND(i) IS NULL
RAND(l) IS NULL
RAND(d) IS NULL
RAND(1.5) IS NULL
RAND_INTEGER(m) IS NULL
RAND_INTEGER(d) IS NULL
RAND_INTEGER(i, 10) IS NULL
RAND_INTEGER(1, l) IS NULL
RAND_INTEGER(1.5, 10) IS NULL
TO_TIMESTAMP_LTZ(l, i)
TO_TIMESTAMP_LTZ(l, 1)
TO_TIMESTAMP_LTZ(l, 3)
TO_TIMESTAMP_LTZ(d, 3)
TO_TIMESTAMP_LTZ(m, 0)
PARSE_URL(s, p)
REGEXP_EXTRACT(s, p, 0)
REGEXP_EXTRACT(s, p, i)
REGEXP_EXTRACT_ALL(s, p, 0)
REGEXP_EXTRACT_ALL(s, '(b)', l)
TIMESTAMP WITH LOCAL TIME ZONE '2024-01-01 10:20:30'
TIMESTAMP WITH LOCAL TIME ZONE '2024-01-01 10:20:30.123'
TIMESTAMP WITH LOCAL TIME ZONE '2024-03-31 02:30:00'
e'a'
e'a\tb\n'
E'\'\\\x41\u00e4\101'
_UTF8'ä'
_utf16'a'
_latin1'a'
U&'\+000041'
U&'\+00004'
"""

RARE_FAMILIES: tuple[Family, ...] = (family("rare", _COLUMNS, _ROWS, *_NOW, *_DATES, *_COMMON, _CALLS),)
"""Families of calls with rare arguments."""
