"""Text of a query that grows with each operation on a table."""

from __future__ import annotations

from typing import final

import attrs

from kafkastream.sql.quoting import quoted

__all__ = ["SelectText"]


@final
@attrs.frozen
class SelectText:
    """A SELECT.

    Args:
        source: Text after FROM.
        items: Columns with their names; empty for all.
        where: Conditions that must all hold.
        group: Keys of groups.
        is_distinct: Whether equal rows are kept once.
        order: Keys of the order.
        offset: Number of rows that are left out; None for none.
        fetch: Number of rows that are kept; None for all.
        whole: Text of a set operation, instead of all others.

    Example:
        >>> SelectText("`t`", where=("`a` > 1", "`b` < 2"), fetch=3).text
        'SELECT * FROM `t` WHERE `a` > 1 AND `b` < 2 LIMIT 3'
    """

    source: str = ""
    items: tuple[str, ...] = ()
    where: tuple[str, ...] = ()
    group: tuple[str, ...] = ()
    is_distinct: bool = False
    order: tuple[str, ...] = ()
    offset: int | None = None
    fetch: int | None = None
    whole: str = ""

    @staticmethod
    def of(name: str) -> SelectText:
        """Return the query of all rows of a table or view."""
        return SelectText(quoted(name))

    @property
    def is_open(self) -> bool:
        """True if conditions and columns can be added: only FROM and WHERE are given."""
        return self == SelectText(self.source, where=self.where)

    @property
    def is_source(self) -> bool:
        """True if only FROM is given."""
        return self == SelectText(self.source)

    @property
    def has_end(self) -> bool:
        """True if ORDER BY, OFFSET or LIMIT is given, or a set operation."""
        return bool(self.order or self.whole) or self.offset is not None or self.fetch is not None

    @property
    def text(self) -> str:
        """Return the SQL."""
        if self.whole:
            return self.whole
        clauses = [
            f"SELECT {'DISTINCT ' if self.is_distinct else ''}{', '.join(self.items) or '*'}",
            f"FROM {self.source}",
            f"WHERE {' AND '.join(self.where)}" if self.where else "",
            f"GROUP BY {', '.join(self.group)}" if self.group else "",
            f"ORDER BY {', '.join(self.order)}" if self.order else "",
            "" if self.fetch is None else f"LIMIT {self.fetch}",
            f"OFFSET {self.offset}" if self.offset else "",
        ]
        return " ".join(filter(None, clauses))
