"""References to compiled plans, at PyFlink's path, refused when they are used."""

from __future__ import annotations

from typing import Final

from kafkastream.model.common.stand_ins import StandIn

__all__ = [
    "BytesContentPlanReference",
    "FilePlanReference",
    "JsonContentPlanReference",
    "PlanReference",
]

_INSTEAD: Final = "Keep the statement, and run it again."


class PlanReference(StandIn, instead=_INSTEAD):
    """Where a compiled plan is."""


class FilePlanReference(StandIn, instead=_INSTEAD):
    """A file with a compiled plan."""


class JsonContentPlanReference(StandIn, instead=_INSTEAD):
    """A compiled plan as JSON."""


class BytesContentPlanReference(StandIn, instead=_INSTEAD):
    """A compiled plan as bytes."""
