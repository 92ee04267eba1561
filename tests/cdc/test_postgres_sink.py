"""The PostgreSQL sink passes the suite of all sinks, and keeps its own promises, on a real server."""

from __future__ import annotations

import pickle
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Mapping
from contextlib import closing
from datetime import date, datetime
from datetime import time as time_of_day
from typing import Any

import attrs
import psycopg
import pytest

from kafkastream.cdc.changes import AddColumns, AlterColumnTypes, CreateTable
from kafkastream.cdc.sinks import SchemaChangeRefusedError, SinkError
from kafkastream.cdc.spec.postgres_sink import PostgresSink, TypeNormalization
from kafkastream.cdc.tables import Column, TableId, TableSchema
from kafkastream.model.connectors.subscription import TopicPartition
from kafkastream.postgres.applier import PostgresMetadataApplier
from kafkastream.postgres.settings import PostgresSettings
from kafkastream.postgres.writer import PostgresWriter
from kafkastream.sql.types import DataType, Kind
from kafkastream.testing import EmbeddedPostgres, PostgresDatabase
from tests.cdc.sink_suite import BIGINT, COUNTED, DOUBLE, INT, PARTITION, STRING, UNKEYED, WORDS, Job, SinkSuite


@attrs.frozen
class PostgresUnderTest:
    settings: PostgresSettings

    def applier(self) -> PostgresMetadataApplier:
        return PostgresMetadataApplier(self.settings)

    def writer(self, schemas: Mapping[TableId, TableSchema]) -> PostgresWriter:
        return PostgresWriter(self.settings, schemas)

    def rows(self, table: TableId) -> list[dict[str, Any]]:
        target = psycopg.sql.Identifier(*self.settings.target(table))
        with connected(self.settings) as connection:
            cursor = connection.execute(psycopg.sql.SQL("SELECT * FROM {}").format(target))
            names = [column.name for column in cursor.description or ()]
            return [dict(zip(names, map(as_written, row), strict=True)) for row in cursor]

    def execute(self, query: str) -> list[tuple[Any, ...]]:
        with connected(self.settings) as connection:
            cursor = connection.execute(query)
            return cursor.fetchall() if cursor.description else []

    def types(self, table: TableId) -> list[str]:
        target = ".".join(f'"{part}"' for part in self.settings.target(table))
        query = "SELECT format_type(atttypid, atttypmod) FROM pg_attribute"
        return [name for (name,) in self.execute(f"{query} WHERE attrelid = '{target}'::regclass AND attnum > 0")]


def connected(settings: PostgresSettings) -> psycopg.Connection[tuple[Any, ...]]:
    return psycopg.connect(
        host=settings.host,
        port=settings.port,
        dbname=settings.database,
        user=settings.user,
        password=settings.password,
        options="-c TimeZone=UTC",
        autocommit=True,
    )


def as_written(value: Any) -> Any:
    match value:
        case datetime():
            text = value.isoformat(" ").removesuffix("+00:00") + ("Z" if value.tzinfo else "")
            return without_zeros(text)
        case time_of_day():
            return without_zeros(value.isoformat())
        case date():
            return value.isoformat()
        case _:
            return value


def without_zeros(text: str) -> str:
    zone = "Z" if text.endswith("Z") else ""
    whole, point, fraction = text.removesuffix("Z").partition(".")
    return whole + point + fraction.rstrip("0") + zone


def settings_of(database: PostgresDatabase, **choices: Any) -> PostgresSettings:
    return PostgresSettings(
        host=database.host,
        port=database.port,
        database=database.database,
        user=database.user,
        password=database.password,
        **{"retry_timeout_s": 10.0, **choices},
    )


@pytest.fixture
def sink(postgres_database: PostgresDatabase) -> PostgresUnderTest:
    return PostgresUnderTest(settings_of(postgres_database))


@pytest.fixture
def job(sink: PostgresUnderTest) -> Job:
    return Job(sink)


class TestPostgres(SinkSuite):
    @pytest.fixture
    def sink(self, postgres_database: PostgresDatabase) -> PostgresUnderTest:
        return PostgresUnderTest(settings_of(postgres_database))


class TestPostgresInSmallPieces(SinkSuite):
    @pytest.fixture
    def sink(self, postgres_database: PostgresDatabase) -> PostgresUnderTest:
        return PostgresUnderTest(settings_of(postgres_database, flush_rows=2))


