"""PyFlink's ``pyflink.common.time``."""

from __future__ import annotations

from kafkastream.model.common.time import Duration, Instant, Time

__all__ = ["Duration", "Instant", "Time"]
