"""Statements that write the rows of one table: COPY, and for tables with a primary key upserts from a staging table."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any, TypeAlias, final

from msgspec.structs import astuple

from kafkastream.cdc.changes import Row
from kafkastream.cdc.folding import FoldedChanges
from kafkastream.cdc.tables import TableSchema
from kafkastream.postgres.client import Connection
from kafkastream.sql.type_families import APPROXIMATE, BYTES, STAMPS
from kafkastream.sql.types import Kind

if TYPE_CHECKING:
    from psycopg.sql import Composable

__all__ = ["TableStatements"]

Values: TypeAlias = tuple[Any, ...]
_BOOLEAN_OID, _BYTEA_OID = 16, 17  # https://www.postgresql.org/docs/current/catalog-pg-type.html, pg_type.dat

# Keys that may be equal in the database though not in Python: "a" and "a " of CHAR, 12:00 and 12:00:00.0, NaN, REALs.
_UNEVEN_KEYS = APPROXIMATE | STAMPS | {Kind.CHAR, Kind.TIME}

_COPY = "COPY {target} ({columns}) FROM STDIN"
_STAGE = "CREATE TEMPORARY TABLE {staging} ON COMMIT DELETE ROWS AS SELECT {columns}, 0 AS {ordinal} FROM {target} WITH NO DATA"
_KEEP_LAST = "DELETE FROM {staging} AS earlier USING {staging} AS later WHERE {same} AND abs(later.{ordinal}) > abs(earlier.{ordinal})"
_DELETE = "DELETE FROM {target} AS earlier USING {staging} AS later WHERE {same} AND later.{ordinal} < 0"
_UPSERT = """
    INSERT INTO {target} ({columns}) SELECT {columns} FROM {staging} WHERE {ordinal} > 0 ORDER BY {key}
    ON CONFLICT ({key}) DO {action}
"""


@final
class TableStatements:
    """The statements that write one table, over one connection.

    Args:
        connection: The connection; its session gets the staging table.
        target: The table's schema and name in the database.
        schema: The table's schema.
        number: A number that no other table of the connection has.
    """

    def __init__(self, connection: Connection, target: tuple[str, str], schema: TableSchema, number: int) -> None:
        self._connection = connection
        self._schema = schema
        self._names = _identifiers(target, schema, number)
        self._statements: dict[str, bytes] = {}
        self._key_indices = [schema.names.index(name) for name in schema.primary_key]
        self._convert = _value_converter(
            self._text_column_indices(BYTES, _BYTEA_OID), self._text_column_indices({Kind.BOOLEAN}, _BOOLEAN_OID)
        )
        self._is_staging_used = False
        self._has_uneven_key = any(schema[name].type.kind in _UNEVEN_KEYS for name in schema.primary_key)
        if schema.primary_key:
            connection.execute(self._statement(_STAGE))

    def append(self, rows: Iterable[Row]) -> None:
        """Append rows, in the open transaction."""
        self._copy(self._statement(_COPY), map(astuple, rows))

    def merge(self, changes: FoldedChanges) -> None:
        """Upsert and delete rows by the primary key, in the open transaction."""
        counts = _Counts()
        if self._is_staging_used:
            self._connection.execute(self._statement("TRUNCATE {staging}"))
        self._copy(self._statement(_COPY_STAGED), self._number_rows(changes, counts))
        self._is_staging_used = True
        if self._has_uneven_key:
            self._connection.execute(self._statement(_KEEP_LAST))
        if counts.deleted:
            self._connection.execute(self._statement(_DELETE))
        if counts.upserted:
            self._connection.execute(self._statement(_UPSERT))

    def on_commit(self) -> None:
        """Note the commit, which empties the staging table (ON COMMIT DELETE ROWS)."""
        self._is_staging_used = False

    def find_refused_character(self, pending: FoldedChanges | Iterable[Row]) -> tuple[str, str] | None:
        """Find a character that PostgreSQL does not accept, with its column's name."""
        rows = self._number_rows(pending, _Counts()) if isinstance(pending, FoldedChanges) else map(astuple, pending)
        character_and_column = _find_refused_character(rows)
        return character_and_column and (character_and_column[0], self._schema.names[character_and_column[1]])

    def _copy(self, query: bytes, rows: Iterable[Values]) -> None:
        with self._connection.cursor() as cursor, cursor.copy(query) as copy:
            for row in map(self._convert, rows) if self._convert else rows:
                copy.write_row(row)

    def _number_rows(self, changes: FoldedChanges, counts: _Counts) -> Iterator[Values]:
        """Yield rows with their ordinal; a deleted row has only the key, and a negative ordinal."""
        width = len(self._schema.columns)
        for number, (key, row) in enumerate(changes, start=1):
            if row is not None:
                counts.upserted += 1
                yield (*astuple(row), number)
            else:
                counts.deleted += 1
                values: list[Any] = [None] * (width + 1)
                for index, value in zip(self._key_indices, key, strict=True):
                    values[index] = value
                values[width] = -number
                yield tuple(values)

    def _text_column_indices(self, kinds: Collection[Kind], oid: int) -> list[int]:
        """Return the indices of columns of these kinds that the database stores as text."""
        indices = [index for index, column in enumerate(self._schema.columns) if column.type.kind in kinds]
        if not indices:
            return []
        description = (
            self._connection.execute(self._statement("SELECT {columns} FROM {target} LIMIT 0")).description or []
        )
        return [index for index in indices if description[index].type_code != oid]

    def _statement(self, template: str) -> bytes:
        """Return a statement with the table's names, cached by its template."""
        from psycopg import sql

        if template not in self._statements:
            self._statements[template] = sql.SQL(template).format(**self._names).as_bytes(self._connection)
        return self._statements[template]


