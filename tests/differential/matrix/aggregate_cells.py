"""Families of aggregates: calls over the columns of a table, by groups of its rows."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Final

from tests.differential.matrix.family import Family, family

__all__ = ["AGGREGATE_FAMILIES"]

_NUMBERS: Final = ("y", "h", "i", "l", "f", "d", "m", "q")
_NUMBER_COLUMNS: Final = (
    "g STRING; y TINYINT; h SMALLINT; i INT; l BIGINT; f FLOAT; d DOUBLE; m DECIMAL(10, 2); q DECIMAL(38, 18)"
)
_LARGE: Final = "99999999999999999999.999999999999999999"
_NO_NUMBERS: Final = (None,) * len(_NUMBERS)
_NUMBER_ROWS: Final = (
    ("some", 1, 10, 100, 1000, 1.5, 2.5, "1.50", "0.333333333333333333"),
    ("none", *_NO_NUMBERS),
    ("some", -2, -20, -200, -3000, 0.1, 0.1, "0.05", "-0.666666666666666667"),
    ("one", 5, 5, 5, 5, 5.5, 5.5, "5.00", "5.000000000000000001"),
    ("some", *_NO_NUMBERS),
    ("down", -7, -7, -7, -7, -7.25, -7.25, "-0.01", "-0.000000000000000001"),
    ("some", -1, 7, -7, 1000, -0.5, 1e10, "-3.25", "1.000000000000000001"),
    ("down", -8, -8, -8, -8, -8.5, -8.5, "-0.02", "-0.000000000000000002"),
    ("same", 3, 3, 3, 3, 0.1, 0.1, "0.10", "0.100000000000000000"),
    ("same", 3, 3, 3, 3, 0.1, 0.1, "0.10", "0.100000000000000000"),
    ("none", *_NO_NUMBERS),
    ("same", 3, 3, 3, 3, 0.1, 0.1, "0.10", "0.100000000000000000"),
    ("most", 127, 32767, 2**31 - 1, 2**63 - 1, "3.4028235E38", "1.7976931348623157E308", "99999999.99", _LARGE),
    (
        "least",
        -128,
        -(2**15),
        -(2**31),
        -(2**63),
        "-3.4028235E38",
        "-1.7976931348623157E308",
        "-99999999.99",
        f"-{_LARGE}",
    ),
    ("most", 127, 32767, 2**31 - 1, 2**63 - 1, "3.4028235E38", "1.7976931348623157E308", "99999999.99", _LARGE),
    ("least", -1, -1, -1, -1, "-1E38", "-1E308", "-0.01", "-0.000000000000000001"),
    ("no number", 0, 0, 0, 0, 1.0, 1.0, "0.00", "0"),
    ("no number", 1, 1, 1, 1, "NaN", "NaN", "0.01", "0.000000000000000001"),
    ("no number", 2, 2, 2, 2, -1.0, -1.0, "0.02", "1"),
    ("no number", 1, 1, 1, 1, "NaN", "NaN", "0.01", "1"),
    ("infinite", 1, 1, 1, 1, "Infinity", "Infinity", "0.01", "1"),
    ("infinite", 2, 2, 2, 2, 7.0, 7.0, "0.02", "2"),
    ("both", 1, 1, 1, 1, "Infinity", "Infinity", "0.01", "1"),
    ("both", -1, -1, -1, -1, "-Infinity", "-Infinity", "-0.01", "-1"),
    ("zeros", 0, 0, 0, 0, "-0.0", "-0.0", "0.00", "0"),
    ("zeros", 0, 0, 0, 0, 0.0, 0.0, "-0.00", "0.0"),
    ("below zero", 0, 0, 0, 0, "-0.0", "-0.0", "0.00", "0"),
    ("rounded", 1, 1, 1, 2**53 + 1, 16777216.0, 9007199254740992.0, "0.01", "0.000000000000000001"),
    ("rounded", 0, 0, 0, 1, 1.0, 1.0, "0.00", "0.000000000000000001"),
    ("rounded", 0, 0, 0, 1, 1.0, 1.0, "0.00", "0"),
)
_TIMED_COLUMNS: Final = f"{_NUMBER_COLUMNS}; ts TIMESTAMP(3)"
_TIMED_ROWS: Final = tuple((*row, "2021-03-28T12:00:00") for row in _NUMBER_ROWS)


def _each(names: str, columns: Iterable[str], form: str = "{name}({column})") -> list[str]:
    return [form.format(name=name, column=column) for name in names.split() for column in columns]


_SUMS: Final = (
    *("COUNT(*)", "COUNT(1)", "COUNT(i)", "COUNT(f)", "SUM(1)", "SUM(0.5)", "AVG(3)", "MAX('a')"),
    *_each("SUM AVG MIN MAX", _NUMBERS),
    *("SUM(i) FILTER (WHERE i > 0)", "COUNT(*) FILTER (WHERE d > 0)", "AVG(d) FILTER (WHERE i < 3)"),
    *("MAX(m) FILTER (WHERE m < 0)", "SUM(CASE WHEN i > 0 THEN 1 ELSE 0 END)", "SUM(m * 2) + 1", "AVG(i) * 1.5"),
    *(
        "SUM(i) / COUNT(i)",
        "MAX(l) > MIN(l)",
        "COALESCE(SUM(l), 0)",
        "SUM(CAST(i AS BIGINT))",
        "AVG(CAST(l AS DOUBLE))",
    ),
    *("SUM(CAST(y AS DECIMAL(38, 0)))", "AVG(CAST(i AS DECIMAL(5, 3)))", "SUM(CAST(m AS DECIMAL(38, 30)))"),
    *("MIN(-i)", "SUM(l) - SUM(i)", "SUM(d + f)", "MAX(ABS(d))", "SUM(i) IS NULL", "COUNT(i) = 0"),
)
_SPREADS: Final = (
    *_each("COUNT SUM AVG", _NUMBERS, "{name}(DISTINCT {column})"),
    *(
        "MIN(DISTINCT i)",
        "MAX(DISTINCT d)",
        "COUNT(DISTINCT i, l)",
        "COUNT(i, l)",
        "COUNT(DISTINCT i) FILTER (WHERE i > 0)",
    ),
    *("SUM(DISTINCT i) FILTER (WHERE d > 0)", "SUM(DISTINCT i + 1)", "COUNT(ALL i)", "SUM(ALL i)"),
    *_each("STDDEV_POP STDDEV_SAMP VAR_POP VAR_SAMP", _NUMBERS),
    *("STDDEV(d)", "VARIANCE(d)", "STDDEV(m)", "VARIANCE(i)", "STDDEV_POP(DISTINCT i)", "VAR_SAMP(DISTINCT d)"),
    *("VAR_POP(i) FILTER (WHERE i > 0)",),
    *_each("FIRST_VALUE LAST_VALUE ARRAY_AGG COLLECT", _NUMBERS),
    *("ARRAY_AGG(DISTINCT i)", "ARRAY_AGG(DISTINCT d)", "COLLECT(DISTINCT i)", "ARRAY_AGG(i) FILTER (WHERE i > 0)"),
    *("COLLECT(i) FILTER (WHERE i > 0)", "CARDINALITY(ARRAY_AGG(i))", "ARRAY_AGG(i)[1]", "CARDINALITY(COLLECT(i))"),
    *_each("JSON_ARRAYAGG", _NUMBERS),
    *("JSON_ARRAYAGG(i NULL ON NULL)", "JSON_ARRAYAGG(i ABSENT ON NULL)", "JSON_ARRAYAGG(d NULL ON NULL)"),
    *_each("PERCENTILE", _NUMBERS, "{name}({column}, 0.5)"),
    *(
        "PERCENTILE(i, 0)",
        "PERCENTILE(i, 1)",
        "PERCENTILE(i, 0.3)",
        "PERCENTILE(d, 0.25)",
        "PERCENTILE(i, CAST(0.5 AS FLOAT))",
    ),
    *("PERCENTILE(i, ARRAY[0.25, 0.5, 0.75])", "PERCENTILE(d, ARRAY[0.9, 0.1])", "PERCENTILE(m, ARRAY[1, 0])"),
    *("PERCENTILE(i, 0.5, 2)", "PERCENTILE(i, 0.5, y)", "PERCENTILE(d, ARRAY[0.5], l)", "PERCENTILE(i, 0.5, 0)"),
    *(
        "PERCENTILE(DISTINCT i, 0.5)",
        "PERCENTILE(i, 0.5) FILTER (WHERE i > 0)",
        "PERCENTILE(i, 1.5)",
        "PERCENTILE(i, -1)",
    ),
    *("PERCENTILE(i, d)", "PERCENTILE(i, NULL)", "PERCENTILE(i, ARRAY[2])", "PERCENTILE(i, 'a')", "PERCENTILE(i)"),
    *(
        "PERCENTILE(i, 0.5, m)",
        "PERCENTILE(i, 0.5, d)",
        "PERCENTILE(i, 0.5, NULL)",
        "PERCENTILE(i, CAST(NULL AS DOUBLE))",
    ),
    *("SINGLE_VALUE(g)", "APPROX_COUNT_DISTINCT(i)", "SUM0(i)", "MEDIAN(i)", "MODE(i)", "ANY_VALUE(i)", "BIT_AND(i)"),
    *("EVERY(i > 0)", "SOME(i > 0)", "COVAR_POP(i, l)", "REGR_COUNT(i, l)", "STRING_AGG(g, ',')", "GROUP_CONCAT(g)"),
)

_VALUES: Final = ("s", "v", "b", "r", "u", "t", "p", "z", "a", "n", "o")
_VALUE_COLUMNS: Final = (
    "g STRING; s STRING; v VARCHAR(5); b BOOLEAN; r BYTES; u DATE; t TIMESTAMP(3); p TIMESTAMP(6); "
    "z TIMESTAMP_LTZ(3); a ARRAY<INT>; n ROW<x INT, y STRING>; o MAP<STRING, INT>; k STRING"
)
_FIRST: Final = "2021-03-28T02:30:00.5"
_NO_VALUES: Final = (None,) * len(_VALUES)


def _value(group: str, text: str | None, truth: bool | None, day: str | None, clock: str | None, **nested: Any) -> Any:
    time = day and clock and f"{day}T{clock}"
    coded = nested.get("coded")
    return (
        *(group, text, text and text[:5], truth, coded, day, time, time, time and f"{time}Z"),
        *(nested.get(name) for name in "ano"),
    )


_WITHOUT_KEYS: Final = (
    _value("some", "b", True, "2021-03-28", "02:30:00.5", coded="AQI=", a=[1, 2], n={"x": 1, "y": "a"}, o={"k": 1}),
    ("none", *_NO_VALUES),
    _value("some", "a", False, "1969-12-31", "23:59:59.999", coded="AQ==", a=[1], n={"x": 1, "y": None}, o={"k": None}),
    ("some", *_NO_VALUES),
    _value("one", '\U0001f600é"\\\n', False, "1970-01-01", "00:00:00", coded="", a=[], n={"x": None, "y": ""}, o={}),
    _value(
        "some", "", True, "2000-02-29", "12:00:00", coded="/w==", a=[None], n={"x": -1, "y": "b"}, o={"l": 2, "k": 1}
    ),
    _value("same", "x", True, "2021-03-28", "02:30:00", coded="AA==", a=[7], n={"x": 7, "y": "x"}, o={"x": 7}),
    ("none", *_NO_VALUES),
    _value("same", "x", True, "2021-03-28", "02:30:00", coded="AA==", a=[7], n={"x": 7, "y": "x"}, o={"x": 7}),
    _value("case", "z", False, "9999-12-31", "23:59:59", coded="gAE=", a=[2, 1], n={"x": 2, "y": "Z"}, o={"a": 1}),
    _value("case", "Z", False, "0001-01-01", "00:00:00", coded="fwE=", a=[2], n={"x": 2, "y": "z"}, o={"b": 1}),
    _value("case", "é", True, "1582-10-15", "00:00:00", coded="fw==", a=[2, 1], n={"x": 2, "y": "Z"}, o={"a": 1}),
    _value("case", "\uffee", None, "2021-10-31", "02:30:00", coded=None, a=[], n={"x": 2, "y": "Z"}, o={"a": 2}),
    _value("case", "\U0001f600", True, "2021-10-31", "01:30:00", coded="", a=None, n=None, o=None),
    _value("spaces", " ", None, None, None, coded="ICA=", a=[0]),
    _value("spaces", "  ", True, None, "00:00:01", coded="ICAg", a=[0, 0]),
    _value("spaces", "\t,", True, None, "00:00:01", coded="IA==", a=[0, 0]),
)
_VALUE_ROWS: Final = tuple((*row, f"k{at}") for at, row in enumerate(_WITHOUT_KEYS))
_CHOSEN: Final = (
    *_each("COUNT MIN MAX FIRST_VALUE LAST_VALUE ARRAY_AGG COLLECT", _VALUES),
    *_each("COUNT ARRAY_AGG COLLECT", _VALUES, "{name}(DISTINCT {column})"),
    *("FIRST_VALUE(DISTINCT s)", "LAST_VALUE(DISTINCT s)", "MAX(s) FILTER (WHERE s > 'Z')", "MIN(t) FILTER (WHERE b)"),
    *("FIRST_VALUE(s) FILTER (WHERE b)", "LAST_VALUE(s) FILTER (WHERE b)", "MAX(t) > MIN(t)", "MAX(n.x)", "MIN(a[1])"),
    *("LISTAGG(s)", "LISTAGG(v)", "LISTAGG(s, '-')", "LISTAGG(s, '')", "LISTAGG(s, v)", "LISTAGG(DISTINCT s)"),
    *("LISTAGG(DISTINCT s, '; ')", "LISTAGG(CAST(n.x AS STRING))", "LISTAGG(CAST(b AS STRING), '|')", "LISTAGG(b)"),
    *(
        "LISTAGG(s) FILTER (WHERE b)",
        "LISTAGG(s || v)",
        "LISTAGG(s, CAST(NULL AS STRING))",
        "LISTAGG(DATE_FORMAT(t, 'HH'))",
    ),
    *(
        "LISTAGG(s) WITHIN GROUP (ORDER BY s)",
        "LISTAGG(s, '-') WITHIN GROUP (ORDER BY t DESC)",
        "LISTAGG(s ORDER BY s)",
    ),
    *("ARRAY_AGG(s ORDER BY s)", "ARRAY_AGG(s) WITHIN GROUP (ORDER BY s)", "ARRAY_AGG(DISTINCT s ORDER BY s)"),
    *("COLLECT(s) WITHIN GROUP (ORDER BY s)", "ARRAY_AGG(s) FILTER (WHERE b)", "ARRAY_AGG(s IGNORE NULLS)"),
    *("ARRAY_AGG(s RESPECT NULLS)", "FIRST_VALUE(s) IGNORE NULLS", "ARRAY_AGG(s ORDER BY s LIMIT 1)"),
    *_each("SUM AVG STDDEV_POP", ("s", "b", "r", "u", "t", "a", "n", "o")),
    *_each("PERCENTILE", ("s", "b", "u", "t", "a"), "{name}({column}, 0.5)"),
    *_each("JSON_ARRAYAGG", _VALUES),
    *("JSON_ARRAYAGG(s NULL ON NULL)", "JSON_ARRAYAGG(t NULL ON NULL)", "JSON_ARRAYAGG(DISTINCT s)"),
    *("JSON_ARRAYAGG(s) FILTER (WHERE b)", "JSON_ARRAYAGG(s ORDER BY s)", "JSON_ARRAYAGG(s) WITHIN GROUP (ORDER BY s)"),
    *("JSON_ARRAYAGG(JSON_OBJECT('k' VALUE s))", "JSON_ARRAYAGG(JSON(s))", "JSON_ARRAYAGG(s FORMAT JSON)"),
    *("JSON_ARRAYAGG(JSON_ARRAY(s, b))", "JSON_ARRAYAGG(JSON_STRING(n))", "JSON_ARRAYAGG(s RETURNING STRING)"),
    *_each("JSON_OBJECTAGG", _VALUES, "{name}(KEY k VALUE {column})"),
)
_PAIR_COLUMNS: Final = (
    "g STRING; k STRING; v STRING; w VARCHAR(3); i INT; d DOUBLE; m DECIMAL(10, 2); b BOOLEAN; t TIMESTAMP(3)"
)
_PAIR_ROWS: Final = (
    ("some", "b", "x", "x", 1, 1.5, "1.50", True, f"{_FIRST}"),
    ("some", "a", None, None, None, None, None, None, None),
    ("one", "", "", "", 0, "-0.0", "0.00", False, "1970-01-01T00:00:00"),
    ("some", "c", 'y"\\', "é", -7, 1e10, "-3.25", False, "0001-01-01T00:00:00"),
    ("odd", '\U0001f600é"\\\n', "\U0001f600\t", "12", 2, "NaN", "0.01", True, "9999-12-31T23:59:59.999"),
    ("odd", "null", "null", "{}", 3, "Infinity", "0.10", True, "2021-10-31T02:30:00"),
    ("odd", "b", "[1]", "[1]", 3, 1e-7, "10.00", True, "2021-10-31T02:30:00"),
    ("none", "a", None, None, None, None, None, None, None),
)
_PAIRS: Final = (
    *_each("JSON_OBJECTAGG", ("v", "w", "i", "d", "m", "b", "t"), "{name}(KEY k VALUE {column})"),
    *_each("JSON_OBJECTAGG", ("v", "i", "d"), "{name}(KEY k VALUE {column} NULL ON NULL)"),
    *_each("JSON_OBJECTAGG", ("v", "i", "d"), "{name}(KEY k VALUE {column} ABSENT ON NULL)"),
    *("JSON_OBJECTAGG(k VALUE v)", "JSON_OBJECTAGG(k: v)", "JSON_OBJECTAGG(KEY k VALUE v) FILTER (WHERE b)"),
    *(
        "JSON_OBJECTAGG(KEY i VALUE v)",
        "JSON_OBJECTAGG(KEY v VALUE k)",
        "JSON_OBJECTAGG(KEY k VALUE v WITH UNIQUE KEYS)",
    ),
    *("JSON_OBJECTAGG(KEY g VALUE v)", "JSON_OBJECTAGG(KEY k VALUE JSON_OBJECT('v' VALUE v))", "JSON_OBJECTAGG(k, v)"),
    *("JSON_OBJECTAGG(KEY k VALUE JSON_ARRAY(v, i))", "JSON_OBJECTAGG(KEY k VALUE JSON_STRING(v))"),
    *(
        "JSON_OBJECTAGG(KEY k VALUE JSON(v))",
        "JSON_OBJECTAGG(KEY k || '!' VALUE v)",
        "JSON_OBJECTAGG(KEY k VALUE ROW(v, i))",
    ),
    *(
        "JSON_OBJECTAGG(KEY k VALUE ARRAY[v, w])",
        "JSON_OBJECTAGG(KEY UPPER(k) VALUE 1)",
        "JSON_OBJECTAGG(KEY 'k' VALUE v)",
    ),
    *(
        "JSON_OBJECTAGG(KEY k VALUE NULL)",
        "JSON_OBJECTAGG(KEY k VALUE MAP[k, v])",
        "JSON_OBJECTAGG(KEY DISTINCT k VALUE v)",
    ),
    *("JSON_ARRAYAGG(JSON_OBJECT(k VALUE v))", "JSON_ARRAYAGG(ROW(k, v))", "JSON_ARRAYAGG(1)", "JSON_ARRAYAGG(NULL)"),
    *("JSON_VALUE(JSON_OBJECTAGG(KEY k VALUE v), '$.b')", "CHAR_LENGTH(JSON_ARRAYAGG(v))"),
)

_CHANGED_COLUMNS: Final = (
    "id INT; g STRING; y TINYINT; i INT; l BIGINT; f FLOAT; d DOUBLE; m DECIMAL(10, 2); s STRING; b BOOLEAN; "
    "t TIMESTAMP(3); a ARRAY<INT>"
)
_NO_CHANGE: Final = (None,) * 10
_LATER: Final = "2022-01-01T00:00:00"
_CHANGED_ROWS: Final[tuple[tuple[Any, ...], ...]] = (
    (1, "kept", 1, 10, 100, 1.5, 2.5, "1.50", "b", True, _FIRST, [1, 2]),
    (2, "kept", 2, 20, 200, 0.1, 0.1, "0.05", "a", False, _LATER, [1]),
    (3, "kept", *_NO_CHANGE),
    (4, "moved", 127, 2**31 - 1, 2**63 - 1, 3e38, 1e308, "99999999.99", "z", True, _LATER, []),
    (5, "moved", 127, 2**31 - 1, 2**63 - 1, 3e38, 1e308, "99999999.99", "z", True, _LATER, []),
    (6, "emptied", 6, 6, 6, 6.0, 6.0, "6.00", "six", True, _FIRST, [6]),
    (7, "twice", 7, 7, 7, 7.5, 7.5, "7.00", "x", False, _FIRST, [7]),
    (8, "twice", 7, 7, 7, 7.5, 7.5, "7.00", "x", False, _FIRST, [7]),
    (2, "kept", -3, -20, -200, -0.5, 1e10, "-3.25", "c", True, "1969-12-31T23:59:59", [2]),
    (9, "gone", 9, 9, 9, 9.0, 9.0, "9.00", "nine", True, _FIRST, [9]),
    (5, "kept", 5, 5, 5, 5.5, 5.5, "5.00", "e", False, _LATER, [5]),
    (6, "emptied", *_NO_CHANGE),
    (7, "twice", 8, 8, 8, 8.25, 8.25, "8.00", "w", True, _LATER, [8]),
    (10, "twice", 7, 7, 7, 7.5, 7.5, "7.00", "x", False, _FIRST, [7]),
    (11, "filled", *_NO_CHANGE),
    (9, "moved", -9, -9, -9, -9.0, -9.0, "-9.00", "ninth", None, None, None),
    (11, "filled", 3, 3, 3, 0.75, 0.75, "0.75", "three", False, _FIRST, [3, 3]),
    (12, "twice", 7, 7, 7, 7.5, 7.5, "7.00", "x", False, _FIRST, [7]),
    (13, "lost", 1, 1, 1, "NaN", "NaN", "0.00", "NaN", True, _FIRST, []),
    (14, "lost", 2, 2, 2, "NaN", "NaN", "0.50", "NaN", True, _FIRST, []),
    (15, "lost", 3, 3, 3, 3.0, 3.0, "3.00", "3", True, _LATER, []),
    (16, "lost", 4, 4, 4, "-0.0", "-0.0", "4.00", "4", True, _LATER, [4]),
    (13, "lost", 1, 1, 1, 1.0, 1.0, "0.00", "1", True, _FIRST, []),
    (12, "moved", 1, 1, 1, 1.0, 1.0, "1.00", "one", True, _LATER, [1]),
    (4, "moved", -128, -(2**31), -(2**63), -3e38, -1e308, "-99999999.99", "Z", True, "0001-01-01T00:00:00", [0]),
)
_OF_CHANGES: Final = ("y", "i", "l", "f", "d", "m")
_CHANGED: Final = (
    *("COUNT(*)", "COUNT(i)", "COUNT(DISTINCT i)", "COUNT(DISTINCT s)", "SUM(DISTINCT i)", "AVG(DISTINCT d)"),
    *_each("SUM AVG MIN MAX FIRST_VALUE LAST_VALUE", _OF_CHANGES),
    *_each("MIN MAX FIRST_VALUE LAST_VALUE", ("s", "b", "t")),
    *_each("STDDEV_POP STDDEV_SAMP VAR_POP VAR_SAMP", ("i", "d", "m")),
    *_each("ARRAY_AGG COLLECT", ("i", "s", "t")),
    "ARRAY_AGG(a)",
    *("LISTAGG(s)", "LISTAGG(s, '-')", "LISTAGG(DISTINCT s)", "ARRAY_AGG(DISTINCT i)", "COLLECT(DISTINCT s)"),
    *(
        "SUM(i) FILTER (WHERE i > 0)",
        "LISTAGG(s) FILTER (WHERE b)",
        "COUNT(*) FILTER (WHERE b)",
        "MAX(d) FILTER (WHERE b)",
    ),
    *("PERCENTILE(i, 0.5)", "PERCENTILE(d, ARRAY[0.25, 0.75])", "PERCENTILE(d, 0.5, y)", "PERCENTILE(m, 0.9)"),
    *("JSON_ARRAYAGG(i)", "JSON_ARRAYAGG(i NULL ON NULL)", "JSON_ARRAYAGG(s)", "JSON_ARRAYAGG(s NULL ON NULL)"),
    *(
        "JSON_OBJECTAGG(KEY CAST(id AS STRING) VALUE s)",
        "JSON_OBJECTAGG(KEY CAST(id AS STRING) VALUE i ABSENT ON NULL)",
    ),
    *("JSON_OBJECTAGG(KEY CAST(id AS STRING) VALUE COALESCE(d, 0))", "SUM(i) + COUNT(i)", "MAX(t) > MIN(t)"),
)
_WINDOWS: Final = "TABLE(TUMBLE(TABLE {table}, DESCRIPTOR(ts), INTERVAL '1' DAY))"
_LAST_ROWS: Final = (
    "(SELECT * FROM (SELECT *, ROW_NUMBER() OVER (PARTITION BY id ORDER BY p DESC) AS nr FROM "
    "(SELECT *, PROCTIME() AS p FROM {table})) WHERE nr = 1)"
)

AGGREGATE_FAMILIES: tuple[Family, ...] = (
    family("sums", _NUMBER_COLUMNS, _NUMBER_ROWS, *_SUMS, by="g"),
    family("windows", _TIMED_COLUMNS, _TIMED_ROWS, *_SUMS, by="g", source=_WINDOWS, time="ts"),
    family("spreads", _NUMBER_COLUMNS, _NUMBER_ROWS, *_SPREADS, by="g"),
    family("chosen", _VALUE_COLUMNS, _VALUE_ROWS, *_CHOSEN, by="g"),
    family("pairs", _PAIR_COLUMNS, _PAIR_ROWS, *_PAIRS, by="g"),
    # The rows of several ids meet in a group: with several subtasks in any order, on Flink, too.
    family("changed", _CHANGED_COLUMNS, _CHANGED_ROWS, *_CHANGED, by="g", source=_LAST_ROWS, parallelism="1"),
)
"""Families of aggregates; the rows of the last one change."""
