"""The DataStream API: ``pyflink.datastream`` becomes ``kafkastream.datastream``."""

from __future__ import annotations

from kafkastream.datastream.checkpoint_config import CheckpointConfig, CheckpointingMode
from kafkastream.datastream.data_stream import CloseableIterator, DataStream, DataStreamSink
from kafkastream.datastream.environment import RuntimeExecutionMode, StreamExecutionEnvironment
from kafkastream.datastream.functions import (
    FilterFunction,
    FlatMapFunction,
    Function,
    MapFunction,
    ProcessFunction,
    RuntimeContext,
)

__all__ = [
    "CheckpointConfig",
    "CheckpointingMode",
    "CloseableIterator",
    "DataStream",
    "DataStreamSink",
    "FilterFunction",
    "FlatMapFunction",
    "Function",
    "MapFunction",
    "ProcessFunction",
    "RuntimeContext",
    "RuntimeExecutionMode",
    "StreamExecutionEnvironment",
]
