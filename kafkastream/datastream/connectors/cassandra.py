"""Cassandra connector, at PyFlink's path: importable, and refused when it is used."""

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

_INSTEAD: Final = "Write to a topic, and copy it to Cassandra with Kafka Connect's Cassandra sink or a Spark query."


class CassandraSink(StandIn, instead=_INSTEAD):
    """Sink to Cassandra."""


class ClusterBuilder(StandIn, instead=_INSTEAD):
    """Connection settings of Cassandra."""


class ConsistencyLevel(StandIn, instead=_INSTEAD):
    """Number of replicas that have to answer."""


class MapperOptions(StandIn, instead=_INSTEAD):
    """Options of the object mapper."""


class CassandraCommitter(StandIn, instead=_INSTEAD):
    """Progress of the write-ahead log."""


class CassandraFailureHandler(StandIn, instead=_INSTEAD):
    """Handler of failed requests."""
