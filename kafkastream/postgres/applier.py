"""Creates and alters PostgreSQL's tables as schemas change, on the driver."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from types import TracebackType
from typing import TYPE_CHECKING, Any, TypeAlias, final

from typing_extensions import Self

from kafkastream.cdc.changes import AddColumns, AlterColumnTypes, CreateTable, SchemaChange
from kafkastream.cdc.sinks import SchemaChangeRefusedError
from kafkastream.cdc.spec.postgres_sink import postgres_name_problem
from kafkastream.cdc.tables import Column, TableId, TableSchema
from kafkastream.postgres.client import Connection, connect, is_refusal, is_transient, sink_error
from kafkastream.postgres.existing import ExistingTable, read_table
from kafkastream.postgres.settings import PostgresSettings
from kafkastream.postgres.types import ColumnType, column_type, holds, may_lose_digits
from kafkastream.sql.types import DataType

if TYPE_CHECKING:
    from psycopg.sql import Composable, Composed

__all__ = ["PostgresMetadataApplier"]

_Execute: TypeAlias = "Callable[[Connection, Composed], object]"
"""Takes a statement that changes a table."""

_CREATE = "CREATE TABLE {table} ({columns}){options}"
_ADD = "ALTER TABLE {table} {columns}"
_ALTER = "ALTER TABLE {table} ALTER COLUMN {column} TYPE {type} USING {value}"
_COMMENT = "COMMENT ON COLUMN {table}.{column} IS {comment}"
_LOSES = "SELECT 1 FROM {table} WHERE {column}::double precision::text::numeric <> {column}::numeric LIMIT 1"


@final
class PostgresMetadataApplier:
    """Applies changes of schemas to a database, each in a transaction; a repeated change changes nothing.

    An existing table is adopted: missing columns are added, and a column whose type cannot hold the
    values is refused.

    Args:
        settings: The database.
    """

    def __init__(self, settings: PostgresSettings) -> None:
        self._settings = settings
        self._connection: Connection | None = None
        self._tables: dict[tuple[str, str], TableId] = {}

    def apply(self, change: SchemaChange) -> None:
        """Apply a change.

        Raises:
            SchemaChangeRefusedError: The database cannot take it: a type that would lose values, a name over 63 bytes.
            SinkError: The database does not answer.
        """
        self._carry_out(change, lambda connection, statement: connection.execute(statement))

    def statements(self, change: SchemaChange) -> list[str]:
        """Return the statements of ``apply`` for a change, without executing them; errors as of ``apply``."""
        found: list[str] = []
        self._carry_out(change, lambda connection, statement: found.append(statement.as_string(connection)))
        return found

    def _carry_out(self, change: SchemaChange, execute: _Execute) -> None:
        target = self._target(change.table)
        if self._connection is not None and not _is_alive(self._connection):
            self.close()
        with self._transaction(change.table) as connection:
            existing = read_table(connection, target)
            table = _Target(connection, self._settings, change.table, target, existing, execute)
            match change:
                case CreateTable(schema=schema):
                    table.create(schema)
                case AddColumns(columns=columns):
                    table.add(columns)
                case AlterColumnTypes(types=types):
                    table.alter(types)

    def close(self) -> None:
        """Close the connection."""
        if self._connection is not None:
            self._connection.close()
            self._connection = None

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self.close()

    def _target(self, table: TableId) -> tuple[str, str]:
        target = self._settings.target(table)
        other = self._tables.setdefault(target, table)
        if other != table:
            raise SchemaChangeRefusedError(
                f"tables {other} and {table} would be written to one table, {'.'.join(target)}",
                now="Give one of them another name by a route.",
            )
        return target

    @contextmanager
    def _transaction(self, table: TableId) -> Iterator[Connection]:
        if self._connection is None or self._connection.closed:
            self._connection = connect(self._settings)
        try:
            with self._connection.transaction():
                yield self._connection
        except Exception as error:
            told = sink_error(error, self._settings, str(table))
            if is_transient(error):
                self.close()
                raise told from error
            if is_refusal(error):
                raise SchemaChangeRefusedError(told.what, where=told.where) from error
            raise


def _is_alive(connection: Connection) -> bool:
    """Return whether a connection, which may have been idle for days, still works."""
    try:
        connection.execute("SELECT 1")
        connection.rollback()
    except Exception as error:
        if is_transient(error):
            return False
        raise
    return True


@final
class _Target:
    """Table of the database, in an open transaction."""

    def __init__(
        self,
        connection: Connection,
        settings: PostgresSettings,
        table: TableId,
        target: tuple[str, str],
        existing: ExistingTable | None,
        execute: _Execute,
    ) -> None:
        self._connection = connection
        self._settings = settings
        self._table = table
        self._target = target
        self._existing = existing
        self._execute = execute

    def create(self, schema: TableSchema) -> None:
        if schema.partition_key:
            raise self._refused("PostgreSQL's tables cannot get partitions here", "Remove partition-keys.")
        if self._existing is None:
            self._create(schema)
            return
        self.add(schema.columns)
        if schema.primary_key and frozenset(schema.primary_key) not in self._existing.unique_keys:
            key = ", ".join(schema.primary_key)
            raise self._refused(
                f"the existing table has no unique constraint on the primary key ({key})",
                "Give the table that primary key, or remove it from the transform rule.",
            )

    def add(self, columns: tuple[Column, ...]) -> None:
        existing = self._required()
        for column in columns:
            if column.name in existing.columns:
                self._check_holds(column, existing.columns[column.name])
        missing = [column for column in columns if column.name not in existing.columns]
        if missing:
            self._run(_ADD, columns=_comma([_joined("ADD COLUMN", self._defined(column)) for column in missing]))
            self._comment(missing)

    def alter(self, types: Mapping[str, DataType]) -> None:
        existing = self._required()
        for name, type_ in types.items():
            if name not in existing.columns:
                raise self._refused(f"there is no column {name!r} whose type could change")
            wanted = self._type_of(type_)
            if not holds(existing.columns[name], wanted):
                self._alter_type(name, existing.columns[name], wanted)

    def _create(self, schema: TableSchema) -> None:
        if self._connection.execute("SELECT to_regnamespace(quote_ident(%s))", self._target[:1]).fetchone() == (None,):
            self._run("CREATE SCHEMA IF NOT EXISTS {schema}", schema=_name(self._target[0]))
        parts = [self._defined(column) for column in schema.columns]
        if schema.primary_key:
            key = _comma([_name(name) for name in schema.primary_key])
            parts.append(_made("PRIMARY KEY ({key})", key=key))
        options = [_made("{name} = {value}", name=_name(name), value=value) for name, value in schema.options.items()]
        with_options = _made(" WITH ({options})", options=_comma(options)) if options else _made("")
        self._run(_CREATE, columns=_comma(parts), options=with_options)
        self._comment(schema.columns)

    def _comment(self, columns: tuple[Column, ...] | list[Column]) -> None:
        for column in columns:
            if column.comment:
                self._run(_COMMENT, column=_name(column.name), comment=column.comment)

    def _alter_type(self, name: str, current: ColumnType, wanted: ColumnType) -> None:
        change = f"column {name!r} cannot change from {current} to {wanted}"
        if not self._settings.alters_types:
            raise self._refused(f"{change}, since types are not altered", "Create the table with wide types.")
        loses_digits = may_lose_digits(wanted, current)
        if not holds(wanted, current) and not loses_digits:
            raise self._refused(f"{change} without loss")
        if loses_digits and self._connection.execute(self._statement(_LOSES, column=_name(name))).fetchone():
            raise self._refused(f"{change}, since numbers in the table would lose digits")
        value = _USING.get((current.name, wanted.name), "{column}::{type}")
        using = _made(value, column=_name(name), type=_type(wanted))
        self._run(_ALTER, column=_name(name), type=_type(wanted), value=using)

    def _check_holds(self, column: Column, current: ColumnType) -> None:
        wanted = self._type_of(column.type)
        if not holds(current, wanted):
            raise self._refused(
                f"the existing column {column.name!r} has the type {current}, which does not hold {wanted}",
                f"Change its type to {wanted} or wider, or write to another table by a route.",
            )

    def _type_of(self, type_: DataType) -> ColumnType:
        return column_type(type_, self._settings.type_normalization)

    def _defined(self, column: Column) -> Composed:
        _check_column(column.name, self._table)
        return _made("{name} {type}", name=_name(column.name), type=_type(self._type_of(column.type)))

    def _required(self) -> ExistingTable:
        if self._existing is None:
            raise self._refused("there is no such table in the database")
        return self._existing

    def _run(self, template: str, **parts: Any) -> None:
        self._execute(self._connection, self._statement(template, **parts))

    def _statement(self, template: str, **parts: Any) -> Composed:
        return _made(template, table=_name(*self._target), **parts)

    def _refused(self, what: str, now: str = "") -> SchemaChangeRefusedError:
        return SchemaChangeRefusedError(what, where=f"{self._settings.address}, table {self._table}", now=now)


# As rows write them, see changes.Row: PostgreSQL's own text of a TIMESTAMPTZ ends with the session's offset.
_USING = {("timestamptz", "text"): "replace({column}::text, '+00', 'Z')"}


def _check_column(name: str, table: TableId) -> None:
    if problem := postgres_name_problem(name):
        raise SchemaChangeRefusedError(
            problem, where=f"table {table}, column {name!r}", now="Give the column another name by a projection."
        )


def _made(template: str, **parts: Any) -> Composed:
    from psycopg import sql

    return sql.SQL(template).format(**parts)


def _name(*path: str) -> Composable:
    from psycopg import sql

    return sql.Identifier(*path)


def _type(type_: ColumnType) -> Composable:
    from psycopg import sql

    return sql.SQL(str(type_))


def _comma(parts: list[Composable] | list[Composed]) -> Composed:
    from psycopg import sql

    return sql.SQL(", ").join(parts)


def _joined(word: str, part: Composable) -> Composed:
    return _made(word + " {part}", part=part)
