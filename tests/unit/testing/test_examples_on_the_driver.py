"""The scripts of ``examples`` on the test driver: without Spark, Java or a broker, each in milliseconds.

``tests/docs/test_examples.py`` runs them on Spark and a broker, as ``kafkastream run`` does.
"""

from __future__ import annotations

import json
import re
from datetime import datetime
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest

from kafkastream.datastream.formats.avro import ConfluentRegistryAvroDeserializationSchema
from kafkastream.testing import JobTestDriver
from kafkastream.testing.registry import EmbeddedSchemaRegistry
from tests.package import ROOT

EXAMPLES = ROOT / "examples"


def drive(example: str, *args: str, **options: Any) -> JobTestDriver:
    return JobTestDriver.of(EXAMPLES / example, *args, **options)


def rows(driver: JobTestDriver, topic: str = "out") -> list[Any]:
    return [json.loads(value or b"") for value in driver.values(topic)]


def test_every_example_is_driven() -> None:
    driven = set(re.findall(r'\bdrive\(\s*"([\w.]+)"', Path(__file__).read_text(encoding="utf-8")))
    assert driven == {script.name for script in EXAMPLES.glob("*.py")}


def test_filter_orders() -> None:
    with drive("filter_orders.py") as driver:
        for paid in ("99.99", "100.00"):
            driver.send("in", json.dumps({"real_pay": paid}))
        assert driver.values("out") == [b'{"real_pay": "100.00"}']


def test_split_words() -> None:
    with drive("split_words.py", "--input", "lines", "--output", "words") as driver:
        driver.send("lines", "to be or")
        driver.send("lines", "")
        assert driver.values("words") == [b"to", b"be", b"or"]


def test_print_words() -> None:
    with drive("print_words.py") as driver:
        driver.send("lines", "to be")
        assert driver.printed == ["TO", "BE"]


def test_copy_topic() -> None:
    with drive("copy_topic.py") as driver:
        driver.send("in", "as it is", timestamp=1_000)
        assert [(record.value, record.timestamp_ms) for record in driver.topic("out")] == [(b"as it is", 1_000)]


