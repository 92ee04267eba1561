"""Quoting of names and texts in SQL."""

from __future__ import annotations

__all__ = ["literal", "quoted"]


def quoted(*path: str) -> str:
    """Quote the parts of a name, for Flink's SQL and Spark's.

    Example:
        >>> quoted("shop", "my`table")
        '`shop`.`my``table`'
    """
    return ".".join("`" + part.replace("`", "``") + "`" for part in path)


def literal(text: str) -> str:
    """Quote a text.

    Example:
        >>> literal("it's")
        "'it''s'"
    """
    return "'" + text.replace("'", "''") + "'"
