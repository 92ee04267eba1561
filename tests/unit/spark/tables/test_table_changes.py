"""Change events of Debezium, Canal and Maxwell in tables, read and written as Flink does it."""

from __future__ import annotations

import datetime
from typing import TYPE_CHECKING

import pytest

from tests.unit.spark.tables.frames import read, table, written

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


def _at(millis: int) -> datetime.datetime:
    return datetime.datetime.fromtimestamp(millis / 1000, tz=datetime.timezone.utc).astimezone().replace(tzinfo=None)


def test_debezium(session: SparkSession) -> None:
    columns = (
        "id INT, d DATE, `at` TIMESTAMP_LTZ(3) METADATA FROM 'value.ingestion-timestamp', "
        "db STRING METADATA FROM 'value.source.database', tbl STRING METADATA FROM 'value.source.table', "
        "p MAP<STRING, STRING> METADATA FROM 'value.source.properties', sc STRING METADATA FROM 'value.schema'"
    ).replace(" at ", " `at` ")
    new = '{"id":1,"d":"2024-05-01"}'
    old = '{"id":"1","d":null}'
    source = '"ts_ms":1700000000123,"source":{"db":"shop","collection":"orders","ts_ms":5}'
    values = [
        f'{{"before":null,"after":{new},"op":"c",{source}}}',
        f'{{"before":{old},"after":{new},"op":"u"}}',
        f'{{"before":{old},"after":null,"op":"d"}}',
        None,
        f'{{"after":{new},"op":"r"}}',
    ]
    day = datetime.date(2024, 5, 1)
    told = (_at(1700000000123), "shop", "orders", {"db": "shop", "collection": "orders", "ts_ms": "5"}, None)
    expected = [
        (0, 0, 1, day, *told),
        (1, 1, 1, None, *[None] * 5),
        (1, 2, 1, day, *[None] * 5),
        (2, 3, 1, None, *[None] * 5),
        (4, 0, 1, day, *[None] * 5),
    ]
    assert read(session, table(columns, {"format": "debezium-json"}), values) == expected
    enveloped = [f'{{"schema":{{"type":"struct"}},"payload":{value}}}' if value else None for value in values]
    options = {"format": "debezium-json", "debezium-json.schema-include": "true"}
    found = read(session, table("id INT, sc STRING METADATA FROM 'value.schema'", options), enveloped)
    assert found == [(row[0], row[1], 1, '{"type":"struct"}') for row in expected]


def test_what_debezium_refuses(session: SparkSession) -> None:
    values = ['{"before":null,"after":{"id":1},"op":"u"}', '{"after":{"id":1},"op":"t"}', '{"op":', '{"op":"d"}', "{}"]
    for value, says in zip(
        values,
        ["REPLICA IDENTITY", 'unknown "op" value "t"', "not a JSON object", "DELETE message", '"null"'],
        strict=True,
    ):
        with pytest.raises(Exception, match=says):
            read(session, table("id INT", {"format": "debezium-json"}), [value])
    options = {"format": "debezium-json", "debezium-json.ignore-parse-errors": "true"}
    assert read(session, table("id INT", options), [*values, '{"after":{"id":"x"},"op":"c"}']) == [(5, 0, None)]


@pytest.mark.parametrize("format_name", ["debezium-json", "canal-json", "maxwell-json"])
def test_a_change_is_an_object(session: SparkSession, format_name: str) -> None:
    event = {
        "debezium-json": '{"after":{"id":1},"op":"c"}',
        "canal-json": '{"data":[{"id":1}],"type":"INSERT"}',
        "maxwell-json": '{"data":{"id":1},"type":"insert"}',
    }[format_name]
    lenient = {"format": format_name, f"{format_name}.ignore-parse-errors": "true"}
    assert read(session, table("id INT", lenient), [f"[{event}]", "[]", event]) == [(2, 0, 1)]
    with pytest.raises(Exception, match="It is not a JSON object"):
        read(session, table("id INT", {"format": format_name}), [f"[{event}]"])


