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
_ADD_COLUMNS = "ALTER TABLE {table} {columns}"
_ALTER = "ALTER TABLE {table} ALTER COLUMN {column} TYPE {type} USING {value}"
_COMMENT = "COMMENT ON COLUMN {table}.{column} IS {comment}"
_FIND_LOST_DIGITS = "SELECT 1 FROM {table} WHERE {column}::double precision::text::numeric <> {column}::numeric LIMIT 1"


@final
class PostgresMetadataApplier:
    """Applies schema changes to a database, each in a transaction; applying a change again has no effect.

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
        self._apply_with(change, lambda connection, statement: connection.execute(statement))

    def statements(self, change: SchemaChange) -> list[str]:
        """Return the statements that ``apply`` would execute for a change; raises the same errors."""
        texts: list[str] = []
        self._apply_with(change, lambda connection, statement: texts.append(statement.as_string(connection)))
        return texts

    def _apply_with(self, change: SchemaChange, execute: _Execute) -> None:
        target = self._target(change.table)
        if self._connection is not None and not _is_alive(self._connection):
            self.close()
        with self._transaction(change.table) as connection:
            existing = read_table(connection, target)
            table = _TargetTable(connection, self._settings, change.table, target, existing, execute)
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
            translated = sink_error(error, self._settings, str(table))
            if is_transient(error):
                self.close()
                raise translated from error
            if is_refusal(error):
                raise SchemaChangeRefusedError(translated.what, where=translated.where) from error
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
class _TargetTable:
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
            raise self._refusal("PostgreSQL's tables cannot get partitions here", "Remove partition-keys.")
        if self._existing is None:
            self._create(schema)
            return
        self.add(schema.columns)
        if schema.primary_key and frozenset(schema.primary_key) not in self._existing.unique_keys:
            key = ", ".join(schema.primary_key)
            raise self._refusal(
                f"the existing table has no unique constraint on the primary key ({key})",
                "Give the table that primary key, or remove it from the transform rule.",
            )

    def add(self, columns: tuple[Column, ...]) -> None:
        existing = self._require_existing()
        for column in columns:
            if column.name in existing.columns:
                self._check_holds(column, existing.columns[column.name])
        missing = [column for column in columns if column.name not in existing.columns]
        if missing:
            self._execute_template(
                _ADD_COLUMNS,
                columns=_join_by_comma(
                    [_prefix_keywords("ADD COLUMN", self._column_definition(column)) for column in missing]
                ),
            )
            self._comment_columns(missing)

    def alter(self, types: Mapping[str, DataType]) -> None:
        existing = self._require_existing()
        for name, type_ in types.items():
            if name not in existing.columns:
                raise self._refusal(f"there is no column {name!r} whose type could change")
            new = self._column_type(type_)
            if not holds(existing.columns[name], new):
                self._alter_type(name, existing.columns[name], new)

    def _create(self, schema: TableSchema) -> None:
        if self._connection.execute("SELECT to_regnamespace(quote_ident(%s))", self._target[:1]).fetchone() == (None,):
            self._execute_template("CREATE SCHEMA IF NOT EXISTS {schema}", schema=_identifier(self._target[0]))
        parts = [self._column_definition(column) for column in schema.columns]
        if schema.primary_key:
            key = _join_by_comma([_identifier(name) for name in schema.primary_key])
            parts.append(_compose("PRIMARY KEY ({key})", key=key))
        options = [
            _compose("{name} = {value}", name=_identifier(name), value=value) for name, value in schema.options.items()
        ]
        with_options = _compose(" WITH ({options})", options=_join_by_comma(options)) if options else _compose("")
        self._execute_template(_CREATE, columns=_join_by_comma(parts), options=with_options)
        self._comment_columns(schema.columns)

    def _comment_columns(self, columns: tuple[Column, ...] | list[Column]) -> None:
        for column in columns:
            if column.comment:
                self._execute_template(_COMMENT, column=_identifier(column.name), comment=column.comment)

    def _alter_type(self, name: str, current: ColumnType, new: ColumnType) -> None:
        change = f"column {name!r} cannot change from {current} to {new}"
        if not self._settings.alters_types:
            raise self._refusal(f"{change}, since types are not altered", "Create the table with wide types.")
        loses_digits = may_lose_digits(new, current)
        if not holds(new, current) and not loses_digits:
            raise self._refusal(f"{change} without loss")
        if (
            loses_digits
            and self._connection.execute(self._statement(_FIND_LOST_DIGITS, column=_identifier(name))).fetchone()
        ):
            raise self._refusal(f"{change}, since numbers in the table would lose digits")
        value = _USING.get((current.name, new.name), "{column}::{type}")
        using = _compose(value, column=_identifier(name), type=_type_sql(new))
        self._execute_template(_ALTER, column=_identifier(name), type=_type_sql(new), value=using)

    def _check_holds(self, column: Column, current: ColumnType) -> None:
        needed = self._column_type(column.type)
        if not holds(current, needed):
            raise self._refusal(
                f"the existing column {column.name!r} has the type {current}, which does not hold {needed}",
                f"Change its type to {needed} or wider, or write to another table by a route.",
            )

    def _column_type(self, type_: DataType) -> ColumnType:
        return column_type(type_, self._settings.type_normalization)

    def _column_definition(self, column: Column) -> Composed:
        _check_column_name(column.name, self._table)
        return _compose("{name} {type}", name=_identifier(column.name), type=_type_sql(self._column_type(column.type)))

    def _require_existing(self) -> ExistingTable:
        if self._existing is None:
            raise self._refusal("there is no such table in the database")
        return self._existing

    def _execute_template(self, template: str, **parts: Any) -> None:
        self._execute(self._connection, self._statement(template, **parts))

    def _statement(self, template: str, **parts: Any) -> Composed:
        return _compose(template, table=_identifier(*self._target), **parts)

    def _refusal(self, reason: str, now: str = "") -> SchemaChangeRefusedError:
        return SchemaChangeRefusedError(reason, where=f"{self._settings.address}, table {self._table}", now=now)


# the text that rows of ``cdc.changes`` have: PostgreSQL's own text of a TIMESTAMPTZ ends with the session's offset
_USING = {("timestamptz", "text"): "replace({column}::text, '+00', 'Z')"}


def _check_column_name(name: str, table: TableId) -> None:
    if problem := postgres_name_problem(name):
        raise SchemaChangeRefusedError(
            problem, where=f"table {table}, column {name!r}", now="Give the column another name by a projection."
        )


def _compose(template: str, **parts: Any) -> Composed:
    from psycopg import sql

    return sql.SQL(template).format(**parts)


def _identifier(*path: str) -> Composable:
    from psycopg import sql

    return sql.Identifier(*path)


def _type_sql(type_: ColumnType) -> Composable:
    from psycopg import sql

    return sql.SQL(str(type_))


def _join_by_comma(parts: list[Composable] | list[Composed]) -> Composed:
    from psycopg import sql

    return sql.SQL(", ").join(parts)


def _prefix_keywords(word: str, part: Composable) -> Composed:
    return _compose(word + " {part}", part=part)
