"""Reasons for which a record gives no changes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import final

from kafkastream.cdc.tables import TableId, TableSchema

__all__ = ["MalformedRecordError", "MisfitError", "SchemaMismatchError"]


@final
class MalformedRecordError(Exception):
    """A record that cannot be read; the engine adds where it stands, and skips it or fails.

    Args:
        reason: The reason in plain words.
    """

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason


@final
class MisfitError(ValueError):
    """A value that its column's type does not hold, or a member of a row without a column."""


@final
class SchemaMismatchError(Exception):
    """A record whose rows need other schemas than those that are known: to be merged, then the record is read again.

    Args:
        found: Schemas that the record's rows show, by table; merging them changes the known ones.
        reason: The first thing that did not fit.
    """

    def __init__(self, found: Sequence[tuple[TableId, TableSchema]], reason: str) -> None:
        super().__init__(tuple(found), reason)
        self.found = tuple(found)
        self.reason = reason

    def __str__(self) -> str:
        return self.reason
