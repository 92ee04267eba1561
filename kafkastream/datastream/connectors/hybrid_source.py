"""Hybrid source, at PyFlink's path: importable, and refused when it is used."""

from __future__ import annotations

from typing import Final

from kafkastream.model.common.stand_ins import StandIn

__all__ = [
    "HybridSource",
    "HybridSourceBuilder",
]

_INSTEAD: Final = "Copy the history into the topic first, or run a job for each source."


class HybridSource(StandIn, instead=_INSTEAD):
    """Source that reads several sources one after another."""


class HybridSourceBuilder(StandIn, instead=_INSTEAD):
    """Builder of a ``HybridSource``."""