# Creating and altering


def test_sink_of_a_pipeline_says_the_settings(postgres_database: PostgresDatabase) -> None:
    settings = PostgresSettings.of_sink(PostgresSink.of_url(postgres_database.url, max_rows=7))
    assert settings.flush_rows == 7
    assert settings.password == postgres_database.password
    assert postgres_database.password not in repr(settings)
    with PostgresMetadataApplier(settings) as applier:
        applier.apply(CreateTable(TableId.parse("words"), COUNTED))


def test_table_without_schema_goes_to_the_default_one(sink: PostgresUnderTest) -> None:
    settings = attrs.evolve(sink.settings, default_schema="Ingest")
    sink = PostgresUnderTest(settings)
    job = Job(sink)
    job.create(TableId.parse("words"), COUNTED)
    job.write(job.insert(TableId.parse("words"), "a", 1))
    assert sink.execute('SELECT * FROM "Ingest".words') == [("a", 1)]


@pytest.mark.parametrize(
    ("normalization", "types"),
    [
        (TypeNormalization.STANDARD, ["integer", "character varying(10)", "boolean", "bytea"]),
        (TypeNormalization.BROADEN, ["bigint", "text", "boolean", "bytea"]),
        (TypeNormalization.ONLY_BIGINT_OR_TEXT, ["bigint", "text", "text", "text"]),
    ],
    ids=lambda value: getattr(value, "name", ""),
)
def test_types_are_normalized(sink: PostgresUnderTest, normalization: TypeNormalization, types: list[str]) -> None:
    sink = PostgresUnderTest(attrs.evolve(sink.settings, type_normalization=normalization))
    job = Job(sink)
    columns = [("i", INT), ("s", DataType.of(Kind.VARCHAR, 10))]
    more = [("t", DataType.of(Kind.BOOLEAN)), ("b", DataType.bytes_())]
    job.create(WORDS, TableSchema.of([*columns, *more], ["i"]))
    job.write(job.insert(WORDS, 1, "a", True, b"\x01"), job.insert(WORDS, 2, None, None, None))
    assert sink.types(WORDS) == types
    last = ("true", "\\x01") if normalization is TypeNormalization.ONLY_BIGINT_OR_TEXT else (True, b"\x01")
    assert job.values(WORDS) == [(1, "a", *last), (2, None, None, None)]


def test_existing_table_is_adopted_with_the_columns_it_lacks(sink: PostgresUnderTest, job: Job) -> None:
    sink.execute("CREATE SCHEMA shop")
    sink.execute("CREATE TABLE shop.words (id serial, word varchar(99) UNIQUE NOT NULL)")
    job.create(WORDS, TableSchema.of([("word", DataType.of(Kind.VARCHAR, 10)), ("count", INT)], ["word"]))
    job.write(job.insert(WORDS, "a", 1), job.insert(WORDS, "a", 2))
    assert [(row["word"], row["count"]) for row in sink.rows(WORDS)] == [("a", 2)]


@pytest.mark.parametrize(
    ("existing", "told"),
    [
        ("word text PRIMARY KEY, count smallint", "'count' has the type smallint, which does not hold integer"),
        ("word varchar(5) PRIMARY KEY, count int", r"'word' has the type varchar\(5\), which does not hold text"),
        ("word text, count int", r"no unique constraint on the primary key \(word\)"),
    ],
)
def test_existing_table_that_does_not_fit_is_refused(
    sink: PostgresUnderTest, job: Job, existing: str, told: str
) -> None:
    sink.execute("CREATE SCHEMA shop")
    sink.execute(f"CREATE TABLE shop.words ({existing})")
    with pytest.raises(SchemaChangeRefusedError, match=told):
        job.create(WORDS, COUNTED)


