"""Functions of the DataStream API, at PyFlink's path."""

from kafkastream.spec.functions import (
    FilterFunction,
    FlatMapFunction,
    Function,
    MapFunction,
    ProcessFunction,
    RuntimeContext,
    TimerService,
)

__all__ = [
    "FilterFunction",
    "FlatMapFunction",
    "Function",
    "MapFunction",
    "ProcessFunction",
    "RuntimeContext",
    "TimerService",
]
