"""``OutputTag`` of side outputs, at PyFlink's path."""

from __future__ import annotations

from kafkastream.model.common.output_tag import OutputTag
from kafkastream.model.common.types import TypeInformation, Types

__all__ = [
    "OutputTag",
    "TypeInformation",
    "Types",
]
