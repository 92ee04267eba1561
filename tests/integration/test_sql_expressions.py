"""Expressions of Flink SQL, run by Spark, give what Flink documents, and have the types that Spark says."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from typing import TYPE_CHECKING

import pytest
from pyspark.sql.types import BooleanType, StructField, StructType

from kafkastream.errors import DefinitionError
from kafkastream.spark.session.query_settings import job_session
from kafkastream.spark.session.session import local_frame
from kafkastream.spark.session.translate_errors import spark_refusals
from kafkastream.spark.sql.formats.spark_types import spark_type
from kafkastream.spark.sql.functions.user_functions import register
from kafkastream.spark.worker.worker_cache import JobAttempt
from kafkastream.sql.plan.expression import ColumnRef, TypedExpression
from kafkastream.sql.plan.functions import FUNCTIONS, call
from kafkastream.sql.plan.functions.built_in import CallError
from kafkastream.sql.plan.relations import Explode, Field, Project
from kafkastream.sql.plan.spark_text import KEPT, spark_text
from kafkastream.sql.session_functions import PYTHON_FUNCTIONS
from kafkastream.sql.syntax.data_types import parse_type
from kafkastream.sql.types import Kind
from tests.unit.sql.planning import compiled, plan, under

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

JSON = '{"a": {"b": 1, "c": [1, 2]}, "s": "x y", "t": true, "n": null, "d": 1.50}'
ROW = {
    "i INT": "7",
    "l BIGINT": "-7L",
    "s STRING": "'Hello, World'",
    "d DOUBLE": "2.5D",
    "m DECIMAL(10, 2)": "cast(12.34 as decimal(10, 2))",
    "ts TIMESTAMP(3)": "timestamp_ntz'2021-03-24 10:02:03.456'",
    "lz TIMESTAMP_LTZ(3)": "timestamp'2021-03-24 10:02:03.456 UTC'",
    "arr ARRAY<INT>": "array(10, 20, 30)",
    "mp MAP<STRING, INT>": "map('a', 1, 'b', 2)",
    "r ROW<x INT, y STRING>": "named_struct('x', 1, 'y', 'in')",
    "n INT": "cast(null as int)",
    "j STRING": f"'{JSON}'",
    "dt DATE": "date'2021-03-24'",
    "b BOOLEAN": "true",
    "f FLOAT": "cast(1.5 as float)",
    "z DOUBLE": "0.0D",
    "ti TINYINT": "cast(1 as tinyint)",
    "si SMALLINT": "cast(2 as smallint)",
    "by BYTES": "cast('ab' as binary)",
}
LIKELY = (Kind.VARCHAR, Kind.INT, Kind.TIMESTAMP, Kind.ARRAY)
"""Kinds of arguments behind the first, in the order in which they are tried."""
INTERVALS = (Kind.INTERVAL_DAY_SECOND, Kind.INTERVAL_YEAR_MONTH)
FIELDS = [Field(name, parse_type(type_)) for name, _, type_ in (column.partition(" ") for column in ROW)]
RESULTS = r"""
i / 2 => 3
-i / 2 => -3
l / 2 => -3
l % 3 => -1
MOD(l, 2) => -1
i / 2.0 => 3.500000
m / 3 => 4.1133333333333
m + 1 => 13.34
d / 2 => 1.25
d / z => Infinity
z / z => NaN
UPPER(s) => HELLO, WORLD
SUBSTRING(s, 2, 3) => ell
SUBSTRING(s FROM -5) => World
SUBSTR(s, 1, -1) => None
SUBSTR(s, i + 1) => World
TRIM(BOTH 'H' FROM s) => ello, World
TRIM('  a ') => a
POSITION('o' IN s) => 5
OVERLAY(s PLACING 'XX' FROM 1 FOR 5) => XX, World
LPAD('hi', 4, '?') => ??hi
LPAD('hi', -1, '?') => None
RPAD('hi', 1, '?') => h
SPLIT_INDEX(s, ', ', 1) => World
SPLIT_INDEX('a|b', '|', 5) => None
REGEXP_EXTRACT('foothebar', 'foo(.*?)(bar)', 2) => bar
REGEXP_EXTRACT('foothebar', 'zzz', 0) => None
REGEXP_EXTRACT('url&channel_id=7&a', '(&|^)channel_id=([^&]*)', 2) => 7
REGEXP_EXTRACT('ac', 'a(b)?c', 1) => None
REGEXP_REPLACE('foobar', 'oo|ar', '') => fb
REGEXP_REPLACE('a1b2', '(\d)', '<$1>') => a<$1>b<$1>
'a_c' LIKE 'a!_c' ESCAPE '!' => true
'a\c' LIKE 'a\c' => true
'abc' LIKE 'a%' => true
'abc' NOT LIKE 'a_' => true
'abc' SIMILAR TO 'a(b|c)+' => true
s || '!' => Hello, World!
CONCAT_WS('-', 'a', CAST(n AS STRING), 'b') => a-b
MD5('a') => 0cc175b9c0f1b6a831c399e269772661
SHA256('a') => ca978112ca1bbdcafac231b39a23dc4da786eff8147c4e72b9807785afee48bb
TO_BASE64('hello') => aGVsbG8=
FROM_BASE64('aGVsbG8=') => hello
CASE i WHEN 7 THEN 'seven' ELSE 'other' END => seven
CASE WHEN n IS NULL THEN 1 END => 1
COALESCE(n, 5) => 5
NULLIF(i, 7) => None
IF(i > 3, 'big', 'small') => big
GREATEST(1, n, 3) => None
GREATEST(1, 2, 3) => 3
n IS NOT DISTINCT FROM NULL => true
i IS DISTINCT FROM 8 => true
i BETWEEN 7 AND 8 => true
i NOT IN (1, 2) => true
b IS TRUE => true
b IS NOT TRUE => false
arr[1] => 10
arr[9] => None
mp['a'] => 1
mp['zz'] => None
CARDINALITY(arr) => 3
CARDINALITY(mp) => 2
ELEMENT(ARRAY[4]) => 4
ARRAY[1, 2][2] => 2
MAP['k', 3]['k'] => 3
r.x => 1
t.r.y => in
CAST(ROW(1, 'x') AS ROW<a INT, b STRING>).b => x
CAST(ts AS STRING) => 2021-03-24 10:02:03.456
CAST(b AS STRING) => TRUE
CAST('12.9' AS INT) => 12
TRY_CAST('abc' AS INT) => None
TRY_CAST(' 12 ' AS INT) => 12
CAST(2.567 AS DECIMAL(10, 2)) => 2.57
CAST('2021-03-24 10:02:03.456789' AS TIMESTAMP(3)) => 2021-03-24 10:02:03.456
CAST(s AS VARCHAR(5)) => Hello
CAST(s AS CHAR(3)) => Hel
CAST(ARRAY[n, 2] AS STRING) => [NULL, 2]
CAST(mp AS STRING) => {a=1, b=2}
CAST(r AS VARCHAR(5)) => (1, i
CAST(ARRAY[ROW(b, ts)] AS STRING) => [(TRUE, 2021-03-24 10:02:03.456)]
CAST(1 AS BOOLEAN) => true
CAST(d AS INT) => 2
CAST(-2.5E0 AS INT) => -2
EXTRACT(YEAR FROM ts) => 2021
EXTRACT(SECOND FROM ts) => 3
EXTRACT(DOW FROM ts) => 4
EXTRACT(WEEK FROM dt) => 12
QUARTER(dt) => 1
FLOOR(ts TO HOUR) => 2021-03-24 10:00:00
CEIL(ts TO DAY) => 2021-03-25 00:00:00
FLOOR(dt TO MONTH) => 2021-03-01
FLOOR(lz TO MINUTE) => 2021-03-24 10:02:00
FLOOR(-1.5) => -2
FLOOR(d) => 2.0
CEIL(m) => 13
ROUND(m, 1) => 12.3
TRUNCATE(m, 1) => 12.3
TRUNCATE(-12.39, 1) => -12.3
SIGN(l) => -1
LN(z) => -Infinity
LN(-1) => NaN
POWER(2, 10) => 1024.0
ABS(l) => 7
TIMESTAMPADD(DAY, 1, dt) => 2021-03-25
TIMESTAMPADD(HOUR, -1, ts) => 2021-03-24 09:02:03.456
TIMESTAMPDIFF(DAY, dt, DATE '2021-04-01') => 8
TIMESTAMPDIFF(MONTH, TIMESTAMP '2021-01-31 00:00:00', TIMESTAMP '2021-03-01 00:00:00') => 1
ts + INTERVAL '1' DAY => 2021-03-25 10:02:03.456
ts - INTERVAL '1 02' DAY TO HOUR => 2021-03-23 08:02:03.456
dt + INTERVAL '1' MONTH => 2021-04-24
dt + INTERVAL '3' DAY => 2021-03-27
ts + INTERVAL '1' YEAR => 2022-03-24 10:02:03.456
ts > '2021-01-01 00:00:00' => true
DATE_FORMAT(ts, 'yyyy-MM-dd HH:mm') => 2021-03-24 10:02
DATE_FORMAT('2021-03-24 10:02:03', 'yyyyMMdd') => 20210324
TO_TIMESTAMP('2021-03-24 10:02:03.4567') => 2021-03-24 10:02:03.456
TO_TIMESTAMP('24/03/2021', 'dd/MM/yyyy') => 2021-03-24 00:00:00
TO_TIMESTAMP('nonsense') => None
TO_TIMESTAMP_LTZ(1000, 3) => 1970-01-01 00:00:01
TO_TIMESTAMP_LTZ(1616580123, 0) => 2021-03-24 10:02:03
TO_DATE('2021-03-24') => 2021-03-24
TO_DATE('24.03.2021', 'dd.MM.yyyy') => 2021-03-24
UNIX_TIMESTAMP('2021-03-24 10:02:03') => 1616580123
FROM_UNIXTIME(1616580123) => 2021-03-24 10:02:03
FROM_UNIXTIME(0, 'yyyy') => 1970
JSON_VALUE(j, '$.a.b') => 1
JSON_VALUE(j, '$.a') => None
JSON_VALUE(j, '$.s') => x y
JSON_VALUE(j, '$.t') => true
JSON_VALUE(j, '$.n') => None
JSON_VALUE(j, '$.d') => 1.50
JSON_VALUE(j, '$.zz' DEFAULT 'q' ON EMPTY DEFAULT 'q' ON ERROR) => q
JSON_VALUE(j, 'lax $.a.c[1]' RETURNING INT) => 2
JSON_VALUE('[broken', '$.a') => None
JSON_QUERY(j, '$.a.c') => [1,2]
JSON_QUERY(j, '$.s') => None
JSON_EXISTS(j, '$.a') => true
JSON_EXISTS(j, '$.q') => false
U&'\0041b' => Ab
'it''s \n' => it's \n
CHAR_LENGTH('häß') => 3
REPLACE('hello', 'l', 'L') => heLLo
LEFT(s, 2) => He
RIGHT(s, 2) => ld
REPEAT('ab', 2) => abab
REVERSE('abc') => cba
INSTR(s, 'o') => 5
LOCATE('o', s) => 5
HEX(255) => FF
NOT (b AND i > 100) => true
1.5 + i => 8.5
3000000000 + 1 => 3000000001
1e2 => 100.0
f * 2 => 3.0
i > 3 AND s = 'Hello, World' OR FALSE => true
ARRAY_CONTAINS(arr, 20) => true
TIMESTAMP '2021-03-24 10:02:03' => 2021-03-24 10:02:03
YEAR(dt) => 2021
CURRENT_TIMESTAMP > lz => true
LOCALTIMESTAMP > ts => true
CURRENT_DATE > dt => true
'abc' NOT LIKE 'a!_c' ESCAPE '!' => true
'a\b' NOT LIKE 'a\b' => false
i IS NOT NULL => true
n IS NULL => true
ARRAY_APPEND(arr, 1) => [10, 20, 30, 1]
ARRAY_PREPEND(arr, n) => [null, 10, 20, 30]
ARRAY_CONCAT(arr, ARRAY[1]) => [10, 20, 30, 1]
ARRAY_UNION(ARRAY[1, 2, 1], arr) => [1, 2, 10, 20, 30]
ARRAY_UNION(ARRAY[d, d, z / z], ARRAY[z / z]) => [2.5, NaN, NaN]
ARRAY_EXCEPT(arr, ARRAY[20]) => [10, 30]
ARRAY_INTERSECT(arr, ARRAY[20, 5]) => [20]
ARRAY_MAX(ARRAY[1, n, 3]) => 3
ARRAY_MIN(ARRAY[z / z, 1E0]) => NaN
ARRAY_POSITION(arr, 20) => 2
ARRAY_REMOVE(ARRAY[1, n], n) => [1]
ARRAY_SLICE(arr, -2, -1) => [20, 30]
ARRAY_SLICE(arr, 3, 1) => []
ARRAY_SORT(ARRAY[2, n, 1]) => [null, 1, 2]
ARRAY_SORT(ARRAY[2, n, 1], FALSE) => [2, 1, null]
ARRAY_SORT(ARRAY[2, n, 1], TRUE, FALSE) => [1, 2, null]
MAP_ENTRIES(mp) => [{a, 1}, {b, 2}]
MAP_FROM_ARRAYS(ARRAY['a', 'a'], ARRAY[1, 2]) => {a -> 2}
MAP_UNION(mp, MAP['b', 5]) => {a -> 1, b -> 5}
STR_TO_MAP('a=1,b,a=2') => {b -> null, a -> 2}
ELT(2, 'a', s) => Hello, World
ELT(i, 'a') => None
PRINTF('%s-%05d|%.2f', s, i, d) => Hello, World-00007|2.50
INITCAP('hELLO wORLD-x éA') => Hello World-X éA
ASCII('é') => -61
CHR(353) => a
LOCATE('o', s, 6) => 9
LTRIM('xxa', 'x') => a
RTRIM(s, 'dl') => Hello, Wor
TYPEOF(m) => DECIMAL(10, 2)
TYPEOF(arr, TRUE) => ARRAY<INT>
UNHEX('41') => A
URL_DECODE('%C3%A9+x') => é x
URL_DECODE('%zz') => None
PARSE_URL('http://u:p@ex.org:80/p?q=1#f', 'HOST') => ex.org
PARSE_URL('http://u:p@ex.org:80/p?q=1#f', 'FILE') => /p?q=1
PARSE_URL('http://ex.org/p?q=1&k=2', 'QUERY', 'k') => 2
PARSE_URL('not a url', 'HOST') => None
REGEXP_COUNT(s, 'o') => 2
REGEXP_COUNT(s, '(') => None
REGEXP_EXTRACT_ALL('a1b2', '([a-z])([0-9])', 2) => [1, 2]
REGEXP_EXTRACT_ALL('a1b2', '[a-z]', 0) => [a, b]
REGEXP_INSTR(s, 'W') => 8
REGEXP_SUBSTR(s, 'l+') => ll
SPLIT('a,,b', ',') => [a, , b]
SPLIT('', ',') => []
SPLIT_INDEX('a.b', RIGHT('x.', 1), 1) => b
SPLIT_INDEX('a,b', 44, 1) => b
CONVERT_TZ('1970-01-01 00:00:00', 'UTC', 'America/Los_Angeles') => 1969-12-31 16:00:00
CONVERT_TZ('2021-10-31 02:30:00', 'Europe/Berlin', 'UTC') => 2021-10-31 01:30:00
LOG(2, 8) => 3.0
LOG(z) => -Infinity
LOG(1, 5) => Infinity
TRUNCATE(-1.15E0, 1) => -1.1
TRUNCATE(127, -1) => 120
RAND_INTEGER(5, 1) => 0
i BETWEEN SYMMETRIC 9 AND 1 => true
(dt, INTERVAL '1' DAY) OVERLAPS (DATE '2021-03-25', DATE '2021-03-26') => true
(ts, ts) OVERLAPS (TIMESTAMP '2021-01-01 00:00:00', INTERVAL '1' DAY) => false
n IS UNKNOWN => true
INSTR('aaaa', 'aa', -3) => 1
INSTR('helloworld', 'l', -1, 2) => 4
INSTR('helloworld', 'l', 4, 2) => 9
'hello' SIMILAR TO 'h[a-f]l_%' => true
'a%' SIMILAR TO 'a!%' ESCAPE '!' => true
'B' SIMILAR TO '[[:UPPER:]]' => true
EXTRACT(EPOCH FROM ts) => 1616580123
EXTRACT(DECADE FROM ts) => 202
EXTRACT(CENTURY FROM ts) => 21
EXTRACT(MILLENNIUM FROM ts) => 3
EXTRACT(MILLISECOND FROM ts) => 456
EXTRACT(NANOSECOND FROM ts) => 456000000
TO_TIMESTAMP_LTZ(1.5E0, 0) => 1970-01-01 00:00:01.5
TO_TIMESTAMP_LTZ(m, 0) => 1970-01-01 00:00:12
TO_TIMESTAMP_LTZ('01.02.2023', 'dd.MM.yyyy', 'Europe/Berlin') => 2023-01-31 23:00:00
TO_TIMESTAMP_LTZ('2021-10-31 02:30:00.123', 'yyyy-MM-dd HH:mm:ss') => 2021-10-31 02:30:00.123
CONVERT_TZ('2021-13-28 25:30:00', 'UTC', 'no/zone') => 2022-01-29 01:30:00
CURRENT_TIME IS NOT NULL => true
LOCALTIME IS NOT NULL => true
CURRENT_ROW_TIMESTAMP() > lz => true
JSON_STRING(s) => "Hello, World"
JSON_STRING(1E7 * 1000) => 1.0E+10
JSON_STRING(m) => 12.34
JSON_STRING(r) => {"x":1,"y":"in"}
JSON_STRING(mp) => {"a":1,"b":2}
JSON_STRING(ts) => "2021-03-24T10:02:03.456"
JSON_STRING(lz) => "2021-03-24T10:02:03.456Z"
JSON_STRING(`by`) => "YWI="
JSON_QUOTE('a"é/') => "a\"\u00e9\/"
JSON_UNQUOTE('"a\"b\u00e9"') => a"bé
JSON_UNQUOTE('"a\q"') => "a\q"
JSON_OBJECT('b' VALUE i, 'a' VALUE n) => {"a":null,"b":7}
JSON_OBJECT(KEY 'a' VALUE n, 'b' : s ABSENT ON NULL) => {"b":"Hello, World"}
JSON_OBJECT('o' VALUE JSON_ARRAY(1, n, 'x')) => {"o":[1,"x"]}
JSON_OBJECT('j' VALUE JSON('{"k": [1.50]}')) => {"j":{"k":[1.50]}}
JSON_ARRAY(i, n NULL ON NULL) => [7,null]
j IS JSON => true
j IS JSON SCALAR => false
s IS JSON => false
'[1]' IS JSON ARRAY => true
'{a}' IS NOT JSON OBJECT => true
ARRAY_JOIN(ARRAY['a', 'b'], ',') => a,b
'abc' NOT SIMILAR TO 'a' => true
i NOT BETWEEN 1 AND 2 => true
'10' > 9 => true
'9' >= 10 => false
i < '10' => true
' 5 ' <= 5 => true
d > '2.25' => true
l >= '-07' => true
CAST(NULL AS STRING) < 9 => None
i BETWEEN '1' AND '9' => true
'5' BETWEEN 1 AND 9 => true
'10' NOT BETWEEN 1 AND 9 => true
i IN ('07', '8') => true
i NOT IN ('7') => false
'7' IN (i, 8) => true
'07' IN (7, 8) => false
'x' IN (7, 8) => false
"""


@pytest.fixture(scope="module")
def session(spark: SparkSession) -> SparkSession:
    own = job_session(spark, "UTC")
    register(own, PYTHON_FUNCTIONS.values(), JobAttempt("expressions"))
    return own


def test_results_are_those_of_flink(session: SparkSession) -> None:
    cases = [line.split(" => ") for line in RESULTS.strip().splitlines()]
    row = session.sql(f"select true as {KEPT}, " + ", ".join(f"{sql} as c{at}" for at, sql in enumerate(ROW.values())))
    written = [f"cast({spark_text(compiled(case, FIELDS))} as string) as r{at}" for at, (case, _) in enumerate(cases)]
    (found,) = row.selectExpr(*written).collect()
    assert {case: str(value) for (case, _), value in zip(cases, found, strict=True)} == dict(cases)


def examples() -> Iterator[TypedExpression]:
    """Calls of every function, with a column of each kind that it takes first."""
    columns = {field.type.kind: ColumnRef(at, field.type) for at, field in enumerate(FIELDS)}
    for name, function in FUNCTIONS.items():
        if name.startswith("$"):
            continue
        for count in range(function.counts[0], min(function.counts[1], 3) + 1):
            for first in columns.values():
                kinds = [
                    function.takes[min(at, len(function.takes) - 1)] if function.takes else () for at in range(count)
                ]
                rest = [columns[next((kind for kind in LIKELY if kind in one), first.type.kind)] for one in kinds[1:]]
                with contextlib.suppress(CallError, KeyError):
                    yield call(name, *[first, *rest][:count])


def test_types_are_those_that_spark_says(session: SparkSession) -> None:
    compared = [*(compiled(line.split(" => ")[0], FIELDS) for line in RESULTS.strip().splitlines()), *examples()]
    compared = [one for one in dict.fromkeys(compared) if one.type.kind not in INTERVALS]
    columns = [StructField(f"c{at}", spark_type(field.type)) for at, field in enumerate(FIELDS)]
    schema = StructType([StructField(KEPT, BooleanType()), *columns])
    told = local_frame(session, [], schema).selectExpr(*map(spark_text, compared)).schema
    ours = {spark_text(one): spark_type(one.type).simpleString() for one in compared}
    assert ours == {spark_text(one): field.dataType.simpleString() for one, field in zip(compared, told, strict=True)}


def test_what_only_spark_refuses_is_told_as_an_error_of_the_query(session: SparkSession) -> None:
    with pytest.raises(DefinitionError, match=r"Spark cannot compute this: .*INVALID_ORDERING_TYPE"), spark_refusals():
        session.sql("select map('k', 1) < map('k', 2)")


def test_the_bounds_of_windows(session: SparkSession) -> None:
    stamps = ("1969-12-31 23:59:59.999", "2021-03-24 10:02:03.456")
    rows = ", ".join(f"(timestamp_ntz'{stamp}')" for stamp in stamps)
    orders = "(SELECT ts FROM orders)"
    bounds = []
    for window in (
        f"TUMBLE({orders}, DESCRIPTOR(ts), INTERVAL '10' MINUTE, INTERVAL '1' MINUTE)",
        f"HOP({orders}, DESCRIPTOR(ts), INTERVAL '1' HOUR, INTERVAL '2' HOUR)",
        f"CUMULATE({orders}, DESCRIPTOR(ts), INTERVAL '8' HOUR, INTERVAL '1' DAY)",
    ):
        found = under(plan(f"SELECT COUNT(*) FROM {window} GROUP BY window_start, window_end")).merged[0]
        assert isinstance(found, Project)
        frame = session.sql(f"select * from values {rows} as t(c0)")
        if isinstance(found.input, Explode):
            frame = frame.selectExpr("c0", f"inline({spark_text(found.input.array)})")
        else:
            assert isinstance(found.input, Project)
            frame = frame.selectExpr("c0", *map(spark_text, found.input.expressions[1:]))
        bounds.append([f"{row[1]:%d %H:%M} {row[2]:%d %H:%M} {row[3]:%d %H:%M:%S}" for row in frame.collect()])
    assert bounds == [
        ["31 23:51 01 00:01 01 00:00:59", "24 10:01 24 10:11 24 10:10:59"],
        [
            "31 23:00 01 01:00 01 00:59:59",
            "31 22:00 01 00:00 31 23:59:59",
            "24 10:00 24 12:00 24 11:59:59",
            "24 09:00 24 11:00 24 10:59:59",
        ],
        ["31 00:00 01 00:00 31 23:59:59", "24 00:00 24 16:00 24 15:59:59", "24 00:00 25 00:00 24 23:59:59"],
    ]
