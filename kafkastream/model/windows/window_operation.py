"""Definition of a window operator, as the methods of a windowed stream put it together."""

from __future__ import annotations

from typing import Any, final

import attrs

from kafkastream.errors import DefinitionError, UnsupportedFeatureError
from kafkastream.model.common.output_tag import OutputTag
from kafkastream.model.common.stream_functions import AggregateFunction, Function, ReduceFunction
from kafkastream.model.functions.keyed_operation import KeyedOperation
from kafkastream.model.windows.evictor_interface import Evictor
from kafkastream.model.windows.trigger_interface import Trigger
from kafkastream.model.windows.windows import MergingWindowAssigner, WindowAssigner

__all__ = ["WindowOperation"]


@final
@attrs.frozen(kw_only=True)
class WindowOperation(KeyedOperation):
    """Window operator: assigner, trigger, evictor, lateness and functions.

    Args:
        assigner: Assigns elements to windows.
        trigger: Decides when a window fires.
        evictor: Removes elements when a window fires; None for no evictor.
        allowed_lateness: Time after its end, in ms, for which a window still takes elements.
        late: Side output of elements that come later still; None drops them.
        combine: Aggregates elements as they come; None keeps them all.
        function: Called with the elements, or the aggregate, when the window fires; None emits the aggregate.
    """

    assigner: WindowAssigner[Any, Any]
    trigger: Trigger[Any, Any] = attrs.field()
    evictor: Evictor[Any, Any] | None = None
    allowed_lateness: int = 0
    late: OutputTag[Any] | None = None
    combine: ReduceFunction[Any] | AggregateFunction[Any, Any, Any] | None = None
    function: Function | None = None

    @trigger.default
    def _default_trigger(self) -> Trigger[Any, Any]:
        return self.assigner.get_default_trigger(None)

    def __attrs_post_init__(self) -> None:
        if self.allowed_lateness < 0:
            raise DefinitionError(f"The allowed lateness cannot be negative: {self.allowed_lateness} ms")
        if isinstance(self.assigner, MergingWindowAssigner) and not self.trigger.can_merge():
            raise UnsupportedFeatureError(
                "A merging window assigner cannot be used with a trigger that does not support merging.",
                where=f"trigger {type(self.trigger).__name__}",
                now="Implement can_merge and on_merge.",
            )

    @property
    def name(self) -> str:
        """Default name of the operator."""
        return type(self.assigner).__name__

    @property
    def functions(self) -> tuple[Function, ...]:
        """Functions of the user."""
        return tuple(one for one in (self.combine, self.function) if one is not None)
