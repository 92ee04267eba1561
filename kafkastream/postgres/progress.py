"""Marker table: for each partition, the offset up to which rows are written, and the task attempt that writes it.

An attempt enters its name when it begins. That fences off earlier attempts: a commit fails unless the marker still has
the attempt's name. The marker moves in the transaction that writes the rows, so that both are committed or neither.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any, final

from kafkastream.cdc.sinks import SupersededError
from kafkastream.cdc.spec.postgres_sink import PROGRESS_TABLE
from kafkastream.model.connectors.subscription import TopicPartition
from kafkastream.postgres.client import Connection
from kafkastream.postgres.settings import PostgresSettings

__all__ = ["ProgressTable"]

_CREATE = """
    CREATE TABLE IF NOT EXISTS {table} (
        job text NOT NULL,
        topic text NOT NULL,
        partition integer NOT NULL,
        reached bigint,
        writer text NOT NULL,
        PRIMARY KEY (job, topic, partition)
    )
"""
_ENTER = """
    INSERT INTO {table} AS progress (job, topic, partition, writer) SELECT * FROM unnest(%s::text[], %s::text[], %s::int[], %s::text[])
    ON CONFLICT (job, topic, partition) DO UPDATE SET writer = EXCLUDED.writer
    RETURNING topic, partition, reached
"""
_EARLIER = """
    SELECT DISTINCT writer FROM {table} WHERE job = %s AND (topic, partition) IN (SELECT * FROM unnest(%s::text[], %s::int[]))
"""
_END_SESSIONS = """
    SELECT pg_terminate_backend(pid) FROM pg_stat_activity
    WHERE application_name = ANY(%s) AND application_name <> %s AND usename = current_user
"""
_MOVE = """
    UPDATE {table} AS progress SET reached = moved.reached
    FROM unnest(%s::text[], %s::int[], %s::bigint[]) AS moved (topic, partition, reached)
    WHERE progress.job = %s AND progress.topic = moved.topic AND progress.partition = moved.partition AND progress.writer = %s
"""
_REACHED = """
    SELECT topic, partition, reached FROM {table}
    WHERE job = %s AND writer = %s AND (topic, partition) IN (SELECT * FROM unnest(%s::text[], %s::int[]))
"""
_WRITTEN = """
    SELECT topic, partition, reached FROM {table}
    WHERE job = %s AND (topic, partition) IN (SELECT * FROM unnest(%s::text[], %s::int[]))
"""
_FORGET = """
    UPDATE {table} SET reached = NULL
    WHERE job = %s AND (topic, partition) IN (SELECT * FROM unnest(%s::text[], %s::int[]))
