"""Watermarks on the driver: the minimum of what is not idle, and never back."""

from __future__ import annotations

from typing import Any

from kafkastream.common import Duration, SimpleStringSchema, Types, WatermarkStrategy
from kafkastream.datastream.connectors.kafka import KafkaSource
from kafkastream.model.common.watermark_strategy import MAX_WATERMARK, MIN_WATERMARK
from kafkastream.model.connectors.subscription import TopicPartition
from kafkastream.model.graph.job_graph import (
    CollectionSource,
    JobGraph,
    KeyedInput,
    KeyedNode,
    OperatorKind,
    OperatorNode,
    SourceNode,
    UnionNode,
)
from kafkastream.spark.plan.watermark_service import WatermarkService
from kafkastream.sql.connectors import StreamTableSource
from kafkastream.sql.plan.query_node import StreamNode
from kafkastream.sql.table_stream import TableStream

MONOTONOUS: WatermarkStrategy[Any] = WatermarkStrategy.for_monotonous_timestamps()
P0, P1 = TopicPartition("t", 0), TopicPartition("t", 1)


def source(node: int, strategy: WatermarkStrategy[Any] = MONOTONOUS) -> SourceNode:
    builder = KafkaSource.builder().set_bootstrap_servers("b:1").set_topics("t").set_group_id("g")
    built = builder.set_value_only_deserializer(SimpleStringSchema()).build()
    return SourceNode(id=node, name=f"source {node}", source=built, watermarks=strategy)


def keyed(node: int, *inputs: int) -> KeyedNode:
    streams = tuple(KeyedInput(node=one, selector=str) for one in inputs)
    return KeyedNode(id=node, name="keyed", keyed=streams, kind=OperatorKind.MAP, function=str)


def stream_table() -> StreamTableSource:
    return StreamTableSource(TableStream((), Types.LONG()), ())


class Clock:
    now = 0.0

    def __call__(self) -> float:
        return self.now


def test_lowest_of_the_partitions_counts() -> None:
    time = WatermarkService(JobGraph((source(1), keyed(2, 1))), 2)
    time.add_splits(1, [P0, P1])
    time.observe({1: {"t-0": 50}})
    assert time.watermarks() == {"keyed": MIN_WATERMARK}  # nobody knows how far the other is
    time.observe({1: {"t-1": 20}})
    assert time.watermarks() == {"keyed": 20}
    time.observe({1: {"t-1": 70, "t-0": 10}})
    assert time.watermarks() == {"keyed": 50}


def test_new_partition_holds_back_and_sets_nothing_back() -> None:
    time = WatermarkService(JobGraph((source(1), keyed(2, 1))), 2)
    time.add_splits(1, [P0])
    time.observe({1: {"t-0": 50}})
    assert time.watermarks() == {"keyed": 50}
    time.add_splits(1, [P0, P1])
    time.observe({1: {"t-0": 90}})
    assert time.watermarks() == {"keyed": 50}
    time.observe({1: {"t-1": 60}})
    assert time.watermarks() == {"keyed": 60}


def test_idle_partitions_do_not_hold_back_the_others() -> None:
    clock = Clock()
    time = WatermarkService(
        JobGraph((source(1, MONOTONOUS.with_idleness(Duration.of_seconds(5))), keyed(2, 1))), 2, clock
    )
    time.add_splits(1, [P0, P1])
    clock.now = 3
    time.mark_polled()
    time.observe({1: {"t-0": 50}})
    assert time.watermarks() == {"keyed": MIN_WATERMARK}
    clock.now = 6  # a micro-batch is at work: nobody has looked
    assert time.watermarks() == {"keyed": MIN_WATERMARK}
    time.mark_polled()
    assert time.watermarks() == {"keyed": 50}
    time.observe({1: {"t-1": 30}})
    clock.now = 20
    time.mark_polled()
    assert time.watermarks() == {"keyed": 50}
    time.observe({1: {"t-1": 80}})
    assert time.watermarks() == {"keyed": 80}


def idle_after_5_s(clock: Clock) -> WatermarkService:
    strategy = MONOTONOUS.with_idleness(Duration.of_seconds(5))
    time = WatermarkService(JobGraph((source(1, strategy), keyed(2, 1))), 2, clock)
    time.add_splits(1, [P0, P1])
    return time


