"""Side outputs, at PyFlink's path."""

from __future__ import annotations

from kafkastream.spec.output_tag import OutputTag
from kafkastream.spec.types import TypeInformation, Types

__all__ = [
    "OutputTag",
    "TypeInformation",
    "Types",
]
