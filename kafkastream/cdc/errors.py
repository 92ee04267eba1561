"""Reasons why a record gives no changes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import final

from kafkastream.cdc.tables import TableId, TableSchema

__all__ = ["MalformedRecordError", "MisfitError", "SchemaMismatchError"]


@final
class MalformedRecordError(Exception):
    """Record that cannot be parsed; the engine adds its position, and skips it or fails the job.

    Args:
        reason: Reason in plain words.
    """

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason


@final
class MisfitError(ValueError):
    """Value that its column's type cannot hold, or member of a row without a column."""


@final
class SchemaMismatchError(Exception):
    """Record whose rows need wider schemas than the known ones; merge them, then read the record again.

    Args:
        found: Schemas inferred from the record's rows, by table.
        reason: First mismatch.
    """

    def __init__(self, found: Sequence[tuple[TableId, TableSchema]], reason: str) -> None:
        super().__init__(tuple(found), reason)
        self.found = tuple(found)
        self.reason = reason

    def __str__(self) -> str:
        return self.reason
