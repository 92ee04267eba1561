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

# Equal in the database, though not always in Python: "a" and "a " of CHAR, 12:00 and 12:00:00.0, NaN, what REAL rounds.
_UNEVEN_KEYS = APPROXIMATE | STAMPS | {Kind.CHAR, Kind.TIME}

_COPY = "COPY {target} ({columns}) FROM STDIN"
_STAGE = "CREATE TEMPORARY TABLE {staging} ON COMMIT DELETE ROWS AS SELECT {columns}, 0 AS {ordinal} FROM {target} WITH NO DATA"
_KEEP_LAST = (
    "DELETE FROM {staging} AS one USING {staging} AS later WHERE {same} AND abs(later.{ordinal}) > abs(one.{ordinal})"
)
_DELETE = "DELETE FROM {target} AS one USING {staging} AS later WHERE {same} AND later.{ordinal} < 0"
_UPSERT = """
    INSERT INTO {target} ({columns}) SELECT {columns} FROM {staging} WHERE {ordinal} > 0 ORDER BY {key}
    ON CONFLICT ({key}) DO {action}
"""


@final
class TableStatements:
    """The statements that write one table, over one connection.

    Args:
        connection: The connection, which has made the staging table.
        target: The table's schema and name in the database.
        schema: The table's schema.
        number: A number that no other table of the connection has.
    """

    def __init__(self, connection: Connection, target: tuple[str, str], schema: TableSchema, number: int) -> None:
        self._connection = connection
        self._schema = schema
        self._names = _names(target, schema, number)
        self._texts: dict[str, bytes] = {}
        self._places = [schema.names.index(name) for name in schema.primary_key]
        self._convert = _value_converter(
            self._places_of_texts(BYTES, _BYTEA_OID), self._places_of_texts({Kind.BOOLEAN}, _BOOLEAN_OID)
        )
        self._is_staging_used = False
        self._has_uneven_key = any(schema[name].type.kind in _UNEVEN_KEYS for name in schema.primary_key)
        if schema.primary_key:
            connection.execute(self._made(_STAGE))

    def append(self, rows: Iterable[Row]) -> None:
        """Append rows, in the open transaction."""
        self._copy(self._made(_COPY), map(astuple, rows))

    def merge(self, changes: FoldedChanges) -> None:
        """Upsert and delete rows by the primary key, in the open transaction."""
        counts = _Counts()
        if self._is_staging_used:
            self._connection.execute(self._made("TRUNCATE {staging}"))
        self._copy(self._made(_COPY_STAGED), self._numbered(changes, counts))
        self._is_staging_used = True
        if self._has_uneven_key:
            self._connection.execute(self._made(_KEEP_LAST))
        if counts.deleted:
            self._connection.execute(self._made(_DELETE))
        if counts.upserted:
            self._connection.execute(self._made(_UPSERT))

    def committed(self) -> None:
        """Take note of the transaction's end, at which the staging table is emptied."""
        self._is_staging_used = False

    def refused_text(self, pending: FoldedChanges | Iterable[Row]) -> tuple[str, str] | None:
        """Find a character that PostgreSQL does not accept, with its column's name."""
        rows = self._numbered(pending, _Counts()) if isinstance(pending, FoldedChanges) else map(astuple, pending)
        found = _refused_character(rows)
        return found and (found[0], self._schema.names[found[1]])

    def _copy(self, query: bytes, rows: Iterable[Values]) -> None:
        with self._connection.cursor() as cursor, cursor.copy(query) as copy:
            for row in map(self._convert, rows) if self._convert else rows:
                copy.write_row(row)

    def _numbered(self, changes: FoldedChanges, counts: _Counts) -> Iterator[Values]:
        """Yield rows with their number, deleted ones with only the key and the negative number."""
        width = len(self._schema.columns)
        for number, (key, row) in enumerate(changes, start=1):
            if row is not None:
                counts.upserted += 1
                yield (*astuple(row), number)
            else:
                counts.deleted += 1
                values: list[Any] = [None] * (width + 1)
                for place, value in zip(self._places, key, strict=True):
                    values[place] = value
                values[width] = -number
                yield tuple(values)

    def _places_of_texts(self, kinds: Collection[Kind], oid: int) -> list[int]:
        """Return the numbers of the columns of some kinds that the database holds as text."""
        places = [place for place, column in enumerate(self._schema.columns) if column.type.kind in kinds]
        if not places:
            return []
        found = self._connection.execute(self._made("SELECT {columns} FROM {target} LIMIT 0")).description or []
        return [place for place in places if found[place].type_code != oid]

    def _made(self, template: str) -> bytes:
        """Return a statement with the table's names."""
        from psycopg import sql

        if template not in self._texts:
            self._texts[template] = sql.SQL(template).format(**self._names).as_bytes(self._connection)
        return self._texts[template]


_COPY_STAGED = "COPY {staging} ({columns}, {ordinal}) FROM STDIN"


@final
class _Counts:
    __slots__ = ("deleted", "upserted")

    def __init__(self) -> None:
        self.deleted = 0
        self.upserted = 0


def _names(target: tuple[str, str], schema: TableSchema, number: int) -> dict[str, Composable]:
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
        "same": sql.SQL(" AND ").join(sql.SQL("one.{0} = later.{0}").format(name) for name in key),
        "action": sql.SQL("UPDATE SET ") + updates if rest else sql.SQL("NOTHING"),
    }


def _value_converter(bytes_places: Sequence[int], truth_places: Sequence[int]) -> Callable[[Values], Values] | None:
    r"""Return a function that converts bytes and booleans to text; None if no column needs it.

    Args:
        bytes_places: Positions of the columns with bytes that the database holds as text.
        truth_places: Positions of the columns with booleans that the database holds as text.

    Example:
        >>> _value_converter([0], [1])((b"a", True))
        ('\\x61', 'true')
    """
    if not bytes_places and not truth_places:
        return None

    def convert(row: Values) -> Values:
        values = list(row)
        for place in bytes_places:
            if values[place] is not None:
                values[place] = "\\x" + values[place].hex()
        for place in truth_places:
            if values[place] is not None:
                values[place] = "true" if values[place] else "false"
        return tuple(values)

    return convert


def _refused_character(rows: Iterable[Values]) -> tuple[str, int] | None:
    r"""Find a character that PostgreSQL does not accept, U+0000 or half of a surrogate pair, with its column's number.

    Example:
        >>> _refused_character([(1, "fine"), (2, "a\0")])
        ('\x00', 1)
    """
    texts = ((place, value) for row in rows for place, value in enumerate(row) if isinstance(value, str))
    for place, text in texts:
        for character in text:
            if character == "\0" or "\ud800" <= character <= "\udfff":
                return character, place
    return None