def idle_one_after_the_other(graph: JobGraph, parallelism: int) -> list[int]:
    """Watermarks while the split that is ahead becomes idle after 5 s, and the one behind after 8 s."""
    clock = Clock()
    time = WatermarkService(graph, parallelism, clock)
    sources = [node.id for node in graph.sources]
    for node in sources:
        time.add_splits(node, [P0, P1] if len(sources) == 1 else [P0])
    ahead, behind = (sources[0], "t-0"), (sources[-1], "t-1" if len(sources) == 1 else "t-0")
    time.observe({ahead[0]: {ahead[1]: 900}})
    clock.now = 3
    time.observe({behind[0]: {behind[1]: 100}})
    watermarks = []
    for clock.now in (4.0, 6.0, 9.0):
        time.mark_polled()
        watermarks.append(time.watermarks()["keyed"])
    time.observe({behind[0]: {behind[1]: 950}})
    watermarks.append(time.watermarks()["keyed"])
    return watermarks


def test_watermark_goes_to_the_highest_when_all_inputs_are_idle() -> None:
    strategy = MONOTONOUS.with_idleness(Duration.of_seconds(5))
    later = OperatorNode(id=5, name="later", input=4, kind=OperatorKind.MAP, function=str)
    two = (source(1, strategy), source(2, strategy))
    union = UnionNode(id=4, name="union", merged=(1, 2))
    expected = [100, 100, 900, 950]
    assert idle_one_after_the_other(JobGraph((source(1, strategy), keyed(2, 1))), 1) == expected
    assert idle_one_after_the_other(JobGraph((source(1, strategy), keyed(2, 1))), 2) == expected
    assert idle_one_after_the_other(JobGraph((*two, union, keyed(6, 4))), 2) == expected
    assert idle_one_after_the_other(JobGraph((*two, union, later, keyed(6, 5))), 2) == expected
    assert idle_one_after_the_other(JobGraph((*two, keyed(6, 1, 2))), 2) == expected


def test_partition_that_is_active_again_and_behind_holds_back_those_of_its_subtask_only() -> None:
    for parallelism, expected in ((1, 300), (2, 400)):  # as in Flink, where a subtask combines its partitions otherwise
        clock = Clock()
        strategy = MONOTONOUS.with_idleness(Duration.of_seconds(5))
        time = WatermarkService(JobGraph((source(1, strategy), keyed(2, 1))), parallelism, clock)
        time.add_splits(1, [P0, P1])
        time.observe({1: {"t-0": 100, "t-1": 50}})
        clock.now = 4
        time.observe({1: {"t-0": 300}})
        clock.now = 6  # P1 is idle
        time.mark_polled()
        assert time.watermarks() == {"keyed": 300}
        time.observe({1: {"t-1": 60}})
        assert time.watermarks() == {"keyed": 300}
        time.observe({1: {"t-0": 400}})
        assert time.watermarks() == {"keyed": expected}
        time.observe({1: {"t-0": 500, "t-1": 450}})
        assert time.watermarks() == {"keyed": 450}


def test_highest_watermark_of_idle_partitions_stays_after_a_restart_until_one_passes_it() -> None:
    strategy = MONOTONOUS.with_idleness(Duration.of_seconds(5))
    graph = JobGraph((source(1, strategy), keyed(2, 1)))
    clock = Clock()
    before, after = WatermarkService(graph, 2, clock), WatermarkService(graph, 2, clock)
    before.add_splits(1, [P0, P1])
    before.observe({1: {"t-0": 900, "t-1": 100}})
    clock.now = 9
    before.mark_polled()
    assert before.watermarks() == {"keyed": 900}
    after.restore(before.content())
    after.add_splits(1, [P0, P1])
    after.observe({1: {"t-1": 200}})
    assert after.watermarks() == {"keyed": 900}
    after.observe({1: {"t-0": 990, "t-1": 950}})
    assert after.watermarks() == {"keyed": 950}


def test_source_without_watermarks_may_be_idle() -> None:
    clock = Clock()
    silent = WatermarkStrategy.no_watermarks().with_idleness(Duration.of_seconds(5))
    time = WatermarkService(JobGraph((source(1, silent), source(2), keyed(3, 1, 2))), 1, clock)
    time.add_splits(1, [P0])
    time.add_splits(2, [P0])
    clock.now = 3
    time.observe({1: {"t-0": MIN_WATERMARK}, 2: {"t-0": 50}})
    clock.now = 7
    time.mark_polled()
    assert time.watermarks() == {"keyed": MIN_WATERMARK}
    clock.now = 9
    time.mark_polled()
    assert time.watermarks() == {"keyed": 50}


def test_micro_batch_that_takes_longer_than_the_timeout_makes_its_partitions_not_idle() -> None:
    clock = Clock()
    time = idle_after_5_s(clock)
    clock.now = 1
    time.mark_polled()
    clock.now = 9  # the micro-batch took 8 s
    time.observe({1: {"t-0": 50}})
    assert time.watermarks() == {"keyed": MIN_WATERMARK}
    clock.now = 10
    time.mark_polled()
    assert time.of_partitions(1) == {P0: (50, False), P1: (None, True)}
    assert time.watermarks() == {"keyed": 50}


