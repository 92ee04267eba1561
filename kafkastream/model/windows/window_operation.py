"""What a windowed stream does: a value that its methods put together."""

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
    """Windows, when they fire, and what becomes of their elements.

    Args:
        assigner: Puts elements into windows.
        trigger: Fires them.
        evictor: Removes elements when they fire; None for none.
        allowed_lateness: For how long after its end a window takes elements, in ms.
        late: Where those go that come later still; None for nowhere.
        combine: Makes one of all elements as they come; None keeps them all.
        function: Makes something of them when the window fires; None lets what was combined out.
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
        """What the operator is called when the user does not name it."""
        return type(self.assigner).__name__

    @property
    def functions(self) -> tuple[Function, ...]:
        """The user's functions."""
        return tuple(one for one in (self.combine, self.function) if one is not None)
