"""What an interval join is: a value."""

from __future__ import annotations

from typing import Any, final

import attrs

from kafkastream.errors import DefinitionError
from kafkastream.model.common.output_tag import OutputTag
from kafkastream.model.functions.join_functions import ProcessJoinFunction
from kafkastream.model.functions.keyed_operation import KeyedOperation

__all__ = ["IntervalJoin"]


@final
@attrs.frozen(kw_only=True)
class IntervalJoin(KeyedOperation):
    """Pairs of elements of one key, where right is from ``lower`` to ``upper`` ms after left.

    Args:
        lower: The least difference, itself included; may be negative.
        upper: The greatest difference, itself included.
        function: Makes something of a pair.
        late_left: Where late elements of the first stream go; None for nowhere.
        late_right: Where late elements of the second stream go; None for nowhere.
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
