"""Calls of functions of arrays, maps, rows and bytes."""

from __future__ import annotations

from typing import Any

from tests.differential.matrix.family import Family, family

__all__ = ["NESTED_FAMILIES"]

_Rows = tuple[tuple[Any, ...], ...]
_ARRAYS: _Rows = (
    (None, None, None, None, None, None, None),
    ([], [], [], [], [], 0, ""),
    ([1, 2, 3, 2], [2, 5], ["a", "b", "a"], [1.5, -2.5], [[1], [2, 3], [1]], 2, "a"),
    ([None, 1], [None, None], [None, "x"], [None, "NaN"], [None, []], 1, None),
    (
        [3, -1, 2147483647],
        [3],
        ["\U0001f600", "\u00e9", ""],
        ["-0.0", 0.0, "NaN", "Infinity"],
        [[1, None]],
        -1,
        "\u00e9",
    ),
    ([7], [7, 7, 8], ["b,c"], [1e10], [[7]], 5, "b,c"),
)
_ARRAY_CALLS = r"""
a[1]
a[n]
a[0]
s[2]
aa[1][1]
aa[2]
CARDINALITY(a)
CARDINALITY(aa)
ELEMENT(a)
ARRAY_APPEND(a, n)
ARRAY_APPEND(s, t)
ARRAY_PREPEND(a, n)
ARRAY_PREPEND(s, 'p')
ARRAY_CONCAT(a, b)
ARRAY_CONCAT(a, b, a)
ARRAY_CONTAINS(a, 2)
ARRAY_CONTAINS(a, n)
ARRAY_CONTAINS(s, t)
ARRAY_CONTAINS(a, NULL)
ARRAY_CONTAINS(d, 0.0e0)
ARRAY_DISTINCT(a)
ARRAY_DISTINCT(s)
ARRAY_DISTINCT(d)
ARRAY_DISTINCT(aa)
ARRAY_EXCEPT(a, b)
ARRAY_INTERSECT(a, b)
ARRAY_UNION(a, b)
ARRAY_UNION(s, ARRAY['a', 'z'])
ARRAY_MAX(a)
ARRAY_MAX(s)
ARRAY_MAX(d)
ARRAY_MIN(a)
ARRAY_MIN(s)
ARRAY_MIN(d)
ARRAY_JOIN(s, '-')
ARRAY_JOIN(s, '-', '?')
ARRAY_JOIN(s, t)
ARRAY_POSITION(a, 2)
ARRAY_POSITION(s, t)
ARRAY_POSITION(a, n)
ARRAY_REMOVE(a, 2)
ARRAY_REMOVE(s, t)
ARRAY_REMOVE(a, CAST(NULL AS INT))
ARRAY_REVERSE(a)
ARRAY_REVERSE(s)
ARRAY_SLICE(a, 2)
ARRAY_SLICE(a, 2, 3)
ARRAY_SLICE(a, -2, -1)
ARRAY_SLICE(a, 0, n)
ARRAY_SORT(a)
ARRAY_SORT(a, FALSE)
ARRAY_SORT(a, FALSE, TRUE)
ARRAY_SORT(s, TRUE, FALSE)
ARRAY_SORT(d)
MAP_FROM_ARRAYS(s, a)
MAP_FROM_ARRAYS(a, a)
ARRAY[n, 1]
ARRAY[t, 'abc']
ARRAY[a, b]
ARRAY[1.5, n]
MAP['k', n]
MAP[n, t]
ROW(n, t)
a = b
a <> b
s = s
a IS NULL
COALESCE(a, b)
COALESCE(a, ARRAY[1])
IF(n > 0, a, b)
CASE WHEN n > 0 THEN s ELSE ARRAY['x'] END
JSON_STRING(a)
JSON_STRING(s)
JSON_STRING(d)
JSON_STRING(aa)
JSON_ARRAY(a)
CAST(a AS STRING)
CAST(s AS STRING)
CAST(d AS STRING)
CAST(aa AS STRING)
CAST(a AS ARRAY<BIGINT>)
CAST(a AS ARRAY<STRING>)
CAST(a AS ARRAY<DOUBLE>)
CAST(d AS ARRAY<STRING>)
CAST(s AS ARRAY<VARCHAR(1)>)
TRY_CAST(s AS ARRAY<INT>)
CAST(aa AS ARRAY<ARRAY<BIGINT>>)
TYPEOF(a)
TYPEOF(ARRAY_CONCAT(a, ARRAY[1]))
"""
_MAPS: _Rows = (
    (None, None, None, None),
    ({}, {}, {}, ""),
    ({"a": 1, "b": 2}, {"b": 3, "c": 4}, {"x": [1, 2]}, "a"),
    ({"z": None, "": 0}, {"z": 1}, {"y": None}, ""),
    ({"\U0001f600": 5, "\u00e9": -1}, {"\u00e9": None}, {"\u00e9": []}, "\U0001f600"),
)
_MAP_CALLS = r"""
m['a']
m[k]
m[CAST(NULL AS STRING)]
ma['x'][1]
CARDINALITY(m)
MAP_KEYS(m)
MAP_VALUES(m)
MAP_ENTRIES(m)
MAP_UNION(m, o)
MAP_FROM_ARRAYS(MAP_KEYS(m), MAP_VALUES(m))
m = o
m = m
m IS NULL
COALESCE(m, o)
IF(k = 'a', m, o)
JSON_STRING(m)
JSON_STRING(ma)
JSON_OBJECT('m' VALUE m)
CAST(m AS STRING)
CAST(ma AS STRING)
CAST(m AS MAP<STRING, BIGINT>)
CAST(m AS MAP<STRING, STRING>)
STR_TO_MAP('a=1,b=2,c')
STR_TO_MAP(k)
STR_TO_MAP('k:v;l:w', ';', ':')
TYPEOF(m)
MAP[k, 1, 'q', 2]
"""
_ROWS: _Rows = (
    (None, None, None, None),
    (
        {"x": 1, "y": "in"},
        {"x": 1, "y": "in"},
        {"i": {"x": 5, "z": True}, "a": [1]},
        [{"x": 1, "y": "p"}, {"x": 2, "y": None}],
    ),
    ({"x": None, "y": None}, {"x": 1, "y": "b"}, {"i": None, "a": None}, []),
    ({"x": -7, "y": '\U0001f600"'}, {"x": -7, "y": ""}, {"i": {"x": None, "z": None}, "a": [None, 3]}, [None]),
)
_ROW_CALLS = r"""
r.x
r.y
t.r.y
q.i.x
q.i.z
q.i
q.a[1]
ar[1].y
ar[1]
CARDINALITY(ar)
r = o
r <> o
r IS NULL
r.x IS NULL
COALESCE(r, o)
COALESCE(r.x, o.x)
IF(o.x = 1, r, o)
NULLIF(r.x, 1)
CASE WHEN o.x = 1 THEN r ELSE o END
ROW(r.x, r)
ROW(1, 'a').EXPR$0
ARRAY[r, o]
MAP['r', r]
JSON_STRING(r)
JSON_STRING(q)
JSON_STRING(ar)
JSON_OBJECT('r' VALUE r)
JSON_ARRAY(r, 1)
CAST(r AS STRING)
CAST(q AS STRING)
CAST(ar AS STRING)
CAST(r AS ROW<a BIGINT, b STRING>)
CAST(r AS ROW<a STRING, b STRING>)
CAST(r AS ROW<a BIGINT, b VARCHAR(1)>)
CAST(ROW(1, 'x') AS ROW<a INT, b STRING>)
TRY_CAST(r AS ROW<a BOOLEAN, b INT>)
TYPEOF(r)
"""
_BYTES = ((None, None), ("", ""), ("YWI=", "Yg=="), ("/wCAfw==", "AA=="), ("8J+YgA==", "8A=="), ("MTI=", "MTI="))
_BYTES_CALLS = r"""
b || c
CONCAT(b, c)
SUBSTRING(b, 2)
SUBSTRING(b, 2, 1)
LEFT(b, 1)
RIGHT(b, 1)
CHAR_LENGTH(b)
OCTET_LENGTH(b)
UPPER(b)
REVERSE(b)
HEX(b)
UNHEX(HEX(b))
MD5(b)
SHA1(b)
SHA256(b)
SHA2(b, 512)
TO_BASE64(b)
DECODE(b, 'UTF-8')
DECODE(b, 'ISO-8859-1')
DECODE(b, 'nonsense')
ENCODE(DECODE(b, 'UTF-8'), 'UTF-16LE')
POSITION(c IN b)
b = c
b < c
b IS NULL
COALESCE(b, c)
NULLIF(b, c)
IF(b = c, b, x'00')
CAST(b AS STRING)
CAST(b AS CHAR(2))
CAST(b AS VARCHAR(1))
CAST(b AS BINARY(2))
CAST(b AS VARBINARY(1))
CAST(b AS BINARY(4))
CAST(DECODE(b, 'UTF-8') AS BYTES)
CAST('ab' AS BINARY(3))
JSON_STRING(b)
JSON_OBJECT('b' VALUE b)
b IN (x'6162', x'00')
GREATEST(b, c)
TYPEOF(b)
"""

NESTED_FAMILIES: tuple[Family, ...] = (
    family(
        "arrays",
        "a ARRAY<INT>; b ARRAY<INT>; s ARRAY<STRING>; d ARRAY<DOUBLE>; aa ARRAY<ARRAY<INT>>; n INT; t STRING",
        _ARRAYS,
        _ARRAY_CALLS,
    ),
    family("maps", "m MAP<STRING, INT>; o MAP<STRING, INT>; ma MAP<STRING, ARRAY<INT>>; k STRING", _MAPS, _MAP_CALLS),
    family(
        "rows",
        "r ROW<x INT, y STRING>; o ROW<x INT, y STRING>; q ROW<i ROW<x INT, z BOOLEAN>, a ARRAY<INT>>; "
        "ar ARRAY<ROW<x INT, y STRING>>",
        _ROWS,
        _ROW_CALLS,
    ),
    family("bytes", "b BYTES; c BYTES", _BYTES, _BYTES_CALLS),
)
"""Families of functions of collections."""
