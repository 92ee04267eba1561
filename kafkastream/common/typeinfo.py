"""PyFlink's ``pyflink.common.typeinfo``."""

from __future__ import annotations

from kafkastream.spec.types import RowTypeInfo, TypeInformation, Types

__all__ = ["RowTypeInfo", "TypeInformation", "Types"]
