"""Existing tables of the database, read from its catalog."""

from __future__ import annotations

from typing import final

import attrs

from kafkastream.model.common.immutable import FrozenMap
from kafkastream.postgres.client import Connection
from kafkastream.postgres.types import ColumnType

__all__ = ["ExistingTable", "read_table"]

_COLUMNS = """
    SELECT attname, format_type(atttypid, atttypmod) FROM pg_attribute
    WHERE attrelid = to_regclass(format('%%I.%%I', %s::text, %s::text)) AND attnum > 0 AND NOT attisdropped
    ORDER BY attnum
"""
_UNIQUE_KEYS = """
    SELECT array_agg(attname::text) FROM pg_index JOIN pg_attribute ON attrelid = indrelid AND attnum = ANY(
        (string_to_array(indkey::text, ' ')::int[])[1:indnkeyatts]
    )
    WHERE indrelid = to_regclass(format('%%I.%%I', %s::text, %s::text))
    AND indisunique AND indimmediate AND indisvalid AND indpred IS NULL AND indexprs IS NULL
    GROUP BY indexrelid
"""


@final
@attrs.frozen
class ExistingTable:
    """Columns and keys of a table in the database.

    Args:
        columns: The types of the columns by their names, in order.
        unique_keys: The sets of columns that a primary key or a unique constraint covers.
    """

    columns: FrozenMap[str, ColumnType] = attrs.field(converter=FrozenMap[str, ColumnType])
    unique_keys: frozenset[frozenset[str]]


def read_table(connection: Connection, target: tuple[str, str]) -> ExistingTable | None:
    """Read a table's columns and keys from the catalog.

    Args:
        connection: The database.
        target: The table's schema and name.

    Returns:
        None if there is no such table.
    """
    columns = connection.execute(_COLUMNS, target).fetchall()
    if not columns:
        return None
    keys = connection.execute(_UNIQUE_KEYS, target).fetchall()
    types = {name: ColumnType.parse(spelled) for name, spelled in columns}
    return ExistingTable(types, frozenset(frozenset(names) for (names,) in keys))
