"""Cassandra, at PyFlink's path: its classes can be imported, and are refused when they are used."""

from __future__ import annotations

from typing import Final

from kafkastream.model.common.stand_ins import StandIn
from kafkastream.model.common.time import Duration

__all__ = [
    "CassandraCommitter",
    "CassandraFailureHandler",
    "CassandraSink",
    "ClusterBuilder",
    "ConsistencyLevel",
    "Duration",
    "MapperOptions",
]

_INSTEAD: Final = "Write to a topic, and let Kafka Connect's Cassandra sink, or a query of Spark's, take it from there."


class CassandraSink(StandIn, instead=_INSTEAD):
    """Writes to Cassandra."""


class ClusterBuilder(StandIn, instead=_INSTEAD):
    """Says how to connect to Cassandra."""


class ConsistencyLevel(StandIn, instead=_INSTEAD):
    """Says how many replicas answer."""


class MapperOptions(StandIn, instead=_INSTEAD):
    """Sets up the mapper of objects."""


class CassandraCommitter(StandIn, instead=_INSTEAD):
    """Keeps the progress of the write-ahead log."""


class CassandraFailureHandler(StandIn, instead=_INSTEAD):
    """Decides what becomes of failures."""
