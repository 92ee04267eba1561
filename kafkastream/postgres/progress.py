"""Marker table: for each partition the offset up to which it has been written, and the attempt that has written it.

An attempt enters its own name when it begins, which locks out earlier ones: a commit requires the name to be there
still.
The marker is moved in the transaction that writes the rows, so that both are there or neither.
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
_CREATION_LOCK = 0x6B61666B  # only one session creates the table, "IF NOT EXISTS" alone can collide


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
        """Advice for a user who may not create or write the table."""
        create = " ".join(_CREATE.format(table=self.name).split())
        return f"Let an owner of the schema execute: {create}; GRANT SELECT, INSERT, UPDATE ON {self.name} TO the user."

    def enter(self, connection: Connection, partitions: Collection[TopicPartition]) -> dict[TopicPartition, int]:
        """Take the partitions over from earlier attempts, whose open sessions end, and commit.

        Args:
            connection: Connection without an open transaction.
            partitions: Partitions of the source that this attempt writes for.

        Returns:
            The offset after the last written record, for each partition that has a marker.
        """
        topics, numbers = _columns(sorted(partitions))
        self._create(connection)
        earlier = self._run(connection, _EARLIER, (self._job, topics, numbers))
        self._run(connection, _END_SESSIONS, ([writer for (writer,) in earlier], self._writer))
        entered = self._run(
            connection, _ENTER, ([self._job] * len(topics), topics, numbers, [self._writer] * len(topics))
        )
        connection.commit()
        return _reached(entered)

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
            self._query(_MOVE), (*_columns(ordered), [reached[one] for one in ordered], self._job, self._writer)
        )
        if moved.rowcount != len(reached):
            raise _superseded(ordered)

    def reached(self, connection: Connection, partitions: Collection[TopicPartition]) -> dict[TopicPartition, int]:
        """Read the markers again, after a connection was lost.

        Raises:
            SupersededError: Another attempt has taken a partition over.
        """
        ordered = sorted(partitions)
        found = self._run(connection, _REACHED, (self._job, self._writer, *_columns(ordered)))
        connection.rollback()
        if len(found) != len(ordered):
            raise _superseded(ordered)
        return _reached(found)

    def written(self, connection: Connection, partitions: Collection[TopicPartition]) -> dict[TopicPartition, int]:
        """Return the markers that the job's attempts have left; none if there is no marker table."""
        if not self._exists(connection):
            return {}
        return _reached(self._run(connection, _WRITTEN, (self._job, *_columns(sorted(partitions)))))

    def forget(self, connection: Connection, partitions: Collection[TopicPartition]) -> None:
        """Drop the job's markers of some partitions in the open transaction."""
        if self._exists(connection):
            connection.execute(self._query(_FORGET), (self._job, *_columns(sorted(partitions))))

    def _exists(self, connection: Connection) -> bool:
        found = connection.execute("SELECT to_regclass(format('%%I.%%I', %s::text, %s::text))", self._name).fetchone()
        return found != (None,)

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

    def _run(self, connection: Connection, template: str, parameters: tuple[Any, ...]) -> list[tuple[Any, ...]]:
        return connection.execute(self._query(template), parameters).fetchall()

    def _query(self, template: str) -> Any:
        """Return a statement that takes parameters: psycopg reads ``%`` in it, also in names, as part of a placeholder."""
        from psycopg import sql

        return sql.SQL(template).format(table=sql.Identifier(*(name.replace("%", "%%") for name in self._name)))


def _columns(partitions: Collection[TopicPartition]) -> tuple[list[str], list[int]]:
    return [one.topic for one in partitions], [one.partition for one in partitions]


def _superseded(partitions: Collection[TopicPartition]) -> SupersededError:
    return SupersededError(
        "a later attempt of this task has taken over; nothing of this one was committed",
        where=", ".join(map(str, partitions)),
    )


def _reached(rows: list[tuple[Any, ...]]) -> dict[TopicPartition, int]:
    return {TopicPartition(topic, partition): reached for topic, partition, reached in rows if reached is not None}
