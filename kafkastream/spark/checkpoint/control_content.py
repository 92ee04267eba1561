"""Names by which the control stream is known in Spark's log of offsets; imports nothing of Spark."""

from __future__ import annotations

from typing import Final

__all__ = ["CONTROL_NAME", "LAYOUT"]

CONTROL_NAME: Final = "kafkastream_control"
"""Name of the control stream in Spark's log of offsets."""

LAYOUT: Final = "layout of state"
"""A key that every content has and no Kafka offset, whose keys are topic names."""
