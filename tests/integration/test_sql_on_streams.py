"""SQL on streams of the DataStream API, and streams of queries: times, keys, changes and exactly-once on both sides."""

from __future__ import annotations

import json
from collections.abc import Iterator
from datetime import datetime, timezone
from decimal import Decimal
from typing import TYPE_CHECKING

import pytest

from kafkastream.common import Duration, Instant, Row, RowKind, SerializationSchema, Time, Types, WatermarkStrategy
from kafkastream.common.serialization import SimpleStringSchema
from kafkastream.common.watermark_strategy import TimestampAssigner
from kafkastream.datastream import (
    DataStream,
    KeyedProcessFunction,
    ProcessFunction,
    RuntimeContext,
    StreamExecutionEnvironment,
)
from kafkastream.datastream.connectors.base import DeliveryGuarantee
from kafkastream.datastream.connectors.kafka import (
    KafkaOffsetsInitializer,
    KafkaRecordSerializationSchema,
    KafkaSink,
    KafkaSource,
)
from kafkastream.datastream.formats.json import JsonRowDeserializationSchema
from kafkastream.datastream.state import ValueStateDescriptor
from kafkastream.datastream.window import TumblingEventTimeWindows
from kafkastream.errors import DefinitionError, UnsupportedFeatureError, UserFunctionError
from kafkastream.table import ChangelogMode, DataTypes, Schema, StreamTableEnvironment, Table
from kafkastream.table.udf import udf
from kafkastream.testing import KafkaBroker
from kafkastream.testing.pytest_plugin import NewTopic

if TYPE_CHECKING:
    from tests.integration.conftest import Parts

BEGIN = 1_714_557_600_000
"""2024-05-01T10:00:00Z."""
ORDERS = Types.ROW_NAMED(["who", "n", "at"], [Types.STRING(), Types.LONG(), Types.LONG()])
ROWTIME = (
    Schema.new_builder()
    .column_by_metadata("rt", "TIMESTAMP_LTZ(3)", "rowtime")
    .watermark("rt", "SOURCE_WATERMARK()")
    .build()
)
OWN_TIME = (
    Schema.new_builder()
    .column_by_expression("ts", "TO_TIMESTAMP_LTZ(`at`, 3)")
    .watermark("ts", "ts - INTERVAL '2' SECOND")
    .build()
)
TUMBLING = "TABLE(TUMBLE(TABLE orders, DESCRIPTOR({}), INTERVAL '20' SECOND))"


class AtTime(TimestampAssigner):
    def extract_timestamp(self, value: Row, record_timestamp: int) -> int:
        return int(value["at"])


class Totals(KeyedProcessFunction[str, Row, str]):
    """The sum of all windows of a key so far, with the time of each."""

    def open(self, runtime_context: RuntimeContext) -> None:
        self.total = runtime_context.get_state(ValueStateDescriptor("total", Types.LONG()))

    def process_element(self, value: Row, ctx: KeyedProcessFunction.Context) -> Iterator[str]:
        total = (self.total.value() or 0) + value["s"]
        self.total.update(total)
        yield json.dumps([value["who"], value["s"], total, (ctx.timestamp() or 0) - BEGIN])


class Tenfold(KeyedProcessFunction[str, Row, Row]):
    def process_element(self, value: Row, ctx: KeyedProcessFunction.Context) -> Iterator[Row]:
        yield Row(who=ctx.get_current_key(), n=value["n"] * 10, at=value["at"])


@pytest.fixture
def env() -> StreamExecutionEnvironment:
    env = StreamExecutionEnvironment.get_execution_environment()
    return env.set_parallelism(2)


@pytest.fixture
def t_env(env: StreamExecutionEnvironment) -> StreamTableEnvironment:
    t_env = StreamTableEnvironment.create(env)
    t_env.get_config().set_local_timezone("UTC")
    return t_env


