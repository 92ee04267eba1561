"""Windows of the Table API, at PyFlink's path: importable, and refused when they are used."""

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
    """Window to group by."""


class Over(StandIn, instead=_INSTEAD):
    """Factory of over windows."""


class OverWindow(StandIn, instead=_INSTEAD):
    """Over window."""


class OverWindowPartitioned(StandIn, instead=_INSTEAD):
    """Over window with a partition."""


class OverWindowPartitionedOrdered(StandIn, instead=_INSTEAD):
    """Over window with a partition and an order."""


class OverWindowPartitionedOrderedPreceding(StandIn, instead=_INSTEAD):
    """Over window with a partition, an order and a lower bound."""


class Session(StandIn, instead=_INSTEAD):
    """Factory of session windows."""


class SessionWithGap(StandIn, instead=_INSTEAD):
    """Session window with a gap."""


class SessionWithGapOnTime(StandIn, instead=_INSTEAD):
    """Session window with a gap and a time attribute."""


class Slide(StandIn, instead=_INSTEAD):
    """Factory of sliding windows."""


class SlideWithSize(StandIn, instead=_INSTEAD):
    """Sliding window with a size."""


class SlideWithSizeAndSlide(StandIn, instead=_INSTEAD):
    """Sliding window with a size and a slide."""


class SlideWithSizeAndSlideOnTime(StandIn, instead=_INSTEAD):
    """Sliding window with a size, a slide and a time attribute."""


class Tumble(StandIn, instead=_INSTEAD):
    """Factory of tumbling windows."""


class TumbleWithSize(StandIn, instead=_INSTEAD):
    """Tumbling window with a size."""


class TumbleWithSizeOnTime(StandIn, instead=_INSTEAD):
    """Tumbling window with a size and a time attribute."""
