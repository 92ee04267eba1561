"""Details of explained plans, at PyFlink's path, refused when they are used."""

from __future__ import annotations

from typing import Final

from kafkastream.model.common.stand_ins import StandIn

__all__ = [
    "ExplainDetail",
]

_INSTEAD: Final = "Leave it out: explain_sql shows the plan."


class ExplainDetail(StandIn, instead=_INSTEAD):
    """What else an explained plan shows."""
