"""The DataStream API: ``pyflink.datastream`` becomes ``kafkastream.datastream``."""

from __future__ import annotations

from kafkastream.datastream.checkpoint_config import CheckpointConfig, CheckpointingMode
from kafkastream.datastream.data_stream import CloseableIterator, DataStream, DataStreamSink
from kafkastream.datastream.environment import RuntimeExecutionMode, StreamExecutionEnvironment
from kafkastream.datastream.functions import (
    AggregateFunction,
    AllWindowFunction,
    FilterFunction,
    FlatMapFunction,
    Function,
    KeyedProcessFunction,
    KeySelector,
    MapFunction,
    ProcessAllWindowFunction,
    ProcessFunction,
    ProcessWindowFunction,
    ReduceFunction,
    RuntimeContext,
    TimerService,
    WindowFunction,
)
from kafkastream.datastream.keyed_stream import KeyedStream
from kafkastream.datastream.output_tag import OutputTag
from kafkastream.datastream.time_domain import TimeDomain
from kafkastream.datastream.windowed_stream import AllWindowedStream, WindowedStream

__all__ = [
    "AggregateFunction",
    "AllWindowFunction",
    "AllWindowedStream",
    "CheckpointConfig",
    "CheckpointingMode",
    "CloseableIterator",
    "DataStream",
    "DataStreamSink",
    "FilterFunction",
    "FlatMapFunction",
    "Function",
    "KeySelector",
    "KeyedProcessFunction",
    "KeyedStream",
    "MapFunction",
    "OutputTag",
    "ProcessAllWindowFunction",
    "ProcessFunction",
    "ProcessWindowFunction",
    "ReduceFunction",
    "RuntimeContext",
    "RuntimeExecutionMode",
    "StreamExecutionEnvironment",
    "TimeDomain",
    "TimerService",
    "WindowFunction",
    "WindowedStream",
]
