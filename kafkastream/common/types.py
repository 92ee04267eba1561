"""PyFlink's ``pyflink.common.types``."""

from __future__ import annotations

from kafkastream.model.common.row import Row, RowKind

__all__ = ["Row", "RowKind"]
