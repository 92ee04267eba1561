"""Streams into PostgreSQL by ``JdbcSink``."""

from __future__ import annotations

from decimal import Decimal
from pathlib import Path

import psycopg
import pytest

from kafkastream.common import Row, SimpleStringSchema, Types, WatermarkStrategy
from kafkastream.common.configuration import Configuration
from kafkastream.datastream import DataStream, StreamExecutionEnvironment
from kafkastream.datastream.connectors.jdbc import JdbcConnectionOptions, JdbcExecutionOptions, JdbcSink
from kafkastream.datastream.connectors.kafka import KafkaOffsetsInitializer, KafkaSource
from kafkastream.errors import DefinitionError, JobError
from kafkastream.testing import KafkaBroker, PostgresDatabase, Record, wait_until
from kafkastream.testing.pytest_plugin import NewTopic

WORD = Types.ROW_NAMED(["word", "count"], [Types.STRING(), Types.INT()])
INSERT = "INSERT INTO words (word, count) VALUES (?, ?)"
pytestmark = pytest.mark.usefixtures("spark")


def rows(
    database: PostgresDatabase, query: str = "SELECT word, count FROM words ORDER BY 1, 2"
) -> list[tuple[object, ...]]:
    with psycopg.connect(database.url) as connection:
        return connection.execute(query).fetchall()


def execute(database: PostgresDatabase, statement: str) -> None:
    with psycopg.connect(database.url) as connection:
        connection.execute(statement)


def sink(database: PostgresDatabase, statement: str = INSERT) -> JdbcSink:
    options = JdbcConnectionOptions.JdbcConnectionOptionsBuilder().with_url(database.jdbc_url)
    connection = options.with_user_name(database.user).with_password(database.password).build()
    execution = JdbcExecutionOptions.builder().with_batch_size(2).with_max_retries(1).build()
    return JdbcSink.sink(statement, WORD, connection, execution)


def words(env: StreamExecutionEnvironment, kafka: KafkaBroker, topic: str, **properties: str) -> DataStream[Row]:
    builder = KafkaSource.builder().set_bootstrap_servers(kafka.bootstrap_servers).set_topics(topic)
    for name, value in properties.items():
        builder.set_property(f"spark.{name}", value)
    bounded = builder.set_bounded(KafkaOffsetsInitializer.latest())
    source = bounded.set_value_only_deserializer(SimpleStringSchema()).build()
    stream = env.from_source(source, WatermarkStrategy.no_watermarks(), "words")
    return stream.map(lambda word: Row(word, len(word)), WORD)


def environment(folder: Path) -> StreamExecutionEnvironment:
    configuration = Configuration().set_string("execution.checkpointing.dir", str(folder))
    return StreamExecutionEnvironment.get_execution_environment(configuration)


def test_elements_of_each_type_are_written(postgres_database: PostgresDatabase) -> None:
    execute(
        postgres_database, "CREATE TABLE words (word text, count int, price numeric(10,2), raw bytea, truth boolean)"
    )
    kind = Types.ROW(
        [Types.STRING(), Types.INT(), Types.BIG_DEC(), Types.PRIMITIVE_ARRAY(Types.BYTE()), Types.BOOLEAN()]
    )
    env = StreamExecutionEnvironment.get_execution_environment()
    values = [Row("it's %s?", 1, Decimal("1.50"), b"\x00\xff", True), Row(None, None, None, None, None)]
    options = JdbcConnectionOptions.JdbcConnectionOptionsBuilder().with_url(postgres_database.jdbc_url)
    connection = options.with_user_name(postgres_database.user).with_password(postgres_database.password).build()
    statement = "INSERT INTO words VALUES (?, ?, ?, ?, ?)"
    env.from_collection(values, kind).add_sink(JdbcSink.sink(statement, kind, connection))
    env.execute("types")
    assert rows(postgres_database, "SELECT * FROM words ORDER BY 1") == [tuple(value) for value in values]


