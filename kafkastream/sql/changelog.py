"""Changelog mode of a table or a query: the kinds of its changelog rows."""

from __future__ import annotations

import enum

from kafkastream.model.common.row import RowKind

__all__ = ["ChangelogMode"]


class ChangelogMode(enum.Enum):
    """Changelog mode: the row kinds that a source or query emits, or the most that a sink accepts.

    Flink's class of this name allows any set of kinds; these three are the ones of formats and connectors, and of
    PyFlink.

    Example:
        >>> ChangelogMode.APPEND.is_insert_only, str(ChangelogMode.RETRACT)
        (True, '[INSERT, UPDATE_BEFORE, UPDATE_AFTER, DELETE]')
    """

    APPEND = "append"
    """Insert-only: every row is an INSERT."""
    UPSERT = "upsert"
    """Upsert: a row replaces the one of its key or deletes it, without UPDATE_BEFORE."""
    RETRACT = "retract"
    """Retract: every update is UPDATE_BEFORE and UPDATE_AFTER."""

    @staticmethod
    def insert_only() -> ChangelogMode:
        """Return the insert-only mode."""
        return ChangelogMode.APPEND

    insertOnly = insert_only

    @staticmethod
    def upsert() -> ChangelogMode:
        """Return the upsert mode, without UPDATE_BEFORE."""
        return ChangelogMode.UPSERT

    @staticmethod
    def all() -> ChangelogMode:
        """Return the mode with all row kinds."""
        return ChangelogMode.RETRACT

    @property
    def kinds(self) -> frozenset[RowKind]:
        """Return the row kinds."""
        return _KINDS[self]

    @property
    def is_insert_only(self) -> bool:
        """True if all rows are inserts."""
        return self is ChangelogMode.APPEND

    def __str__(self) -> str:
        return f"[{', '.join(kind.name for kind in RowKind if kind in self.kinds)}]"


_KINDS = {
    ChangelogMode.APPEND: frozenset({RowKind.INSERT}),
    ChangelogMode.UPSERT: frozenset({RowKind.INSERT, RowKind.UPDATE_AFTER, RowKind.DELETE}),
    ChangelogMode.RETRACT: frozenset(RowKind),
}
