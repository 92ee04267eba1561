"""Source of a sequence of whole numbers, at PyFlink's path."""

from __future__ import annotations

from kafkastream.model.connectors.number_sequence import NumberSequenceSource

__all__ = [
    "NumberSequenceSource",
]
