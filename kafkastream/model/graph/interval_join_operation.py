"""Definition of an interval join."""

from __future__ import annotations

from typing import Any, final

import attrs

from kafkastream.errors import DefinitionError
from kafkastream.model.common.output_tag import OutputTag
from kafkastream.model.functions.join_functions import ProcessJoinFunction
from kafkastream.model.functions.keyed_operation import KeyedOperation

__all__ = ["IntervalJoinOperation"]


@final
@attrs.frozen(kw_only=True)
class IntervalJoinOperation(KeyedOperation):
    """Interval join: pairs of elements of one key, where right is from ``lower`` to ``upper`` ms after left.

    Args:
        lower: Least difference in ms, inclusive; may be negative.
        upper: Greatest difference in ms, inclusive.
        function: Called for each pair.
        late_left: Side output of late elements of the first stream; None drops them.
        late_right: Side output of late elements of the second stream; None drops them.
    """

    lower: int
    upper: int
    function: ProcessJoinFunction[Any, Any, Any]
    late_left: OutputTag[Any] | None = None
    late_right: OutputTag[Any] | None = None

    def __attrs_post_init__(self) -> None:
        if self.lower > self.upper:
            raise DefinitionError(
                f"lowerBound <= upperBound must be fulfilled, not {self.lower} ms and {self.upper} ms", where="between"
            )
