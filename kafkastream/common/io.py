"""Input formats of Flink 1.x, at PyFlink's path: importable, and refused when they are used."""

from __future__ import annotations

from kafkastream.model.common.stand_ins import FILES, StandIn

__all__ = [
    "InputFormat",
]


class InputFormat(StandIn, instead=FILES):
    """Input format of files."""
