"""Table elements, the part of CREATE TABLE between parentheses: columns, the watermark, the primary key."""

from __future__ import annotations

from typing import final

import attrs

from kafkastream.sql.syntax.checks import (
    TWO_KEYS,
    TWO_WATERMARKS,
    key_problem,
    repeated_column,
    repeated_key_column,
    watermark_problem,
)
from kafkastream.sql.syntax.cursor import Cursor
from kafkastream.sql.syntax.data_types import read_type
from kafkastream.sql.syntax.expressions import expression
from kafkastream.sql.syntax.tokens import Token
from kafkastream.sql.table import Column, ComputedColumn, MetadataColumn, PhysicalColumn, TableSchema, Watermark

__all__ = ["TableElements", "comment", "computed_column"]


@final
class TableElements:
    """Columns, watermark and key that have been read so far."""

    def __init__(self, cursor: Cursor) -> None:
        self._cursor = cursor
        self._columns: dict[str, Column] = {}
        self._watermark: Watermark | None = None
        self._watermark_at = cursor.token
        self._key: dict[str, Token] = {}

    def read(self) -> None:
        """Read one element.

        Raises:
            DefinitionError: The text is not an element, or repeats a column's name, the watermark or the primary key.
        """
        start = self._cursor.token
        if self._cursor.take("WATERMARK"):
            self._read_watermark(start)
        elif not self._constraint():
            self._read_column(start)

    def schema(self, *, complete: bool) -> TableSchema:
        """Return the schema of the elements; physical columns of the key are NOT NULL.

        Args:
            complete: Whether these are all columns of the table, so that the key and the watermark can be checked.

        Raises:
            DefinitionError: The key or the watermark refers to a column that does not exist or is not allowed.
        """
        columns = tuple(_not_null(one) if one.name in self._key else one for one in self._columns.values())
        schema = TableSchema(columns, self._watermark, tuple(self._key))
        if complete:
            for name, token in self._key.items():
                if problem := key_problem(schema, name):
                    raise self._cursor.error(token, *problem)
            if problem := watermark_problem(schema):
                raise self._cursor.error(self._watermark_at, *problem)
        return schema

    def _read_watermark(self, start: Token) -> None:
        cursor = self._cursor
        if self._watermark is not None:
            raise cursor.error(start, *TWO_WATERMARKS)
        cursor.expect("FOR")
        self._watermark_at = cursor.token
        path = cursor.path()
        cursor.expect("AS")
        self._watermark = Watermark(path, expression(cursor), start.position)

    def _constraint(self, column: Token | None = None, name: str = "") -> bool:
        """Read an optional constraint, of the table or of a column after its type."""
        cursor, start = self._cursor, self._cursor.token
        if named := cursor.take("CONSTRAINT"):
            cursor.name()
        if cursor.take("UNIQUE"):
            raise cursor.error(start, "UNIQUE constraint is not supported yet.", "Use PRIMARY KEY ... NOT ENFORCED.")
        if not cursor.take("PRIMARY"):
            if named:
                raise cursor.unexpected()
            return False
        cursor.expect("KEY")
        if self._key:
            raise cursor.error(start, *TWO_KEYS)
        if column is None:
            cursor.listed(self._key_column)
        else:
            self._key[name] = column
        if not cursor.take("NOT"):
            what = "Flink doesn't support ENFORCED mode for PRIMARY KEY constraint: it does not own the data."
            raise cursor.error(start, what, "Write NOT ENFORCED after it.")
        cursor.expect("ENFORCED")
        return True

    def _key_column(self) -> None:
        token = self._cursor.token
        name = self._cursor.name()
        if name in self._key:
            raise self._cursor.error(token, *repeated_key_column(name))
        self._key[name] = token

    def _read_column(self, start: Token) -> None:
        column = self._column(start)
        if column.name in self._columns:
            raise self._cursor.error(start, *repeated_column(column.name))
        self._columns[column.name] = column

    def _column(self, start: Token) -> Column:
        cursor = self._cursor
        name = cursor.name()
        if cursor.take("AS"):
            return _computed(cursor, name, start)
        column = PhysicalColumn(name, read_type(cursor), position=start.position)
        if cursor.take("METADATA"):
            return _metadata(cursor, column)
        self._constraint(start, name)
        return attrs.evolve(column, comment=comment(cursor))


def computed_column(cursor: Cursor) -> ComputedColumn:
    """Read ``name AS expression [COMMENT 'text']``."""
    start = cursor.token
    name = cursor.name()
    cursor.expect("AS")
    return _computed(cursor, name, start)


def comment(cursor: Cursor) -> str:
    """Read ``COMMENT 'text'``, if it comes next."""
    return cursor.string() if cursor.take("COMMENT") else ""


def _computed(cursor: Cursor, name: str, start: Token) -> ComputedColumn:
    return ComputedColumn(name, expression(cursor), comment=comment(cursor), position=start.position)


def _metadata(cursor: Cursor, column: PhysicalColumn) -> MetadataColumn:
    key = cursor.string() if cursor.take("FROM") else column.name
    is_virtual = cursor.take("VIRTUAL")
    return MetadataColumn(column.name, column.type, key, is_virtual, comment=comment(cursor), position=column.position)


def _not_null(column: Column) -> Column:
    return attrs.evolve(column, type=column.type.not_null()) if isinstance(column, PhysicalColumn) else column
