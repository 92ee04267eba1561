"""``ResultKind``, at PyFlink's path."""

from __future__ import annotations

from kafkastream.table.table_result import ResultKind

__all__ = [
    "ResultKind",
]
