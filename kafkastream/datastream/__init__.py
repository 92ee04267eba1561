"""The DataStream API: ``pyflink.datastream`` becomes ``kafkastream.datastream``."""

from __future__ import annotations

from kafkastream.datastream.checkpoint_config import CheckpointConfig, CheckpointingMode
from kafkastream.datastream.connected_streams import BroadcastConnectedStream, BroadcastStream, ConnectedStreams
from kafkastream.datastream.data_stream import CloseableIterator, DataStream, DataStreamSink
from kafkastream.datastream.environment import RuntimeExecutionMode, StreamExecutionEnvironment
from kafkastream.datastream.functions import (
    AggregateFunction,
    AllWindowFunction,
    BroadcastProcessFunction,
    CoFlatMapFunction,
    CoGroupFunction,
    CoMapFunction,
    CoProcessFunction,
    FilterFunction,
    FlatJoinFunction,
    FlatMapFunction,
    Function,
    JoinFunction,
    KeyedBroadcastProcessFunction,
    KeyedCoProcessFunction,
    KeyedProcessFunction,
    KeySelector,
    MapFunction,
    ProcessAllWindowFunction,
    ProcessFunction,
    ProcessJoinFunction,
    ProcessWindowFunction,
    ReduceFunction,
    RuntimeContext,
    TimerService,
    WindowFunction,
)
from kafkastream.datastream.joined_streams import TaggedUnion
from kafkastream.datastream.keyed_stream import KeyedStream
from kafkastream.datastream.output_tag import OutputTag
from kafkastream.datastream.time_domain import TimeDomain
from kafkastream.datastream.windowed_stream import AllWindowedStream, WindowedStream

__all__ = [
    "AggregateFunction",
    "AllWindowFunction",
    "AllWindowedStream",
    "BroadcastConnectedStream",
    "BroadcastProcessFunction",
    "BroadcastStream",
    "CheckpointConfig",
    "CheckpointingMode",
    "CloseableIterator",
    "CoFlatMapFunction",
    "CoGroupFunction",
    "CoMapFunction",
    "CoProcessFunction",
    "ConnectedStreams",
    "DataStream",
    "DataStreamSink",
    "FilterFunction",
    "FlatJoinFunction",
    "FlatMapFunction",
    "Function",
    "JoinFunction",
    "KeySelector",
    "KeyedBroadcastProcessFunction",
    "KeyedCoProcessFunction",
    "KeyedProcessFunction",
    "KeyedStream",
    "MapFunction",
    "OutputTag",
    "ProcessAllWindowFunction",
    "ProcessFunction",
    "ProcessJoinFunction",
    "ProcessWindowFunction",
    "ReduceFunction",
    "RuntimeContext",
    "RuntimeExecutionMode",
    "StreamExecutionEnvironment",
    "TaggedUnion",
    "TimeDomain",
    "TimerService",
    "WindowFunction",
    "WindowedStream",
]
