"""The DataStream API, at PyFlink's path: ``pyflink.datastream`` becomes ``kafkastream.datastream``.

``StreamExecutionEnvironment`` creates streams and runs the job; ``DataStream`` (``stream``), ``KeyedStream``,
``WindowedStream``, ``ConnectedStreams`` and the joins add operators to its job graph, which is plain data of ``model``.
Modules with PyFlink's names that hold no class of their own re-export those of ``model``; connectors that Spark
cannot replace can be imported and raise an error that names an alternative when they are used.
Nothing here imports Spark before a job is executed.
"""

from __future__ import annotations

from kafkastream.datastream.async_data_stream import AsyncDataStream
from kafkastream.datastream.checkpoint_config import CheckpointConfig, ExternalizedCheckpointCleanup
from kafkastream.datastream.checkpoint_storage import (
    CheckpointStorage,
    CustomCheckpointStorage,
    FileSystemCheckpointStorage,
    JobManagerCheckpointStorage,
)
from kafkastream.datastream.checkpointing_mode import CheckpointingMode
from kafkastream.datastream.connected_streams import BroadcastConnectedStream, BroadcastStream, ConnectedStreams
from kafkastream.datastream.data_stream import CachedDataStream
from kafkastream.datastream.environment import StreamExecutionEnvironment
from kafkastream.datastream.execution_mode import RuntimeExecutionMode
from kafkastream.datastream.externalized_checkpoint_retention import ExternalizedCheckpointRetention
from kafkastream.datastream.functions import (
    AggregateFunction,
    AllWindowFunction,
    AsyncFunction,
    AsyncRetryPredicate,
    AsyncRetryStrategy,
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
    Partitioner,
    ProcessAllWindowFunction,
    ProcessFunction,
    ProcessJoinFunction,
    ProcessWindowFunction,
    ReduceFunction,
    RuntimeContext,
    SinkFunction,
    SourceFunction,
    TimerService,
    WindowFunction,
)
from kafkastream.datastream.joined_streams import TaggedUnion
from kafkastream.datastream.keyed_stream import KeyedStream
from kafkastream.datastream.output_tag import OutputTag
from kafkastream.datastream.slot_sharing_group import MemorySize, SlotSharingGroup
from kafkastream.datastream.state_backend import (
    CustomStateBackend,
    EmbeddedRocksDBStateBackend,
    HashMapStateBackend,
    PredefinedOptions,
    StateBackend,
)
from kafkastream.datastream.stream import DataStream
from kafkastream.datastream.stream_outputs import CloseableIterator, DataStreamSink
from kafkastream.datastream.time_characteristic import TimeCharacteristic
from kafkastream.datastream.time_domain import TimeDomain
from kafkastream.datastream.window import (
    CountWindow,
    GlobalWindow,
    MergingWindowAssigner,
    TimeWindow,
    Trigger,
    TriggerResult,
    Window,
    WindowAssigner,
)
from kafkastream.datastream.windowed_stream import AllWindowedStream, WindowedStream

__all__ = [
    "AggregateFunction",
    "AllWindowFunction",
    "AllWindowedStream",
    "AsyncDataStream",
    "AsyncFunction",
    "AsyncRetryPredicate",
    "AsyncRetryStrategy",
    "BroadcastConnectedStream",
    "BroadcastProcessFunction",
    "BroadcastStream",
    "CachedDataStream",
    "CheckpointConfig",
    "CheckpointStorage",
    "CheckpointingMode",
    "CloseableIterator",
    "CoFlatMapFunction",
    "CoGroupFunction",
    "CoMapFunction",
    "CoProcessFunction",
    "ConnectedStreams",
    "CountWindow",
    "CustomCheckpointStorage",
    "CustomStateBackend",
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
    "GlobalWindow",
    "HashMapStateBackend",
    "JobManagerCheckpointStorage",
    "JoinFunction",
    "KeySelector",
    "KeyedBroadcastProcessFunction",
    "KeyedCoProcessFunction",
    "KeyedProcessFunction",
    "KeyedStream",
    "MapFunction",
    "MemorySize",
    "MergingWindowAssigner",
    "OutputTag",
    "Partitioner",
    "PredefinedOptions",
    "ProcessAllWindowFunction",
    "ProcessFunction",
    "ProcessJoinFunction",
    "ProcessWindowFunction",
    "ReduceFunction",
    "RuntimeContext",
    "RuntimeExecutionMode",
    "SinkFunction",
    "SlotSharingGroup",
    "SourceFunction",
    "StateBackend",
    "StreamExecutionEnvironment",
    "TaggedUnion",
    "TimeCharacteristic",
    "TimeDomain",
    "TimeWindow",
    "TimerService",
    "Trigger",
    "TriggerResult",
    "Window",
    "WindowAssigner",
    "WindowFunction",
    "WindowedStream",
]
