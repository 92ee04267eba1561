"""The format json in tables: what is read and written, as Flink does it."""

from __future__ import annotations

import datetime
from decimal import Decimal
from typing import TYPE_CHECKING

import pytest

from kafkastream.errors import DeserializationError, UnsupportedFeatureError
from kafkastream.spark.session.translate_errors import translated
from tests.unit.spark.tables.frames import read, table, written

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

JSON = {"format": "json"}
IGNORING = {"format": "json", "json.ignore-parse-errors": "true"}
AT = datetime.datetime(2024, 5, 1, 12, 30, 0, 120000)  # noqa: DTZ001 - TIMESTAMP has no zone
ALL = (
    "ti TINYINT, i INT, b BIGINT, d DOUBLE, `dec` DECIMAL(10, 2), s STRING, bo BOOLEAN, `by` BYTES, da DATE, "
    "ts TIMESTAMP(3), arr ARRAY<INT>, m MAP<STRING, DOUBLE>, r ROW<x INT, y ROW<z DATE>>"
)


def test_reading(session: SparkSession) -> None:
    plain = (
        '{"ti":1,"i":2,"b":3,"d":1.5,"dec":1.10,"s":"x","bo":true,"by":"aGk=","da":"2024-05-01",'
        '"ts":"2024-05-01 12:30:00.12","arr":[1,2],"m":{"k":2},"r":{"x":1,"y":{"z":"2024-05-02"}}}'
    )
    quoted = (
        '{"ti":"1","i":" 2 ","b":"3","d":"1.5","dec":"1.10","s":"x","bo":"True","by":"aGk=","da":"2024-05-01",'
        '"ts":"2024-05-01 12:30:00.12","arr":["1",2],"m":{"k":"2"},"r":{"x":"1","y":{"z":"2024-05-02"}}}'
    )
    found = read(
        session,
        table(ALL, JSON),
        [
            plain,
            quoted,
            f"[{plain}, null, {quoted}]",
            "{}",
            "",
            None,
            "[]",
            '{"i":1.7,"s":{"a": [1]},"dec":123456789.1}',
        ],
    )
    whole = (
        1, 2, 3, 1.5, Decimal("1.10"), "x", True, b"hi", AT.date(), AT, [1, 2], {"k": 2.0},
        (1, (datetime.date(2024, 5, 2),)),
    )  # fmt: skip
    assert found == [
        (0, *whole),
        (1, *whole),
        (2, *whole),
        (2, *whole),
        (3, *[None] * 13),
        (7, None, 1, None, None, None, '{"a":[1]}', *[None] * 7),
    ]


@pytest.mark.parametrize(
    ("columns", "value", "says"),
    [
        ("i INT", '{"i":', "It is not a JSON object"),
        ("i INT", "[1]", "It is not a JSON object"),
        ("i INT", '{"i":"1.5e"}', "Fail to deserialize at field: i."),
        ("d DECIMAL", '{"d":"x"}', "Fail to deserialize at field: d."),
        ("ts TIMESTAMP(3)", '{"ts":"2024-05-01T12:30:00"}', "Fail to deserialize at field: ts."),
        ("a ARRAY<INT>", '{"a":{"b":1}}', "Fail to deserialize at field: a."),
        ("r ROW<y ROW<z DATE>>", '{"r":{"y":{"z":"2024-5-1"}}}', "Fail to deserialize at field: r."),
    ],
)
def test_what_fails(session: SparkSession, columns: str, value: str, says: str) -> None:
    with pytest.raises(Exception) as caught:  # noqa: PT011 - Spark's, of several kinds
        read(session, table(columns, JSON), ["{}", value])
    error = translated(caught.value, "job", "servers")
    assert isinstance(error, DeserializationError)
    assert says in error.what
    assert error.where == "topic t, partition 3, offset 1"


def test_values_that_do_not_fit(session: SparkSession) -> None:
    values = ['{"ti":300}', '{"d":"x"}', '{"by":"?"}', '{"ts":"2024-05-01 12:30:00Z"}', '{"i":"x"}', '{"i":"1.5e"}']
    assert read(session, table(ALL, IGNORING), values) == [(offset, *[None] * 13) for offset in range(len(values))]


