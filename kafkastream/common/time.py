"""``Time``, ``Duration`` and ``Instant``, at PyFlink's path."""

from __future__ import annotations

from kafkastream.model.common.time import Duration, Instant, Time

__all__ = ["Duration", "Instant", "Time"]
