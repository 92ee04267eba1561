"""State descriptors and state of keyed and broadcast streams, at PyFlink's path."""

from __future__ import annotations

from typing import TypeVar

from kafkastream.model.common.stand_ins import StandIn
from kafkastream.model.common.time import Duration, Time
from kafkastream.model.common.types import TypeInformation, Types
from kafkastream.model.functions.keyed_state import (
    AggregatingState,
    AppendingState,
    ListState,
    MergingState,
    ReducingState,
    State,
    ValueState,
)
from kafkastream.model.functions.map_state import BroadcastState, MapState, ReadOnlyBroadcastState
from kafkastream.model.functions.state_descriptors import (
    AggregatingStateDescriptor,
    ListStateDescriptor,
    MapStateDescriptor,
    ReducingStateDescriptor,
    StateDescriptor,
    ValueStateDescriptor,
)
from kafkastream.model.functions.state_ttl import StateTtlConfig

__all__ = [
    "IN",
    "OUT",
    "AggregatingState",
    "AggregatingStateDescriptor",
    "AppendingState",
    "BroadcastState",
    "Duration",
    "K",
    "ListState",
    "ListStateDescriptor",
    "MapState",
    "MapStateDescriptor",
    "MergingState",
    "OperatorStateStore",
    "ReadOnlyBroadcastState",
    "ReducingState",
    "ReducingStateDescriptor",
    "State",
    "StateDescriptor",
    "StateTtlConfig",
    "T",
    "Time",
    "TypeInformation",
    "Types",
    "V",
    "ValueState",
    "ValueStateDescriptor",
]


IN = TypeVar("IN")
K = TypeVar("K")
OUT = TypeVar("OUT")
T = TypeVar("T")
V = TypeVar("V")


class OperatorStateStore(StandIn, instead="Get broadcast state from the context: ctx.get_broadcast_state(descriptor)."):
    """Store of an operator's non-keyed state."""
