"""Pulsar, at PyFlink's path: its classes can be imported, and are refused when they are used."""

from __future__ import annotations

from typing import Final

from kafkastream.common.config_options import ConfigOption, ConfigOptions
from kafkastream.model.common.stand_ins import StandIn
from kafkastream.model.common.time import Duration
from kafkastream.model.formats import DeserializationSchema, SerializationSchema

__all__ = [
    "ConfigOption",
    "ConfigOptions",
    "DeserializationSchema",
    "Duration",
    "MessageDelayer",
    "PulsarSink",
    "PulsarSinkBuilder",
    "PulsarSource",
    "PulsarSourceBuilder",
    "RangeGenerator",
    "SerializationSchema",
    "StartCursor",
    "StopCursor",
    "TopicRoutingMode",
]

_INSTEAD: Final = "Only Kafka is read and written: bring the messages into a topic, with Pulsar's Kafka sink (Pulsar IO) or Kafka on Pulsar."


class PulsarSource(StandIn, instead=_INSTEAD):
    """Reads topics of Pulsar."""


class PulsarSourceBuilder(StandIn, instead=_INSTEAD):
    """Builds a ``PulsarSource``."""


class StartCursor(StandIn, instead=_INSTEAD):
    """Says where reading begins."""


class StopCursor(StandIn, instead=_INSTEAD):
    """Says where reading ends."""


class RangeGenerator(StandIn, instead=_INSTEAD):
    """Divides the keys of a topic."""


class PulsarSink(StandIn, instead=_INSTEAD):
    """Writes to topics of Pulsar."""


class PulsarSinkBuilder(StandIn, instead=_INSTEAD):
    """Builds a ``PulsarSink``."""


class MessageDelayer(StandIn, instead=_INSTEAD):
    """Delays messages."""


class TopicRoutingMode(StandIn, instead=_INSTEAD):
    """Chooses the topic of a message."""
