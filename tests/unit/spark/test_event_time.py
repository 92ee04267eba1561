"""Watermarks on the driver: the minimum of what is not idle, and never back."""

from __future__ import annotations

from typing import Any

from kafkastream.common import Duration, SimpleStringSchema, WatermarkStrategy
from kafkastream.datastream.connectors.kafka import KafkaSource
from kafkastream.spark.event_time import EventTime
from kafkastream.spec.graph import (
    CollectionSource,
    JobGraph,
    KeyedInput,
    KeyedNode,
    OperatorKind,
    OperatorNode,
    SourceNode,
    UnionNode,
)
from kafkastream.spec.subscription import TopicPartition
from kafkastream.spec.watermark import MAX_WATERMARK, MIN_WATERMARK

MONOTONOUS: WatermarkStrategy[Any] = WatermarkStrategy.for_monotonous_timestamps()
P0, P1 = TopicPartition("t", 0), TopicPartition("t", 1)


def source(node: int, strategy: WatermarkStrategy[Any] = MONOTONOUS) -> SourceNode:
    builder = KafkaSource.builder().set_bootstrap_servers("b:1").set_topics("t").set_group_id("g")
    built = builder.set_value_only_deserializer(SimpleStringSchema()).build()
    return SourceNode(id=node, name=f"source {node}", source=built, watermarks=strategy)


def keyed(node: int, *inputs: int) -> KeyedNode:
    streams = tuple(KeyedInput(node=one, selector=str) for one in inputs)
    return KeyedNode(id=node, name="keyed", keyed=streams, kind=OperatorKind.MAP, function=str)


class Clock:
    now = 0.0

    def __call__(self) -> float:
        return self.now


def test_lowest_of_the_partitions_counts() -> None:
    time = EventTime(JobGraph((source(1), keyed(2, 1))), 2)
    time.reads(1, [P0, P1])
    time.saw({1: {"t-0": 50}})
    assert time.watermarks() == {"keyed": MIN_WATERMARK}  # nobody knows how far the other is
    time.saw({1: {"t-1": 20}})
    assert time.watermarks() == {"keyed": 20}
    time.saw({1: {"t-1": 70, "t-0": 10}})
    assert time.watermarks() == {"keyed": 50}


def test_new_partition_holds_back_and_sets_nothing_back() -> None:
    time = EventTime(JobGraph((source(1), keyed(2, 1))), 2)
    time.reads(1, [P0])
    time.saw({1: {"t-0": 50}})
    assert time.watermarks() == {"keyed": 50}
    time.reads(1, [P0, P1])
    time.saw({1: {"t-0": 90}})
    assert time.watermarks() == {"keyed": 50}
    time.saw({1: {"t-1": 60}})
    assert time.watermarks() == {"keyed": 60}


def test_idle_partitions_hold_back_nobody_and_when_all_are_time_stands_still() -> None:
    clock = Clock()
    time = EventTime(JobGraph((source(1, MONOTONOUS.with_idleness(Duration.of_seconds(5))), keyed(2, 1))), 2, clock)
    time.reads(1, [P0, P1])
    clock.now = 3
    time.looked()
    time.saw({1: {"t-0": 50}})
    assert time.watermarks() == {"keyed": MIN_WATERMARK}
    clock.now = 6  # a micro-batch is at work: nobody has looked
    assert time.watermarks() == {"keyed": MIN_WATERMARK}
    time.looked()
    assert time.watermarks() == {"keyed": 50}
    time.saw({1: {"t-1": 30}})
    clock.now = 20
    time.looked()
    assert time.watermarks() == {"keyed": 50}
    time.saw({1: {"t-1": 80}})
    assert time.watermarks() == {"keyed": 80}


def test_bounded_partition_that_is_read_holds_back_nobody() -> None:
    time = EventTime(JobGraph((source(1), keyed(2, 1))), 2)
    time.reads(1, [P0, P1])
    time.saw({1: {"t-0": 50, "t-1": 20}})
    time.finished(1, [P1])
    assert time.watermarks() == {"keyed": 50}
    time.ended(1)
    assert time.watermarks() == {"keyed": MAX_WATERMARK}


def test_several_inputs_and_strategies_on_the_way() -> None:
    later = OperatorNode(id=4, name="later", input=2, kind=OperatorKind.TIMESTAMPS, function=MONOTONOUS)
    union = UnionNode(id=3, name="union", merged=(1, 4))
    time = EventTime(JobGraph((source(1), source(2), later, union, keyed(5, 3))), 1)
    time.reads(1, [P0])
    time.reads(2, [P0])
    time.saw({1: {"t-0": 50}, 2: {"t-0": 900}})
    assert time.watermarks() == {"keyed": MIN_WATERMARK}
    time.saw({4: {"0": 40}})
    assert time.watermarks() == {"keyed": 40}
    time.ended(2)
    assert time.watermarks() == {"keyed": 50}


def test_collection_holds_back_nobody_and_is_what_is_left_of_idle_ones() -> None:
    clock = Clock()
    rules = SourceNode(id=1, name="rules", source=CollectionSource((1,)), watermarks=MONOTONOUS)
    stream = source(2, MONOTONOUS.with_idleness(Duration.of_seconds(5)))
    time = EventTime(JobGraph((rules, stream, keyed(3, 1, 2))), 2, clock)
    assert time.watermarks() == {"keyed": MIN_WATERMARK}  # no partition is there yet
    time.reads(2, [P0])
    time.saw({2: {"t-0": 50}})
    assert time.watermarks() == {"keyed": 50}
    clock.now = 6
    time.looked()
    assert time.watermarks() == {"keyed": MAX_WATERMARK}


def test_restart_goes_on_where_it_was() -> None:
    graph = JobGraph((source(1), keyed(2, 1)))
    before, after = EventTime(graph, 2), EventTime(graph, 2)
    before.reads(1, [P0, P1])
    before.saw({1: {"t-0": 50, "t-1": 20}})
    assert before.watermarks() == {"keyed": 20}
    after.restore(before.content())
    after.reads(1, [P0, P1])
    after.saw({1: {"t-1": 45}})
    assert after.watermarks() == {"keyed": 45}
