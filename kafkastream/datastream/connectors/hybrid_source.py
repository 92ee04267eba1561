"""One source after the other, at PyFlink's path: its classes can be imported, and are refused when they are used."""

from __future__ import annotations

from typing import Final

from kafkastream.model.common.stand_ins import StandIn

__all__ = [
    "HybridSource",
    "HybridSourceBuilder",
]

_INSTEAD: Final = "Read the history into the topic first, or run one job per source."


class HybridSource(StandIn, instead=_INSTEAD):
    """Reads several sources, one after the other."""


class HybridSourceBuilder(StandIn, instead=_INSTEAD):
    """Builds a ``HybridSource``."""
