"""``Row`` and ``RowKind``, at PyFlink's path."""

from __future__ import annotations

from kafkastream.model.common.row import Row, RowKind

__all__ = ["Row", "RowKind"]