def test_ignoring_errors(session: SparkSession) -> None:
    definition = table("i INT, ts TIMESTAMP(3), `dec` DECIMAL(4, 2), arr ARRAY<INT>, r ROW<x INT, y STRING>", IGNORING)
    values = [
        '{"i":"x","ts":"2024-05-01 12:30:00.12"}',
        '{"i":',
        '{"i":1,"ts":"?"}',
        '{"i":2,"dec":"?"}',
        '{"i":3,"arr":["1","x"],"r":{"x":"y","y":"z"}}',
        '{"i":4,"arr":5,"r":6}',
        '[{"i":5},7,{"i":6}]',
        "8",
    ]
    assert read(session, definition, values) == [
        (0, None, AT, None, None, None),
        (2, 1, None, None, None, None),
        (3, 2, None, None, None, None),
        (4, 3, None, None, [1, None], (None, "z")),
        (5, 4, None, None, None, None),
        (6, 5, None, None, None, None),
        (6, 6, None, None, None, None),
    ]


def test_missing_fields_and_times(session: SparkSession) -> None:
    definition = table("i INT, r ROW<x INT>", {**JSON, "json.fail-on-missing-field": "true"})
    assert read(session, definition, ['{"i":1,"r":{"x":null}}', '{"i":"1","r":null}']) == [
        (0, 1, (None,)),
        (1, 1, None),
    ]
    for value, name in (('{"r":null}', "i"), ('{"i":1,"r":{}}', "x"), ('{"i":"1"}', "r")):
        with pytest.raises(Exception, match=f"Could not find field with name '{name}'"):
            read(session, definition, [value])
    times = table("t TIME, ts TIMESTAMP(3), l TIMESTAMP_LTZ(3)", {**JSON, "json.timestamp-format.standard": "ISO-8601"})
    value = '{"t":"10:11:12.9","ts":"2024-05-01T12:30","l":"2024-05-01T10:30:00.12Z"}'
    found = read(session, times, [value])
    assert found == [(0, datetime.time(10, 11, 12), AT.replace(microsecond=0), found[0][3])]
    assert (
        found[0][3].timestamp() == datetime.datetime(2024, 5, 1, 10, 30, 0, 120000, datetime.timezone.utc).timestamp()
    )


def test_writing(session: SparkSession) -> None:
    columns = (
        "id BIGINT, f FLOAT, pay_amount DOUBLE, `dec` DECIMAL(10, 2), tiny DECIMAL(12, 9), s STRING, `by` BYTES, da DATE, "
        "t TIME, ts TIMESTAMP(3), l TIMESTAMP_LTZ(3), arr ARRAY<TIMESTAMP(3)>, m MAP<STRING, INT>, "
        "r ROW<x INT, y TIMESTAMP(3)>"
    )
    rows = session.sql(
        "SELECT 1L c0, CAST(1.5 AS FLOAT) c1, 100.0D c2, 1.10BD c3, CAST(0.000000027 AS DECIMAL(12,9)) c4, "
        "'é\"\\n😀' c5, X'6869' c6, DATE'2024-05-01' c7, TIME'10:11:12' c8, TIMESTAMP_NTZ'2024-05-01 12:30:00.120' c9, "
        "TIMESTAMP'2024-05-01 12:30:00' c10, array(TIMESTAMP_NTZ'2024-05-01 12:30:00', NULL) c11, map('a', 1, 'b', null) c12, "
        "named_struct('x', CAST(NULL AS INT), 'y', TIMESTAMP_NTZ'2024-05-01 12:30:00') c13 "
        "UNION ALL SELECT NULL,NULL,1e10D,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL"
    )
    head = '{"id":1,"f":1.5,"pay_amount":100.0,"dec":%s,"tiny":'
    tail = (
        ',"s":"é\\"\\n\\uD83D\\uDE00","by":"aGk=","da":"2024-05-01","t":"10:11:12","ts":"2024-05-01 12:30:00.12",'
        '"l":"2024-05-01 10:30:00Z","arr":["2024-05-01 12:30:00",null],"m":{"a":1,"b":null},'
        '"r":{"x":null,"y":"2024-05-01 12:30:00"}}'
    )
    nothing = (
        '{"id":null,"f":null,"pay_amount":1.0E10,"dec":null,"tiny":null,"s":null,"by":null,"da":null,"t":null,'
        '"ts":null,"l":null,"arr":null,"m":null,"r":null}'
    )
    assert written(rows, table(columns, JSON), "topic", "key", "value") == [
        ("t", None, head % "1.1" + "2.7E-8" + tail),
        ("t", None, nothing),
    ]
    options = {
        **JSON,
        "json.encode.decimal-as-plain-number": "true",
        "json.encode.ignore-null-fields": "true",
        "json.timestamp-format.standard": "ISO-8601",
    }
    plain = head % "1.10" + "0.000000027" + tail.replace('"x":null,', "").replace("01 1", "01T1")
    assert written(rows, table(columns, options), "value") == [(plain,), ('{"pay_amount":1.0E10}',)]