def test_partitions_that_one_poll_finds_idle_became_so_one_after_the_other() -> None:
    clock = Clock()
    time = idle_after_5_s(clock)
    clock.now = 1
    time.mark_polled()
    clock.now = 2
    time.observe({1: {"t-0": 50}})
    clock.now = 60  # the next poll: the one was idle at 5, the other at 7
    time.mark_polled()
    assert time.of_partitions(1) == {P0: (50, True), P1: (None, True)}
    assert time.watermarks() == {"keyed": 50}


def test_bounded_partition_that_is_read_holds_back_nobody() -> None:
    time = WatermarkService(JobGraph((source(1), keyed(2, 1))), 2)
    time.add_splits(1, [P0, P1])
    time.observe({1: {"t-0": 50, "t-1": 20}})
    time.finished(1, [P1])
    assert time.watermarks() == {"keyed": 50}
    time.ended(1)
    assert time.watermarks() == {"keyed": MAX_WATERMARK}


def test_several_inputs_and_strategies_on_the_way() -> None:
    later = OperatorNode(id=4, name="later", input=2, kind=OperatorKind.TIMESTAMPS, function=MONOTONOUS)
    union = UnionNode(id=3, name="union", merged=(1, 4))
    time = WatermarkService(JobGraph((source(1), source(2), later, union, keyed(5, 3))), 1)
    time.add_splits(1, [P0])
    time.add_splits(2, [P0])
    time.observe({1: {"t-0": 50}, 2: {"t-0": 900}})
    assert time.watermarks() == {"keyed": MIN_WATERMARK}
    time.observe({4: {"0": 40}})
    assert time.watermarks() == {"keyed": 40}
    time.ended(2)
    assert time.watermarks() == {"keyed": 50}


def test_collection_holds_back_nobody_and_is_what_is_left_of_idle_ones() -> None:
    clock = Clock()
    rules = SourceNode(id=1, name="rules", source=CollectionSource((1,)), watermarks=MONOTONOUS)
    stream = source(2, MONOTONOUS.with_idleness(Duration.of_seconds(5)))
    time = WatermarkService(JobGraph((rules, stream, keyed(3, 1, 2))), 2, clock)
    assert time.watermarks() == {"keyed": MIN_WATERMARK}  # no partition is there yet
    time.add_splits(2, [P0])
    time.observe({2: {"t-0": 50}})
    assert time.watermarks() == {"keyed": MIN_WATERMARK}  # the rules are on their way
    time.has_read_collections = True
    assert time.watermarks() == {"keyed": 50}
    clock.now = 6
    time.mark_polled()
    assert time.watermarks() == {"keyed": MAX_WATERMARK}


def test_split_that_its_generator_has_marked_idle_holds_back_nobody_until_it_says_otherwise() -> None:
    time = WatermarkService(JobGraph((source(1), keyed(2, 1))), 2)
    time.add_splits(1, [P0, P1])
    time.observe({1: {"t-0": 50}})
    time.observe({1: {"t-1": 20}}, idle={"t-1"})
    assert time.watermarks() == {"keyed": 50}
    time.observe({1: {"t-0": 90}})
    time.observe({1: {"t-1": 60}})
    assert time.watermarks() == {"keyed": 60}


def test_behind_a_shuffle_all_subtasks_count() -> None:
    later = OperatorNode(id=3, name="later", input=2, kind=OperatorKind.TIMESTAMPS, function=MONOTONOUS)
    graph = JobGraph((source(1), keyed(2, 1), later, keyed(4, 3)))
    time = WatermarkService(graph, 3, buckets=2)
    time.add_splits(1, [P0])
    time.observe({3: {"1": 70}})
    assert time.watermarks()["keyed-2"] == MIN_WATERMARK
    time.observe({3: {"0": 40}})
    assert time.watermarks()["keyed-2"] == 40
    time.ended(1)
    assert time.watermarks()["keyed-2"] == MAX_WATERMARK


def test_rows_of_a_stream_go_by_the_buckets_that_an_earlier_run_has_made() -> None:
    rows = StreamNode(id=2, name="rows", input=1, source=stream_table(), watermarks=MONOTONOUS)
    time = WatermarkService(JobGraph((source(1), rows, keyed(3, 2))), 4, buckets=2)
    time.add_splits(1, [TopicPartition("t", number) for number in range(4)])
    time.observe({2: {"0": 50}})
    assert time.watermarks() == {"keyed": MIN_WATERMARK}
    time.observe({2: {"1": 40}})
    assert time.watermarks() == {"keyed": 40}


