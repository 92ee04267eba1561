"""The DataStream API: ``pyflink.datastream`` becomes ``kafkastream.datastream``."""

from __future__ import annotations

from kafkastream.datastream.checkpoint_config import CheckpointConfig, ExternalizedCheckpointCleanup
from kafkastream.datastream.checkpoint_storage import (
    CheckpointStorage,
    FileSystemCheckpointStorage,
    JobManagerCheckpointStorage,
)
from kafkastream.datastream.checkpointing_mode import CheckpointingMode
from kafkastream.datastream.connected_streams import BroadcastConnectedStream, BroadcastStream, ConnectedStreams
from kafkastream.datastream.data_stream import CloseableIterator, DataStream, DataStreamSink
from kafkastream.datastream.environment import StreamExecutionEnvironment
from kafkastream.datastream.execution_mode import RuntimeExecutionMode
from kafkastream.datastream.externalized_checkpoint_retention import ExternalizedCheckpointRetention
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
from kafkastream.datastream.state_backend import (
    EmbeddedRocksDBStateBackend,
    HashMapStateBackend,
    PredefinedOptions,
    StateBackend,
)
from kafkastream.datastream.time_characteristic import TimeCharacteristic
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
    "CheckpointStorage",
    "CheckpointingMode",
    "CloseableIterator",
    "CoFlatMapFunction",
    "CoGroupFunction",
    "CoMapFunction",
    "CoProcessFunction",
    "ConnectedStreams",
    "DataStream",
    "DataStreamSink",
    "EmbeddedRocksDBStateBackend",
    "ExternalizedCheckpointCleanup",
    "ExternalizedCheckpointRetention",
    "FileSystemCheckpointStorage",
    "FilterFunction",
    "FlatJoinFunction",
    "FlatMapFunction",
    "Function",
    "HashMapStateBackend",
    "JobManagerCheckpointStorage",
    "JoinFunction",
    "KeySelector",
    "KeyedBroadcastProcessFunction",
    "KeyedCoProcessFunction",
    "KeyedProcessFunction",
    "KeyedStream",
    "MapFunction",
    "OutputTag",
    "PredefinedOptions",
    "ProcessAllWindowFunction",
    "ProcessFunction",
    "ProcessJoinFunction",
    "ProcessWindowFunction",
    "ReduceFunction",
    "RuntimeContext",
    "RuntimeExecutionMode",
    "StateBackend",
    "StreamExecutionEnvironment",
    "TaggedUnion",
    "TimeCharacteristic",
    "TimeDomain",
    "TimerService",
    "WindowFunction",
    "WindowedStream",
]
