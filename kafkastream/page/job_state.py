"""State of a job as its page shows it, and the job's facts that do not change."""

from __future__ import annotations

from collections.abc import Mapping
from concurrent.futures import Future
from typing import Protocol, final

import attrs

from kafkastream.metrics.history import History, PartitionStanding
from kafkastream.metrics.snapshot import MetricsSnapshot
from kafkastream.metrics.standing import Standing
from kafkastream.model.common.immutable import FrozenMap
from kafkastream.model.graph.job_graph import JobGraph
from kafkastream.model.job.job_result import JobID, JobSettings, JobStatus

__all__ = ["JobFacts", "JobState", "ObservedJob"]


@final
@attrs.frozen(kw_only=True)
class JobFacts:
    """Facts of a job that do not change while it runs.

    Args:
        job_id: Identity of the job.
        graph: Graph of the job.
        settings: Settings of the job.
        parallelism: Number of subtasks.
        spark_page: Address of Spark's web interface; None if it is switched off.
    """

    job_id: JobID
    graph: JobGraph
    settings: JobSettings
    parallelism: int = 1
    spark_page: str | None = None


@final
@attrs.frozen(kw_only=True)
class JobState:
    """State of a job at a point in time.

    Args:
        status: Status of the job.
        reached_ms: Time in ms since 1970 at which it last reached each status.
        now_ms: Time of this state in ms since 1970.
        standing: Progress of its sources; None if there is none yet.
        metrics: Metrics of its completed tasks.
        partitions: Progress in each partition.
        watermarks: Last watermark after each node that has one.
        history: Micro-batches, failures and samples.
        activity: Activity of each query, in Spark's words.
    """

    status: JobStatus
    reached_ms: Mapping[JobStatus, int]
    now_ms: int
    standing: Standing | None = None
    metrics: MetricsSnapshot = attrs.field(factory=MetricsSnapshot)
    partitions: tuple[PartitionStanding, ...] = ()
    watermarks: Mapping[int, int] = FrozenMap()
    history: History = attrs.field(factory=History)
    activity: tuple[str, ...] = ()


class ObservedJob(Protocol):
    """Job that a page shows."""

    def state(self) -> JobState:
        """Return the state of the job."""

    def cancel(self) -> Future[None]:
        """Stop after the running micro-batch; the future is done when the job has stopped."""
