"""The table that a catalog makes of a sample reads all of the sample."""

from __future__ import annotations

import datetime
from decimal import Decimal
from typing import TYPE_CHECKING

import pytest

from kafkastream.model.connectors.topic_sample import Message, TopicSample
from kafkastream.sql.kafka_catalog.inference import inferred_table
from kafkastream.sql.kafka_catalog.options import CatalogSettings
from tests.unit.spark.tables.frames import read

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

VALUES = (
    '{"id":1,"big":1,"x":1,"t":"2024-05-01T12:30","z":"2024-05-01T12:30:00.1234567Z","d":"2024-05-01","o":{"a":{"b":1}}}',
    '{"id":2,"big":123456789012345678901,"x":2.5,"mixed":1,"flag":true,"o":{"a":{"b":2},"l":[1,"x"]}}',
    '{"x":1e300,"mixed":{"y":"2024-05-01 12:30:00"},"flag":false,"o":{},"a b.c":"2024-05-01T12:30:00"}',
    '[{"id":null,"mixed":"text"},{"never":null}]',
)
AT = datetime.datetime(2024, 5, 1, 12, 30)  # noqa: DTZ001 - TIMESTAMP has no zone
LOCAL = datetime.datetime(2024, 5, 1, 12, 30, 0, 123456, datetime.timezone.utc).astimezone().replace(tzinfo=None)
FIRST = (1, Decimal(1), 1.0, AT, LOCAL, AT.date())


def sampled(*pairs: tuple[str | None, str], is_compacted: bool = False) -> TopicSample:
    messages = (Message(None if key is None else key.encode(), value.encode()) for key, value in pairs)
    return TopicSample(tuple(messages), is_compacted)


@pytest.mark.parametrize(
    ("settings", "nested"),
    [
        (CatalogSettings(), ['{"a":{"b":1}}', '{"a":{"b":2},"l":[1,"x"]}', "{}", None, None]),
        (CatalogSettings(flattens=True), [(1, None), (2, '[1,"x"]'), (None, None), (None, None), (None, None)]),
    ],
)
def test_values(session: SparkSession, settings: CatalogSettings, nested: list[object]) -> None:
    values = [value.replace("a b.c", "a b c") if settings.flattens else value for value in VALUES]
    table = inferred_table(
        ("c", "kafka", "t"),
        sampled(*((None, value) for value in values)),
        settings,
        {"properties.bootstrap.servers": "b:1"},
    )
    names = [column.name for column in table.schema.physical]
    found = [dict(zip(names, row[1:], strict=False)) for row in read(session, table, values)]
    whole = [name for name in names if not name.startswith("value_o")]
    members = ["value_o.a.b", "value_o.l"] if settings.flattens else ["value_o"]
    assert set(names) == {*whole, *members}
    assert [tuple(row[name] for name in whole[:6]) for row in found[:1]] == [FIRST]
    assert [row["value_mixed"] for row in found] == [None, "1", '{"y":"2024-05-01 12:30:00"}', "text", None]
    assert [row["value_big"] for row in found][:2] == [Decimal(1), Decimal(123456789012345678901)]
    assert [row["value_x"] for row in found] == [1.0, 2.5, 1e300, None, None]
    assert [row["value_flag"] for row in found][1:3] == [True, False]
    texts = [tuple(row[name] for name in members) for row in found]
    assert texts == [one if isinstance(one, tuple) else (one,) for one in nested]


def test_keys(session: SparkSession) -> None:
    servers = {"properties.bootstrap.servers": "b:1"}
    pairs = ((None, '{"a":1}'), ("k", '{"a":2}'))
    raw = inferred_table(("c", "kafka", "t"), sampled(*pairs), CatalogSettings(), servers)
    found = read(session, raw, [value for _, value in pairs], [key for key, _ in pairs])
    assert [row[1:3] for row in found] == [(None, 1), (b"k", 2)]
    keyed = (('{"id":1,"n":{"m":"x"}}', '{"a":1}'), ('{"id":2,"n":{"m":"y"}}', '{"a":2}'))
    table = inferred_table(
        ("c", "kafka", "t"), sampled(*keyed, is_compacted=True), CatalogSettings(flattens=True), servers
    )
    found = read(session, table, [None, keyed[1][1]], [key for key, _ in keyed])
    assert [row[-6:-3] for row in found] == [(1, "x", None), (2, "y", 2)]
