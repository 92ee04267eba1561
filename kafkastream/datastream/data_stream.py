"""All streams in one module, at PyFlink's path; the classes live in ``stream`` and in a module for each other stream."""

from __future__ import annotations

from typing import Final

from kafkastream.datastream.connected_streams import BroadcastConnectedStream, BroadcastStream, ConnectedStreams
from kafkastream.datastream.functions import Partitioner
from kafkastream.datastream.keyed_stream import KeyedStream
from kafkastream.datastream.slot_sharing_group import SlotSharingGroup
from kafkastream.datastream.stream import NO_CACHE, DataStream
from kafkastream.datastream.stream_outputs import CloseableIterator, DataStreamSink
from kafkastream.datastream.windowed_stream import AllWindowedStream, WindowedStream
from kafkastream.model.common.endpoints import SinkFunction
from kafkastream.model.common.output_tag import OutputTag
from kafkastream.model.common.row import Row
from kafkastream.model.common.stand_ins import StandIn
from kafkastream.model.common.stream_functions import (
    AggregateFunction,
    FilterFunction,
    FlatMapFunction,
    KeySelector,
    MapFunction,
    ReduceFunction,
)
from kafkastream.model.common.types import TypeInformation, Types
from kafkastream.model.common.watermark_strategy import WatermarkStrategy
from kafkastream.model.functions.co_functions import (
    BroadcastProcessFunction,
    CoFlatMapFunction,
    CoMapFunction,
    CoProcessFunction,
    KeyedBroadcastProcessFunction,
    KeyedCoProcessFunction,
)
from kafkastream.model.functions.process_functions import KeyedProcessFunction, ProcessFunction
from kafkastream.model.functions.runtime_context import RuntimeContext
from kafkastream.model.job.execution_config import ExecutionConfig
from kafkastream.model.windows.trigger_interface import Trigger
from kafkastream.model.windows.window_functions import ProcessWindowFunction, WindowFunction
from kafkastream.model.windows.windows import MergingWindowAssigner, WindowAssigner

__all__ = [
    "WINDOW_STATE_NAME",
    "AggregateFunction",
    "AllWindowedStream",
    "BroadcastConnectedStream",
    "BroadcastProcessFunction",
    "BroadcastStream",
    "CachedDataStream",
    "CloseableIterator",
    "CoFlatMapFunction",
    "CoMapFunction",
    "CoProcessFunction",
    "ConnectedStreams",
    "DataStream",
    "DataStreamSink",
    "ExecutionConfig",
    "FilterFunction",
    "FlatMapFunction",
    "KeySelector",
    "KeyedBroadcastProcessFunction",
    "KeyedCoProcessFunction",
    "KeyedProcessFunction",
    "KeyedStream",
    "MapFunction",
    "MergingWindowAssigner",
    "OutputTag",
    "Partitioner",
    "ProcessFunction",
    "ProcessWindowFunction",
    "ReduceFunction",
    "Row",
    "RuntimeContext",
    "SinkFunction",
    "SlotSharingGroup",
    "Trigger",
    "TypeInformation",
    "Types",
    "WatermarkStrategy",
    "WindowAssigner",
    "WindowFunction",
    "WindowedStream",
]

WINDOW_STATE_NAME: Final = "window-contents"


class CachedDataStream(StandIn, instead=NO_CACHE):
    """Stream whose elements Flink keeps for later jobs of the program."""
