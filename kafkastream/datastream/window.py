"""Windows, window assigners, triggers and evictors, at PyFlink's path."""

from __future__ import annotations

from typing import TypeVar

from kafkastream.common.constants import MAX_LONG_VALUE, MIN_LONG_VALUE
from kafkastream.metrics import MetricGroup
from kafkastream.model.common.output_tag import OutputTag
from kafkastream.model.common.stand_ins import MACHINERY, StandIn, stand_in
from kafkastream.model.common.stream_functions import ReduceFunction
from kafkastream.model.common.time import Time
from kafkastream.model.common.types import Types
from kafkastream.model.functions.runtime_context import RuntimeContext
from kafkastream.model.windows.evictor_interface import Evictor, TimestampedValue, WindowElements
from kafkastream.model.windows.evictors import CountEvictor, DeltaEvictor, DeltaFunction, TimeEvictor
from kafkastream.model.windows.trigger_interface import Trigger, TriggerResult
from kafkastream.model.windows.triggers import (
    ContinuousEventTimeTrigger,
    ContinuousProcessingTimeTrigger,
    CountTrigger,
    EventTimeTrigger,
    NeverTrigger,
    ProcessingTimeTrigger,
    PurgingTrigger,
)
from kafkastream.model.windows.window_assigners import (
    CountSlidingWindowAssigner,
    CountTumblingWindowAssigner,
    EventTimeSessionWindows,
    GlobalWindows,
    ProcessingTimeSessionWindows,
    SessionWindowTimeGapExtractor,
    SlidingEventTimeWindows,
    SlidingProcessingTimeWindows,
    TumblingEventTimeWindows,
    TumblingProcessingTimeWindows,
)
from kafkastream.model.windows.window_serializers import (
    CountWindowSerializer,
    GlobalWindowSerializer,
    TimeWindowSerializer,
    TypeSerializer,
)
from kafkastream.model.windows.windows import (
    CountWindow,
    GlobalWindow,
    MergingWindowAssigner,
    TimeWindow,
    Window,
    WindowAssigner,
)

__all__ = [
    "IN",
    "KEY",
    "MAX_LONG_VALUE",
    "MIN_LONG_VALUE",
    "OUT",
    "W2",
    "ContinuousEventTimeTrigger",
    "ContinuousProcessingTimeTrigger",
    "CountEvictor",
    "CountSlidingWindowAssigner",
    "CountTrigger",
    "CountTumblingWindowAssigner",
    "CountWindow",
    "CountWindowSerializer",
    "DeltaEvictor",
    "DeltaFunction",
    "DynamicEventTimeSessionWindows",
    "DynamicProcessingTimeSessionWindows",
    "EventTimeSessionWindows",
    "EventTimeTrigger",
    "Evictor",
    "GlobalWindow",
    "GlobalWindowSerializer",
    "GlobalWindows",
    "MergingWindowAssigner",
    "MetricGroup",
    "Min",
    "NeverTrigger",
    "OutputTag",
    "ProcessingTimeSessionWindows",
    "ProcessingTimeTrigger",
    "PurgingTrigger",
    "ReduceFunction",
    "RuntimeContext",
    "SessionWindowTimeGapExtractor",
    "SlidingEventTimeWindows",
    "SlidingProcessingTimeWindows",
    "T",
    "Time",
    "TimeEvictor",
    "TimeWindow",
    "TimeWindowSerializer",
    "TimestampedValue",
    "Trigger",
    "TriggerResult",
    "TumblingEventTimeWindows",
    "TumblingProcessingTimeWindows",
    "TypeSerializer",
    "Types",
    "W",
    "Window",
    "WindowAssigner",
    "WindowElements",
    "WindowOperationDescriptor",
    "long_to_int_with_bit_mixing",
    "mod_inverse",
]


DynamicEventTimeSessionWindows = EventTimeSessionWindows
DynamicProcessingTimeSessionWindows = ProcessingTimeSessionWindows

IN = TypeVar("IN")
KEY = TypeVar("KEY")
OUT = TypeVar("OUT")
T = TypeVar("T")
W = TypeVar("W")
W2 = TypeVar("W2")

long_to_int_with_bit_mixing = stand_in(__name__, "long_to_int_with_bit_mixing", MACHINERY)
mod_inverse = stand_in(__name__, "mod_inverse", MACHINERY)


class WindowOperationDescriptor(StandIn, instead=MACHINERY):
    """Internal class of PyFlink."""


class Min(StandIn, instead=MACHINERY):
    """Internal class of PyFlink."""
