"""``SqlDialect``: the dialect of SQL statements, at PyFlink's path."""

from __future__ import annotations

import enum

__all__ = [
    "SqlDialect",
]


class SqlDialect(enum.Enum):
    """Dialects of SQL statements; ``TableConfig.set_sql_dialect`` takes Flink's own, which is the default."""

    DEFAULT = 0
    HIVE = 1