@pytest.fixture
def orders(env: StreamExecutionEnvironment, kafka: KafkaBroker, new_topic: NewTopic) -> DataStream[Row]:
    """A second apart, 60 in two partitions: those of ``a`` have even numbers, those of ``b`` odd ones."""
    topic = new_topic(partitions=2)
    kafka.produce(topic, [json.dumps({"who": "ab"[n % 2], "n": n, "at": BEGIN + n * 1000}) for n in range(60)])
    source = (
        KafkaSource.builder()
        .set_bootstrap_servers(kafka.bootstrap_servers)
        .set_topics(topic)
        .set_starting_offsets(KafkaOffsetsInitializer.earliest())
        .set_bounded(KafkaOffsetsInitializer.latest())
        .set_value_only_deserializer(JsonRowDeserializationSchema.builder().type_info(ORDERS).build())
        .build()
    )
    late = WatermarkStrategy.for_bounded_out_of_orderness(Duration.of_seconds(1))
    return env.from_source(source, late.with_timestamp_assigner(AtTime()), "orders")


def changes(table: Table) -> list[str]:
    with table.execute().collect() as rows:
        return [f"{row.get_row_kind()}[{', '.join(map(str, row))}]" for row in rows]


def test_a_stream_into_windows_of_sql_and_on_into_keyed_functions(
    env: StreamExecutionEnvironment,
    t_env: StreamTableEnvironment,
    orders: DataStream[Row],
    kafka: KafkaBroker,
    new_topic: NewTopic,
) -> None:
    topic = new_topic(config={"retention.ms": "-1"})  # records are as old as their elements
    t_env.create_temporary_view("orders", orders, ROWTIME)
    windows = t_env.sql_query(f"""
        SELECT who, window_time, SUM(n) AS s FROM {TUMBLING.format("rt")} GROUP BY who, window_start, window_end, window_time
    """)
    sink = (
        KafkaSink.builder()
        .set_bootstrap_servers(kafka.bootstrap_servers)
        .set_record_serializer(
            KafkaRecordSerializationSchema.builder()
            .set_topic(topic)
            .set_value_serialization_schema(SimpleStringSchema())
            .build()
        )
        .set_delivery_guarantee(DeliveryGuarantee.EXACTLY_ONCE)
        .set_transactional_id_prefix(topic)
        .build()
    )
    totals = t_env.to_data_stream(windows).key_by(lambda row: row["who"]).process(Totals(), Types.STRING())
    totals.sink_to(sink)
    env.execute()
    assert sorted(json.loads(record.value or "") for record in kafka.consume(topic, count=6)) == [
        ["a", 90, 90, 19_999],
        ["a", 290, 380, 39_999],
        ["a", 490, 870, 59_999],
        ["b", 100, 100, 19_999],
        ["b", 300, 400, 39_999],
        ["b", 500, 900, 59_999],
    ]


def test_keyed_functions_before_sql_with_a_watermark_of_its_own(
    t_env: StreamTableEnvironment, orders: DataStream[Row]
) -> None:
    tenfold = orders.key_by(lambda row: row["who"]).process(Tenfold(), ORDERS)
    t_env.create_temporary_view("orders", tenfold, OWN_TIME)
    windows = t_env.sql_query(f"""
        SELECT who, COUNT(*), SUM(n) FROM {TUMBLING.format("ts")} WHERE n > 0 GROUP BY who, window_start, window_end
    """)
    assert sorted(changes(windows)) == [
        "+I[a, 10, 2900]",
        "+I[a, 10, 4900]",
        "+I[a, 9, 900]",
        "+I[b, 10, 1000]",
        "+I[b, 10, 3000]",
        "+I[b, 10, 5000]",
    ]


class Times(ProcessFunction[Row, str]):
    def process_element(self, value: Row, ctx: ProcessFunction.Context) -> Iterator[str]:
        yield json.dumps([value["who"], value["n"], value["x"], (ctx.timestamp() or 0) - BEGIN])


class NoB(SerializationSchema[str]):
    def serialize(self, value: str) -> bytes:
        if "B" in value:
            raise ValueError("B")
        return value.encode()


@udf(result_type="STRING")
def upper(who: str) -> str:
    return who.upper()