def test_records_are_upserted_and_those_behind_a_key_too(
    kafka: KafkaBroker, topic: str, postgres_database: PostgresDatabase
) -> None:
    execute(postgres_database, "CREATE TABLE words (word text PRIMARY KEY, count int)")
    kafka.produce(topic, ["a", "bb", "a", "a"])
    env = StreamExecutionEnvironment.get_execution_environment()
    ones = words(env, kafka, topic).map(lambda row: Row(row[0], 1), WORD)
    summed = ones.key_by(lambda row: row[0]).reduce(lambda one, other: Row(one[0], one[1] + other[1]))
    upsert = f"{INSERT} ON CONFLICT (word) DO UPDATE SET count = EXCLUDED.count"
    summed.add_sink(sink(postgres_database, upsert))
    env.execute("counts")
    assert rows(postgres_database) == [("a", 3), ("bb", 1)]


def test_records_are_written_once_though_their_micro_batch_is_repeated(
    kafka: KafkaBroker, new_topic: NewTopic, postgres_database: PostgresDatabase, tmp_path: Path
) -> None:
    execute(postgres_database, "CREATE TABLE words (word text, count int)")
    topic, url, failed = new_topic(partitions=2), postgres_database.url, tmp_path / "failed"
    kafka.produce(topic, [Record("a", partition=0), Record("bb", partition=0), Record("slow", partition=1)])

    def fail_when_the_other_task_has_committed(row: Row) -> Row:
        if row[0] == "slow" and not failed.exists():
            wait_until(lambda: psycopg.connect(url).execute("SELECT * FROM words").fetchall(), 60, "the other task")
            failed.touch()
            raise ValueError("the other task has committed")
        return row

    def start() -> None:
        env = environment(tmp_path / "checkpoint")
        stream = words(env, kafka, topic).map(fail_when_the_other_task_has_committed, WORD)
        stream.add_sink(sink(postgres_database)).uid("words")
        env.execute("copy")

    with pytest.raises(JobError, match="the other task has committed"):
        start()
    assert rows(postgres_database) == [("a", 1), ("bb", 2)]
    start()
    assert rows(postgres_database) == [("a", 1), ("bb", 2), ("slow", 4)]
    kafka.produce(topic, [Record("dddd", partition=0)])
    start()
    assert rows(postgres_database) == [("a", 1), ("bb", 2), ("dddd", 4), ("slow", 4)]
    assert rows(postgres_database, "SELECT partition, reached FROM kafkastream_progress ORDER BY 1") == [(0, 3), (1, 1)]


def test_topic_that_is_made_again_loses_nothing_to_the_markers_of_the_old_one(
    kafka: KafkaBroker, topic: str, postgres_database: PostgresDatabase, tmp_path: Path
) -> None:
    execute(postgres_database, "CREATE TABLE words (word text, count int)")

    def copy() -> None:
        env = environment(tmp_path)
        words(env, kafka, topic, failOnDataLoss="false").add_sink(sink(postgres_database)).uid("words")
        env.execute("copy")

    kafka.produce(topic, ["a", "bb", "ccc"])
    copy()
    kafka.delete_topic(topic)
    kafka.create_topic(topic, 1)
    kafka.produce(topic, ["dddd"])
    copy()
    assert rows(postgres_database) == [("a", 1), ("bb", 2), ("ccc", 3), ("dddd", 4)]
    assert rows(postgres_database, "SELECT partition, reached FROM kafkastream_progress") == [(0, 1)]


def test_refused_value_fails_the_job_with_the_statement(
    kafka: KafkaBroker, topic: str, postgres_database: PostgresDatabase
) -> None:
    execute(postgres_database, "CREATE TABLE words (word varchar(2), count int)")
    kafka.produce(topic, ["a", "too long"])
    env = StreamExecutionEnvironment.get_execution_environment()
    words(env, kafka, topic).add_sink(sink(postgres_database))
    with pytest.raises(JobError, match="value too long for type character varying") as raised:
        env.execute("copy")
    assert "INSERT INTO words" in str(raised.value)
    assert postgres_database.password not in str(raised.value)
    assert rows(postgres_database) == []


def test_statement_with_another_number_of_placeholders_is_refused(postgres_database: PostgresDatabase) -> None:
    env = StreamExecutionEnvironment.get_execution_environment()
    env.from_collection([Row("a", 1)], WORD).add_sink(sink(postgres_database, "INSERT INTO words VALUES (?)"))
    with pytest.raises(DefinitionError, match="1 placeholders, and the rows have 2 fields"):
        env.execute("copy")
