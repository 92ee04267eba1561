"""A job with everything that the page shows, as values."""

from __future__ import annotations

from concurrent.futures import Future
from typing import Final, final

from kafkastream.common import Configuration, Duration, SimpleStringSchema, Types, WatermarkStrategy
from kafkastream.datastream import StreamExecutionEnvironment
from kafkastream.datastream.connectors.kafka import KafkaSource
from kafkastream.metrics.history import CompletedBatch, Failure, History, PartitionStanding, Sample
from kafkastream.metrics.snapshot import MetricsSnapshot, ReportedMetric
from kafkastream.metrics.standing import Standing
from kafkastream.metrics.values import Group, MeterValue, MetricKind, MetricValue
from kafkastream.model.graph.job_graph import JobGraph
from kafkastream.model.job.job_result import JobID, JobStatus
from kafkastream.model.job.job_settings import job_settings
from kafkastream.page.job_state import JobFacts, JobState

BEGAN: Final = 1_700_000_000_000
NOW: Final = BEGAN + 90_000
ID: Final = "0123456789abcdef0123456789abcdef"
CONFIGURED: Final = (
    Configuration()
    .set_string("pipeline.name", "orders")
    .set_string("rest.port", "0")
    .set_string("my.password", "hidden-1")
    .set_string("pipeline.global-job-parameters", "api-key:hidden-2,region:eu")
)


def graph() -> JobGraph:
    """Orders that are counted by key, and printed."""
    env = StreamExecutionEnvironment.get_execution_environment(CONFIGURED)
    source = (
        KafkaSource.builder()
        .set_bootstrap_servers("broker:9092")
        .set_topics("orders")
        .set_group_id("counters")
        .set_property("sasl.jaas.config", "hidden-3")
        .set_value_only_deserializer(SimpleStringSchema())
        .build()
    )
    watermarks = WatermarkStrategy.for_bounded_out_of_orderness(Duration.of_seconds(5))
    orders = env.from_source(source, watermarks, "orders")
    orders.key_by(str, Types.STRING()).reduce(max).name("largest").print()
    return env._graph()


def facts() -> JobFacts:
    return facts_of(ID)


def facts_of(job_id: str) -> JobFacts:
    return JobFacts(
        job_id=JobID(job_id),
        graph=graph(),
        settings=job_settings(CONFIGURED, None),
        parallelism=2,
        spark_page="http://driver:4040",
    )


def metric(
    operator: str,
    name: str,
    value: MetricValue,
    *groups: Group,
    subtask: int = 0,
    kind: MetricKind = MetricKind.COUNTER,
) -> ReportedMetric:
    return ReportedMetric(
        job="orders",
        operator=operator,
        operator_id="",
        subtask=subtask,
        groups=groups,
        name=name,
        kind=kind,
        value=value,
    )


METRICS: Final = (
    metric("", "numRestarts", 1, kind=MetricKind.GAUGE),
    metric("Source: orders", "numRecordsOut", 600),
    metric("Source: orders", "numRecordsOut", 300, subtask=1),
    metric("Source: orders", "numRecordsOutPerSecond", MeterValue(600, 10.0), kind=MetricKind.METER),
    metric("Source: orders", "numRecordsOutPerSecond", MeterValue(300, 5.0), subtask=1, kind=MetricKind.METER),
    metric("Source: orders", "commitsSucceeded", 4, Group("KafkaSourceReader")),
    metric("largest", "numRecordsIn", 900),
)
BATCH: Final = CompletedBatch(
    part="0",
    number=7,
    began_ms=NOW - 5_000,
    duration_ms=1_000,
    phases_ms={"addBatch": 700, "walCommit": 60, "commitOffsets": 40, "latestOffset": 10},
    rows=900,
    state_bytes=4_096,
    lag=100,
)
FAILURE: Final = Failure(
    at_ms=NOW - 700_000,
    code="user-function",
    name="UserFunctionError",
    text="[user-function] no",
    restart=1,
    wait_ms=500,
)


def partition(number: int, *, watermark: int | None = NOW - 6_000, is_idle: bool = False) -> PartitionStanding:
    return PartitionStanding(
        node=1,
        topic="orders",
        partition=number,
        offset=450,
        end=500,
        committed=440,
        watermark_ms=watermark,
        is_idle=is_idle,
    )


def state(status: JobStatus = JobStatus.RUNNING, **changes: object) -> JobState:
    given = {
        "status": status,
        "reached_ms": {JobStatus.CREATED: BEGAN, JobStatus.RUNNING: BEGAN + 1_000, status: BEGAN + 2_000},
        "now_ms": NOW,
        "standing": Standing(records=900, lag=100, watermark_ms=NOW - 6_000),
        "metrics": MetricsSnapshot("orders", ID, METRICS),
        "partitions": (partition(0), partition(1, is_idle=True)),
        "watermarks": {1: NOW - 6_000},
        "history": History((BATCH,), 8, (FAILURE,), (Sample(NOW - 10_000, 0, 900), Sample(NOW - 5_000, 900, 100))),
        "activity": ("Waiting for data to arrive",),
        **changes,
    }
    return JobState(**given)  # type: ignore[arg-type]  # each has its own type


@final
class StandIn:
    """A job that stands still until it is cancelled."""

    def __init__(self, **changes: object) -> None:
        self.status = JobStatus.RUNNING
        self.changes = changes

    def state(self) -> JobState:
        return state(self.status, **self.changes)

    def cancel(self) -> Future[None]:
        self.status = JobStatus.CANCELED
        return Future()


@final
class Broken:
    """A job whose state cannot be read."""

    def state(self) -> JobState:
        raise ValueError("no state")

    def cancel(self) -> Future[None]:
        return Future()