@pytest.mark.parametrize(
    ("change", "told"),
    [
        (CreateTable(TableId.parse("x" * 64), COUNTED), "more than 63 bytes"),
        (AddColumns(WORDS, (Column("ü" * 32, INT),)), "more than 63 bytes"),
        (AddColumns(WORDS, (Column("a\0b", INT),)), "has a character that PostgreSQL does not accept"),
        (AddColumns(WORDS, (Column("", INT),)), "a name is empty"),
        (AlterColumnTypes(WORDS, {"missing": INT}, {"missing": INT}), "no column 'missing'"),
        (AlterColumnTypes(WORDS, {"word": INT}, {"word": STRING}), None),
        (AlterColumnTypes(WORDS, {"count": DataType.of(Kind.DATE)}, {"count": INT}), "from integer to date without"),
        (AddColumns(TableId.parse("shop.none"), (Column("a", INT),)), "no such table"),
        (AddColumns(WORDS, tuple(Column(f"c{number}", INT) for number in range(1700))), "1600 columns"),
        (CreateTable(TableId.parse("other.shop.words"), COUNTED), "would be written to one table, shop.words"),
        (CreateTable(TableId.parse("p"), attrs.evolve(COUNTED, partition_key=("word",))), "partition"),
        (CreateTable(TableId.parse("o"), attrs.evolve(COUNTED, options={"speed": "high"})), "speed"),
    ],
    ids=lambda value: str(value)[:24].partition("(")[0],
)
def test_change_that_the_database_cannot_take_is_refused(
    sink: PostgresUnderTest, job: Job, change: Any, told: str | None
) -> None:
    with sink.applier() as applier:
        applier.apply(CreateTable(WORDS, COUNTED))
        if told is None:  # text holds all
            applier.apply(change)
            return
        with pytest.raises(SchemaChangeRefusedError, match=told):
            applier.apply(change)
        applier.apply(AddColumns(WORDS, (Column("later", INT),)))
    assert sink.types(WORDS) == ["text", "integer", "integer"]


def test_type_is_not_altered_where_numbers_would_lose_digits(sink: PostgresUnderTest, job: Job) -> None:
    job.create(WORDS, TableSchema.of([("word", STRING), ("count", BIGINT)]))
    job.write(job.insert(WORDS, "fits", 2**53), job.insert(WORDS, "does not", 2**53 + 1))
    to_double = AlterColumnTypes(WORDS, {"count": DOUBLE}, {"count": BIGINT})
    with sink.applier() as applier:
        with pytest.raises(SchemaChangeRefusedError, match="would lose digits"):
            applier.apply(to_double)
        sink.execute("DELETE FROM shop.words WHERE word = 'does not'")
        applier.apply(to_double)
    assert sink.types(WORDS) == ["text", "double precision"]


def test_times_become_texts_as_rows_have_them(sink: PostgresUnderTest, job: Job) -> None:
    kinds = [Kind.DATE, Kind.TIME, Kind.TIMESTAMP, Kind.TIMESTAMP_LTZ, Kind.BOOLEAN]
    job.create(WORDS, TableSchema.of([(kind.name, DataType.of(kind)) for kind in kinds]))
    row = ("2024-05-01", "12:30:00", "2024-05-01 12:30:00.5", "2024-05-01 12:30:00.5Z")
    job.write(job.insert(WORDS, *row, False))
    for kind in kinds:
        job.change(AlterColumnTypes(WORDS, {kind.name: STRING}, {kind.name: DataType.of(kind)}))
    assert job.values(WORDS) == [(*row, "false")]


def test_database_that_may_not_alter_types_takes_what_its_wide_columns_hold(sink: PostgresUnderTest) -> None:
    broad = TypeNormalization.BROADEN
    job = Job(PostgresUnderTest(attrs.evolve(sink.settings, type_normalization=broad, alters_types=False)))
    job.create(WORDS, COUNTED)
    job.change(AlterColumnTypes(WORDS, {"count": BIGINT}, {"count": INT}))
    with pytest.raises(SchemaChangeRefusedError, match="types are not altered"):
        job.change(AlterColumnTypes(WORDS, {"count": STRING}, {"count": BIGINT}))


def test_comments_and_table_options_are_kept(sink: PostgresUnderTest, job: Job) -> None:
    columns = (Column("word", STRING, "a word's text"), Column("count", INT))
    job.create(WORDS, TableSchema(columns, ("word",), options={"fillfactor": "70"}))
    assert sink.execute("SELECT reloptions FROM pg_class WHERE oid = 'shop.words'::regclass") == [(["fillfactor=70"],)]
    assert sink.execute("SELECT col_description('shop.words'::regclass, 1)") == [("a word's text",)]


# Values and changes that cannot be written


