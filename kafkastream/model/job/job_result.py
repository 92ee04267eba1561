"""Identity, status, settings and results of a running or finished job."""

from __future__ import annotations

import enum
import uuid
from collections.abc import Mapping
from concurrent.futures import Future
from typing import NoReturn, Protocol, final

import attrs

from kafkastream.errors import DefinitionError, UnsupportedFeatureError
from kafkastream.metrics.reporters import ReporterSettings
from kafkastream.metrics.snapshot import MetricsSnapshot
from kafkastream.metrics.standing import Standing, time_text
from kafkastream.model.common.html import html_table
from kafkastream.model.common.immutable import FrozenMap
from kafkastream.model.common.names import check_name
from kafkastream.model.common.stand_ins import Refused
from kafkastream.model.formats.malformed import RecordLimits
from kafkastream.model.job.notebook_display import show_in_place
from kafkastream.model.job.page_settings import PageSettings
from kafkastream.model.job.restart_strategies import FallbackRestart, RestartStrategyConfiguration
from kafkastream.secret_masking import redacted

__all__ = ["JobClient", "JobExecutionResult", "JobID", "JobSettings", "JobStatus", "LatencySettings", "RunningJob"]


@final
@attrs.frozen
class JobID:
    """Identity of a job: 32 hexadecimal digits, as in Flink."""

    hex: str = attrs.field(factory=lambda: uuid.uuid4().hex)

    def __str__(self) -> str:
        return self.hex


class JobStatus(enum.Enum):
    """Status of a job."""

    INITIALIZING = 0
    CREATED = 1
    RUNNING = 2
    FAILING = 3
    FAILED = 4
    CANCELLING = 5
    CANCELED = 6
    FINISHED = 7
    RESTARTING = 8
    SUSPENDED = 9
    RECONCILING = 10

    def is_globally_terminal_state(self) -> bool:
        """Return whether the job has ended and will not be restarted."""
        return self in {JobStatus.FAILED, JobStatus.CANCELED, JobStatus.FINISHED}

    isGloballyTerminalState = is_globally_terminal_state

    def is_terminal_state(self) -> bool:
        """Return whether the job has ended here; a suspended one may continue elsewhere."""
        return self.is_globally_terminal_state() or self is JobStatus.SUSPENDED

    isTerminalState = is_terminal_state


@final
@attrs.frozen(kw_only=True)
class JobExecutionResult:
    """Result of a job that has ended.

    Differs from Flink: there are no accumulators, a deprecated form of metrics; instead, the result has all metrics.
    """

    job_id: JobID
    net_runtime_ms: int
    metrics: MetricsSnapshot = attrs.field(factory=MetricsSnapshot, repr=False)

    def get_job_id(self) -> JobID:
        """Return the job's identity."""
        return self.job_id

    getJobId = get_job_id

    def get_net_runtime(self) -> int:
        """Return the time from the job's start to its end, in ms."""
        return self.net_runtime_ms

    getNetRuntime = get_net_runtime

    def get_metrics(self) -> MetricsSnapshot:
        """Return all metrics of the job at its end; Flink's result has none."""
        return self.metrics

    getMetrics = get_metrics

    def is_job_execution_result(self) -> bool:
        """Return True."""
        return True

    isJobExecutionResult = is_job_execution_result

    def get_all_accumulator_results(self) -> Mapping[str, object]:
        """Return an empty mapping: there are no accumulators."""
        return {}

    getAllAccumulatorResults = get_all_accumulator_results

    def get_accumulator_result(self, accumulator_name: str) -> object:
        """Fail: there are no accumulators.

        Raises:
            DefinitionError: Always.
        """
        raise DefinitionError(f"the job has no accumulator {accumulator_name!r}", now="Jobs here have no accumulators.")

    getAccumulatorResult = get_accumulator_result


@final
@attrs.frozen(kw_only=True)
class LatencySettings:
    """Settings of the latency mode.

    Args:
        epoch_ms: Length of an epoch in ms.
        transaction_ms: Time between two transactions of an exactly-once sink, in ms.
        checkpoint_ms: Time between two checkpoints within an epoch, in ms.
        ports: Ports at which the driver may listen for the tasks of epochs; 0 lets the system choose.
    """

    epoch_ms: int = 600_000
    transaction_ms: int = 50
    checkpoint_ms: int = 10_000
    ports: tuple[int, ...] = (0,)


