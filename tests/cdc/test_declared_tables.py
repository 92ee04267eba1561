"""Tables that a program declares, in a real PostgreSQL: found by their names, checked, and written with each type."""

from __future__ import annotations

import datetime
import re
from contextlib import closing
from decimal import Decimal
from typing import Any

import attrs
import psycopg
import pyarrow as pa
import pytest

from kafkastream.cdc.sinks import SinkError
from kafkastream.cdc.tables import TableId, TableSchema
from kafkastream.errors import DefinitionError
from kafkastream.model.common.row import RowKind
from kafkastream.model.connectors.jdbc_sink import JdbcConnectionOptions, JdbcExecutionOptions
from kafkastream.model.connectors.subscription import TopicPartition
from kafkastream.postgres.declared import DeclaredTable, find_declared
from kafkastream.postgres.settings import PostgresSettings
from kafkastream.postgres.writer import PostgresWriter
from kafkastream.spark.sql.rows.changed_rows import ChangedRows
from kafkastream.spark.sql.rows.jdbc_rows import changes_of
from kafkastream.sql.types import DataType, Kind
from kafkastream.testing import EmbeddedPostgres, PostgresDatabase

INT, STRING, BIGINT = DataType.of(Kind.INT), DataType.string(), DataType.of(Kind.BIGINT)
UTC = datetime.timezone.utc
AT = datetime.datetime.fromisoformat("2024-05-01 12:30:00.123456")
CUT = AT.replace(microsecond=123000)


def array(kind: DataType) -> DataType:
    return DataType.of(Kind.ARRAY, parts=(kind,))


VALUES: list[tuple[str, DataType, pa.DataType, Any, Any]] = [
    ("boolean", DataType.of(Kind.BOOLEAN), pa.bool_(), True, True),
    ("smallint", DataType.of(Kind.TINYINT), pa.int8(), -3, -3),
    ("integer", BIGINT, pa.int64(), 5, 5),
    ("numeric", DataType.of(Kind.FLOAT), pa.float32(), 0.1, Decimal("0.1")),
    ("double precision", DataType.of(Kind.DOUBLE), pa.float64(), 1e300, 1e300),
    ("numeric(10,2)", DataType.of(Kind.DECIMAL, 10, 2), pa.decimal128(10, 2), Decimal("1.50"), Decimal("1.50")),
    ("varchar(9)", STRING, pa.string(), "é\\n\t,'\"", "é\\n\t,'\""),
    ("jsonb", STRING, pa.string(), '{"a": 1}', {"a": 1}),
    ("bytea", DataType.bytes_(), pa.binary(), b"\x00\xff", b"\x00\xff"),
    ("date", DataType.of(Kind.DATE), pa.date32(), AT.date(), AT.date()),
    ("time", DataType.of(Kind.TIME, 3), pa.time64("us"), AT.time(), CUT.time()),
    ("timestamp", DataType.of(Kind.TIMESTAMP, 6), pa.timestamp("us"), AT, AT),
    ("timestamp", DataType.of(Kind.TIMESTAMP, 3), pa.timestamp("us"), AT, CUT),
    ("timestamptz", DataType.of(Kind.TIMESTAMP_LTZ, 3), pa.timestamp("us", "UTC"), AT, CUT.replace(tzinfo=UTC)),
    ("timestamptz", DataType.of(Kind.TIMESTAMP, 3), pa.timestamp("us"), AT, CUT.replace(tzinfo=UTC)),
    ("integer[]", array(INT), pa.list_(pa.int32()), [1, None], [1, None]),
    ("text[]", array(STRING), pa.list_(pa.string()), ["a,b", '"', None, ""], ["a,b", '"', None, ""]),
    ("timestamp[]", array(DataType.of(Kind.TIMESTAMP, 3)), pa.list_(pa.timestamp("us")), [AT], [CUT]),
    ("integer[]", array(array(INT)), pa.list_(pa.list_(pa.int32())), [[1], [2]], [[1], [2]]),
]
"""The column's type in the database, the declared one, that of the rows, a value, and what the database has of it."""


