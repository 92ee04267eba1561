"""References to compiled plans, at PyFlink's path: importable, and refused when they are used."""

from __future__ import annotations

from typing import Final

from kafkastream.model.common.stand_ins import StandIn

__all__ = [
    "BytesContentPlanReference",
    "FilePlanReference",
    "JsonContentPlanReference",
    "PlanReference",
]

_INSTEAD: Final = "Keep the statement, and execute it again."


class PlanReference(StandIn, instead=_INSTEAD):
    """Reference to a compiled plan."""


class FilePlanReference(StandIn, instead=_INSTEAD):
    """Compiled plan in a file."""


class JsonContentPlanReference(StandIn, instead=_INSTEAD):
    """Compiled plan as JSON."""


class BytesContentPlanReference(StandIn, instead=_INSTEAD):
    """Compiled plan as bytes."""
