"""A source of whole numbers, one after the other."""

from __future__ import annotations

from typing import final

import attrs

from kafkastream.errors import DefinitionError
from kafkastream.model.common.argument_checks import checked_methods
from kafkastream.model.common.endpoints import Source
from kafkastream.model.common.types import TypeInformation, Types
from kafkastream.model.connectors.kafka_source import Boundedness

__all__ = ["NumberSequenceSource"]

_LONGS = range(-(2**63), 2**63)


@final
@checked_methods
@attrs.frozen
class NumberSequenceSource(Source[int]):
    """All whole numbers from ``start`` to ``end``, both included.

    As in Flink, it is bounded, and is not held in memory as a whole.
    Differs from Flink: one task reads the numbers, in order, as the first subtask.

    Raises:
        DefinitionError: The end is less than the start, or one of them exceeds 64 bits.
    """

    start: int
    end: int

    def __attrs_post_init__(self) -> None:
        if self.start not in _LONGS or self.end not in _LONGS:
            raise DefinitionError(f"a sequence from {self.start} to {self.end} is not one of 64-bit numbers")
        if self.start > self.end:
            raise DefinitionError(
                f"the start of a sequence must not be greater than its end: {self.start}, {self.end}",
                now="Both are included: from 1 to 3 are three numbers.",
            )

    @property
    def elements(self) -> range:
        """The numbers."""
        return range(self.start, self.end + 1)

    def get_boundedness(self) -> Boundedness:
        """Return BOUNDED."""
        return Boundedness.BOUNDED

    getBoundedness = get_boundedness

    def get_produced_type(self) -> TypeInformation[int]:
        """Return ``Types.LONG()``."""
        return Types.LONG()

    getProducedType = get_produced_type
