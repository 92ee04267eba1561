"""The sink's page: its tables of builder methods and of producer properties, and that every Before has its After.

Run as a program (``python -m tests.docs.test_sink_page``), it writes the tables of builder methods anew.
"""

from __future__ import annotations

import re
from itertools import pairwise
from typing import TYPE_CHECKING, Any, cast

import attrs
import pytest

from kafkastream.datastream.connectors.kafka import KafkaRecordSerializationSchemaBuilder, KafkaSinkBuilder
from kafkastream.errors import UnsupportedFeatureError
from kafkastream.kafka.properties import TRANSLATED, producer_properties
from kafkastream.kafka.untranslated import SINK, untranslated
from tests.docs.builder_table import DOCS, BuilderTable

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

PAGE = DOCS / "kafka-sink.md"
SINKS = BuilderTable(
    PAGE,
    "<!-- The table is made by tests/docs/test_sink_page.py. -->",
    "KafkaSink",
)
RECORDS = BuilderTable(
    PAGE,
    "<!-- This table, too, is made by tests/docs/test_sink_page.py. -->",
    "KafkaRecordSerializationSchema",
)

GIVEN = {"bootstrap.servers": "localhost:9092"}
VALUES = {"acks": "-1", "enable.idempotence": "false", "max.in.flight.requests.per.connection": "3"}
ELSEWHERE = re.compile(r"(sasl|security|ssl|transaction|transactional)\.")


@attrs.frozen
class Property:
    """A property of Java's producer, and what the page says becomes of it."""

    name: str
    here: str

    def __str__(self) -> str:
        return self.name

    @property
    def given(self) -> dict[str, str]:
        codec = re.fullmatch(r"compression\.(\w+)\.level", self.name)
        return {"compression.type": codec[1]} if codec else {}

    def changed(self) -> set[str]:
        """The properties of librdkafka that it changes."""
        before = producer_properties({**GIVEN, **self.given})
        after = producer_properties({**GIVEN, **self.given, self.name: VALUES.get(self.name, "7000")})
        return {name for name, value in after.items() if before.get(name) != value}


def rows(first_column: str) -> list[list[str]]:
    """The cells of the table whose first column has this name."""
    table = PAGE.read_text(encoding="utf-8").partition(f"| {first_column} |")[2].partition("\n\n")[0]
    return [line.strip("| ").split(" | ") for line in table.splitlines()[2:]]


PROPERTIES = [
    Property(name, here)
    for names, here in rows("Property of Java's producer")
    for name in re.findall(r"`(.+?)`", names)
]


@pytest.mark.parametrize("table", [SINKS, RECORDS], ids=lambda table: table.built)
def test_table_is_that_of_the_support_page(table: BuilderTable) -> None:
    assert table.written == table.text


def test_tables_have_every_method_of_the_builders() -> None:
    assert SINKS.lacking(KafkaSinkBuilder) == set()
    assert RECORDS.lacking(KafkaRecordSerializationSchemaBuilder) == set()


@pytest.mark.parametrize("row", PROPERTIES, ids=str)
def test_property_becomes_what_the_page_says(row: Property) -> None:
    told = list(untranslated({row.name: "true"}, SINK, TRANSLATED)) == [row.name]
    if row.here.startswith("refused"):
        with pytest.raises(UnsupportedFeatureError):
            row.changed()
    elif row.here.startswith("no effect"):
        assert row.changed() == set()
        assert told == ("WARNING" in row.here)
    else:
        own = {row.name} if row.here == "the same" else set(re.findall(r"`(.+?)`", row.here))
        assert (row.changed(), told) == (own, False)


@pytest.fixture
def javas_defaults(spark: SparkSession) -> dict[str, object]:
    """All properties of Java's producer, and what they are when they are not set."""
    jvm = cast("Any", spark)._jvm
    return dict(jvm.org.apache.kafka.clients.producer.ProducerConfig.configDef().defaultValues())


def test_page_has_every_property_of_javas_producer(javas_defaults: dict[str, object]) -> None:
    names = [row.name for row in PROPERTIES]
    assert {name for name in javas_defaults if not ELSEWHERE.match(name)} - set(names) == set()
    assert len(set(names)) == len(names)


def test_defaults_are_those_of_the_page(javas_defaults: dict[str, object]) -> None:
    own = producer_properties(GIVEN)
    here = {**own, "buffer.memory": str(int(own["queue.buffering.max.kbytes"]) * 1024)}
    table = {name.strip("`"): (java.partition(",")[0], ours) for name, java, ours in rows("Not set")}
    assert table == {name: (str(javas_defaults[name]), here[name]) for name in table}
    assert table


@pytest.mark.parametrize(
    ("name", "of_librdkafka"),
    [
        ("delivery.timeout.ms", "delivery.timeout.ms"),
        ("enable.idempotence", "enable.idempotence"),
        ("max.in.flight.requests.per.connection", "max.in.flight.requests.per.connection"),
        ("max.request.size", "message.max.bytes"),
    ],
)
def test_what_decides_is_as_in_java(javas_defaults: dict[str, object], name: str, of_librdkafka: str) -> None:
    assert producer_properties(GIVEN)[of_librdkafka] == str(javas_defaults[name]).lower()


def test_every_before_has_its_after() -> None:
    firsts = re.findall(r"^```(?:python|java)\n(.*)$", PAGE.read_text(encoding="utf-8"), re.MULTILINE)
    befores = [after for before, after in pairwise(firsts) if before in {"# Before", "// Before"}]
    assert befores
    assert set(befores) == {"# After"}


if __name__ == "__main__":
    SINKS.write()
    RECORDS.write()
