"""Serializers of PyFlink's Python workers, at PyFlink's path: importable, and refused when they are used."""

from __future__ import annotations

from kafkastream.model.common.stand_ins import MACHINERY, StandIn

__all__ = ["ArrowSerializer"]


class ArrowSerializer(StandIn, instead=MACHINERY):
    """Serializer of Arrow batches."""