"""
_CREATION_LOCK = (
    0x6B61666B  # one session at a time: concurrent CREATE … IF NOT EXISTS can still fail with a unique violation
)


@final
class ProgressTable:
    """Marker table, as one attempt of a task uses it.

    Args:
        settings: The database, and the table's name.
        job: Lasting identity of the job.
        writer: Unique name of the attempt; its sessions have it as their application name. Empty on the driver, which
            writes no rows.
    """

    def __init__(self, settings: PostgresSettings, job: str, writer: str = "") -> None:
        self._name = (settings.default_schema, PROGRESS_TABLE)
        self._job = job
        self._writer = writer

    @property
    def name(self) -> str:
        """Name of the table with its schema."""
        return ".".join(self._name)

    @property
    def advice(self) -> str:
        """Advice for a database user without permission to create or write the table."""
        create = " ".join(_CREATE.format(table=self.name).split())
        return f"Let an owner of the schema execute: {create}; GRANT SELECT, INSERT, UPDATE ON {self.name} TO the user."

    def enter(self, connection: Connection, partitions: Collection[TopicPartition]) -> dict[TopicPartition, int]:
        """Take over the partitions from earlier attempts, terminate their sessions, and commit.

        Args:
            connection: Connection without an open transaction.
            partitions: Partitions of the source that this attempt writes for.

        Returns:
            The offset after the last written record, for each partition that has a marker.
        """
        topics, numbers = _topics_and_numbers(sorted(partitions))
        self._create(connection)
        earlier = self._fetch_all(connection, _EARLIER, (self._job, topics, numbers))
        self._fetch_all(connection, _END_SESSIONS, ([writer for (writer,) in earlier], self._writer))
        entered = self._fetch_all(
            connection, _ENTER, ([self._job] * len(topics), topics, numbers, [self._writer] * len(topics))
        )
        connection.commit()
        return _offsets_by_partition(entered)

    def move(self, connection: Connection, reached: Mapping[TopicPartition, int]) -> None:
        """Move the markers in the open transaction.

        Args:
            connection: Connection with the open transaction.
            reached: Offset after the last written record of each partition.

        Raises:
            SupersededError: Another attempt has taken a partition over.
        """
        ordered = sorted(reached)
        moved = connection.execute(
            self._query(_MOVE),
            (*_topics_and_numbers(ordered), [reached[partition] for partition in ordered], self._job, self._writer),
        )
        if moved.rowcount != len(reached):
            raise _superseded_error(ordered)

    def reached(self, connection: Connection, partitions: Collection[TopicPartition]) -> dict[TopicPartition, int]:
        """Read the markers again, after a connection was lost.

        Raises:
            SupersededError: Another attempt has taken a partition over.
        """
        ordered = sorted(partitions)
        rows = self._fetch_all(connection, _REACHED, (self._job, self._writer, *_topics_and_numbers(ordered)))
        connection.rollback()
        if len(rows) != len(ordered):
            raise _superseded_error(ordered)
        return _offsets_by_partition(rows)

    def written(self, connection: Connection, partitions: Collection[TopicPartition]) -> dict[TopicPartition, int]:
        """Return the markers of the job, whichever attempt wrote them; empty without a marker table."""
        if not self._exists(connection):
            return {}
        return _offsets_by_partition(
            self._fetch_all(connection, _WRITTEN, (self._job, *_topics_and_numbers(sorted(partitions))))
        )

    def forget(self, connection: Connection, partitions: Collection[TopicPartition]) -> None:
        """Drop the job's markers of some partitions in the open transaction."""
        if self._exists(connection):
            connection.execute(self._query(_FORGET), (self._job, *_topics_and_numbers(sorted(partitions))))

    def _exists(self, connection: Connection) -> bool:
        row = connection.execute("SELECT to_regclass(format('%%I.%%I', %s::text, %s::text))", self._name).fetchone()
        return row != (None,)

    def _create(self, connection: Connection) -> None:
        if not self._exists(connection):
            connection.execute("SELECT pg_advisory_xact_lock(%s)", (_CREATION_LOCK,))
            self._create_schema(connection)
            connection.execute(self._query(_CREATE), ())
        connection.commit()

    def _create_schema(self, connection: Connection) -> None:
        from psycopg import sql

        schema = self._name[0]
        if connection.execute("SELECT to_regnamespace(quote_ident(%s))", (schema,)).fetchone() == (None,):
            connection.execute(sql.SQL("CREATE SCHEMA IF NOT EXISTS {}").format(sql.Identifier(schema)))

    def _fetch_all(self, connection: Connection, template: str, parameters: tuple[Any, ...]) -> list[tuple[Any, ...]]:
        return connection.execute(self._query(template), parameters).fetchall()

    def _query(self, template: str) -> Any:
        """Return a statement with the table's name; ``%`` is doubled, since psycopg reads it as a placeholder even in names."""
        from psycopg import sql

        return sql.SQL(template).format(table=sql.Identifier(*(name.replace("%", "%%") for name in self._name)))


def _topics_and_numbers(partitions: Collection[TopicPartition]) -> tuple[list[str], list[int]]:
    return [partition.topic for partition in partitions], [partition.partition for partition in partitions]


def _superseded_error(partitions: Collection[TopicPartition]) -> SupersededError:
    return SupersededError(
        "a later attempt of this task has taken over; nothing of this one was committed",
        where=", ".join(map(str, partitions)),
    )


def _offsets_by_partition(rows: list[tuple[Any, ...]]) -> dict[TopicPartition, int]:
    return {TopicPartition(topic, partition): reached for topic, partition, reached in rows if reached is not None}
