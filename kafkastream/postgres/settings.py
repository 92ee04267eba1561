"""Settings of the PostgreSQL sink."""

from __future__ import annotations

from collections.abc import Mapping
from typing import final

import attrs

from kafkastream.cdc.sinks import SchemaChangeRefusedError
from kafkastream.cdc.spec.postgres_sink import (
    PostgresSink,
    TypeNormalization,
    postgres_table_problem,
)
from kafkastream.cdc.tables import TableId
from kafkastream.model.common.immutable import FrozenMap
from kafkastream.model.connectors.jdbc_sink import JdbcConnectionOptions, JdbcExecutionOptions
from kafkastream.secret_masking import redacted

__all__ = ["PostgresSettings"]


@final
@attrs.frozen(kw_only=True)
class PostgresSettings:
    """Database, and how tables are written to it.

    Args:
        host: Address of the server.
        port: Port of the server.
        database: Name of the database.
        user: The user; None for ``PGUSER`` or the operating system's user.
        password: Password of the user; empty if none is needed.
        properties: Further parameters of libpq, such as ``sslmode``.
        default_schema: Schema of tables whose id has none, and of the progress table.
        type_normalization: How wide the types of created columns are.
        alters_types: Whether types of columns may be altered; without it a change is accepted if the column holds it as
            it is.
        flush_rows: Number of changed rows that a task holds before it sends them.
        max_retries: Number of times that a transaction is repeated after a deadlock or a lost connection.
        retry_timeout_s: Time for which a database that does not answer is awaited, in seconds.
    """

    host: str
    port: int = 5432
    database: str
    user: str | None = None
    password: str = attrs.field(default="", repr=False)
    properties: Mapping[str, str] = attrs.field(factory=FrozenMap, converter=FrozenMap[str, str], repr=redacted)
    default_schema: str = "public"
    type_normalization: TypeNormalization = TypeNormalization.STANDARD
    alters_types: bool = True
    flush_rows: int = 50_000
    max_retries: int = 3
    retry_timeout_s: float = 60.0

    @staticmethod
    def of_sink(sink: PostgresSink) -> PostgresSettings:
        """Return the settings of a pipeline's sink."""
        return PostgresSettings(
            host=sink.hostname,
            port=sink.port,
            database=sink.database,
            user=sink.username,
            password=sink.password or "",
            properties=sink.properties,
            default_schema=sink.schema,
            type_normalization=sink.types,
            flush_rows=sink.max_rows,
            max_retries=sink.max_retries,
        )

    @staticmethod
    def of_jdbc(connection: JdbcConnectionOptions, execution: JdbcExecutionOptions) -> PostgresSettings:
        """Return the settings of a sink of streams or of SQL's tables."""
        address = connection.address
        return PostgresSettings(
            host=address.host,
            port=address.port,
            database=address.database,
            user=connection.user_name or address.user,
            password=connection.password or address.password or "",
            properties=address.properties,
            max_retries=execution.max_retries,
            retry_timeout_s=connection.connection_check_timeout_s,
        )

    def target(self, table: TableId) -> tuple[str, str]:
        """Return the schema and the name of a table in the database; the id's namespace is left out.

        Raises:
            SchemaChangeRefusedError: PostgreSQL cannot have a table of this name, or the name is reserved.
        """
        schema = table.schema or self.default_schema
        if problem := postgres_table_problem(schema, table.table):
            raise SchemaChangeRefusedError(
                problem, where=f"{self.address}, table {table}", now="Give the table another name by a route."
            )
        return schema, table.table

    @property
    def address(self) -> str:
        """Address of the database for errors, without user and password."""
        return f"PostgreSQL {self.host}:{self.port}/{self.database}"
