"""What the metrics of a source tell of event time."""

from __future__ import annotations

import pytest

from kafkastream.common import Duration, SimpleStringSchema, WatermarkStrategy
from kafkastream.datastream.connectors.kafka import KafkaSource
from kafkastream.metrics.store import MetricStore, Operator
from kafkastream.metrics.values import Change, MetricKind, MetricValue, OperatorChanges
from kafkastream.model.common.time import wall_clock_ms
from kafkastream.model.connectors.subscription import TopicPartition
from kafkastream.model.graph.job_graph import JobGraph, SourceNode
from kafkastream.spark.checkpoint.folder import OffsetRange
from kafkastream.spark.job.job_metrics import QueryMetrics
from kafkastream.spark.plan.source_frames import KafkaInput
from kafkastream.spark.plan.watermark_service import WatermarkService

P0, P1 = TopicPartition("t", 0), TopicPartition("t", 1)
MONOTONOUS = WatermarkStrategy.for_monotonous_timestamps()
ALIGNED = MONOTONOUS.with_watermark_alignment("g", Duration.of_seconds(10))


class Clock:
    now = 100.0

    def __call__(self) -> float:
        return self.now


def gauges(
    strategy: WatermarkStrategy[str], seen: dict[str, int], *, subtasks: int = 1, quiet_s: float = 0
) -> dict[str, list[MetricValue]]:
    """The metrics of a source of two partitions that has read its last record so long ago: in order, of its subtasks."""
    built = KafkaSource.builder().set_bootstrap_servers("b:1").set_topics("t").set_group_id("g")
    source = built.set_value_only_deserializer(SimpleStringSchema()).build()
    node = SourceNode(id=1, name="in", source=source, watermarks=strategy)
    event_time = WatermarkService(JobGraph((node,)), subtasks)
    event_time.add_splits(1, [P0, P1])
    event_time.observe({1: seen})
    clock = Clock()
    store = MetricStore("job", "id", {1: Operator("in", "1")}, clock)
    metrics = QueryMetrics(store, subtasks, event_time=event_time)
    metrics.begin(
        [
            KafkaInput(
                node=node,
                source=source,
                options={},
                offset_range=OffsetRange({P0: 0, P1: 0}),
                ends=False,
                key="in",
                is_named=True,
            )
        ],
        [None],
    )
    store.merge([OperatorChanges(1, 0, (Change(MetricKind.COUNTER, (), "numRecordsIn", 1),))])
    clock.now += quiet_s
    shown: dict[str, list[MetricValue]] = {}
    for metric in store.snapshot().metrics:
        if metric.name.startswith("watermark"):
            shown.setdefault(metric.name, []).append(metric.value)
    return shown


@pytest.mark.parametrize("quiet_s", [0, 60])
def test_lag_is_that_of_the_lowest_partition_when_the_last_record_was_read(quiet_s: float) -> None:
    now = wall_clock_ms()
    (lag,) = gauges(MONOTONOUS, {"t-0": now - 5_000, "t-1": now - 1_000}, quiet_s=quiet_s)["watermarkLag"]
    assert isinstance(lag, int)
    assert 5_000 <= lag + quiet_s * 1000 < 15_000


def test_drift_is_what_lies_beyond_the_allowed() -> None:
    seen = {"t-0": 50_000, "t-1": 70_000}
    assert gauges(ALIGNED, seen)["watermarkAlignmentDrift"] == [-10_000]
    assert sorted(gauges(ALIGNED, seen, subtasks=2)["watermarkAlignmentDrift"]) == [-10_000, 10_000]


def test_there_is_no_drift_without_alignment_and_no_lag_without_a_watermark() -> None:
    assert gauges(MONOTONOUS, {"t-0": 50_000, "t-1": 70_000}).keys() == {"watermarkLag"}
    assert gauges(ALIGNED, {"t-0": 50_000}) == {}
