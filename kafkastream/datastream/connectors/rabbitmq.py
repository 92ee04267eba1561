"""RabbitMQ connector, at PyFlink's path: importable, and refused when it is used."""

from __future__ import annotations

from typing import Final

from kafkastream.model.common.endpoints import SinkFunction, SourceFunction
from kafkastream.model.common.stand_ins import StandIn
from kafkastream.model.formats import DeserializationSchema, SerializationSchema

__all__ = [
    "DeserializationSchema",
    "RMQConnectionConfig",
    "RMQSink",
    "RMQSource",
    "SerializationSchema",
    "SinkFunction",
    "SourceFunction",
]

_INSTEAD: Final = "Use Kafka as source or sink, and copy the topic from or to RabbitMQ with Kafka Connect."


class RMQSource(StandIn, instead=_INSTEAD):
    """Source of a RabbitMQ queue."""


class RMQSink(StandIn, instead=_INSTEAD):
    """Sink to a RabbitMQ queue."""


class RMQConnectionConfig(StandIn, instead=_INSTEAD):
    """Connection settings of RabbitMQ."""
