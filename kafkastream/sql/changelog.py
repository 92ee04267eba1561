"""Changelog mode of a table or a query: what its rows do to those before them."""

from __future__ import annotations

import enum

from kafkastream.model.common.row import RowKind

__all__ = ["ChangelogMode"]


class ChangelogMode(enum.Enum):
    """Changelog mode, the kinds of rows: those that a source or a query gives, or the most that a sink takes.

    Flink has a class of this name with any set of kinds; these three are those that formats and connectors have, and
    that PyFlink makes.

    Example:
        >>> ChangelogMode.APPEND.is_insert_only, str(ChangelogMode.RETRACT)
        (True, '[INSERT, UPDATE_BEFORE, UPDATE_AFTER, DELETE]')
    """

    APPEND = "append"
    """Every row is a new one."""
    UPSERT = "upsert"
    """A row is the latest of its key, or says that there is none any more; the old one is not told."""
    RETRACT = "retract"
    """Each change is told with the row as it was before and as it is now."""

    @staticmethod
    def insert_only() -> ChangelogMode:
        """Return the mode in which every row is a new one."""
        return ChangelogMode.APPEND

    insertOnly = insert_only

    @staticmethod
    def upsert() -> ChangelogMode:
        """Return the mode in which a row replaces the one of its key, which is not told."""
        return ChangelogMode.UPSERT

    @staticmethod
    def all() -> ChangelogMode:
        """Return the mode in which each change is told with the row as it was before."""
        return ChangelogMode.RETRACT

    @property
    def kinds(self) -> frozenset[RowKind]:
        """The kinds of rows."""
        return _KINDS[self]

    @property
    def is_insert_only(self) -> bool:
        """Whether nothing changes or goes away."""
        return self is ChangelogMode.APPEND

    def __str__(self) -> str:
        return f"[{', '.join(kind.name for kind in RowKind if kind in self.kinds)}]"


_KINDS = {
    ChangelogMode.APPEND: frozenset({RowKind.INSERT}),
    ChangelogMode.UPSERT: frozenset({RowKind.INSERT, RowKind.UPDATE_AFTER, RowKind.DELETE}),
    ChangelogMode.RETRACT: frozenset(RowKind),
}