def settings(database: PostgresDatabase) -> PostgresSettings:
    builder = JdbcConnectionOptions.JdbcConnectionOptionsBuilder().with_url(f"{database.jdbc_url}?sslmode=disable")
    connection = builder.with_user_name(database.user).with_password(database.password).build()
    return PostgresSettings.of_jdbc(connection, JdbcExecutionOptions.defaults())


def execute(database: PostgresDatabase, statement: str) -> list[tuple[Any, ...]]:
    with psycopg.connect(database.url, options="-c TimeZone=UTC") as connection:
        cursor = connection.execute(statement)
        return cursor.fetchall() if cursor.description else []


@pytest.fixture(scope="module")
def shop(postgres: EmbeddedPostgres) -> PostgresDatabase:
    database = postgres.create_database("declared_tables")
    execute(database, "CREATE TABLE t (id integer PRIMARY KEY, name text, at timestamp, tags text[])")
    execute(database, 'CREATE TABLE orders (id int, "Id" int); CREATE TABLE "ORDERS" (other int)')
    execute(database, "CREATE VIEW seen AS SELECT id FROM t")
    execute(database, 'CREATE TABLE "Capital" ("orderId" int)')
    return database


def write(database: PostgresDatabase, table: DeclaredTable, rows: pa.RecordBatch) -> None:
    writer = PostgresWriter(settings(database), {table.id: table.schema})
    writer.begin("job", [])
    decoder = ChangedRows(tuple(column.type for column in table.schema.columns))
    writer.write(changes_of(table.id, decoder.decode(rows).values))
    writer.commit({})
    writer.close()


@pytest.mark.parametrize("key", [(), ("id",)], ids=["appended", "upserted"])
def test_values_of_each_type(postgres_database: PostgresDatabase, key: tuple[str, ...]) -> None:
    columns = ", ".join(f"v{place} {kind}" for place, (kind, *_) in enumerate(VALUES))
    execute(postgres_database, f"CREATE TABLE t (id integer PRIMARY KEY, {columns})")
    declared = [("id", INT), *((f"v{place}", type_) for place, (_, type_, *_) in enumerate(VALUES))]
    table = find_declared(settings(postgres_database), "t", TableSchema.of(declared, key))
    given = [
        pa.array([1, 2], pa.int32()),
        *(pa.array([None, value], kind) for _, _, kind, value, _ in VALUES),
    ]
    write(postgres_database, table, pa.RecordBatch.from_arrays(given, [f"c{place}" for place in range(len(given))]))
    empty, whole = execute(postgres_database, "SELECT * FROM t ORDER BY id")
    assert empty == (1, *[None] * len(VALUES))
    assert whole == (2, *(expected for *_, expected in VALUES))


def test_changes_by_a_key_of_several_columns_with_quotes_and_capitals(postgres_database: PostgresDatabase) -> None:
    execute(postgres_database, 'CREATE SCHEMA "Shop"')
    execute(
        postgres_database, 'CREATE TABLE "Shop"."Or""ders" ("Id" int, "we""ird" text, n int, UNIQUE ("we""ird", "Id"))'
    )
    execute(postgres_database, """INSERT INTO "Shop"."Or""ders" VALUES (1, 'a', 1), (1, 'b', 2), (2, 'a', 3)""")
    declared = TableSchema.of([("N", INT), ('we"ird', STRING), ("Id", INT)], ["Id", 'we"ird'])
    table = find_declared(settings(postgres_database), '"Shop"."Or""ders"', declared)
    assert table.id == TableId(("Shop", 'Or"ders'))
    assert (table.schema.names, table.schema.primary_key) == (("n", 'we"ird', "Id"), ("Id", 'we"ird'))
    kinds = [RowKind.UPDATE_AFTER, RowKind.DELETE, RowKind.INSERT]
    rows = {"__kind": [kind.value for kind in kinds], "c0": [10, None, 30], "c1": ["a", "b", "b"], "c2": [1, 1, 2]}
    write(postgres_database, table, pa.RecordBatch.from_pydict(rows))
    found = execute(postgres_database, 'SELECT "Id", "we""ird", n FROM "Shop"."Or""ders" ORDER BY 1, 2')
    assert found == [(1, "a", 10), (2, "a", 3), (2, "b", 30)]


