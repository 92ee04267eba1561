"""Names and texts as they stand in SQL."""

from __future__ import annotations

__all__ = ["literal", "quoted"]


def quoted(*path: str) -> str:
    """A name in its parts, in Flink's SQL as in Spark's.

    Example:
        >>> quoted("shop", "my`table")
        '`shop`.`my``table`'
    """
    return ".".join("`" + part.replace("`", "``") + "`" for part in path)


def literal(text: str) -> str:
    """A text.

    Example:
        >>> literal("it's")
        "'it''s'"
    """
    return "'" + text.replace("'", "''") + "'"
