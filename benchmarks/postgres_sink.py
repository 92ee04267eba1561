"""Rows per second into PostgreSQL: appends and upserts of the sink, against psycopg's own COPY of the same rows.

::

    python benchmarks/postgres_sink.py --rows 500000

An embedded server without fsync takes the rows; CPU is that of this process.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from contextlib import closing
from decimal import Decimal

import click
import psycopg
from msgspec.structs import astuple

from kafkastream.cdc.changes import Change, CreateTable, Operation
from kafkastream.cdc.rows import row_class
from kafkastream.cdc.tables import TableId, TableSchema
from kafkastream.model.connectors.subscription import TopicPartition
from kafkastream.postgres.applier import PostgresMetadataApplier
from kafkastream.postgres.settings import PostgresSettings
from kafkastream.postgres.writer import PostgresWriter
from kafkastream.sql.types import DataType, Kind
from kafkastream.testing import EmbeddedPostgres

BIGINT, STRING = DataType.of(Kind.BIGINT), DataType.string()
COLUMNS = [
    ("id", BIGINT),
    ("customer", BIGINT),
    ("name", STRING),
    ("note", STRING),
    ("price", DataType.of(Kind.DECIMAL, 10, 2)),
    ("weight", DataType.of(Kind.DOUBLE)),
    ("paid", DataType.of(Kind.BOOLEAN)),
    ("at", DataType.of(Kind.TIMESTAMP, 3)),
]
SCHEMA = TableSchema.of(COLUMNS)
PARTITION = TopicPartition("orders", 0)
WRITTEN_AT_ONCE = 10_000


def changes(table: TableId, count: int) -> list[Change]:
    """Make inserts, a tenth of whose values are NULL."""
    row = row_class(SCHEMA.columns)
    return [
        Change(
            table,
            Operation.INSERT,
            None,
            row(
                number,
                number % 997,
                f"customer {number % 997}",
                None if number % 10 == 0 else "a note, of some words",
                Decimal(number % 10_000) / 100,
                number / 7,
                number % 3 == 0,
                f"2024-05-01 12:30:{number % 60:02d}.5",
            ),
        )
        for number in range(count)
    ]


def copy_plainly(server: EmbeddedPostgres, rows: list[Change]) -> None:
    """Copy rows as psycopg's documentation does."""
    with psycopg.connect(server.url) as connection, connection.cursor().copy("COPY plain FROM STDIN") as copy:
        for change in rows:
            assert change.after is not None
            copy.write_row(astuple(change.after))


def write(settings: PostgresSettings, table: TableId, schema: TableSchema, rows: list[Change]) -> None:
    """Write rows in one transaction."""
    with closing(PostgresWriter(settings, {table: schema})) as writer:
        writer.begin(f"job of {table}", [PARTITION])
        for start in range(0, len(rows), WRITTEN_AT_ONCE):
            writer.write(rows[start : start + WRITTEN_AT_ONCE])
        writer.commit({PARTITION: len(rows)})


def measured(what: str, count: int, work: Callable[[], None], baseline_s: float = 0.0) -> float:
    """Run some work, print its rate, and return its seconds."""
    cpu, wall = time.process_time(), time.perf_counter()
    work()
    cpu, wall = time.process_time() - cpu, time.perf_counter() - wall
    ratio = f"{baseline_s / wall:6.2f} of COPY" if baseline_s else ""
    print(f"{what:34} {count / wall:10,.0f} rows/s {cpu / count * 1e6:6.2f} µs CPU per row {ratio}")
    return wall


@click.command()
@click.option("--rows", default=500_000, show_default=True)
def main(rows: int) -> None:
    """Measure."""
    with EmbeddedPostgres() as server:
        settings = PostgresSettings(
            host=server.host, port=server.port, database=server.database, user=server.user, password=server.password
        )
        plain, appended, merged = map(TableId.parse, ("plain", "appended", "merged"))
        keyed = TableSchema(SCHEMA.columns, ("id",))
        with PostgresMetadataApplier(settings) as applier:
            for table, schema in ((plain, SCHEMA), (appended, SCHEMA), (merged, keyed)):
                applier.apply(CreateTable(table, schema))
        of_plain, of_appended, of_merged = changes(plain, rows), changes(appended, rows), changes(merged, rows)
        baseline_s = measured("psycopg's COPY, write_row", rows, lambda: copy_plainly(server, of_plain))
        measured("sink, appends", rows, lambda: write(settings, appended, SCHEMA, of_appended), baseline_s)
        measured("sink, upserts of new keys", rows, lambda: write(settings, merged, keyed, of_merged), baseline_s)
        measured("sink, upserts of known keys", rows, lambda: write(settings, merged, keyed, of_merged), baseline_s)
        deletes = [Change(merged, Operation.DELETE, change.after, None) for change in of_merged]
        measured("sink, deletes", rows, lambda: write(settings, merged, keyed, deletes), baseline_s)
        small = {TableId.parse(f"t{number}"): keyed for number in range(100)}
        with PostgresMetadataApplier(settings) as applier:
            for table, schema in small.items():
                applier.apply(CreateTable(table, schema))
        few = [change._replace(table=table) for table in small for change in of_plain[:10]]
        with closing(PostgresWriter(settings, small)) as writer:

            def write_few() -> None:
                writer.begin("job of many", [PARTITION])
                writer.write(few)
                writer.commit({PARTITION: 1})

            measured("100 tables, 10 rows each", len(few), write_few)
            measured("100 tables, 10 rows each, again", len(few), write_few)


if __name__ == "__main__":
    main()
