"""Classes that programs of PyFlink name beside the builders: of types, slots, storages and serializers."""

from __future__ import annotations

import io

import pytest

from kafkastream.common import Duration, JobStatus, Types
from kafkastream.common.typeinfo import (
    BasicType,
    BasicTypeInfo,
    DateTypeInfo,
    ListTypeInfo,
    MapTypeInfo,
    PickledBytesTypeInfo,
    RowTypeInfo,
    SqlTimeTypeInfo,
    TupleTypeInfo,
)
from kafkastream.datastream import MemorySize, SlotSharingGroup, StreamExecutionEnvironment
from kafkastream.datastream.checkpoint_storage import JobManagerCheckpointStorage
from kafkastream.datastream.connectors.base import Sink, Source
from kafkastream.datastream.connectors.kafka import KafkaSink, KafkaSource
from kafkastream.datastream.connectors.number_seq import NumberSequenceSource
from kafkastream.datastream.functions import NullByteKeySelector
from kafkastream.datastream.window import TimeWindow, TimeWindowSerializer
from kafkastream.errors import DefinitionError, UnsupportedFeatureError


def test_classes_of_types_make_types_and_know_them() -> None:
    assert ListTypeInfo(BasicTypeInfo.INT_TYPE_INFO()) == Types.LIST(Types.INT())
    assert MapTypeInfo(Types.STRING(), Types.LONG()) == Types.MAP(Types.STRING(), Types.LONG())
    assert BasicTypeInfo(BasicType.BIG_DEC) == Types.BIG_DEC()
    assert TupleTypeInfo([Types.INT()]).get_field_types() == [Types.INT()]
    assert isinstance(Types.STRING(), BasicTypeInfo)
    assert not isinstance(Types.STRING(), (ListTypeInfo, RowTypeInfo, PickledBytesTypeInfo))
    assert isinstance(DateTypeInfo(), SqlTimeTypeInfo)
    assert not isinstance("text", BasicTypeInfo)


def test_java_objects_of_types_are_refused() -> None:
    with pytest.raises(UnsupportedFeatureError, match="get_java_type_info leads into Flink's JVM"):
        Types.ROW([Types.INT()]).get_java_type_info()
    with pytest.raises(UnsupportedFeatureError, match="get_java_type_info"):
        BasicTypeInfo.get_java_type_info  # noqa: B018 - to look at it is enough


def test_slot_sharing_group() -> None:
    builder = SlotSharingGroup.builder("heavy").set_cpu_cores(1.5).set_task_heap_memory_mb(100)
    group = builder.set_managed_memory(MemorySize(2048)).set_external_resource("gpu", 1.0).build()
    assert (group.get_name(), group.get_cpu_cores()) == ("heavy", 1.5)
    assert group.get_task_heap_memory() == MemorySize.of_mebi_bytes(100)
    assert group.get_task_off_heap_memory() is None
    assert group.get_external_resources() == {"gpu": 1.0}
    env = StreamExecutionEnvironment.get_execution_environment()
    assert env.register_slot_sharing_group(group) is env
    with pytest.raises(DefinitionError, match="is negative"):
        MemorySize(-1)


def test_small_things() -> None:
    assert Duration.of_seconds(0) == Duration.ZERO
    assert JobManagerCheckpointStorage().get_max_state_size() == 5 * 1024 * 1024
    assert JobStatus.SUSPENDED.is_terminal_state()
    assert not JobStatus.SUSPENDED.is_globally_terminal_state()
    assert NullByteKeySelector().get_key("any") == 0
    assert issubclass(KafkaSource, Source)
    assert issubclass(NumberSequenceSource, Source)
    assert issubclass(KafkaSink, Sink)


def test_windows_that_touch_are_merged() -> None:
    merged: list[tuple[list[TimeWindow], TimeWindow]] = []
    windows = [TimeWindow(20, 25), TimeWindow(0, 5), TimeWindow(3, 9), TimeWindow(9, 10)]
    TimeWindow.merge_windows(windows, lambda parts, whole: merged.append((list(parts), whole)))
    assert merged == [([TimeWindow(0, 5), TimeWindow(3, 9), TimeWindow(9, 10)], TimeWindow(0, 10))]


def test_serializers_are_not_asked() -> None:
    with pytest.raises(UnsupportedFeatureError, match="windows and other namespaces are pickled"):
        TimeWindowSerializer().serialize(TimeWindow(0, 1), io.BytesIO())
