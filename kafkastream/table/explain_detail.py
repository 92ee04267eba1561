"""``ExplainDetail``: what an explained plan may include, at PyFlink's path."""

from __future__ import annotations

import enum

__all__ = [
    "ExplainDetail",
]


class ExplainDetail(enum.Enum):
    """Detail of a plan; without effect here: plans have the changelog mode in any case, and no costs."""

    ESTIMATED_COST = 0
    CHANGELOG_MODE = 1
    JSON_EXECUTION_PLAN = 2
    PLAN_ADVICE = 3
