"""``InputDependencyConstraint``, at PyFlink's path."""

from __future__ import annotations

import enum

__all__ = [
    "InputDependencyConstraint",
]


class InputDependencyConstraint(enum.Enum):
    """Inputs that have to be ready before Flink schedules a task; without effect."""

    ANY = 0
    ALL = 1
