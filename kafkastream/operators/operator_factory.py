"""Factory of operators: binds the methods of a node's user function to the inputs and timers of an operator."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any, Final, NoReturn, final

from kafkastream.errors import DefinitionError
from kafkastream.model.common.stream_functions import (
    FilterFunction,
    FlatMapFunction,
    MapFunction,
    ReduceFunction,
    WrappingFunction,
    method_of,
)
from kafkastream.model.functions.co_functions import (
    BroadcastProcessFunction,
    BroadcastStates,
    CoProcessFunction,
    KeyedBroadcastProcessFunction,
    KeyedCoProcessFunction,
)
from kafkastream.model.functions.keyed_state import ReducingState
from kafkastream.model.functions.process_functions import KeyedProcessFunction, TimeDomain
from kafkastream.model.graph.interval_join_operation import IntervalJoinOperation
from kafkastream.model.graph.job_graph import KeyedNode, OperatorKind
from kafkastream.model.windows.window_operation import WindowOperation
from kafkastream.operators.state.keyed_context import KeyedContext
from kafkastream.operators.stream.batch_execution import BatchOperator
from kafkastream.operators.stream.keyed_operators import KeyedOperator, KeyedProcessOperator, Side
from kafkastream.operators.stream.stream_interval_join import IntervalJoinOperator
from kafkastream.operators.stream.window_operator import WindowOperator
from kafkastream.operators.table.table_operator_factory import table_operator
from kafkastream.sql.plan.operations import TableOperation

__all__ = ["create_operator"]

_REDUCED: Final = "_reduced"


def create_operator(node: KeyedNode) -> KeyedOperator:
    """Return the operator of a keyed node, for one subtask."""
    operator = _streaming_operator(node)
    if not node.in_batch:
        return operator
    broadcast = frozenset(side for side, input_ in enumerate(node.keyed) if input_.is_broadcast)
    return BatchOperator(operator, broadcast, only_last=node.kind is OperatorKind.REDUCE)


def _streaming_operator(node: KeyedNode) -> KeyedOperator:
    if isinstance(node.function, WindowOperation):
        return WindowOperator(node.function)
    if isinstance(node.function, IntervalJoinOperation):
        return IntervalJoinOperator(node.function)
    if isinstance(node.function, TableOperation):
        return table_operator(node.function)
    return _OPERATORS[node.kind](KeyedContext(), node.function, node)


def _process_operator(keyed_context: KeyedContext, function: KeyedProcessFunction[Any, Any, Any]) -> KeyedOperator:
    on_timer = Side(function.on_timer, KeyedProcessFunction.OnTimerContext(keyed_context, keyed_context))
    process = Side(function.process_element, KeyedProcessFunction.Context(keyed_context, keyed_context))
    return KeyedProcessOperator(keyed_context, function, [process], on_timer)


def _reduce_operator(keyed_context: KeyedContext, function: ReduceFunction[Any]) -> KeyedOperator:
    return _process_operator(keyed_context, _RollingReduce(keyed_context, function))


def _single_input_operator(
    keyed_context: KeyedContext,
    function: Any,
    call: Callable[[Any], Any],
    results: Callable[[Any, Any], Iterable[Any] | None],
) -> KeyedOperator:
    """Return an operator for a function without access to time or key; a rich function has keyed state."""
    side = Side(
        lambda value, _: results(call(value), value), KeyedProcessFunction.Context(keyed_context, keyed_context)
    )
    return KeyedProcessOperator(keyed_context, WrappingFunction(function), [side])


def _as_flat_map(call: Callable[[Any], Any]) -> Callable[[Any, Any], Iterable[Any]]:
    """Return a method of a ``CoMapFunction`` as a flat map: None emits nothing, as in PyFlink, unlike ``MapFunction``."""

    def flat_map(value: Any, _: Any) -> Iterable[Any]:
        result = call(value)
        return () if result is None else (result,)

    return flat_map


def _two_input_operator(
    keyed_context: KeyedContext, function: Any, node: KeyedNode, as_call: Callable[[Any], Any], first: str, second: str
) -> KeyedOperator:
    """Return an operator for a function with two inputs."""
    calls = [as_call(getattr(function, name)) for name in (first, second)]
    if not node.has_keys:
        unkeyed = CoProcessFunction.Context(_NoTimers(keyed_context))
        return KeyedProcessOperator(keyed_context, function, [Side(call, unkeyed, has_key=False) for call in calls])
    keyed = KeyedCoProcessFunction.Context(keyed_context, keyed_context)
    on_timer = None
    if isinstance(function, KeyedCoProcessFunction):
        on_timer = Side(function.on_timer, KeyedCoProcessFunction.OnTimerContext(keyed_context, keyed_context))
    return KeyedProcessOperator(keyed_context, function, [Side(call, keyed) for call in calls], on_timer)


def _broadcast_operator(keyed_context: KeyedContext, function: Any, node: KeyedNode) -> KeyedOperator:
    """Return an operator for a function on a stream and a broadcast stream."""
    states = BroadcastStates(keyed_context, frozenset(descriptor.name for descriptor in node.broadcast))
    if isinstance(function, KeyedBroadcastProcessFunction):
        read_context: Any = KeyedBroadcastProcessFunction.ReadOnlyContext(keyed_context, states, keyed_context)
        write_context: Any = KeyedBroadcastProcessFunction.Context(_NoTimers(keyed_context), states)
        timers = KeyedBroadcastProcessFunction.OnTimerContext(keyed_context, states, keyed_context)
        on_timer = Side(function.on_timer, timers)
    else:
        read_context = BroadcastProcessFunction.ReadOnlyContext(_NoTimers(keyed_context), states)
        write_context = BroadcastProcessFunction.Context(_NoTimers(keyed_context), states)
        on_timer = None
    sides = [
        Side(function.process_element, read_context, has_key=node.has_keys),
        Side(function.process_broadcast_element, write_context, has_key=False),
    ]
    return KeyedProcessOperator(keyed_context, function, sides, on_timer)


@final
class _NoTimers:
    """Timer access of functions without a current key, which cannot register timers."""

    def __init__(self, keyed_context: KeyedContext) -> None:
        self._keyed_context = keyed_context

    @property
    def watermark(self) -> int:
        return self._keyed_context.watermark

    def register(self, domain: TimeDomain, timestamp: int) -> NoReturn:
        raise DefinitionError("Setting timers is only supported on a keyed stream.", now="Use key_by before.")

    delete = register


@final
class _RollingReduce(WrappingFunction, KeyedProcessFunction[Any, Any, Any]):
    """Rolling reduction of each key: emits a result for each element."""

    def __init__(self, keyed_context: KeyedContext, function: ReduceFunction[Any]) -> None:
        super().__init__(function)
        self._state = ReducingState(keyed_context.own_cell(_REDUCED), function)

    def process_element(self, value: Any, ctx: KeyedProcessFunction.Context) -> Iterable[Any]:
        self._state.add(value)
        return (self._state.get(),)


_OPERATORS: Mapping[OperatorKind, Callable[[KeyedContext, Any, KeyedNode], KeyedOperator]] = {
    OperatorKind.KEYED_PROCESS: lambda keyed_context, function, _: _process_operator(keyed_context, function),
    OperatorKind.REDUCE: lambda _, function, __: _reduce_operator(KeyedContext(own=(_REDUCED,)), function),
    OperatorKind.MAP: lambda keyed_context, function, _: _single_input_operator(
        keyed_context, function, method_of(function, MapFunction, "map"), lambda result, _: (result,)
    ),
    OperatorKind.FLAT_MAP: lambda keyed_context, function, _: _single_input_operator(
        keyed_context, function, method_of(function, FlatMapFunction, "flat_map"), lambda results, _: results
    ),
    OperatorKind.FILTER: lambda keyed_context, function, _: _single_input_operator(
        keyed_context,
        function,
        method_of(function, FilterFunction, "filter"),
        lambda is_kept, value: (value,) if is_kept else (),
    ),
    OperatorKind.CO_MAP: lambda keyed_context, function, node: _two_input_operator(
        keyed_context, function, node, _as_flat_map, "map1", "map2"
    ),
    OperatorKind.CO_FLAT_MAP: lambda keyed_context, function, node: _two_input_operator(
        keyed_context, function, node, lambda call: lambda value, _: call(value), "flat_map1", "flat_map2"
    ),
    OperatorKind.CO_PROCESS: lambda keyed_context, function, node: _two_input_operator(
        keyed_context, function, node, lambda call: call, "process_element1", "process_element2"
    ),
    OperatorKind.BROADCAST_PROCESS: _broadcast_operator,
}
