"""Windows of the Table API, at PyFlink's path, which are refused when they are used."""

from __future__ import annotations

from typing import Final

from kafkastream.model.common.stand_ins import StandIn
from kafkastream.table.expression import Expression

__all__ = [
    "Expression",
    "GroupWindow",
    "Over",
    "OverWindow",
    "OverWindowPartitioned",
    "OverWindowPartitionedOrdered",
    "OverWindowPartitionedOrderedPreceding",
    "Session",
    "SessionWithGap",
    "SessionWithGapOnTime",
    "Slide",
    "SlideWithSize",
    "SlideWithSizeAndSlide",
    "SlideWithSizeAndSlideOnTime",
    "Tumble",
    "TumbleWithSize",
    "TumbleWithSizeOnTime",
]

_INSTEAD: Final = "Write the query in SQL, with TUMBLE, HOP, CUMULATE or SESSION in FROM."


class GroupWindow(StandIn, instead=_INSTEAD):
    """A window: group window."""


class Over(StandIn, instead=_INSTEAD):
    """A window: over."""


class OverWindow(StandIn, instead=_INSTEAD):
    """A window: over window."""


class OverWindowPartitioned(StandIn, instead=_INSTEAD):
    """A window: over window partitioned."""


class OverWindowPartitionedOrdered(StandIn, instead=_INSTEAD):
    """A window: over window partitioned ordered."""


class OverWindowPartitionedOrderedPreceding(StandIn, instead=_INSTEAD):
    """A window: over window partitioned ordered preceding."""


class Session(StandIn, instead=_INSTEAD):
    """A window: session."""


class SessionWithGap(StandIn, instead=_INSTEAD):
    """A window: session with gap."""


class SessionWithGapOnTime(StandIn, instead=_INSTEAD):
    """A window: session with gap on time."""


class Slide(StandIn, instead=_INSTEAD):
    """A window: slide."""


class SlideWithSize(StandIn, instead=_INSTEAD):
    """A window: slide with size."""


class SlideWithSizeAndSlide(StandIn, instead=_INSTEAD):
    """A window: slide with size and slide."""


class SlideWithSizeAndSlideOnTime(StandIn, instead=_INSTEAD):
    """A window: slide with size and slide on time."""


class Tumble(StandIn, instead=_INSTEAD):
    """A window: tumble."""


class TumbleWithSize(StandIn, instead=_INSTEAD):
    """A window: tumble with size."""


class TumbleWithSizeOnTime(StandIn, instead=_INSTEAD):
    """A window: tumble with size on time."""