@pytest.mark.parametrize("keyed", [True, False], ids=["keyed", "unkeyed"])
@pytest.mark.parametrize(
    ("column", "row", "told"),
    [
        ("short", (1, "abcdef", None), "value too long for type character varying"),
        ("amount", (1, None, 10**9), "numeric field overflow"),
        ("short", (1, "a\0b", None), r"U\+0000"),
        ("short", (1, "\ud83d", None), r"U\+D83D"),
    ],
)
def test_value_that_its_column_does_not_hold_is_told(
    sink: PostgresUnderTest, job: Job, keyed: bool, column: str, row: tuple[Any, ...], told: str
) -> None:
    columns = [("id", INT), ("short", DataType.of(Kind.VARCHAR, 5)), ("amount", DataType.of(Kind.DECIMAL, 5, 2))]
    job.create(WORDS, TableSchema.of(columns, ["id"] if keyed else []))
    with pytest.raises(SinkError, match=told) as raised:
        job.write(job.insert(WORDS, 0, "fits", 1), job.insert(WORDS, *row))
    assert f"table shop.words, column '{column}'" in str(raised.value)
    assert sink.settings.password not in str(raised.value)
    assert job.values(WORDS) == []


def test_key_without_value_is_told(job: Job) -> None:
    job.create(WORDS, COUNTED)
    with pytest.raises(SinkError, match="column 'word'"):
        job.write(job.insert(WORDS, None, 1))


def test_missing_table_is_told(job: Job) -> None:
    job.schemas[WORDS] = COUNTED
    with pytest.raises(SinkError, match=r'relation "shop\.words" does not exist') as error:
        job.write(job.insert(WORDS, "a", 1))
    assert "make it so, and start again" in error.value.now


def test_table_without_key_takes_no_updates(job: Job) -> None:
    job.create(WORDS, UNKEYED)
    for change in (job.update(WORDS, ("a", 1), ("a", 2)), job.delete(WORDS, "a", 1)):
        with pytest.raises(SinkError, match=r"cannot take (UPDATE|DELETE)[^Z]*primary-keys[^Z]*SOFT_DELETE"):
            job.write(change)


def test_failed_transaction_takes_nothing_more(sink: PostgresUnderTest, job: Job) -> None:
    job.create(WORDS, TableSchema.of([("word", DataType.of(Kind.VARCHAR, 3))]))
    writer = PostgresWriter(attrs.evolve(sink.settings, flush_rows=1), job.schemas)
    writer.begin("job", [PARTITION])
    writer.write([job.insert(WORDS, "a")])
    with pytest.raises(SinkError, match="too long"):
        writer.write([job.insert(WORDS, "abcd")])
    with pytest.raises(SinkError, match="has failed"):
        writer.write([job.insert(WORDS, "b")])
    with pytest.raises(SinkError, match="has failed"):
        writer.commit({PARTITION: 3})
    assert writer.begin("job", [PARTITION]) == {}
    writer.write([job.insert(WORDS, "c")])
    writer.commit({PARTITION: 1})
    writer.close()
    assert job.values(WORDS) == [("c",)]


# Faults


def test_wrong_password_is_told_at_once_and_not_shown(sink: PostgresUnderTest) -> None:
    settings = attrs.evolve(sink.settings, password="guessed password", retry_timeout_s=60)
    with pytest.raises(SinkError, match="authentication failed") as raised:
        PostgresWriter(settings, {}).begin("job", [PARTITION])
    assert "guessed password" not in str(raised.value) + repr(settings)


def test_applier_whose_connection_is_lost_connects_again(sink: PostgresUnderTest) -> None:
    with sink.applier() as applier:
        applier.apply(CreateTable(WORDS, COUNTED))
        end_sessions(sink)
        applier.apply(AddColumns(WORDS, (Column("later", INT),)))
    assert sink.types(WORDS) == ["text", "integer", "integer"]


def test_transaction_in_memory_is_repeated_when_its_connection_is_lost(sink: PostgresUnderTest, job: Job) -> None:
    job.create(WORDS, UNKEYED)
    writer = sink.writer(job.schemas)
    writer.begin("job", [PARTITION])
    writer.write([job.insert(WORDS, "a", 1)])
    end_sessions(sink)
    writer.commit({PARTITION: 1})
    writer.close()
    assert job.values(WORDS) == [("a", 1)]


def test_transaction_that_was_sent_in_part_fails_when_its_connection_is_lost(sink: PostgresUnderTest, job: Job) -> None:
    job.create(WORDS, UNKEYED)
    writer = PostgresWriter(attrs.evolve(sink.settings, flush_rows=1), job.schemas)
    writer.begin("job", [PARTITION])
    writer.write([job.insert(WORDS, "a", 1)])
    end_sessions(sink)
    with pytest.raises(SinkError, match="continues after the last committed record"):
        writer.commit({PARTITION: 1})
    writer.close()
    assert job.values(WORDS) == []


