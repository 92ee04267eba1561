"""Pulsar connector, at PyFlink's path: importable, and refused when it is used."""

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

_INSTEAD: Final = (
    "Use Kafka as source or sink, and copy the topic from or to Pulsar with Pulsar IO, or use Kafka on Pulsar."
)


class PulsarSource(StandIn, instead=_INSTEAD):
    """Source of Pulsar topics."""


class PulsarSourceBuilder(StandIn, instead=_INSTEAD):
    """Builder of a ``PulsarSource``."""


class StartCursor(StandIn, instead=_INSTEAD):
    """Starting position."""


class StopCursor(StandIn, instead=_INSTEAD):
    """Stopping position."""


class RangeGenerator(StandIn, instead=_INSTEAD):
    """Division of a topic's key range."""


class PulsarSink(StandIn, instead=_INSTEAD):
    """Sink to Pulsar topics."""


class PulsarSinkBuilder(StandIn, instead=_INSTEAD):
    """Builder of a ``PulsarSink``."""


class MessageDelayer(StandIn, instead=_INSTEAD):
    """Delay of messages."""


class TopicRoutingMode(StandIn, instead=_INSTEAD):
    """Choice of a message's topic."""