_COPY_STAGED = "COPY {staging} ({columns}, {ordinal}) FROM STDIN"


@final
class _Counts:
    __slots__ = ("deleted", "upserted")

    def __init__(self) -> None:
        self.deleted = 0
        self.upserted = 0


def _identifiers(target: tuple[str, str], schema: TableSchema, number: int) -> dict[str, Composable]:
    from psycopg import sql

    ordinal = "kafkastream_ordinal"
    while ordinal in schema.names:
        ordinal += "_"
    comma = sql.SQL(", ")
    key = [sql.Identifier(name) for name in schema.primary_key]
    rest = [sql.Identifier(name) for name in schema.names if name not in set(schema.primary_key)]
    updates = comma.join(sql.SQL("{0} = EXCLUDED.{0}").format(name) for name in rest)
    return {
        "target": sql.Identifier(*target),
        "staging": sql.Identifier("pg_temp", f"kafkastream_staging_{number}"),
        "columns": comma.join(map(sql.Identifier, schema.names)),
        "ordinal": sql.Identifier(ordinal),
        "key": comma.join(key),
        "same": sql.SQL(" AND ").join(sql.SQL("earlier.{0} = later.{0}").format(name) for name in key),
        "action": sql.SQL("UPDATE SET ") + updates if rest else sql.SQL("NOTHING"),
    }


def _value_converter(bytes_columns: Sequence[int], boolean_columns: Sequence[int]) -> Callable[[Values], Values] | None:
    r"""Return a function that converts bytes and booleans to text; None if no column needs it.

    Args:
        bytes_columns: Indices of bytes columns that the database stores as text.
        boolean_columns: Indices of boolean columns that the database stores as text.

    Example:
        >>> _value_converter([0], [1])((b"a", True))
        ('\\x61', 'true')
    """
    if not bytes_columns and not boolean_columns:
        return None

    def convert(row: Values) -> Values:
        values = list(row)
        for index in bytes_columns:
            if values[index] is not None:
                values[index] = "\\x" + values[index].hex()
        for index in boolean_columns:
            if values[index] is not None:
                values[index] = "true" if values[index] else "false"
        return tuple(values)

    return convert


def _find_refused_character(rows: Iterable[Values]) -> tuple[str, int] | None:
    r"""Find a character that PostgreSQL does not accept, U+0000 or half of a surrogate pair, with its column's number.

    Example:
        >>> _find_refused_character([(1, "fine"), (2, "a\0")])
        ('\x00', 1)
    """
    texts = ((index, value) for row in rows for index, value in enumerate(row) if isinstance(value, str))
    for index, text in texts:
        for character in text:
            if character == "\0" or "\ud800" <= character <= "\udfff":
                return character, index
    return None
