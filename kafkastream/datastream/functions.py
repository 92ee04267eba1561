"""Functions of the DataStream API, at PyFlink's path; abstract classes to derive from."""

from __future__ import annotations

from typing import TypeVar

from kafkastream.metrics import MetricGroup
from kafkastream.model.common.endpoints import SinkFunction, SourceFunction
from kafkastream.model.common.stand_ins import JAVA, MACHINERY, StandIn
from kafkastream.model.common.stream_functions import (
    AggregateFunction,
    FilterFunction,
    FlatMapFunction,
    Function,
    KeySelector,
    MapFunction,
    NullByteKeySelector,
    ReduceFunction,
)
from kafkastream.model.functions.async_functions import AsyncFunction, AsyncFunctionDescriptor
from kafkastream.model.functions.async_retries import AsyncRetryPredicate, AsyncRetryStrategy
from kafkastream.model.functions.co_functions import (
    BaseBroadcastProcessFunction,
    BroadcastProcessFunction,
    CoFlatMapFunction,
    CoMapFunction,
    CoProcessFunction,
    KeyedBroadcastProcessFunction,
    KeyedCoProcessFunction,
)
from kafkastream.model.functions.join_functions import (
    CoGroupFunction,
    FlatJoinFunction,
    JoinFunction,
    ProcessJoinFunction,
)
from kafkastream.model.functions.process_functions import (
    KeyedProcessFunction,
    ProcessFunction,
    TimeDomain,
    TimerService,
)
from kafkastream.model.functions.runtime_context import RuntimeContext
from kafkastream.model.functions.state_store import KeyedStateStore
from kafkastream.model.windows.window_functions import (
    AllWindowFunction,
    ProcessAllWindowFunction,
    ProcessWindowFunction,
    WindowFunction,
)

__all__ = [
    "IN",
    "IN1",
    "IN2",
    "KEY",
    "OUT",
    "W2",
    "AggregateFunction",
    "AllWindowFunction",
    "AsyncFunction",
    "AsyncFunctionDescriptor",
    "AsyncRetryPredicate",
    "AsyncRetryStrategy",
    "BaseBroadcastProcessFunction",
    "BroadcastProcessFunction",
    "CoFlatMapFunction",
    "CoGroupFunction",
    "CoMapFunction",
    "CoProcessFunction",
    "FilterFunction",
    "FlatJoinFunction",
    "FlatMapFunction",
    "Function",
    "FunctionWrapper",
    "InternalIterableAllWindowFunction",
    "InternalIterableProcessAllWindowFunction",
    "InternalIterableProcessWindowFunction",
    "InternalIterableWindowFunction",
    "InternalProcessAllWindowContext",
    "InternalProcessWindowContext",
    "InternalSingleValueAllWindowFunction",
    "InternalSingleValueProcessAllWindowFunction",
    "InternalSingleValueProcessWindowFunction",
    "InternalSingleValueWindowFunction",
    "InternalWindowFunction",
    "JavaFunctionWrapper",
    "JoinFunction",
    "KeySelector",
    "KeyedBroadcastProcessFunction",
    "KeyedCoProcessFunction",
    "KeyedProcessFunction",
    "KeyedStateStore",
    "MapFunction",
    "MetricGroup",
    "NullByteKeySelector",
    "Partitioner",
    "PassThroughAllWindowFunction",
    "PassThroughWindowFunction",
    "ProcessAllWindowFunction",
    "ProcessFunction",
    "ProcessJoinFunction",
    "ProcessWindowFunction",
    "ReduceFunction",
    "ReduceFunctionWrapper",
    "RuntimeContext",
    "SinkFunction",
    "SourceFunction",
    "TimeDomain",
    "TimerService",
    "W",
    "WindowFunction",
]


IN = TypeVar("IN")
IN1 = TypeVar("IN1")
IN2 = TypeVar("IN2")
KEY = TypeVar("KEY")
OUT = TypeVar("OUT")
W = TypeVar("W")
W2 = TypeVar("W2")


class Partitioner(
    StandIn,
    instead="Use key_by to bring the elements of a key together, or set_partitioner of a sink to choose the Kafka partition.",
):
    """Chooses an element's subtask in ``partition_custom``, which is not supported."""


class JavaFunctionWrapper(StandIn, instead=JAVA):
    """Wrapper of a Java function."""


class InternalWindowFunction(StandIn, instead=MACHINERY):
    """Internal class of PyFlink."""


class InternalIterableAllWindowFunction(StandIn, instead=MACHINERY):
    """Internal class of PyFlink."""


class InternalIterableProcessAllWindowFunction(StandIn, instead=MACHINERY):
    """Internal class of PyFlink."""


class InternalIterableProcessWindowFunction(StandIn, instead=MACHINERY):
    """Internal class of PyFlink."""


class InternalIterableWindowFunction(StandIn, instead=MACHINERY):
    """Internal class of PyFlink."""


class InternalProcessAllWindowContext(StandIn, instead=MACHINERY):
    """Internal class of PyFlink."""


class InternalProcessWindowContext(StandIn, instead=MACHINERY):
    """Internal class of PyFlink."""


class InternalSingleValueAllWindowFunction(StandIn, instead=MACHINERY):
    """Internal class of PyFlink."""


class InternalSingleValueProcessAllWindowFunction(StandIn, instead=MACHINERY):
    """Internal class of PyFlink."""


class InternalSingleValueProcessWindowFunction(StandIn, instead=MACHINERY):
    """Internal class of PyFlink."""


class InternalSingleValueWindowFunction(StandIn, instead=MACHINERY):
    """Internal class of PyFlink."""


class PassThroughAllWindowFunction(StandIn, instead=MACHINERY):
    """Internal class of PyFlink."""


class PassThroughWindowFunction(StandIn, instead=MACHINERY):
    """Internal class of PyFlink."""


class FunctionWrapper(StandIn, instead=MACHINERY):
    """Internal class of PyFlink."""


class ReduceFunctionWrapper(StandIn, instead=MACHINERY):
    """Internal class of PyFlink."""
