"""Declared tables in the database: their names there, and whether they accept the declared columns."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final, final

import attrs

from kafkastream.cdc.spec.postgres_sink import postgres_table_problem
from kafkastream.cdc.tables import Column, TableId, TableSchema
from kafkastream.errors import DefinitionError
from kafkastream.postgres.client import Connection, connect
from kafkastream.postgres.existing import ExistingTable, read_table
from kafkastream.postgres.settings import PostgresSettings
from kafkastream.postgres.types import column_type, takes

if TYPE_CHECKING:
    from collections.abc import Iterable

__all__ = ["DeclaredTable", "find_declared", "spellings"]

_NAME_PART: Final = re.compile(r'"((?:[^"]|"")+)"|([^".]+)')
_PATH: Final = re.compile(rf"(?:{_NAME_PART.pattern})(?:\.(?:{_NAME_PART.pattern}))*")
_TO_LOWER_CASE: Final = str.maketrans({chr(code): chr(code + 32) for code in range(ord("A"), ord("Z") + 1)})
_FIND: Final = """
    SELECT nspname, relname, relkind IN ('v', 'm') FROM pg_class JOIN pg_namespace AS space ON space.oid = relnamespace
    WHERE pg_class.oid = to_regclass((SELECT string_agg(quote_ident(part), '.') FROM unnest(%s::text[]) AS part))
"""


@final
@attrs.frozen
class DeclaredTable:
    """Declared table that exists in the database.

    Args:
        id: Schema and name.
        schema: Columns that are written, by their names in the database, and the key.
    """

    id: TableId
    schema: TableSchema


def spellings(name: str) -> list[tuple[str, ...]]:
    """Return the paths that a name may mean; first PostgreSQL's own reading, which lower-cases unquoted names.

    Example:
        >>> spellings("shop.Orders")
        [('shop', 'orders'), ('shop', 'Orders'), ('shop.Orders',)]
        >>> spellings('"Orders"')
        [('Orders',), ('"Orders"',)]
        >>> spellings("my-table")
        [('my-table',)]
    """
    if _PATH.fullmatch(name) is None:
        return [(name,)]
    parts = [(quoted.replace('""', '"'), plain) for quoted, plain in _NAME_PART.findall(name)]
    folded = tuple(quoted or plain.translate(_TO_LOWER_CASE) for quoted, plain in parts)
    verbatim = tuple(quoted or plain for quoted, plain in parts)
    return list(dict.fromkeys((folded, verbatim, (name,))))


def find_declared(settings: PostgresSettings, name: str, schema: TableSchema) -> DeclaredTable:
    """Find a declared table in the database.

    Args:
        settings: The database.
        name: The table, as SQL names it.
        schema: The declared columns and the key.

    Raises:
        DefinitionError: There is no such table or column, the table is PostgreSQL's or kafkastream's own, a column has a type of another kind, or the key is not unique.
        SinkError: The database does not answer.
    """
    with connect(settings) as connection:
        target = next(filter(None, (_find_table(connection, settings, path) for path in spellings(name))), None)
        existing = target and read_table(connection, target)
    if target is None or existing is None:
        raise DefinitionError(
            f"there is no table {name!r} in the database",
            where=settings.address,
            now="Create it; INSERT INTO writes only to a table that exists.",
        )
    if problem := postgres_table_problem(*target):
        raise DefinitionError(
            problem, where=f"{settings.address}, table {'.'.join(target)}", now="Write to another table."
        )
    return _DeclarationCheck(settings, ".".join(target), existing).check(target, schema)


def _find_table(connection: Connection, settings: PostgresSettings, path: tuple[str, ...]) -> tuple[str, str] | None:
    row = connection.execute(_FIND, (list(path),)).fetchone()
    if row is None:
        return None
    schema, name, is_view = row
    if is_view:
        raise DefinitionError(
            "the table is a view, to which COPY cannot write",
            where=f"{settings.address}, table {schema}.{name}",
            now="Write to the table that it selects from.",
        )
    return schema, name


@final
@attrs.frozen
class _DeclarationCheck:
    """Comparison of declared columns with existing ones."""

    settings: PostgresSettings
    table: str
    existing: ExistingTable

    def check(self, target: tuple[str, str], schema: TableSchema) -> DeclaredTable:
        names = {column.name: self._existing_name(column) for column in schema.columns}
        columns = tuple(attrs.evolve(column, name=names[column.name]) for column in schema.columns)
        for column in columns:
            self._check_type(column)
        key = tuple(names[name] for name in schema.primary_key)
        if key and frozenset(key) not in self.existing.unique_keys:
            raise self._mismatch_error(
                f"the table has no unique constraint on the primary key ({', '.join(key)})",
                f"Give it one: ALTER TABLE {self.table} ADD PRIMARY KEY ({', '.join(key)}); or declare the key that it has"
                f"{_keys_text(self.existing.unique_keys)}.",
            )
        return DeclaredTable(TableId(target), TableSchema(columns, key))

    def _existing_name(self, column: Column) -> str:
        name = next(
            (path[0] for path in spellings(column.name) if len(path) == 1 and path[0] in self.existing.columns), None
        )
        if name is None:
            raise self._mismatch_error(
                f"the table has no column {column.name!r}",
                f"It has {', '.join(self.existing.columns)}. Declare one of them, or add the column to the table.",
            )
        return name

    def _check_type(self, column: Column) -> None:
        current = self.existing.columns[column.name]
        if not takes(current, column.type):
            raise self._mismatch_error(
                f"column {column.name!r} has the type {current} in the database, which takes no {column.type}",
                f"Declare it with a type of that kind and CAST the value in the query, or make it {column_type(column.type)}.",
            )

    def _mismatch_error(self, reason: str, now: str) -> DefinitionError:
        return DefinitionError(reason, where=f"{self.settings.address}, table {self.table}", now=now)


def _keys_text(keys: Iterable[frozenset[str]]) -> str:
    texts = sorted(f"({', '.join(sorted(key))})" for key in keys)
    return f": {' or '.join(texts)}" if texts else ""
