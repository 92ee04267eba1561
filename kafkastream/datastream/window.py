"""Windows, triggers and evictors, at PyFlink's path."""

from __future__ import annotations

from typing import TypeVar

from kafkastream.common.constants import MAX_LONG_VALUE, MIN_LONG_VALUE
from kafkastream.metrics import MetricGroup
from kafkastream.spec.evictor import Evictor, TimestampedValue, WindowElements
from kafkastream.spec.evictors import CountEvictor, DeltaEvictor, DeltaFunction, TimeEvictor
from kafkastream.spec.functions import ReduceFunction
from kafkastream.spec.output_tag import OutputTag
from kafkastream.spec.runtime_context import RuntimeContext
from kafkastream.spec.serializer import (
    CountWindowSerializer,
    GlobalWindowSerializer,
    TimeWindowSerializer,
    TypeSerializer,
)
from kafkastream.spec.stand_in import MACHINERY, StandIn, stand_in
from kafkastream.spec.time import Time
from kafkastream.spec.trigger import Trigger, TriggerResult
from kafkastream.spec.triggers import (
    ContinuousEventTimeTrigger,
    ContinuousProcessingTimeTrigger,
    CountTrigger,
    EventTimeTrigger,
    NeverTrigger,
    ProcessingTimeTrigger,
    PurgingTrigger,
)
from kafkastream.spec.types import Types
from kafkastream.spec.window import CountWindow, GlobalWindow, MergingWindowAssigner, TimeWindow, Window, WindowAssigner
from kafkastream.spec.window_assigners import (
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
    """PyFlink's own."""


class Min(StandIn, instead=MACHINERY):
    """PyFlink's own."""
