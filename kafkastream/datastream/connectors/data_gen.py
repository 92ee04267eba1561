"""Source of generated elements, which Flink has in Java."""

from __future__ import annotations

from kafkastream.model.connectors.data_generator import DataGeneratorSource

__all__ = [
    "DataGeneratorSource",
]
