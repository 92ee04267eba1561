"""State views of aggregate functions, at PyFlink's path: importable, and refused when they are used."""

from __future__ import annotations

from typing import Final, TypeVar

from kafkastream.model.common.stand_ins import StandIn

__all__ = [
    "DataView",
    "K",
    "ListView",
    "MapView",
    "T",
    "V",
]

K = TypeVar("K")
T = TypeVar("T")
V = TypeVar("V")

_INSTEAD: Final = "Use a list or a dictionary, or a keyed stream with ListState or MapState."


class DataView(StandIn, instead=_INSTEAD):
    """State of an aggregate function."""


class ListView(StandIn, instead=_INSTEAD):
    """List state of an aggregate function."""


class MapView(StandIn, instead=_INSTEAD):
    """Map state of an aggregate function."""