def test_canal(session: SparkSession) -> None:
    columns = (
        "id INT, s STRING, db STRING METADATA FROM 'value.database', pk ARRAY<STRING> METADATA FROM 'value.pk-names'"
    )
    values = [
        '{"data":[{"id":"1","s":"a"},{"id":"2","s":"b"}],"type":"INSERT","database":"shop","table":"o","pkNames":["id"]}',
        '{"data":[{"id":"1","s":"c"}],"old":[{"s":"a"}],"type":"UPDATE","database":"shop","table":"o"}',
        '{"data":[{"id":"1","s":"c"}],"old":[{"s":null}],"type":"UPDATE","database":"shop","table":"o"}',
        '{"data":[{"id":"2","s":"b"}],"type":"DELETE","database":"shop","table":"o"}',
        '{"data":null,"type":"CREATE","database":"shop","table":"o"}',
        '{"data":[{"id":"3"}],"type":"INSERT","database":"other","table":"o"}',
    ]
    options = {"format": "canal-json", "canal-json.database.include": "sho.", "canal-json.table.include": "o"}
    assert read(session, table(columns, options), values) == [
        (0, 0, 1, "a", "shop", ["id"]),
        (0, 0, 2, "b", "shop", ["id"]),
        (1, 1, 1, "a", "shop", None),
        (1, 2, 1, "c", "shop", None),
        (2, 1, 1, None, "shop", None),
        (2, 2, 1, "c", "shop", None),
        (3, 3, 2, "b", "shop", None),
    ]
    updates = [
        '{"data":[{"id":1,"s":"x"},{"id":2,"s":"y"}],"old":[{"s":null},{"s":"b"}],"type":"UPDATE"}',
        # Flink looks for a name in all rows of "old": that of the second row is NULL, too.
        '{"data":[{"id":1,"s":"x"},{"id":2,"s":"y"}],"old":[{"s":"a"},{"id":3}],"type":"UPDATE"}',
        '{"data":[{"id":1,"s":"x"}],"old":[{}],"type":"UPDATE"}',
        '{"data":[{"id":1,"s":"x"}],"old":[{"id":null,"other":2}],"type":"UPDATE"}',
    ]
    rows = [row for row in read(session, table("id INT, s STRING", {"format": "canal-json"}), updates) if row[1] == 1]
    assert [row[2:] for row in rows] == [(1, None), (2, "b"), (None, "a"), (3, None), (1, "x"), (None, "x")]
    with pytest.raises(Exception, match='unknown "type" value "ALTER"'):
        read(session, table("id INT", {"format": "canal-json"}), ['{"data":null,"type":"ALTER"}'])


def test_maxwell(session: SparkSession) -> None:
    columns = "id INT, s STRING, a TIMESTAMP_LTZ(3) METADATA FROM 'value.ingestion-timestamp'"
    values = [
        '{"data":{"id":1,"s":"a"},"type":"insert","ts":1700000000}',
        '{"data":{"id":1,"s":"c"},"old":{"s":null},"type":"update"}',
        '{"data":{"id":1,"s":"d"},"old":{"s":"c"},"type":"update"}',
        '{"data":{"id":1,"s":"d"},"type":"delete"}',
    ]
    assert read(session, table(columns, {"format": "maxwell-json"}), values) == [
        (0, 0, 1, "a", _at(1700000000000)),
        (1, 1, 1, None, None),
        (1, 2, 1, "c", None),
        (2, 1, 1, "c", None),
        (2, 2, 1, "d", None),
        (3, 3, 1, "d", None),
    ]


def test_writing(session: SparkSession) -> None:
    rows = session.sql(
        "SELECT CAST(k AS TINYINT) __kind, 1 c0, CAST(NULL AS STRING) c1 FROM VALUES (0), (1), (2), (3) AS v(k)"
    )
    row = '{"id":1,"s":null}'
    made = {
        "debezium-json": (f'{{"before":null,"after":{row},"op":"c"}}', f'{{"before":{row},"after":null,"op":"d"}}'),
        "canal-json": (f'{{"data":[{row}],"type":"INSERT"}}', f'{{"data":[{row}],"type":"DELETE"}}'),
        "maxwell-json": (f'{{"data":{row},"type":"insert"}}', f'{{"data":{row},"type":"delete"}}'),
    }
    for name, (new, gone) in made.items():
        definition = table("id INT, s STRING", {"format": name})
        assert written(rows, definition, "value") == [(new,), (gone,), (new,), (gone,)]
        messages = [message for (message,) in written(rows, definition, "value")]
        assert [kind for _, kind, *_ in read(session, definition, messages)] == [0, 3, 0, 3]
