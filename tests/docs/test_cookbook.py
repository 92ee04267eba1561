"""The recipes of the cookbook are run as their programs are written, on a real broker, all in one Spark session.

A topic that a test creates has a fresh name, which takes the place of the one in the program, as on the pages of the
docs; ``file:///data`` is a temporary directory. ``at_once`` bounds the records of a micro-batch, so that state, timers
and watermarks of a recipe pass from one to the next.

Run as a program (``python -m tests.docs.test_cookbook``), it writes the programs into the page.
"""

from __future__ import annotations

import ast
import io
import json
import re
import struct
import sys
import time
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from typing import TYPE_CHECKING, Any

import attrs
import fastavro
import psycopg
import pyarrow.parquet as pq
import pytest

from kafkastream.kafka.admin import Cluster
from kafkastream.model.connectors.subscription import TopicPartition
from kafkastream.testing import KafkaBroker, Record
from kafkastream.testing.postgres import PostgresDatabase
from kafkastream.testing.pytest_plugin import NewTopic
from kafkastream.testing.registry import EmbeddedSchemaRegistry
from tests.docs.placed_code import placed_code
from tests.package import ROOT

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

RECIPES = sorted((ROOT / "examples" / "cookbook").glob("*.py"))
TESTS = sorted((ROOT / "examples" / "cookbook" / "tests").glob("*.py"))
PAGE = ROOT / "docs" / "cookbook.md"
PLACED = re.compile(
    r"(?P<mark>^<!-- Made by tests/docs/test_cookbook\.py: (?P<name>\w+) -->\n\n```python\n)(?P<program>.*?)^```$",
    re.MULTILINE | re.DOTALL,
)
MOST_LINES = 40
LONGER = {"http_sink": 70}
"""Recipes with a class of several methods."""
MINUTE = (round(time.time()) // 60 - 10) * 60_000
"""A full minute, in ms; not long ago, or the broker's retention deletes the records."""


@attrs.frozen
class Kitchen:
    """Where recipes are tried: topics by the names that they have in the programs, and a directory."""

    kafka: KafkaBroker
    new_topic: NewTopic
    data: Path
    patch: pytest.MonkeyPatch
    topics: dict[str, str] = attrs.field(factory=dict)

    def create(self, *names: str) -> None:
        self.topics.update({name: self.new_topic() for name in names})

    def produce(self, name: str, *records: str | bytes | Record | dict[str, Any]) -> None:
        texts = [json.dumps(record) if isinstance(record, dict) else record for record in records]
        self.kafka.produce(self.topics[name], texts)

    def cook(self, recipe: str, *arguments: str, at_once: int | None = None) -> dict[str, Any]:
        """Run a recipe's program as ``python examples/cookbook/RECIPE.py --servers …`` does, and return its names."""
        program = ROOT / "examples" / "cookbook" / f"{recipe}.py"
        text = program.read_text(encoding="utf-8")
        code = placed_code(text, self.topics, self.kafka.bootstrap_servers, self.data)
        if at_once:
            options = f"'properties.spark.maxOffsetsPerTrigger' = '{at_once}', 'scan.bounded.mode'"
            code = code.replace("'scan.bounded.mode'", options)
            code = code.replace(
                ".set_bounded(", f'.set_property("spark.maxOffsetsPerTrigger", "{at_once}").set_bounded('
            )
        self.patch.setattr(sys, "argv", [str(program), "--servers", self.kafka.bootstrap_servers, *arguments])
        names: dict[str, Any] = {"__name__": "__main__"}
        exec(compile(code, program.name, "exec"), names)
        return names

    def texts(self, name: str) -> list[str]:
        """Values of a topic, in no order: the keys of a job are in several subtasks."""
        return sorted((record.value or b"").decode() for record in self.kafka.consume(self.topics[name]))

    def rows(self, name: str) -> list[list[Any]]:
        """Values of a topic in its order, each the values of a JSON object."""
        return [list(json.loads(record.value or b"{}").values()) for record in self.kafka.consume(self.topics[name])]

    def last_rows(self, name: str) -> dict[str, Any]:
        """Last value of each key, as readers of a compacted topic see them."""
        records = self.kafka.consume(self.topics[name])
        return {(record.key or b"").decode(): json.loads(record.value) if record.value else None for record in records}


@pytest.fixture
def kitchen(
    spark: SparkSession, kafka: KafkaBroker, new_topic: NewTopic, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Kitchen:
    return Kitchen(kafka, new_topic, tmp_path, monkeypatch)


def at(second: float) -> int:
    """A time of a record."""
    return MINUTE + round(second * 1000)


def clock(second: int) -> str:
    """A time in a column."""
    return f"2024-05-01 {10 + second // 3600}:{second // 60 % 60:02d}:{second % 60:02d}"


# The page and the programs.


def with_programs(page: str) -> str:
    """The page with each program, and each test, below the comment that names it."""
    programs = {file.stem: file.read_text(encoding="utf-8") for file in (*RECIPES, *TESTS)}
    return PLACED.sub(lambda placed: f"{placed['mark']}{programs[placed['name']]}```", page)


def test_page_has_every_program_as_it_is_with_its_test() -> None:
    page = PAGE.read_text(encoding="utf-8")
    sections = re.split(r"^## ", page, flags=re.MULTILINE)[1:]
    shown = [[placed["name"] for placed in PLACED.finditer(section)] for section in sections]
    assert sorted(recipe for recipe, *_ in shown) == [recipe.stem for recipe in RECIPES]
    assert shown == [[recipe, f"test_{recipe}"] if recipe != "job_with_test" else [recipe] for recipe, *_ in shown]
    assert page == with_programs(page)


def test_table_of_the_page_leads_to_every_recipe() -> None:
    page = PAGE.read_text(encoding="utf-8")
    linked = re.findall(r"^\| .*?\]\(#([\w-]+)\)", page, re.MULTILINE)
    titles = re.findall(r"^## (.*)$", page, re.MULTILINE)
    assert linked == [re.sub(r"[^\w -]", "", title).lower().replace(" ", "-") for title in titles]
    assert len(titles) == len(RECIPES)


@pytest.mark.parametrize("recipe", RECIPES, ids=lambda recipe: recipe.stem)
def test_recipe_is_short_and_says_what_it_solves(recipe: Path) -> None:
    text = recipe.read_text(encoding="utf-8")
    docstring = ast.parse(text).body[0]
    assert isinstance(docstring, ast.Expr)
    assert ast.get_docstring(ast.parse(text))
    lines = [line for line in text.splitlines()[docstring.end_lineno :] if line.strip()]
    assert len(lines) <= LONGER.get(recipe.stem, MOST_LINES)


def test_every_recipe_is_cooked_here() -> None:
    cooked = set(re.findall(r'\.cook\(\s*"(\w+)"', Path(__file__).read_text(encoding="utf-8")))
    assert cooked == {recipe.stem for recipe in RECIPES}


# Streams.


def test_duplicates_are_dropped_also_in_a_later_micro_batch(kitchen: Kitchen) -> None:
    kitchen.create("orders", "unique-orders")
    kitchen.produce("orders", *[{"id": number} for number in (1, 1, 2, 1, 3, 2)])
    kitchen.cook("deduplicate", at_once=2)
    assert kitchen.texts("unique-orders") == ['{"id": 1}', '{"id": 2}', '{"id": 3}']


def test_orders_wait_for_their_customer(kitchen: Kitchen) -> None:
    kitchen.create("orders", "customers", "enriched-orders")
    kitchen.produce("orders", "ann cup", "bob pen", "ann pan", "cid mug")
    kitchen.produce("customers", "bob Rome", "ann Oslo")
    kitchen.cook("enrich_from_topic", at_once=1)
    assert kitchen.texts("enriched-orders") == ["ann cup Oslo", "ann pan Oslo", "bob pen Rome"]


def test_late_orders_are_kept(kitchen: Kitchen) -> None:
    kitchen.create("orders", "counts", "late-orders")
    orders = [(1, 10), (2, 20), (3, 70), (4, 30)]
    kitchen.produce(
        "orders",
        *[Record(json.dumps({"id": number, "customer": "ann"}), timestamp_ms=at(second)) for number, second in orders],
    )
    kitchen.cook("late_records", at_once=1)
    assert kitchen.texts("late-orders") == ['{"id": 4, "customer": "ann"}']
    assert kitchen.rows("counts") == [["ann", at(60), 2], ["ann", at(120), 1]]


def test_events_fan_out_by_their_type(kitchen: Kitchen) -> None:
    kitchen.create("events", "clicks", "orders", "other-events")
    kitchen.produce("events", *[{"type": kind} for kind in ("click", "order", "refund", "click")], {})
    kitchen.cook("fan_out")
    assert kitchen.texts("clicks") == ['{"type": "click"}'] * 2
    assert kitchen.texts("orders") == ['{"type": "order"}']
    assert kitchen.texts("other-events") == ['{"type": "refund"}', "{}"]


def test_rows_have_types_and_others_are_set_aside(kitchen: Kitchen) -> None:
    kitchen.create("orders", "totals", "dead-orders")
    kitchen.produce("orders", '{"id": 1, "prices": [3, 4.5]}', "{", '{"id": 2}', '{"id": "x", "prices": []}')
    kitchen.cook("typed_rows")
    assert kitchen.rows("totals") == [[1, 7.5]]
    assert kitchen.texts("dead-orders") == sorted(["{", '{"id": 2}', '{"id": "x", "prices": []}'])


def test_dead_letters_are_replayed_once(kitchen: Kitchen) -> None:
    kitchen.create("orders", "dead-orders")

    def letter(value: str, operator: str) -> Record:
        headers = [("kafkastream.error.operator", operator)]
        return Record(value, key="k", headers=headers, timestamp_ms=at(1))

    kitchen.produce("dead-orders", letter("{'id': 1}", "orders"), letter("{'id': 2}", "totals"))
    kitchen.cook("replay_dead_letters")
    kitchen.produce("dead-orders", letter("{'id': 3}", "orders"))
    kitchen.cook("replay_dead_letters")
    replayed = kitchen.kafka.consume(kitchen.topics["orders"])
    assert [(record.key, record.value, record.timestamp_ms) for record in replayed] == [
        (b"k", b'{"id": 1}', at(1)),
        (b"k", b'{"id": 3}', at(1)),
    ]


def test_silence_is_reported_once_for_each_pause(kitchen: Kitchen) -> None:
    kitchen.create("measurements", "alerts")
    measured = [("pump", 0), ("fan", 5), ("fan", 40), ("fan", 90), ("pump", 100), ("fan", 120)]
    kitchen.produce("measurements", *[Record(f"{device} 7", timestamp_ms=at(second)) for device, second in measured])
    kitchen.cook("alert_on_silence", at_once=1)
    alerts = [("fan", 180), ("pump", 60), ("pump", 160)]
    assert kitchen.texts("alerts") == sorted(f"{device} is silent at {at(second)}" for device, second in alerts)


def test_rate_is_limited_per_user_and_minute(kitchen: Kitchen) -> None:
    kitchen.create("messages", "passed", "refused")
    sent = [("ann", 1), ("ann", 2), ("bob", 3), ("ann", 4), ("ann", 5), ("ann", 61)]
    kitchen.produce("messages", *[Record(f"{user} {second}", timestamp_ms=at(second)) for user, second in sent])
    kitchen.cook("rate_limit", at_once=2)
    assert kitchen.texts("passed") == ["ann 1", "ann 2", "ann 4", "ann 61", "bob 3"]
    assert kitchen.texts("refused") == ["ann 5"]


def test_rules_are_broadcast(kitchen: Kitchen) -> None:
    kitchen.create("payments", "limits", "flagged")
    kitchen.produce("limits", {"country": "NO", "limit": 100.0}, {"country": "IT", "limit": 50.0})
    kitchen.produce("payments", *[{"country": country, "amount": 70.0} for country in ("NO", "IT", "FR")])
    kitchen.cook("broadcast_rules")
    assert kitchen.rows("flagged") == [["IT", 70.0, 50.0]]


@pytest.fixture
def price_service() -> Iterator[str]:
    """A service that is out of order for the first question about each item."""
    asked: set[str] = set()

    class Prices(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.send_response(200 if self.path in asked else 503)
            asked.add(self.path)
            self.end_headers()
            self.wfile.write(str(len(self.path)).encode())

        def log_message(self, *arguments: object) -> None:
            pass

    with ThreadingHTTPServer(("localhost", 0), Prices) as server:
        serving = Thread(target=server.serve_forever)
        serving.start()
        yield f"http://localhost:{server.server_port}"
        server.shutdown()
        serving.join()


def test_service_is_asked_again(kitchen: Kitchen, price_service: str) -> None:
    kitchen.create("orders", "priced-orders")
    kitchen.produce("orders", "cup", "mug", "kettle")
    kitchen.cook("async_enrichment", "--service", price_service)
    assert kitchen.texts("priced-orders") == ["cup costs 4", "kettle costs 7", "mug costs 4"]


@pytest.fixture
def order_service() -> Iterator[tuple[str, list[str]]]:
    """A service that is out of order for the first request, and refuses orders without a customer."""
    taken: list[str] = []
    failures = [503]

    class Orders(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            orders = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            status = failures.pop() if failures else 422 if "" in orders else 200
            self.send_response(status)
            self.end_headers()
            if status == 200:
                taken.extend(orders)

        def log_message(self, *arguments: object) -> None:
            pass

    with ThreadingHTTPServer(("localhost", 0), Orders) as server:
        serving = Thread(target=server.serve_forever)
        serving.start()
        yield f"http://localhost:{server.server_port}/orders", taken
        server.shutdown()
        serving.join()


def test_service_gets_orders_and_a_topic_what_it_refuses(
    kitchen: Kitchen, order_service: tuple[str, list[str]]
) -> None:
    url, taken = order_service
    kitchen.create("orders", "refused")
    kitchen.produce("orders", "ann cup", "", "bob pen")
    kitchen.cook("http_sink", "--url", url)
    assert sorted(taken) == ["ann cup", "bob pen"]
    assert kitchen.texts("refused") == [""]


def test_test_of_a_job_passes(kitchen: Kitchen) -> None:
    recipe = kitchen.cook("job_with_test")
    recipe["test_words_are_shouted_at_their_time"](kitchen.kafka, kitchen.new_topic)


# SQL.


def test_orders_are_counted_per_minute(kitchen: Kitchen) -> None:
    kitchen.create("orders", "counts")
    orders = [("ann", 10, 1), ("bob", 20.5, 30), ("ann", 30, 40), ("ann", 5, 120)]
    kitchen.produce("orders", *[{"customer": who, "amount": amount, "ts": clock(s)} for who, amount, s in orders])
    kitchen.cook("count_per_minute", at_once=1)
    assert sorted(kitchen.rows("counts")) == [
        ["ann", clock(0), 2, 40.0],
        ["ann", clock(120), 1, 5.0],
        ["bob", clock(0), 1, 20.5],
    ]


def test_clicks_become_visits(kitchen: Kitchen) -> None:
    kitchen.create("clicks", "visits")
    clicks = [("ann", 0), ("bob", 60), ("ann", 1700), ("ann", 3600)]
    kitchen.produce("clicks", *[{"user": user, "page": "/", "ts": clock(second)} for user, second in clicks])
    kitchen.cook("sessions", at_once=1)
    assert sorted(kitchen.rows("visits")) == [
        ["ann", clock(0), clock(1700), 2],
        ["ann", clock(3600), clock(3600), 1],
        ["bob", clock(60), clock(60), 1],
    ]


def test_best_selling_items_are_ranked(kitchen: Kitchen) -> None:
    kitchen.create("sales", "top-items")
    sales = [*((item, 1) for item in ("pen", "pad", "ink", "cup", "pen", "ink", "pen")), ("cup", 61)]
    kitchen.produce("sales", *[{"item": item, "ts": clock(second)} for item, second in sales])
    kitchen.cook("top_n", at_once=3)
    assert sorted(kitchen.rows("top-items")) == [
        [clock(0), 1, "pen", 3],
        [clock(0), 2, "ink", 2],
        [clock(0), 3, "cup", 1],
        [clock(60), 1, "cup", 1],
    ]


def test_unpaid_orders_are_found(kitchen: Kitchen) -> None:
    kitchen.create("orders", "payments", "checked")
    kitchen.produce("orders", *[{"id": number, "ts": clock(number)} for number in (1, 2, 3)])
    payments = [(1, 60), (2, 3605)]
    kitchen.produce(
        "payments", *[{"order_id": number, "paid": 9.5, "ts": clock(second)} for number, second in payments]
    )
    kitchen.cook("interval_join", at_once=1)
    assert sorted(kitchen.rows("checked")) == [[1, 9.5], [2, None], [3, None]]


def test_join_is_corrected_when_a_customer_moves(kitchen: Kitchen) -> None:
    kitchen.create("orders", "customers", "deliveries")
    kitchen.produce("orders", {"id": 1, "customer": "ann"}, {"id": 2, "customer": "bob"}, {"id": 3, "customer": "cid"})
    moved = [("ann", "Oslo"), ("bob", "Rome"), ("ann", "Bonn")]
    kitchen.produce("customers", *[Record(json.dumps({"name": who, "city": city}), key=who) for who, city in moved])
    kitchen.produce("customers", Record(None, key="bob"))
    kitchen.cook("regular_join", at_once=1)
    assert kitchen.last_rows("deliveries") == {
        '{"id":1}': {"id": 1, "customer": "ann", "city": "Bonn"},
        '{"id":2}': {"id": 2, "customer": "bob", "city": None},
        '{"id":3}': {"id": 3, "customer": "cid", "city": None},
    }


def test_amounts_are_converted_with_the_rate_of_their_time(kitchen: Kitchen) -> None:
    kitchen.create("orders", "rates", "converted")
    orders = [(1, "USD", 5), (2, "USD", 15), (3, "CHF", 20)]
    kitchen.produce("orders", *[{"id": number, "amount": 10, "currency": c, "ts": clock(s)} for number, c, s in orders])
    rates = [(0.5, 0), (0.75, 10), (0.9, 60)]
    kitchen.produce(
        "rates", *[Record(json.dumps({"currency": "USD", "rate": r, "ts": clock(s)}), key="USD") for r, s in rates]
    )
    kitchen.cook("temporal_join", at_once=1)
    assert sorted(kitchen.rows("converted")) == [[1, 5.0], [2, 7.5], [3, None]]


def test_pattern_is_found(kitchen: Kitchen) -> None:
    kitchen.create("payments", "alerts")
    payments = [
        ("a", 0.5, 0),
        ("b", 0.5, 1),
        ("a", 600, 30),
        ("b", 20, 31),
        ("b", 700, 32),
        ("a", 0.1, 40),
        ("a", 900, 120),
    ]
    kitchen.produce("payments", *[{"card": card, "amount": amount, "ts": clock(s)} for card, amount, s in payments])
    kitchen.cook("match_pattern", at_once=2)
    assert kitchen.rows("alerts") == [["a", 0.5, 600]]


def test_changes_reach_postgres(kitchen: Kitchen, postgres_database: PostgresDatabase) -> None:
    kitchen.create("shop.orders")
    kitchen.patch.setenv("POSTGRES_PASSWORD", postgres_database.password)
    where = ("--url", postgres_database.jdbc_url, "--user", postgres_database.user)

    def order(number: int, item: str, amount: str) -> dict[str, Any]:
        return {"id": number, "item": item, "amount": amount}

    cup, mug, pan = order(1, "cup", "3.50"), order(1, "mug", "4.00"), order(2, "pan", "9.99")
    with psycopg.connect(postgres_database.url, autocommit=True) as connection:
        connection.execute("CREATE TABLE orders (id bigint PRIMARY KEY, item text, amount numeric(10, 2))")
        kitchen.produce(
            "shop.orders", {"op": "c", "before": None, "after": cup}, {"op": "c", "before": None, "after": pan}
        )
        kitchen.cook("cdc_to_postgres", *where)
        selected = connection.execute("SELECT id, item, amount::text FROM orders ORDER BY id").fetchall()
        assert selected == [(1, "cup", "3.50"), (2, "pan", "9.99")]
        kitchen.produce(
            "shop.orders", {"op": "u", "before": cup, "after": mug}, {"op": "d", "before": pan, "after": None}
        )
        kitchen.cook("cdc_to_postgres", *where)
        assert connection.execute("SELECT id, item, amount::text FROM orders").fetchall() == [(1, "mug", "4.00")]


def test_avro_of_a_registry_is_read_and_written(kitchen: Kitchen) -> None:
    kitchen.create("orders", "large-orders")
    fields = [{"name": "id", "type": "long"}, {"name": "item", "type": "string"}, {"name": "amount", "type": "double"}]
    written = {"type": "record", "name": "Order", "fields": fields}
    with EmbeddedSchemaRegistry() as registry:
        schema_id = registry.register(f"{kitchen.topics['orders']}-value", json.dumps(written))
        for number, amount in ((1, 20.0), (2, 200.0)):
            value = io.BytesIO()
            fastavro.schemaless_writer(value, written, {"id": number, "item": "pan", "amount": amount})
            kitchen.produce("orders", struct.pack(">bI", 0, schema_id) + value.getvalue())
        kitchen.cook("avro_registry", "--registry", registry.url)
        (record,) = kitchen.kafka.consume(kitchen.topics["large-orders"])
    magic, own_id = struct.unpack(">bI", (record.value or b"")[:5])
    assert (magic, own_id != schema_id) == (0, True)
    assert (record.value or b"")[5:] == b"\x04\x02\x06pan"  # 2, and of null or string the second: "pan"


# Operations.


def test_copy_is_exact_and_continues(kitchen: Kitchen) -> None:
    kitchen.create("orders", "orders-copy")
    records = [
        Record(f"v{number}", key=f"k{number}", headers=[("trace", f"{number}")], timestamp_ms=at(number))
        for number in (1, 2)
    ]
    for record in (*records, Record(None, key="k1", timestamp_ms=at(3))):
        kitchen.produce("orders", record)
        kitchen.cook("copy_between_clusters", "--to-servers", kitchen.kafka.bootstrap_servers)
    copied = kitchen.kafka.consume(kitchen.topics["orders-copy"])
    assert [(record.key, record.value, record.headers, record.timestamp_ms) for record in copied] == [
        (b"k1", b"v1", (("trace", b"1"),), at(1)),
        (b"k2", b"v2", (("trace", b"2"),), at(2)),
        (b"k1", None, (), at(3)),
    ]


def test_range_is_replayed(kitchen: Kitchen) -> None:
    kitchen.create("orders", "replayed-orders")
    kitchen.produce("orders", *[Record(str(second), timestamp_ms=at(second)) for second in range(5)])
    kitchen.cook("replay_time_range", "--from", str(at(1)), "--until", str(at(3)))
    assert kitchen.texts("replayed-orders") == ["1", "2"]


def test_archive_and_topic_are_counted_once(kitchen: Kitchen) -> None:
    kitchen.create("orders", "counts")
    archive = kitchen.data / "archive"
    archive.mkdir()
    lines = [("ann", "2024-04-01 08:00:00"), ("bob", "2024-04-30 23:59:59"), ("ann", "2024-05-01 00:00:01")]
    (archive / "a.json").write_text("".join(json.dumps({"customer": who, "ts": ts}) + "\n" for who, ts in lines))
    orders = [("bob", "2024-04-30 23:59:59"), ("ann", "2024-05-01 00:00:01"), ("ann", "2024-05-02 12:00:00")]
    kitchen.produce("orders", *[{"customer": who, "ts": ts} for who, ts in orders])
    kitchen.cook("backfill_then_live", at_once=1)
    assert kitchen.last_rows("counts") == {
        "ann": {"customer": "ann", "orders": 3},
        "bob": {"customer": "bob", "orders": 1},
    }


@pytest.fixture
def versions(kafka: KafkaBroker) -> Iterator[tuple[str, ...]]:
    """Topics, groups and transactions are named after a version, which the program puts together."""
    names = ("totals-blue", "totals-green")
    for name in names:
        kafka.create_topic(name)
    yield names
    for name in names:
        kafka.delete_topic(name)


def test_green_version_does_not_touch_blue(kitchen: Kitchen, versions: tuple[str, ...]) -> None:
    kitchen.create("orders")
    kitchen.produce("orders", "ann 3", "bob 4", "ann 5")
    partition = TopicPartition(kitchen.topics["orders"], 0)
    for version in versions:
        kitchen.cook("blue_green", "--version", version.removeprefix("totals-"))
        kitchen.produce("orders", "ann 1")
    groups = [{"bootstrap.servers": kitchen.kafka.bootstrap_servers, "group.id": version} for version in versions]
    assert [Cluster(group).committed_offsets([partition]) for group in groups] == [{partition: 3}, {partition: 4}]
    kitchen.topics.update(zip(versions, versions, strict=True))
    assert kitchen.texts("totals-blue") == ["ann 3", "ann 8", "bob 4"]
    assert kitchen.texts("totals-green") == ["ann 3", "ann 8", "ann 9", "bob 4"]


def test_topic_is_archived_by_day(kitchen: Kitchen) -> None:
    kitchen.create("orders")
    for number, day in ((1, "2024-05-01"), (2, "2024-05-02")):
        kitchen.produce("orders", {"id": number, "item": "cup", "ts": f"{day} 10:00:00"})
        kitchen.cook("kafka_to_parquet")
    files = sorted((kitchen.data / "archive").glob("day=*/*"))
    rows = [(file.parent.name, row) for file in files for row in pq.ParquetFile(file).read().to_pylist()]
    assert rows == [
        ("day=2024-05-01", {"id": 1, "item": "cup"}),
        ("day=2024-05-02", {"id": 2, "item": "cup"}),
    ]


if __name__ == "__main__":
    PAGE.write_text(with_programs(PAGE.read_text(encoding="utf-8")), encoding="utf-8")
