"""PyFlink's ``pyflink.common.types``."""

from __future__ import annotations

from kafkastream.spec.row import Row, RowKind

__all__ = ["Row", "RowKind"]