def test_rows_between_keyed_functions_and_a_sink_keep_their_times_and_messages_pass_untouched(
    env: StreamExecutionEnvironment,
    t_env: StreamTableEnvironment,
    orders: DataStream[Row],
    parts: Parts,
    new_topic: NewTopic,
) -> None:
    tenfold = orders.key_by(lambda row: row["who"]).process(Tenfold(), ORDERS)
    t_env.create_temporary_view("orders", tenfold, OWN_TIME)
    t_env.create_temporary_function("shout", upper)
    rows = t_env.sql_query("""
        SELECT shout(who) AS who, n, x, ts FROM orders CROSS JOIN UNNEST(ARRAY[1, 2]) AS u (x) WHERE COALESCE(n, 20) = 20 OR n = 30
    """)
    target, dead = new_topic(config={"retention.ms": "-1"}), new_topic()
    sink = parts.sink_of(parts.serializer(target, NoB()), dead_letters=dead)
    t_env.to_data_stream(rows).process(Times(), Types.STRING()).sink_to(sink)
    metrics = env.execute().get_metrics()
    assert sorted(json.loads(value or "") for value in parts.values(target)) == [["A", 20, 1, 2000], ["A", 20, 2, 2000]]
    assert len(parts.kafka.consume(dead)) == 2
    assert metrics.of_operator("Source: orders").total("numRecordsIn") == 60


def test_a_table_of_a_stream_is_found_from_every_database_and_is_of_its_own_environment(
    env: StreamExecutionEnvironment, t_env: StreamTableEnvironment
) -> None:
    t_env.create_temporary_view("numbers", env.from_collection([1], Types.LONG()))
    t_env.execute_sql("CREATE DATABASE elsewhere")
    t_env.use_database("elsewhere")
    numbers = t_env.sql_query("SELECT * FROM default_catalog.default_database.numbers")
    assert numbers.get_schema().get_field_names() == ["f0"]
    other = StreamExecutionEnvironment.get_execution_environment().from_collection([2], Types.LONG())
    with pytest.raises(DefinitionError, match="belongs to another environment"):
        t_env.from_data_stream(other)


def test_event_time_of_a_query_without_state_goes_on_with_its_stream(
    t_env: StreamTableEnvironment, orders: DataStream[Row]
) -> None:
    t_env.create_temporary_view("orders", orders, OWN_TIME)
    early = t_env.to_data_stream(t_env.sql_query("SELECT who, n, ts FROM orders WHERE n < 30"))
    sums = (
        early.key_by(lambda row: row["who"])
        .window(TumblingEventTimeWindows.of(Time.seconds(20)))
        .reduce(lambda one, other: Row(who=one["who"], n=one["n"] + other["n"], ts=other["ts"]))
    )
    with sums.map(lambda row: (row["who"], row["n"])).execute_and_collect() as found:
        assert sorted(found) == [("a", 90), ("a", 120), ("b", 100), ("b", 125)]


def test_a_collection_beside_kafka_joins_and_merges(
    env: StreamExecutionEnvironment, t_env: StreamTableEnvironment, orders: DataStream[Row]
) -> None:
    labels = env.from_collection([("a", "alpha"), ("b", "beta")], Types.TUPLE([Types.STRING(), Types.STRING()]))
    t_env.create_temporary_view("orders", orders.filter(lambda row: row["n"] < 4))
    t_env.create_temporary_view("labels", labels)
    joined = t_env.sql_query("SELECT n, f1 FROM orders JOIN labels ON who = f0")
    assert sorted(changes(joined)) == ["+I[0, alpha]", "+I[1, beta]", "+I[2, alpha]", "+I[3, beta]"]
    with pytest.raises(UnsupportedFeatureError, match="elements that the program holds itself, without state"):
        t_env.sql_query("SELECT who FROM orders UNION ALL SELECT f0 FROM labels").execute()
    names = orders.map(lambda row: row["who"], Types.STRING()).union(env.from_collection(["a", "z"], Types.STRING()))
    counted = t_env.sql_query(f"SELECT f0, COUNT(*) FROM {t_env.from_data_stream(names)} GROUP BY f0")
    assert {"+I[z, 1]"} < set(changes(counted))


