"""ORC files, at PyFlink's path."""

from __future__ import annotations

from kafkastream.spec.configuration import Configuration
from kafkastream.spec.stand_in import FILES, StandIn

__all__ = [
    "Configuration",
    "OrcBulkWriters",
]


class OrcBulkWriters(StandIn, instead=FILES):
    """Write ORC files."""
