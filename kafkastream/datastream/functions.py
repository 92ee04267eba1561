"""Functions of the DataStream API, at PyFlink's path."""

from kafkastream.spec.functions import (
    AggregateFunction,
    FilterFunction,
    FlatMapFunction,
    Function,
    KeySelector,
    MapFunction,
    ReduceFunction,
)
from kafkastream.spec.process_functions import KeyedProcessFunction, ProcessFunction, TimerService
from kafkastream.spec.runtime_context import RuntimeContext
from kafkastream.spec.state import KeyedStateStore

__all__ = [
    "AggregateFunction",
    "FilterFunction",
    "FlatMapFunction",
    "Function",
    "KeySelector",
    "KeyedProcessFunction",
    "KeyedStateStore",
    "MapFunction",
    "ProcessFunction",
    "ReduceFunction",
    "RuntimeContext",
    "TimerService",
]
