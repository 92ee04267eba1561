"""PyFlink's ``pyflink.common.time``."""

from __future__ import annotations

from kafkastream.spec.time import Duration, Instant, Time

__all__ = ["Duration", "Instant", "Time"]
