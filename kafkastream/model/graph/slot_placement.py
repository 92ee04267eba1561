"""What a program says of the task that an operator runs in, in Flink."""

from __future__ import annotations

import enum
from typing import final

import attrs

__all__ = ["ChainingStrategy", "Placement"]


class ChainingStrategy(enum.Enum):
    """Whether an operator may share a task with its neighbours."""

    ALWAYS = "always"
    HEAD = "not with the operator before"
    NEVER = "never"


@final
@attrs.frozen
class Placement:
    """Where Flink would run an operator; here it only decides between which operators elements are serialized.

    Attributes:
        strategy: Whether the operator may share a task with its neighbours.
        slot_sharing_group: The group that it was put into.
        max_parallelism: The maximum parallelism that it was given.
        is_redistributed: Whether ``rebalance`` or its like stands behind it.
    """

    strategy: ChainingStrategy = ChainingStrategy.ALWAYS
    slot_sharing_group: str | None = None
    max_parallelism: int | None = None
    is_redistributed: bool = False
