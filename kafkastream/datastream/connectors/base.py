"""What connectors share, at PyFlink's path."""

from __future__ import annotations

from kafkastream.spec.endpoints import Sink, Source
from kafkastream.spec.sink import DeliveryGuarantee
from kafkastream.spec.stand_in import MACHINERY, StandIn

__all__ = [
    "DeliveryGuarantee",
    "Sink",
    "Source",
    "StreamTransformer",
    "SupportsPreprocessing",
]


class StreamTransformer(StandIn, instead=MACHINERY):
    """Changes a stream before a sink."""


class SupportsPreprocessing(StandIn, instead=MACHINERY):
    """A sink that changes its stream."""