def test_secured_copy(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("KAFKA_PASSWORD", "TRUSTSTORE_PASSWORD"):
        monkeypatch.setenv(name, "secret")
    with drive("secured_copy.py", "--user", "ann", "--truststore", "store.jks") as driver:
        driver.send("in", "as it is")
        assert driver.values("out") == [b"AS IT IS"]


def test_exactly_once_copy() -> None:
    with drive("exactly_once_copy.py", "--forever") as driver:
        driver.send("in", "first")
        assert driver.values("out") == []
        assert [record.value for record in driver.topic("out", isolation="read_uncommitted")] == [b"FIRST"]
        driver.advance(1_000)
        assert driver.values("out") == [b"FIRST"]
        snapshot = driver.snapshot()
    with drive("exactly_once_copy.py", "--forever", restored=snapshot) as driver:
        driver.send("in", "second")
        driver.checkpoint()
        assert driver.values("out") == [b"SECOND"]


@pytest.mark.parametrize(
    ("start", "read"),
    [("earliest", "0 1 2 3"), ("committed", "0 1 2 3"), ("timestamp=1002", "2 3"), ("offsets=3", "3")],
)
def test_starting_positions(start: str, read: str) -> None:
    with drive("starting_positions.py", "--start", start) as driver:
        for number in range(4):
            driver.send("in", str(number), timestamp=1_000 + number)
        assert [(value or b"").decode() for value in driver.values("out")] == read.split()


def test_record_metadata() -> None:
    with drive("record_metadata.py", partitions={"in": 2}) as driver:
        driver.send("in", "v", key="k", headers=[("trace", "7")], timestamp=1_000, partition=1)
        driver.send("in", None, timestamp=1_001)
        assert rows(driver) == [
            {"partition": 1, "offset": 0, "timestamp": 1_000, "key": "k", "headers": {"trace": "7"}},
            {"partition": 0, "offset": 0, "timestamp": 1_001, "key": None, "headers": {}},
        ]


def test_route_orders() -> None:
    order = {"id": 1, "kind": "book", "source": "web"}
    with drive("route_orders.py") as driver:
        driver.send("in", json.dumps(order))
        [record] = driver.topic("out-book")
        assert (record.key, record.headers) == (b"1", (("source", b"web"),))
        assert rows(driver, "out-book") == [order]


def test_dead_letters() -> None:
    with drive("dead_letters.py") as driver:
        for order in ('{"id": 1, "prices": [3, 4]}', "{", '{"id": 2, "prices": [3000000000]}'):
            driver.send("in", order)
        assert rows(driver) == [{"id": 1, "total": 7}]
        letters = {record.value: dict(record.headers)["kafkastream.error.operator"] for record in driver.topic("dead")}
        assert letters == {b"{": b"orders", b'{"id": 2, "prices": [3000000000]}': b"totals"}


def test_registry_orders() -> None:
    fields = '[{"name": "id", "type": "long"}, {"name": "item", "type": "string"}]'
    with EmbeddedSchemaRegistry() as registry, drive("registry_orders.py", "--registry", registry.url) as driver:
        driver.send("in", '{"id": 7, "item": "pen"}')
        schema = ConfluentRegistryAvroDeserializationSchema.for_generic(
            f'{{"type": "record", "name": "Order", "fields": {fields}}}', registry.url
        )
        [value] = driver.values("out")
        assert schema.deserialize(value or b"") == {"id": 7, "item": "pen"}


def test_fraud_detection() -> None:
    def pay(driver: JobTestDriver, account: str, amount: float, second: int) -> None:
        driver.send("in", json.dumps({"account": account, "amount": amount}), timestamp=second * 1_000)

    with drive("fraud_detection.py") as driver:
        pay(driver, "ann", 0.5, 1)
        pay(driver, "bob", 0.5, 2)
        assert driver.operator("fraud-detector").get("small-at", "ann") == 1_000
        pay(driver, "ann", 600, 61)
        pay(driver, "bob", 20, 61)
        pay(driver, "bob", 600, 62)
        assert rows(driver) == [{"account": "ann", "amount": 600, "time": 61_000}]
        assert driver.operator("fraud-detector").timers() == []
        pay(driver, "ann", 0.5, 70)
        pay(driver, "bob", 20, 136)  # the watermark passes the minute after Ann's small payment
        pay(driver, "ann", 600, 129)
        assert driver.operator("fraud-detector").keys() == []
        assert len(rows(driver)) == 1


def test_session_counts() -> None:
    with drive("session_counts.py", partitions={"in": 2}) as driver:
        for user, second, partition in (("ann", 1, 0), ("ann", 41, 0), ("bob", 6, 1), ("ann", 21, 1)):
            driver.send("in", json.dumps({"user": user}), timestamp=second * 1_000, partition=partition)
        assert rows(driver) == []
        driver.finish()
        assert rows(driver) == [
            {"user": "bob", "first": 6_000, "last": 6_000, "clicks": 1},
            {"user": "ann", "first": 1_000, "last": 41_000, "clicks": 3},
        ]


def test_top_items() -> None:
    with drive("top_items.py") as driver:
        for second, item in enumerate(["pen", "ink", "pen", "cup", "pad", "ink", "pad", "pen"]):
            driver.send("in", json.dumps({"item": item}), timestamp=1_000 + second)
        driver.send("in", json.dumps({"item": "pen"}), timestamp=66_000)
        assert rows(driver) == [{"until": 60_000, "top": [["pen", 3], ["ink", 2], ["pad", 2]]}]


def test_orders_per_minute_in_sql() -> None:
    with drive("sql/orders_per_minute.sql") as driver:
        orders = driver.table("orders")
        for customer, amount, time in (("ann", 10, "10:00:01"), ("bob", "20.5", "10:00:30"), ("ann", 30, "10:00:40")):
            orders.send({"customer": customer, "amount": amount, "ts": f"2024-05-01 {time}"})
        assert driver.table("orders_per_minute").rows == []
        orders.send({"customer": "ann", "amount": 5, "ts": "2024-05-01 10:01:05"})
        minute = datetime(2024, 5, 1, 10, 0)  # noqa: DTZ001 - a TIMESTAMP has no zone
        assert sorted(driver.table("orders_per_minute").changes) == [
            ("+I", "ann", minute, 2, Decimal("40.00")),
            ("+I", "bob", minute, 1, Decimal("20.50")),
        ]