@final
@attrs.frozen(kw_only=True)
class JobSettings:
    """Settings that a job runs with.

    Args:
        name: Name of the job.
        parallelism: Number of subtasks; None lets Spark's cores decide.
        checkpoint_dir: Checkpoint directory; None for a temporary one.
        checkpoint_interval_ms: Interval of checkpoints in ms; None if checkpointing is off.
        ignores_unclaimed_state: Whether state of removed operators may be dropped.
        allows_code_in_state: Whether state and keys may hold functions and other code.
        accepts_changed_operators: Whether changed operators may continue with the state of the former ones.
        chains_operators: Whether Flink would chain neighbouring Python operators.
        program: File name of the program, for a job with Flink's default name.
        reporters: Metric reporters.
        progress: Whether the job reports its progress on standard error: on, off, or auto.
        latency: Settings of the latency mode; None if it is off.
        page: Settings of the job page; None if there is none.
        limits: Limits for records.
        configuration: All settings as they were given, under Flink's keys.
    """

    name: str = attrs.field(validator=check_name)
    parallelism: int | None = None
    checkpoint_dir: str | None = None
    checkpoint_interval_ms: int | None = None
    max_parallelism: int | None = None
    restarts: RestartStrategyConfiguration = attrs.field(factory=FallbackRestart)
    parameters: Mapping[str, str] = attrs.field(default=FrozenMap(), repr=redacted)
    python_files: tuple[str, ...] = ()
    python_executable: str | None = None
    chains_operators: bool = True
    ignores_unclaimed_state: bool = False
    allows_code_in_state: bool = False
    accepts_changed_operators: bool = False
    program: str | None = None
    reporters: tuple[ReporterSettings, ...] = ()
    progress: str = "auto"
    latency: LatencySettings | None = None
    page: PageSettings | None = None
    limits: RecordLimits = attrs.field(factory=RecordLimits)
    configuration: Mapping[str, str] = attrs.field(default=FrozenMap(), repr=redacted)

    @property
    def effective_checkpoint_interval_ms(self) -> int | None:
        """Interval of checkpoints in ms; 0, for each micro-batch, if only a directory is set; None if checkpointing is off."""
        if self.checkpoint_interval_ms is None and self.checkpoint_dir is not None:
            return 0
        return self.checkpoint_interval_ms


class RunningJob(Protocol):
    """Job that the engine has started."""

    @property
    def job_id(self) -> JobID:
        """Identity of the job."""

    @property
    def finished(self) -> Future[JobExecutionResult]:
        """Future of the job's result; done when the job has ended, with its error if it failed."""

    @property
    def name(self) -> str:
        """Name of the job."""

    def standing(self) -> Standing | None:
        """Return the progress of the job's sources; None if there is none yet."""

    def status(self) -> JobStatus:
        """Return the job's status."""

    def metrics(self) -> MetricsSnapshot:
        """Return the metrics of all completed tasks."""

    def cancel(self) -> Future[None]:
        """Stop after the running micro-batch; the future is done when the job has stopped."""

    def wait(self) -> JobExecutionResult:
        """Wait for the end; Ctrl-C stops the job after the running micro-batch and exits the program."""


@final
class JobClient:
    """Client of a job started by ``execute_async``; methods return futures with ``result()``, as in PyFlink."""

    _j_job_client = Refused()

    def __init__(self, job: RunningJob) -> None:
        self._job = job

    def _ipython_display_(self) -> None:
        """Show name, status and progress of the job in a notebook, refreshed in place until the job has ended."""
        show_in_place(self._repr_html_, self._job.finished)

    def _repr_html_(self) -> str:
        """Return name, status and progress of the job, and the error by which it has failed, for a notebook."""
        standing = self._job.standing()
        read = "-" if standing is None else f"{standing.records:,}"
        lag = "-" if standing is None or standing.lag is None else f"{standing.lag:,}"
        watermark = "-" if standing is None else time_text(standing.watermark_ms, "seconds")
        status = self._job.status()
        failure = self._job.finished.exception() if status is JobStatus.FAILED else None
        row = [self._job.name, status.name, read, lag, watermark]
        return html_table(
            ["job", "status", "records", "lag", "watermark"], [row], "" if failure is None else str(failure)
        )

    def get_job_id(self) -> JobID:
        """Return the job's identity."""
        return self._job.job_id

    getJobId = get_job_id

    def get_job_status(self) -> Future[JobStatus]:
        """Return a future of the job's status."""
        status: Future[JobStatus] = Future()
        status.set_result(self._job.status())
        return status

    getJobStatus = get_job_status

    def get_metrics(self) -> MetricsSnapshot:
        """Return all metrics of the job's completed micro-batches; after its end, the last ones.

        Flink's client has none: there, metrics are read through reporters or the REST API.
        """
        return self._job.metrics()

    getMetrics = get_metrics

    def get_accumulators(self) -> Future[Mapping[str, object]]:
        """Return a future of an empty mapping: there are no accumulators, but metrics."""
        none: Future[Mapping[str, object]] = Future()
        none.set_result({})
        return none

    getAccumulators = get_accumulators

    def cancel(self) -> Future[None]:
        """Stop the job after the running micro-batch; the future is done when it has stopped."""
        return self._job.cancel()

    def get_job_execution_result(self) -> Future[JobExecutionResult]:
        """Return a future of the job's result; it is done when the job has ended, and raises the job's error.

        While ``result()`` waits without a time limit, Ctrl-C stops the job after the running micro-batch.
        """
        return self._job.finished

    getJobExecutionResult = get_job_execution_result

    def stop_with_savepoint(
        self, advance_to_end_of_event_time: bool, savepoint_directory: str | None = None
    ) -> NoReturn:
        """Refused: there are no savepoints; ``cancel`` stops the job, which resumes from its checkpoint directory.

        Raises:
            UnsupportedFeatureError: Always.
        """
        raise _no_savepoints(f"stop_with_savepoint({advance_to_end_of_event_time}, {savepoint_directory!r})")

    stopWithSavepoint = stop_with_savepoint

    def trigger_savepoint(self, savepoint_directory: str | None = None) -> NoReturn:
        """Refused: there are no savepoints.

        Raises:
            UnsupportedFeatureError: Always.
        """
        raise _no_savepoints(f"trigger_savepoint({savepoint_directory!r})")

    triggerSavepoint = trigger_savepoint


def _no_savepoints(where: str) -> UnsupportedFeatureError:
    return UnsupportedFeatureError(
        "there are no savepoints on Spark",
        where=where,
        now="cancel() stops after the running micro-batch; the next run continues from the checkpoint directory.",
    )
