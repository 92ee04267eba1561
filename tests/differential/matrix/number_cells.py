"""Calls of operators and functions of numbers and truth values."""

from __future__ import annotations

from tests.differential.matrix.family import Family, family

__all__ = ["NUMBER_FAMILIES"]

_APPROXIMATE = (
    (None, 1.0, None, 1.0, 1),
    ("NaN", 1.0, "NaN", 2.5, 2),
    ("Infinity", "-Infinity", "Infinity", 0.0, 0),
    ("-Infinity", 2.0, "-Infinity", -1.5, -1),
    (0.0, "-0.0", 0.0, "-0.0", 3),
    ("-0.0", 0.0, "-0.0", 0.0, -3),
    (1.5, -2.5, 1.1, 0.1, 1),
    (-2.5, 0.5, -2.5, 3.0, 0),
    ("1.7976931348623157E308", 10.0, "3.4028235E38", 10.0, 2),
    ("4.9E-324", 2.0, "1.4E-45", 2.0, 400),
    (123456.78951, 7.0, 123456.79, 7.0, -2),
    (0.30000000000000004, 3.0, 16777217.0, 1.0, 16),
)
_ANGLES = [
    "SIN",
    "COS",
    "TAN",
    "COT",
    "ASIN",
    "ACOS",
    "ATAN",
    "SINH",
    "COSH",
    "TANH",
    "DEGREES",
    "RADIANS",
    "SQRT",
    "EXP",
    "LN",
    "LOG10",
    "LOG2",
    "LOG",
    "ABS",
    "SIGN",
]
_APPROXIMATE_CALLS = r"""
d + e
d - e
d * e
d / e
d % e
MOD(d, e)
f + g
f - g
f * g
f / g
f % g
f + d
f * d
f / d
d + n
f + n
f * n
f / n
d / n
f + 1.5
d * 1.50
f % 2
-d
-f
ABS(f)
LN(f)
LOG(2, d)
LOG(d, e)
POWER(d, e)
POWER(d, n)
POWER(f, 2)
ATAN2(d, e)
ROUND(d)
ROUND(d, 2)
ROUND(d, n)
ROUND(d, -2)
ROUND(d, 2147483647)
ROUND(f, 1)
TRUNCATE(d)
TRUNCATE(d, 2)
TRUNCATE(d, n)
TRUNCATE(f, 1)
TRUNCATE(f)
FLOOR(d)
CEIL(d)
CEILING(d)
FLOOR(f)
CEIL(f)
SIGN(f)
HEX(d)
d = e
d < e
d >= e
d <> e
f = g
f = 1.1
d = f
d > n
d IS NOT DISTINCT FROM e
d IN (1.5, 0.0)
d BETWEEN 0 AND 2
d NOT BETWEEN -1.0 AND e
GREATEST(d, e)
LEAST(d, e)
GREATEST(f, d)
COALESCE(d, e)
COALESCE(f, d)
COALESCE(f, n)
NULLIF(d, e)
NULLIF(d, 0.0)
IFNULL(f, 2.5)
IF(d > 0, f, d)
CASE WHEN d > 0 THEN f ELSE n END
TYPEOF(f + d)
"""
_WHOLE = (
    (None, None, None, None),
    (0, 0, 0, 0),
    (7, 7, 7, 7),
    (-7, -7, -7, -7),
    (127, 32767, 2147483647, 9223372036854775807),
    (-128, -32768, -2147483648, -9223372036854775808),
    (5, 15, 255, 1234567890123),
    (-1, 45, -46, -555),
)
_WHOLE_CALLS = r"""
t + s
t + t
s + s
i + i
l + l
i + l
i - l
t - 1
t * t
s * t
i * i
l * 2
i / 2
l / 3
i / t
7 / s
i % 3
l % i
t % s
MOD(i, 4)
MOD(l, s)
-t
-i
-l
ABS(t)
ABS(i)
ABS(l)
SIGN(t)
SIGN(l)
ROUND(i, -1)
ROUND(l, -2)
ROUND(t, -1)
ROUND(i, 2)
ROUND(i)
TRUNCATE(i, -1)
TRUNCATE(l, -2)
TRUNCATE(i)
TRUNCATE(t, -1)
FLOOR(i)
CEIL(l)
CEILING(t)
POWER(i, 2)
POWER(2, t)
SQRT(i)
EXP(t)
LN(l)
LOG10(i)
LOG(2, i)
SIN(i)
DEGREES(i)
BIN(i)
BIN(l)
BIN(t)
HEX(i)
HEX(l)
CHR(i)
CHR(l)
i = l
t < s
i <> 7
l BETWEEN t AND i
i IN (7, 0, l)
l NOT IN (7, 2147483647)
i IS DISTINCT FROM 7
GREATEST(t, l)
LEAST(i, l, 3)
COALESCE(t, s)
COALESCE(t, 5)
IFNULL(t, i)
NULLIF(t, i)
NULLIF(i, 7)
IF(i > 0, t, l)
CASE WHEN i > 0 THEN t WHEN i < 0 THEN s END
CASE i WHEN 7 THEN 1.5 ELSE 2 END
i + 1.5
i * 0.5
l * 1.1
i / 3.0
l - 0.1
i + NULL
i + 1e0
TO_TIMESTAMP_LTZ(i, 0)
TO_TIMESTAMP_LTZ(l, 3)
RAND_INTEGER(1) + i
ELT(t, 'a', 'b', 'c', 'd', 'e', 'f', 'g')
TYPEOF(i / l)
TYPEOF(t + s)
"""
_EXACT = (
    (None, None, None, None, None),
    ("0.00", "0", "0", "0", 0),
    ("1.50", "1.500000000000000000", "15", "0.50000", 2),
    ("-2.55", "-2.555555555555555555", "-3", "-0.00001", 3),
    ("99999999.99", "99999999999999999999.999999999999999999", "99999999999999999999999999999999999999", "0.99999", -1),
    ("-99999999.99", "-0.000000000000000001", "-1", "-0.99999", 1),
    ("0.01", "12345.678900000000000000", "7", "0.10000", 0),
)
_EXACT_CALLS = r"""
m + m
m - i
m * m
m / i
m / m
m % i
i % m
m + 1
m * 1.5
1 / m
p + m
p * p
p / m
p - w
q + 1
q * q
q / 3
q % 7
q - m
w * w
w / w
w % w
m + 0.5e0
-m
-q
ABS(m)
ABS(q)
SIGN(m)
SIGN(p)
ROUND(m)
ROUND(m, 1)
ROUND(m, i)
ROUND(m, -1)
ROUND(p, 3)
ROUND(w, 5)
ROUND(w, 2)
ROUND(q, -3)
ROUND(q, 2)
TRUNCATE(m)
TRUNCATE(m, 1)
TRUNCATE(m, i)
TRUNCATE(m, -1)
TRUNCATE(p, 2)
TRUNCATE(w, 4)
TRUNCATE(q, -2)
FLOOR(m)
FLOOR(p)
FLOOR(w)
CEIL(m)
CEIL(p)
CEIL(q)
CEILING(w)
MOD(m, 2)
MOD(p, i)
POWER(m, 2)
SQRT(m)
EXP(w)
LN(m)
LOG2(p)
LOG(m)
SIN(m)
m = p
m < i
m >= 1.50
p > q
q = i
m IN (1.5, 0)
m BETWEEN w AND q
m IS NOT DISTINCT FROM w
GREATEST(m, w)
LEAST(m, p)
GREATEST(m, i)
COALESCE(m, w)
COALESCE(m, i)
COALESCE(q, p)
IFNULL(w, 1.5)
NULLIF(m, 1.5)
IF(m > 0, m, w)
CASE WHEN m > 0 THEN i ELSE m END
CASE WHEN m > 0 THEN p ELSE q END
CAST(m AS STRING)
TYPEOF(m * p)
IS_DECIMAL(CAST(m AS STRING))
"""
_TRUTH = tuple((p, q) for p in (True, False, None) for q in (True, False, None))
_TRUTH_CALLS = r"""
p AND q
p OR q
NOT p
p IS TRUE
p IS NOT TRUE
p IS FALSE
p IS NOT FALSE
p IS UNKNOWN
p IS NOT UNKNOWN
p IS NULL
p = q
p <> q
p < q
p >= q
p IS DISTINCT FROM q
p IS NOT DISTINCT FROM q
p IN (TRUE, q)
COALESCE(p, q)
NULLIF(p, q)
IF(p, 'yes', 'no')
CASE WHEN p THEN 1 WHEN q THEN 2 ELSE 3 END
GREATEST(p, q)
LEAST(p, q)
p AND NULL
NOT (p OR q) AND p
CAST(p AS STRING) || 'x'
"""
_CONSTANTS = r"""
PI()
E()
1 + 1
1.50 + 1
1e2
'a' || 'b'
U&'\0041b'
x'4142'
DATE '2021-03-28'
TIME '12:30:45'
TIME '12:30:45.123'
TIMESTAMP '2021-03-28 02:30:00'
TIMESTAMP '2021-03-28 02:30:00.1234567'
INTERVAL '1' DAY
INTERVAL '1-2' YEAR TO MONTH
INTERVAL '1 02:03:04.567' DAY TO SECOND
INTERVAL '90' MINUTE
INTERVAL '2' WEEK
CAST(NULL AS INT)
ARRAY[1, 2.5]
ARRAY['a', 'bcd']
MAP['k', 1, 'l', NULL]
ROW(1, 'a', 2.50)
(1, 'a')
ROW()
ARRAY[ROW(1, 'a'), ROW(2, 'b')]
TYPEOF(1)
TYPEOF('abc')
TYPEOF('abc', TRUE)
TYPEOF(ARRAY[1])
TYPEOF(ROW(1, 'a'))
TYPEOF(NULL)
CURRENT_TIMESTAMP IS NULL
CURRENT_DATE >= DATE '2020-01-01'
LOCALTIMESTAMP > TIMESTAMP '2020-01-01 00:00:00'
LOCALTIME IS NOT NULL
CURRENT_TIME IS NOT NULL
NOW() IS NOT NULL
CURRENT_ROW_TIMESTAMP() IS NOT NULL
UNIX_TIMESTAMP() > 1600000000
PROCTIME() IS NULL
UUID() IS NULL
CHAR_LENGTH(UUID())
RAND() < 1
RAND(7) >= 0
RAND_INTEGER(1)
RAND_INTEGER(7, 1)
CURRENT_DATABASE()
TIMESTAMPADD(DAY, 1, DATE '2021-03-27')
OBJECT_OF('pkg.T', 'a', 1)
"""

NUMBER_FAMILIES: tuple[Family, ...] = (
    family(
        "approximate",
        "d DOUBLE; e DOUBLE; f FLOAT; g FLOAT; n INT",
        _APPROXIMATE,
        *(f"{name}(d)" for name in _ANGLES),
        _APPROXIMATE_CALLS,
    ),
    family("whole", "t TINYINT; s SMALLINT; i INT; l BIGINT", _WHOLE, _WHOLE_CALLS),
    family(
        "exact", "m DECIMAL(10, 2); p DECIMAL(38, 18); q DECIMAL(38, 0); w DECIMAL(5, 5); i INT", _EXACT, _EXACT_CALLS
    ),
    family("truth", "p BOOLEAN; q BOOLEAN", _TRUTH, _TRUTH_CALLS),
    family("constants", "one INT", ((1,),), _CONSTANTS),
)
"""Families of functions of numbers."""
