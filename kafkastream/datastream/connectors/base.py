"""Base classes of sources and sinks, and ``DeliveryGuarantee``, at PyFlink's path."""

from __future__ import annotations

from kafkastream.model.common.endpoints import Sink, Source
from kafkastream.model.common.stand_ins import MACHINERY, StandIn
from kafkastream.model.connectors.kafka_sink import DeliveryGuarantee

__all__ = [
    "DeliveryGuarantee",
    "Sink",
    "Source",
    "StreamTransformer",
    "SupportsPreprocessing",
]


class StreamTransformer(StandIn, instead=MACHINERY):
    """Transformation of a stream before a sink."""


class SupportsPreprocessing(StandIn, instead=MACHINERY):
    """Sink that transforms its stream first."""