@pytest.mark.parametrize("name", ["orders", "ORDERS", "public.Orders", '"orders"'])
def test_name_is_read_as_postgresql_reads_it(shop: PostgresDatabase, name: str) -> None:
    table = find_declared(settings(shop), name, TableSchema.of([("ID", INT), ('"Id"', INT)]))
    assert (table.id, table.schema.names) == (TableId(("public", "orders")), ("id", "Id"))


@pytest.mark.parametrize("name", ["Capital", "public.Capital", '"Capital"'])
def test_name_with_capitals_means_what_there_is(shop: PostgresDatabase, name: str) -> None:
    table = find_declared(settings(shop), name, TableSchema.of([("orderId", INT)]))
    assert (table.id, table.schema.names) == (TableId(("public", "Capital")), ("orderId",))


@pytest.mark.parametrize(
    ("name", "columns", "key", "told"),
    [
        ("missing", [("id", INT)], [], "there is no table 'missing'"),
        ("other.t", [("id", INT)], [], "there is no table 'other.t'"),
        ("seen", [("id", INT)], [], "the table is a view"),
        ("t", [("price", INT)], [], "no column 'price'"),
        ("t", [("id", STRING)], [], "column 'id' has the type integer in the database, which takes no STRING"),
        ("t", [("name", INT)], [], "column 'name' has the type text in the database, which takes no INT"),
        ("t", [("id", DataType.of(Kind.DOUBLE))], [], "takes no DOUBLE"),
        ("t", [("at", DataType.of(Kind.TIMESTAMP_LTZ, 3))], [], "takes no TIMESTAMP_LTZ"),
        ("t", [("tags", STRING)], [], "column 'tags' has the type text\\[\\]"),
        ("t", [("tags", array(INT))], [], "takes no ARRAY<INT>"),
        ("t", [("name", STRING)], ["name"], r"no unique constraint on the primary key \(name\)"),
        ("t", [("id", INT), ("name", STRING)], ["id", "name"], r"declare the key that it has: \(id\)"),
    ],
)
def test_what_does_not_fit_is_told_with_table_and_column(
    shop: PostgresDatabase, name: str, columns: list[tuple[str, DataType]], key: list[str], told: str
) -> None:
    with pytest.raises(DefinitionError, match=told) as raised:
        find_declared(settings(shop), name, TableSchema.of(columns, key))
    assert (name if "there is no table" in told else f"table public.{name}") in str(raised.value)
    assert shop.password not in str(raised.value)


def test_user_who_may_not_keep_the_marker_table_is_told_what_to_do(postgres_database: PostgresDatabase) -> None:
    execute(
        postgres_database, "CREATE TABLE t (id int); CREATE ROLE clerk LOGIN PASSWORD 'pen'; GRANT INSERT ON t TO clerk"
    )
    poor = attrs.evolve(settings(postgres_database), user="clerk", password="pen")
    table = find_declared(poor, "t", TableSchema.of([("id", INT)]))
    with closing(PostgresWriter(poor, {table.id: table.schema})) as writer:
        with pytest.raises(SinkError, match="permission denied for schema public") as raised:
            writer.begin("job", [TopicPartition("orders", 0)])
        advice = re.search(r"execute: (.*\)); (GRANT .*) TO the user", str(raised.value))
        assert advice is not None
        execute(postgres_database, f"{advice[1]}; {advice[2]} TO clerk")
        assert writer.begin("job", [TopicPartition("orders", 0)]) == {}
