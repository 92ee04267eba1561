"""Dialects of SQL, at PyFlink's path, refused when they are used."""

from __future__ import annotations

from typing import Final

from kafkastream.model.common.stand_ins import StandIn

__all__ = [
    "SqlDialect",
]

_INSTEAD: Final = "Leave it out: statements are Flink SQL."


class SqlDialect(StandIn, instead=_INSTEAD):
    """Which SQL statements are written in."""
