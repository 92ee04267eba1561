"""Expressions that the test driver computes in Python, and the rows that they are computed for."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

__all__ = ["COLUMNS", "EXPRESSIONS", "FAILING", "ROWS"]

COLUMNS: Final = (
    "id INT, ti TINYINT, si SMALLINT, i INT, j INT, l BIGINT, k BIGINT, f FLOAT, d DOUBLE, e DOUBLE, de DECIMAL(10, 2), "
    "dd DECIMAL(6, 4), dl DECIMAL(38, 10), s STRING, r STRING, n STRING, b BOOLEAN, g BOOLEAN, da DATE, ts TIMESTAMP(3), "
    "tu TIMESTAMP(6), tl TIMESTAMP_LTZ(3), xs ARRAY<INT>, m MAP<STRING, INT>, ro ROW<x INT, y STRING>"
)
_NAMES: Final = [
    "id",
    "ti",
    "si",
    "i",
    "j",
    "l",
    "k",
    "f",
    "d",
    "e",
    "de",
    "dd",
    "dl",
    "s",
    "r",
    "n",
    "b",
    "g",
    "da",
    "ts",
    "tu",
    "tl",
    "xs",
    "m",
    "ro",
]


def _row(*values: Any) -> Mapping[str, Any]:
    return dict(zip(_NAMES, values, strict=True))


ROWS: Final = (
    _row(
        *(1, 7, 300, 7, 2, 10**12, 3, 1.5, 2.25, -0.5, 12.5, 1.2345, 123456789.0123456789, "Hello World", "o", "42"),
        *(
            True,
            False,
            "2024-02-29",
            "2024-02-29 12:34:56.789",
            "2024-02-29 12:34:56.789123",
            "2024-02-29 12:34:56.789Z",
        ),
        *([1, 2, 3], {"a": 1, "b": 2}, {"x": 5, "y": "why"}),
    ),
    _row(
        *(
            2,
            -128,
            -32768,
            -2147483648,
            -1,
            -(2**63),
            -1,
            -0.25,
            -1e300,
            3.0,
            -99999999.99,
            -99.9999,
            -1.5,
            "",
            "",
            "-7",
        ),
        *(
            False,
            True,
            "1969-12-31",
            "1969-12-31 23:59:59.999",
            "1969-12-31 23:59:59.000001",
            "1969-12-31 23:59:59.999Z",
        ),
        *([], {}, {"x": None, "y": ""}),
    ),
    _row(
        *(
            3,
            127,
            32767,
            2147483647,
            3,
            2**63 - 1,
            2,
            3.25,
            0.1,
            0.2,
            99999999.99,
            99.9999,
            5,
            "  padded  ",
            " ",
            " 12 ",
        ),
        *(None, True, "2000-01-01", "2000-01-01 00:00:00", "2000-01-01 00:00:00", "2000-01-01 00:00:00Z"),
        *([None, 5], {"a": None}, {"x": -1, "y": "z"}),
    ),
    _row(
        *(4, 0, 0, 0, 5, 0, 7, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, "a%b_c", "%", "0"),
        *(False, None, "2023-12-31", "2023-12-31 23:59:59.5", "2023-12-31 23:59:59.5", "2023-12-31 23:59:59.5Z"),
        *([7], {"b": 3}, {"x": 0, "y": "a"}),
    ),
    _row(5, *[None] * (len(_NAMES) - 1)),
    _row(
        *(6, 1, 1, 3, 7, 5, 2, 1e10, 1e-5, 123456.789, 0.05, 0.005, 2.5, "grün", "ü", "7.9"),
        *(True, True, "2024-07-01", "2024-07-01 08:00:00.1", "2024-07-01 08:00:00.123", "2024-07-01 08:00:00.1Z"),
        *([3, 1, 2], {"c": 9, "a": 8}, {"x": 3, "y": "x"}),
    ),
)
_BINARY: Final = ("+", "-", "*")
_COMPARED: Final = ("=", "<>", "<", "<=", ">", ">=")
EXPRESSIONS: Final = (
    *(
        f"{left} {sign} {right}"
        for sign in _BINARY
        for left, right in (("ti", "ti"), ("si", "i"), ("i", "j"), ("l", "k"))
    ),
    *(
        f"{left} {sign} {right}"
        for sign in _BINARY
        for left, right in (("de", "dd"), ("de", "i"), ("dl", "dl"), ("d", "e"))
    ),
    *(
        f"{left} {sign} {right}"
        for sign in _BINARY
        for left, right in (("f", "f"), ("f", "i"), ("d", "de"), ("d", "l"))
    ),
    *("i / j", "l / k", "de / 3", "de / j", "dl / 7", "d / e", "d / 0", "f / j", "i / CAST(j AS DECIMAL(4, 1))"),
    *("i % j", "l % k", "de % 3", "MOD(i, j)", "MOD(l, 7)"),
    *("-i", "-l", "-d", "-de", "ABS(i)", "ABS(de)", "ABS(d)", "ABS(l)", "i + 1.5", "i * 2 - j", "(i + j) * (l - k)"),
    *(f"i {sign} j" for sign in _COMPARED),
    *(f"de {sign} i" for sign in _COMPARED),
    *(f"s {sign} r" for sign in _COMPARED),
    *(f"d {sign} i" for sign in ("=", "<", ">=")),
    *(f"ts {sign} TIMESTAMP '2000-01-01 00:00:00'" for sign in _COMPARED),
    *("da = DATE '2024-02-29'", "da < DATE '2000-01-01'", "b = g", "b <> g", "ts < tu", "f = d", "l > de"),
    *("b AND g", "b OR g", "NOT b", "b IS TRUE", "b IS NOT TRUE", "b IS FALSE", "b IS NOT FALSE", "b IS UNKNOWN"),
    *("i IS NULL", "s IS NOT NULL", "i IS DISTINCT FROM j", "b IS NOT DISTINCT FROM g", "s IS NOT DISTINCT FROM r"),
    *("i BETWEEN 0 AND 100", "i NOT BETWEEN j AND 5", "s BETWEEN 'a' AND 'z'", "de BETWEEN 0 AND 12.50"),
    *(
        "i IN (7, 3, 0)",
        "i NOT IN (7, j)",
        "s IN ('', 'Hello World')",
        "de IN (12.5, 0)",
        "i IN (7, CAST(NULL AS INT))",
    ),
    *("CASE WHEN i > 0 THEN 'p' WHEN i < 0 THEN 'n' ELSE s END", "CASE i WHEN 7 THEN 1.5 WHEN 3 THEN 2 END"),
    *("CASE WHEN b THEN i ELSE l END", "CASE WHEN b THEN de ELSE dd END", "CASE WHEN b THEN de ELSE i END"),
    *("COALESCE(s, r, 'x')", "COALESCE(i, 0)", "COALESCE(de, dd)", "COALESCE(de, 0)", "IFNULL(i, -1)", "NULLIF(i, 7)"),
    *(
        "NULLIF(s, '')",
        "IF(b, i, j)",
        "IF(b, de, dl)",
        "GREATEST(i, j)",
        "LEAST(i, j, 2)",
        "GREATEST(s, r)",
        "LEAST(l, k)",
    ),
    *("LOWER(n)", "CHAR_LENGTH(s)", "CHARACTER_LENGTH(s)", "s || r", "CONCAT(s, '-', r)", "s || 'x'"),
    *("CONCAT_WS('|', s, r, n)", "CONCAT_WS(r, s, n)", "SUBSTRING(s, 2)", "SUBSTRING(s, 2, 3)", "SUBSTRING(s FROM -3)"),
    *(
        "SUBSTRING(s, 0, 2)",
        "SUBSTR(s, j)",
        "SUBSTR(s, -2, 1)",
        "SUBSTRING(s, 1, j)",
        "SUBSTRING(s, 100)",
        "LEFT(s, 3)",
    ),
    *("LEFT(s, j)", "RIGHT(s, 3)", "RIGHT(s, j)", "REPLACE(s, 'o', '0')", "REPLACE(s, ' ', '')", "STARTSWITH(s, 'He')"),
    *("STARTSWITH(s, r)", "ENDSWITH(s, 'd')", "ENDSWITH(s, r)", "POSITION(r IN s)", "POSITION('o' IN s)", "REVERSE(s)"),
    *("REPEAT(r, 3)", "REPEAT(r, j)", "TRIM(s)", "TRIM(LEADING ' ' FROM s)", "TRIM(TRAILING ' ' FROM s)"),
    *("TRIM(BOTH 'Hd' FROM s)", "s LIKE '%o%'", "s LIKE 'H_llo%'", "s NOT LIKE '%d'", "s LIKE 'a!%b%' ESCAPE '!'"),
    *(
        "s LIKE ''",
        "s LIKE '%'",
        "s LIKE 'a%b_c'",
        "FLOOR(d)",
        "CEIL(d)",
        "FLOOR(de)",
        "CEIL(de)",
        "FLOOR(i)",
        "CEIL(dl)",
    ),
    *(
        "SIGN(i)",
        "SQRT(ABS(e))",
        "CARDINALITY(xs)",
        "CARDINALITY(m)",
        "xs[1]",
        "xs[2]",
        "xs[j]",
        "m['a']",
        "m[r]",
        "ro.x",
        "ro.y",
    ),
    *(
        "CAST(i AS TINYINT)",
        "CAST(i AS SMALLINT)",
        "CAST(l AS INT)",
        "CAST(i AS BIGINT)",
        "CAST(ti AS INT)",
        "CAST(i AS DOUBLE)",
    ),
    *("CAST(l AS FLOAT)", "CAST(i AS DECIMAL(12, 2))", "CAST(i AS DECIMAL(5, 2))", "CAST(de AS DECIMAL(12, 4))"),
    *(
        "CAST(de AS DECIMAL(10, 1))",
        "CAST(dd AS DECIMAL(4, 2))",
        "CAST(de AS INT)",
        "CAST(dd AS INT)",
        "CAST(d AS INT)",
    ),
    *(
        "CAST(d AS BIGINT)",
        "CAST(e AS SMALLINT)",
        "CAST(f AS INT)",
        "CAST(f AS DOUBLE)",
        "CAST(d AS FLOAT)",
        "CAST(de AS DOUBLE)",
    ),
    *("CAST(i AS STRING)", "CAST(l AS STRING)", "CAST(b AS STRING)", "CAST(de AS STRING)", "CAST(dl AS STRING)"),
    *(
        "CAST(d AS STRING)",
        "CAST(f AS STRING)",
        "CAST(e AS STRING)",
        "CAST(da AS STRING)",
        "CAST(ts AS STRING)",
        "CAST(tu AS STRING)",
    ),
    *("CAST(tl AS STRING)", "CAST(s AS VARCHAR(3))", "CAST(s AS CHAR(4))", "CAST(i AS VARCHAR(2))", "CAST(ts AS DATE)"),
    *("CAST(ts AS TIMESTAMP(0))", "CAST(tu AS TIMESTAMP(3))", "CAST(da AS TIMESTAMP(3))", "CAST(tl AS TIMESTAMP(3))"),
    *(
        "CAST(ts AS TIMESTAMP_LTZ(3))",
        "TRY_CAST(n AS INT)",
        "TRY_CAST(s AS INT)",
        "TRY_CAST(n AS DOUBLE)",
        "TRY_CAST(s AS BIGINT)",
    ),
    *("TRY_CAST(n AS DECIMAL(5, 1))", "TRY_CAST(n AS SMALLINT)", "TRY_CAST(de AS DECIMAL(3, 2))"),
    *(
        "ts + INTERVAL '1' SECOND",
        "ts - INTERVAL '1' DAY",
        "ts + INTERVAL '01:30' HOUR TO MINUTE",
        "tl + INTERVAL '2' HOUR",
    ),
    *("FLOOR(ts TO SECOND)", "FLOOR(ts TO MINUTE)", "FLOOR(ts TO HOUR)", "FLOOR(ts TO DAY)", "CEIL(ts TO SECOND)"),
    *(
        "CEIL(ts TO HOUR)",
        "EXTRACT(YEAR FROM ts)",
        "EXTRACT(QUARTER FROM ts)",
        "EXTRACT(MONTH FROM ts)",
        "EXTRACT(DAY FROM ts)",
    ),
    *("EXTRACT(DOY FROM ts)", "EXTRACT(DOW FROM ts)", "EXTRACT(WEEK FROM ts)", "EXTRACT(HOUR FROM ts)"),
    *("EXTRACT(MINUTE FROM ts)", "EXTRACT(SECOND FROM ts)", "YEAR(da)", "MONTH(ts)", "DAYOFMONTH(ts)", "DAYOFWEEK(da)"),
    *("DAYOFYEAR(da)", "WEEK(ts)", "QUARTER(da)", "HOUR(ts)", "MINUTE(ts)", "SECOND(ts)", "EXTRACT(YEAR FROM da)"),
    *(
        "TIMESTAMPADD(SECOND, 90, ts)",
        "TIMESTAMPADD(DAY, -1, ts)",
        "TIMESTAMPADD(HOUR, j, ts)",
        "TIMESTAMPADD(MINUTE, 5, ts)",
    ),
    *(f"TIMESTAMPDIFF({unit}, ts, TIMESTAMP '2024-03-01 00:00:00')" for unit in ("SECOND", "MINUTE", "HOUR", "DAY")),
    *("DATE_FORMAT(ts, 'yyyy-MM-dd HH:mm:ss')", "DATE_FORMAT(ts, 'dd.MM.yyyy')", "DATE_FORMAT(ts, 'HH:mm:ss.SSS')"),
    *("DATE_FORMAT(ts, 'yyyyMMdd''T''HHmm')", "TO_TIMESTAMP_LTZ(l / 1000, 3)", "TO_TIMESTAMP_LTZ(i, 0)"),
    *(
        "TO_TIMESTAMP('2024-05-01 10:00:00')",
        "TO_TIMESTAMP(CAST(ts AS STRING))",
        "CAST(CAST(ts AS STRING) AS TIMESTAMP(3))",
    ),
    *(
        "CAST(CAST(da AS STRING) AS DATE)",
        "CAST(ROW(i, s) AS ROW<a BIGINT, b STRING>).a",
        "ARRAY[i, j][2]",
        "MAP['k', i]['k']",
    ),
    *("CAST(NULL AS INT) + i", "i + CAST(NULL AS INT) > 3", "x'0aff' = x'0aff'"),
    *(
        "CAST(d AS DECIMAL(20, 4))",
        "CAST(e AS DECIMAL(10, 2))",
        "CAST(d AS DECIMAL(38, 20))",
        "CAST(b AS INT)",
        "CAST(i AS BOOLEAN)",
    ),
    *("ROUND(de, 1)", "ROUND(dd, 2)", "ROUND(dl, 3)", "ROUND(i, 2)", "ROUND(l, 0)", "ROUND(de)"),
    *(
        "LTRIM(s)",
        "RTRIM(s)",
        "BTRIM(s)",
        "INSTR(s, r)",
        "LOCATE(r, s)",
        "MD5(s)",
        "SHA1(r)",
        "SHA256(s)",
        "SPLIT_INDEX(s, ' ', 1)",
    ),
    *(
        "LPAD(s, 4, '*')",
        "RPAD(r, 4, 'ab')",
        "DATE_FORMAT(tl, 'yyyy-MM-dd HH:mm')",
        "EXTRACT(DAY FROM tl)",
        "HOUR(tl)",
        "YEAR(tl)",
    ),
    *("FLOOR(ts TO MONTH)", "FLOOR(ts TO YEAR)", "FLOOR(ts TO WEEK)", "TIMESTAMPADD(MONTH, 1, ts)", "CAST(s AS BYTES)"),
    *(
        "CAST('2024-05-01' AS DATE)",
        "CAST(da AS TIMESTAMP_LTZ(3))",
        "CAST(tl AS DATE)",
        "CAST(xs AS STRING)",
        "CAST(ro AS STRING)",
    ),
    *(
        "da + INTERVAL '1' DAY",
        "da - INTERVAL '1' MONTH",
        "ts + INTERVAL '1' MONTH",
        "UPPER(n)",
        "ARRAY_CONTAINS(xs, 2)",
    ),
)
"""Expressions over the columns."""
FAILING: Final = ("i / (j - j)", "de / (j - j)", "i % (i - i)", "CAST(s AS INT)")
"""Expressions that fail the job on Flink."""