def test_values_with_parts_go_into_sql_and_come_back(
    env: StreamExecutionEnvironment, t_env: StreamTableEnvironment
) -> None:
    kind = Types.ROW_NAMED(
        ["tags", "prices", "place", "at"],
        [
            Types.BASIC_ARRAY(Types.STRING()),
            Types.MAP(Types.STRING(), Types.BIG_DEC()),
            Types.ROW_NAMED(["city", "zip"], [Types.STRING(), Types.INT()]),
            Types.INSTANT(),
        ],
    )
    at = Instant(-1, 250_000_000)
    given = Row(["a", None], {"pen": Decimal("1.5")}, Row(city="Bonn", zip=53111), at)
    table = t_env.from_data_stream(env.from_collection([given, Row(None, None, None, None)], kind))
    query = t_env.sql_query(f"SELECT tags, prices, place, place.city, `at` FROM {table}")
    with t_env.to_data_stream(query).execute_and_collect() as found:
        whole, empty = found
    assert whole.as_dict() == {
        "tags": ["a", None],
        "prices": {"pen": Decimal("1.5")},
        "place": Row(city="Bonn", zip=53111),
        "city": "Bonn",
        "at": at,
    }
    assert list(empty) == [None] * 5


def test_rows_of_the_program_are_a_table(t_env: StreamTableEnvironment) -> None:
    noon = datetime(2024, 5, 1, 12, tzinfo=timezone.utc)
    given = t_env.from_elements([(1, "pen", noon), (2, None, None)], ["id", "name", "at"])
    t_env.execute_sql("CREATE DATABASE elsewhere")
    t_env.use_database("elsewhere")
    assert changes(t_env.sql_query(f"SELECT id, name, CAST(`at` AS STRING) FROM {given}")) == [
        "+I[1, pen, 2024-05-01 12:00:00.000000]",
        "+I[2, None, None]",
    ]
    prices = t_env.from_elements([Decimal("1.005"), Decimal(2)], DataTypes.DECIMAL(5, 2))
    assert changes(t_env.sql_query(f"SELECT SUM(`value`) FROM {prices}")) == ["+I[3.01]"]


def test_two_time_zones_in_one_job_are_refused(env: StreamExecutionEnvironment, t_env: StreamTableEnvironment) -> None:
    for zone in ("Asia/Tokyo", "UTC"):
        t_env.get_config().set_local_timezone(zone)
        t_env.to_data_stream(t_env.sql_query("SELECT 1 AS lone")).print()
    with pytest.raises(UnsupportedFeatureError, match="queries in the time zones Asia/Tokyo and UTC in one job"):
        env.execute()


def test_changes_of_a_stream_are_those_of_a_table(
    env: StreamExecutionEnvironment, t_env: StreamTableEnvironment
) -> None:
    kinds = [RowKind.INSERT, RowKind.UPDATE_AFTER, RowKind.INSERT, RowKind.DELETE]
    values = [(1, "a"), (1, "b"), (2, "c"), (2, "c")]
    upserts = env.from_collection(
        [Row.of_kind(kind, *value) for kind, value in zip(kinds, values, strict=True)],
        Types.ROW_NAMED(["id", "v"], [Types.INT(), Types.STRING()]),
    )
    keyed = Schema.new_builder().column("id", "INT NOT NULL").column("v", "STRING").primary_key("id").build()
    table = t_env.from_changelog_stream(upserts, keyed, ChangelogMode.upsert())
    shown = changes(table)
    assert [change for change in shown if "[1," in change] == ["+I[1, a]", "-U[1, a]", "+U[1, b]"]
    assert [change for change in shown if "[2," in change] == ["+I[2, c]", "-D[2, c]"]
    retracted = t_env.to_retract_stream(t_env.sql_query(f"SELECT COUNT(*) FROM {table}"))
    with retracted.execute_and_collect() as found:
        assert list(found)[-1] == (True, Row(**{"EXPR$0": 1}))
    with pytest.raises(UserFunctionError, match="this one is UPDATE_AFTER: take from_changelog_stream") as raised:
        changes(t_env.from_data_stream(upserts))
    assert "element 2 of the collection" in str(raised.value)
