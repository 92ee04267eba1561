"""``SqlDialect``, at PyFlink's path: importable, and refused when it is used."""

from __future__ import annotations

from typing import Final

from kafkastream.model.common.stand_ins import StandIn

__all__ = [
    "SqlDialect",
]

_INSTEAD: Final = "Leave it out: statements are Flink SQL."


class SqlDialect(StandIn, instead=_INSTEAD):
    """Dialect of SQL statements."""
