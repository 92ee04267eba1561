"""``ExplainDetail``, at PyFlink's path: importable, and refused when it is used."""

from __future__ import annotations

from typing import Final

from kafkastream.model.common.stand_ins import StandIn

__all__ = [
    "ExplainDetail",
]

_INSTEAD: Final = "Leave it out: explain_sql shows the plan."


class ExplainDetail(StandIn, instead=_INSTEAD):
    """Detail that an explained plan may include."""