def test_decimals_are_written_as_flink_does(session: SparkSession) -> None:
    """The messages are those of Flink 2.2."""
    columns = (
        "a DECIMAL(20, 7), b DECIMAL(10, 2), c DECIMAL(12, 10), d DECIMAL(20, 0), e ROW<x DECIMAL(5, 3)>, "
        "f ARRAY<DECIMAL(5, 2)>, g MAP<STRING, DECIMAL(5, 2)>"
    )
    rows = session.sql(
        "SELECT CAST(12.5 AS DECIMAL(20,7)) c0, 100.00BD c1, CAST(2.7E-8 AS DECIMAL(12,10)) c2, 1000BD c3, "
        "named_struct('x', 1.500BD) c4, array(1.10BD, 0.00BD) c5, map('k', 100.00BD) c6 UNION ALL "
        "SELECT 0, -100.10BD, -0.0000012BD, -123456789012345678BD, named_struct('x', 10.000BD), array(10.00BD, 1.23BD), "
        "map('k', -0.50BD)"
    )
    assert written(rows, table(columns, JSON), "value") == [
        ('{"a":12.5,"b":1E+2,"c":2.7E-8,"d":1E+3,"e":{"x":1.5},"f":[1.1,0],"g":{"k":1E+2}}',),
        ('{"a":0,"b":-100.1,"c":-0.0000012,"d":-123456789012345678,"e":{"x":1E+1},"f":[1E+1,1.23],"g":{"k":-0.5}}',),
    ]
    short = rows.select("c0", "c1", "c2", "c3")
    plain = table(columns.partition(", e")[0], {**JSON, "json.encode.decimal-as-plain-number": "true"})
    assert written(short, plain, "value") == [
        ('{"a":12.5000000,"b":100.00,"c":0.0000000270,"d":1000}',),
        ('{"a":0.0000000,"b":-100.10,"c":-0.0000012000,"d":-123456789012345678}',),
    ]


def test_keys_of_maps_are_text(session: SparkSession) -> None:
    with pytest.raises(UnsupportedFeatureError, match="non-string as key type of map"):
        read(session, table("m MAP<INT, INT>", JSON), [])


FLAT = {"format": "json", "json.infer-schema.flatten-nested-columns.enable": "true"}


def test_members_of_objects_as_columns(session: SparkSession) -> None:
    flat = table("`a.b` INT, c STRING, `a.d.e` TIMESTAMP(3), `a.d.f` DECIMAL(4, 2)", FLAT)
    values = (
        '{"a":{"b":1,"d":{"e":"2024-05-01 12:30:00.12","f":1.5}},"c":"x"}',
        '[{"a":{"b":"2"},"c":{"y":1}},{"a":null},{}]',
        '{"a":{"d":{}}}',
    )
    assert read(session, flat, values) == [
        (0, 1, "x", AT, Decimal("1.50")),
        (1, 2, '{"y":1}', None, None),
        (1, None, None, None, None),
        (1, None, None, None, None),
        (2, None, None, None, None),
    ]
    rows = session.sql("SELECT 1 c0, 'x' c1, TIMESTAMP_NTZ'2024-05-01 12:30:00.120' c2, CAST(NULL AS DECIMAL(4, 2)) c3")
    assert written(rows, flat, "value") == [('{"a":{"b":1,"d":{"e":"2024-05-01 12:30:00.12","f":null}},"c":"x"}',)]
