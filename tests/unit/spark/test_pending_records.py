"""``pendingRecords`` of a source, when only some of Spark's reports are read: a quick micro-batch may hide another."""

from __future__ import annotations

from typing import Any

import pytest

from kafkastream.common import SimpleStringSchema, WatermarkStrategy
from kafkastream.datastream.connectors.kafka import KafkaSource
from kafkastream.metrics.store import MetricStore, Operator
from kafkastream.metrics.values import MetricValue
from kafkastream.model.connectors.subscription import TopicPartition
from kafkastream.model.graph.job_graph import SourceNode
from kafkastream.spark.checkpoint.folder import OffsetRange
from kafkastream.spark.job.job_metrics import QueryMetrics
from kafkastream.spark.plan.source_frames import KafkaInput

PARTITION = TopicPartition("t", 0)
START = 5


def report(rows: int, latest: int) -> dict[str, Any]:
    return {"numInputRows": rows, "latestOffset": f'{{"t": {{"0": {latest}}}}}'}


def pending(*reports: tuple[int, dict[str, Any]]) -> list[MetricValue | None]:
    """The metric after each report: the offset that is reached, and the source's part of the report."""
    built = KafkaSource.builder().set_bootstrap_servers("b:1").set_topics("t")
    source = built.set_value_only_deserializer(SimpleStringSchema()).build()
    node = SourceNode(id=1, name="in", source=source, watermarks=WatermarkStrategy.no_watermarks())
    store = MetricStore("job", "id", {1: Operator("in", "1")})
    metrics = QueryMetrics(store, parallelism=1)
    metrics.begin(
        [
            KafkaInput(
                node=node,
                source=source,
                options={},
                offset_range=OffsetRange({PARTITION: START}),
                ends=False,
                key="in",
                is_named=True,
            )
        ],
        [None],
    )
    values: list[MetricValue | None] = []
    for reached, one in reports:
        metrics.reached([{PARTITION: reached}], [one])
        values.append(store.snapshot().get("job.in.0.pendingRecords"))
    return values


def test_unknown_before_the_first_record() -> None:
    assert pending((START, report(0, START)), (START, report(0, START + 9))) == [None, None]


def test_known_if_the_report_of_the_micro_batch_with_records_was_not_read() -> None:
    assert pending((START + 1, report(0, START + 1))) == [0]


@pytest.mark.parametrize("rows", [0, 2])
def test_follows_the_latest_offset_once_known(rows: int) -> None:
    reports = [(START + 2, report(2, START + 4)), (START + 4, report(rows, START + 9))]
    assert pending(*reports) == [2, 5]


def test_keeps_its_value_if_a_report_has_no_latest_offset() -> None:
    assert pending((START + 2, report(2, START + 4)), (START + 2, {"numInputRows": 0, "latestOffset": None})) == [2, 2]