def test_restart_goes_on_where_it_was() -> None:
    graph = JobGraph((source(1), keyed(2, 1)))
    before, after = WatermarkService(graph, 2), WatermarkService(graph, 2)
    before.add_splits(1, [P0, P1])
    before.observe({1: {"t-0": 50, "t-1": 20}})
    assert before.watermarks() == {"keyed": 20}
    after.restore(before.content())
    after.add_splits(1, [P0, P1])
    after.observe({1: {"t-1": 45}})
    assert after.watermarks() == {"keyed": 45}


def aligned(drift_s: float = 10, group: str = "g") -> WatermarkStrategy[Any]:
    return MONOTONOUS.with_watermark_alignment(group, Duration.of_millis(round(drift_s * 1000)))


def test_subtasks_of_a_source_tell_how_far_they_have_come() -> None:
    time = WatermarkService(JobGraph((source(1), keyed(2, 1))), 2)
    time.add_splits(1, [P0, P1])
    assert time.of_subtasks(1) == {}
    time.observe({1: {"t-0": 50}})
    assert list(time.of_subtasks(1).values()) == [50]  # the other subtask has no watermark yet
    time.observe({1: {"t-1": 20}})
    assert sorted(time.of_subtasks(1).values()) == [20, 50]
    time.finished(1, [P0, P1])
    time.ended(1)
    assert sorted(time.of_subtasks(1).values()) == [20, 50]
    one = WatermarkService(JobGraph((source(1), keyed(2, 1))), 1)
    one.add_splits(1, [P0, P1])
    one.observe({1: {"t-0": 50, "t-1": 20}})
    assert one.of_subtasks(1) == {0: 20}
    one.finished(1, [P1])
    assert one.of_subtasks(1) == {0: 50}


def test_partition_too_far_ahead_of_its_group_waits() -> None:
    clock = Clock()
    time = WatermarkService(JobGraph((source(1, aligned()), keyed(2, 1))), 2, clock)
    time.add_splits(1, [P0, P1])
    time.observe({1: {"t-0": 50_000}})
    assert time.align() == {1: frozenset()}  # the other has no watermark, so nobody knows how far it is
    time.observe({1: {"t-1": 39_999}})
    assert time.align() == {1: frozenset()}  # not before the interval is over
    clock.now = 1
    assert time.align() == {1: {P0}}
    assert time.allowed(1) == 49_999
    time.observe({1: {"t-1": 40_000}})
    clock.now = 2
    assert time.align() == {1: frozenset()}


def test_sources_of_a_group_wait_for_each_other() -> None:
    graph = JobGraph((source(1, aligned()), source(2, aligned(60)), source(3, aligned(1, "other")), keyed(4, 1, 2, 3)))
    time = WatermarkService(graph, 1)
    for node in (1, 2, 3):
        time.add_splits(node, [P0])
    time.observe({1: {"t-0": 30_000}, 2: {"t-0": 0}, 3: {"t-0": 900_000}})
    assert time.align() == {1: {P0}, 2: frozenset(), 3: frozenset()}
    assert [time.allowed(node) for node in (1, 2, 3)] == [10_000, 60_000, 901_000]


def test_idle_and_finished_partitions_keep_nobody_waiting_and_who_waits_is_not_idle() -> None:
    clock = Clock()
    strategy = aligned().with_idleness(Duration.of_seconds(5))
    time = WatermarkService(JobGraph((source(1, strategy), keyed(2, 1))), 2, clock)
    time.add_splits(1, [P0, P1])
    time.mark_polled()
    time.observe({1: {"t-0": 50_000, "t-1": 1_000}})
    assert time.align() == {1: {P0}}
    for second in (4, 8, 12):
        clock.now = second
        time.mark_polled()
        time.observe({1: {"t-1": 1_000 + second}})
        assert time.align() == {1: {P0}}
        assert time.watermarks() == {"keyed": 1_000 + second}
    clock.now = 17  # now the slow one has had nothing for long enough
    time.mark_polled()
    assert time.align() == {1: frozenset()}
    assert time.watermarks() == {"keyed": 50_000}
    time.observe({1: {"t-1": 2_000}})
    clock.now = 18
    assert time.align() == {1: {P0}}
    time.finished(1, [P1])
    clock.now = 19
    assert time.align() == {1: frozenset()}
    time.finished(1, [P0, P1])
    assert time.allowed(1) == 60_000


def test_without_a_group_nobody_waits() -> None:
    time = WatermarkService(JobGraph((source(1), keyed(2, 1))), 2)
    time.add_splits(1, [P0, P1])
    time.observe({1: {"t-0": 50_000, "t-1": 1_000}})
    assert time.align() == {}
    assert time.allowed(1) is None