def test_database_may_be_away_for_a_while() -> None:
    with EmbeddedPostgres() as server:
        sink = PostgresUnderTest(settings_of(server._database, retry_timeout_s=30.0))
        job = Job(sink)
        job.create(WORDS, UNKEYED)
        writer = sink.writer(job.schemas)
        writer.begin("job", [PARTITION])
        writer.write([job.insert(WORDS, "a", 1)])
        server.stop(keep_data=True)
        back = threading.Timer(1.0, server.start)
        back.start()
        writer.commit({PARTITION: 1})
        writer.close()
        back.join()
        assert job.values(WORDS) == [("a", 1)]


def test_tasks_that_lock_each_other_both_get_through(sink: PostgresUnderTest, job: Job) -> None:
    tables = [TableId.parse("shop.a"), TableId.parse("shop.b")]
    for table in tables:
        job.create(table, COUNTED)
    failures: list[Exception] = []
    barrier = threading.Barrier(2)

    def run(number: int, order: list[TableId]) -> None:
        partition = TopicPartition("words", number)
        writer = sink.writer(job.schemas)
        try:
            writer.begin("job", [partition])
            for turn in range(20):
                barrier.wait(20)
                changes = [job.insert(table, f"w{key}", turn) for table in order for key in range(200)]
                writer.write(changes if number else changes[::-1])
                writer.commit({partition: turn + 1})
                writer.begin("job", [partition])
        except Exception as error:  # noqa: BLE001
            failures.append(error)
            barrier.abort()
        finally:
            writer.close()

    threads = [threading.Thread(target=run, args=(0, tables)), threading.Thread(target=run, args=(1, tables[::-1]))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert failures == []
    assert {count for _, count in job.values(tables[0])} == {19}


def test_attempt_that_hangs_with_locks_is_ended_by_a_later_one(sink: PostgresUnderTest, job: Job) -> None:
    job.create(WORDS, COUNTED)
    hanging = PostgresWriter(attrs.evolve(sink.settings, flush_rows=1), job.schemas)
    hanging.begin("job", [PARTITION])
    hanging.write([job.insert(WORDS, "a", 1)])  # sent, and its row locked
    job.write(job.insert(WORDS, "a", 2))
    with pytest.raises(SinkError):
        hanging.commit({PARTITION: 1})
    hanging.close()
    assert job.values(WORDS) == [("a", 2)]


def end_sessions(sink: PostgresUnderTest) -> None:
    query = "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database()"
    sink.execute(f"{query} AND pid <> pg_backend_pid()")


ENDLESS = """
import pickle, sys
from kafkastream.cdc.changes import Change, Operation
from kafkastream.cdc.rows import row_class
from kafkastream.postgres.writer import PostgresWriter

settings, schemas, table, partition = pickle.loads(bytes.fromhex(sys.stdin.readline()))
row = row_class(schemas[table].columns)
writer = PostgresWriter(settings, schemas)
is_up = False
while True:
    at = writer.begin("job", [partition]).get(partition, 0)
    writer.write([Change(table, Operation.INSERT, None, row("w", number)) for number in range(at, at + 25)])
    writer.commit({partition: at + 25})
    is_up = is_up or not print("up", flush=True)
"""


def test_killed_writer_loses_and_doubles_nothing(sink: PostgresUnderTest, job: Job) -> None:
    job.create(WORDS, UNKEYED)
    settings = attrs.evolve(sink.settings, flush_rows=10)
    task = pickle.dumps((settings, job.schemas, WORDS, PARTITION)).hex()
    for pause_s in (0.05, 0.11, 0.02, 0.07):
        command = [sys.executable, "-c", ENDLESS]
        with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
            assert process.stdin is not None
            assert process.stdout is not None
            process.stdin.write(f"{task}\n")
            process.stdin.flush()
            assert process.stdout.readline() == "up\n"
            time.sleep(pause_s)
            process.send_signal(signal.SIGKILL)
    with closing(sink.writer(job.schemas)) as writer:
        reached = writer.begin("job", [PARTITION])[PARTITION]
    assert sorted(count for _, count in job.values(WORDS)) == list(range(reached))
    assert reached > 4 * 25
