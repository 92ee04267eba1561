"""The DataStream API: ``pyflink.datastream`` becomes ``kafkastream.datastream``."""

from __future__ import annotations

from kafkastream.datastream.checkpoint_config import CheckpointConfig, CheckpointingMode
from kafkastream.datastream.data_stream import CloseableIterator, DataStream, DataStreamSink
from kafkastream.datastream.environment import RuntimeExecutionMode, StreamExecutionEnvironment
from kafkastream.datastream.functions import (
    AggregateFunction,
    FilterFunction,
    FlatMapFunction,
    Function,
    KeyedProcessFunction,
    KeySelector,
    MapFunction,
    ProcessFunction,
    ReduceFunction,
    RuntimeContext,
    TimerService,
)
from kafkastream.datastream.keyed_stream import KeyedStream
from kafkastream.datastream.output_tag import OutputTag
from kafkastream.datastream.time_domain import TimeDomain

__all__ = [
    "AggregateFunction",
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
    "ProcessFunction",
    "ReduceFunction",
    "RuntimeContext",
    "RuntimeExecutionMode",
    "StreamExecutionEnvironment",
    "TimeDomain",
    "TimerService",
]
