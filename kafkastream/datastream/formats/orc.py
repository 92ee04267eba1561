"""ORC writers, at PyFlink's path; not supported."""

from __future__ import annotations

from kafkastream.model.common.stand_ins import FILES, StandIn
from kafkastream.model.job.configuration import Configuration

__all__ = [
    "Configuration",
    "OrcBulkWriters",
]


class OrcBulkWriters(StandIn, instead=FILES):
    """Writers of ORC files."""
