"""Tables of streams that are results of queries: SQL, functions of the DataStream API, and SQL again."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from kafkastream.common import Row, Types, WatermarkStrategy
from kafkastream.common.job_client import JobClient
from kafkastream.datastream import KeyedProcessFunction, RuntimeContext, StreamExecutionEnvironment
from kafkastream.datastream.state import ValueStateDescriptor
from kafkastream.table import Schema, StreamTableEnvironment, Table
from kafkastream.table.expressions import col
from kafkastream.testing import KafkaBroker, Record, wait_until
from kafkastream.testing.pytest_plugin import NewTopic

T0 = 1_700_000_000_000


@pytest.fixture
def env() -> StreamExecutionEnvironment:
    return StreamExecutionEnvironment.get_execution_environment().set_parallelism(2)


@pytest.fixture
def t_env(env: StreamExecutionEnvironment) -> StreamTableEnvironment:
    return StreamTableEnvironment.create(env)


class Numbered(KeyedProcessFunction[str, Row, Row]):
    """Numbers the rows of a key."""

    def open(self, runtime_context: RuntimeContext) -> None:
        self.count = runtime_context.get_state(ValueStateDescriptor("count", Types.LONG()))

    def process_element(self, value: Row, ctx: KeyedProcessFunction.Context) -> Iterator[Row]:
        number = (self.count.value() or 0) + 1
        self.count.update(number)
        yield Row(who=value[0], number=number, n=value[1])


NUMBERED = Types.ROW_NAMED(["who", "number", "n"], [Types.STRING(), Types.LONG(), Types.LONG()])


def rows(table: Table) -> list[str]:
    with table.execute().collect() as found:
        return sorted(f"{row.get_row_kind()}[{', '.join(map(str, row))}]" for row in found)


@pytest.mark.usefixtures("spark")
def test_functions_between_queries_without_state(t_env: StreamTableEnvironment) -> None:
    t_env.execute_sql(
        "CREATE TABLE numbers (id INT) WITH ('connector' = 'datagen', 'number-of-rows' = '5', "
        "'fields.id.kind' = 'sequence', 'fields.id.start' = '1', 'fields.id.end' = '5')"
    )
    stream = t_env.to_data_stream(t_env.from_path("numbers").select(col("id"), (col("id") * 10).alias("ten")))
    sums = t_env.from_data_stream(stream.map(lambda row: row[0] + row[1], Types.INT()))
    assert rows(sums.where(col("f0") > 11)) == ["+I[22]", "+I[33]", "+I[44]", "+I[55]"]
    doubled = t_env.to_data_stream(sums).map(lambda row: 2 * row[0], Types.INT())
    assert rows(t_env.from_data_stream(doubled)) == ["+I[110]", "+I[22]", "+I[44]", "+I[66]", "+I[88]"]


@pytest.mark.usefixtures("spark")
def test_state_before_between_and_after(t_env: StreamTableEnvironment) -> None:
    words = t_env.from_elements([("a", 1), ("b", 2), ("a", 3), ("b", 4), ("a", 5)], ["who", "n"])
    firsts = t_env.sql_query(
        f"SELECT who, n FROM (SELECT who, n, COUNT(*) AS c FROM {words} GROUP BY who, n) WHERE c = 1"
    )
    numbered = (
        t_env.to_changelog_stream(firsts).key_by(lambda row: row[0], Types.STRING()).process(Numbered(), NUMBERED)
    )
    table = t_env.from_data_stream(numbered)
    totals = t_env.sql_query(f"SELECT who, MAX(number), SUM(n) FROM {table} GROUP BY who")
    assert {"[a, 3, 9]", "[b, 2, 6]"} <= {row[2:] for row in rows(totals)}


@pytest.mark.usefixtures("spark")
def test_event_time_and_state_go_on_after_a_restart(kafka: KafkaBroker, new_topic: NewTopic, tmp_path: Path) -> None:
    """Three micro-batches or more, in two starts: the state of both queries and of the function between them is kept."""
    source, sink = new_topic(), new_topic()

    def produce(*records: tuple[str, int, int]) -> None:
        values = [(json.dumps({"who": who, "n": n}), T0 + after) for who, n, after in records]
        kafka.produce(source, [Record(value, timestamp_ms=time) for value, time in values])

    def run(expected: list[list[object]]) -> None:
        job = started(kafka.bootstrap_servers, source, sink, tmp_path)
        try:
            wait_until(lambda: len(list(kafka.consume(sink))) >= len(expected), 150, "the results")
        finally:
            job.cancel().result()
        assert sorted(list(json.loads(record.value or b"").values()) for record in kafka.consume(sink)) == expected

    produce(("a", 1, 0), ("b", 2, 1_000), ("a", 1, 2_000), ("a", 3, 3_000), ("c", 1, 11_000))
    run([["a", 2, 4], ["b", 1, 2]])
    produce(("a", 3, 12_000), ("b", 4, 13_000), ("a", 7, 15_000), ("b", 9, 25_000))
    run([["a", 2, 4], ["a", 3, 7], ["b", 1, 2], ["b", 2, 4], ["c", 1, 1]])


def started(servers: str, source: str, sink: str, checkpoints: Path) -> JobClient:
    env = StreamExecutionEnvironment.get_execution_environment().set_parallelism(1)
    env.enable_checkpointing(100).get_checkpoint_config().set_checkpoint_storage_dir(checkpoints.as_uri())
    t_env = StreamTableEnvironment.create(env)
    server = f"'connector' = 'kafka', 'properties.bootstrap.servers' = '{servers}', 'format' = 'json'"
    t_env.execute_sql(f"""
        CREATE TABLE orders (
          who STRING, n BIGINT, ts TIMESTAMP_LTZ(3) METADATA FROM 'timestamp', WATERMARK FOR ts AS ts
        ) WITH ({server}, 'topic' = '{source}', 'scan.startup.mode' = 'earliest-offset')
    """)
    t_env.execute_sql(
        f"CREATE TABLE results (who STRING, number BIGINT, total BIGINT) WITH ({server}, 'topic' = '{sink}')"
    )
    first = t_env.sql_query("""
        SELECT who, n, ts FROM (SELECT *, COUNT(*) OVER (PARTITION BY who, n ORDER BY ts) AS place FROM orders)
        WHERE place = 1
    """)
    stream = t_env.to_data_stream(first).key_by(lambda row: row[0], Types.STRING()).process(Numbered(), NUMBERED)
    schema = Schema.new_builder().column_by_metadata("rt", "TIMESTAMP_LTZ(3)", "rowtime")
    in_order: WatermarkStrategy[Row] = WatermarkStrategy.for_monotonous_timestamps()
    table = t_env.from_data_stream(
        stream.assign_timestamps_and_watermarks(in_order), schema.watermark("rt", "SOURCE_WATERMARK()").build()
    )
    t_env.create_temporary_view("numbered", table)
    job = t_env.execute_sql("""
        INSERT INTO results SELECT who, MAX(number), SUM(n)
        FROM TABLE(TUMBLE(TABLE numbered, DESCRIPTOR(rt), INTERVAL '10' SECOND)) GROUP BY who, window_start, window_end
    """).get_job_client()
    assert job is not None
    return job
