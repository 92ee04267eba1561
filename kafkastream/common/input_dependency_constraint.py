"""When Flink schedules a task, at PyFlink's path."""

from __future__ import annotations

import enum

__all__ = [
    "InputDependencyConstraint",
]


class InputDependencyConstraint(enum.Enum):
    """Which inputs of a task have to be there; has no effect."""

    ANY = 0
    ALL = 1
