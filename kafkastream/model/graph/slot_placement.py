"""Hints of a program about the Flink task that an operator runs in."""

from __future__ import annotations

import enum
from typing import final

import attrs

__all__ = ["ChainingStrategy", "Placement"]


class ChainingStrategy(enum.Enum):
    """Permission to chain an operator to its neighbours."""

    ALWAYS = "always"
    HEAD = "not with the operator before"
    NEVER = "never"


@final
@attrs.frozen
class Placement:
    """Placement of an operator in Flink; here it only decides between which operators elements are serialized.

    Attributes:
        strategy: Whether the operator may be chained to its neighbours.
        slot_sharing_group: Slot sharing group, as set by the program.
        max_parallelism: Maximum parallelism, as set by the program.
        is_redistributed: Whether ``rebalance`` or a similar call follows the operator.
    """

    strategy: ChainingStrategy = ChainingStrategy.ALWAYS
    slot_sharing_group: str | None = None
    max_parallelism: int | None = None
    is_redistributed: bool = False
