"""What is known of a running or finished job."""

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
from kafkastream.model.common.immutable import FrozenMap
from kafkastream.model.common.stand_ins import Refused
from kafkastream.model.job.restart_strategies import FallbackRestart, RestartStrategyConfiguration

__all__ = ["JobClient", "JobExecutionResult", "JobID", "JobSettings", "JobStatus", "RunningJob"]


@final
@attrs.frozen
class JobID:
    """A job's identity: 32 hexadecimal digits, as in Flink."""

    hex: str = attrs.field(factory=lambda: uuid.uuid4().hex)

    def __str__(self) -> str:
        return self.hex


class JobStatus(enum.Enum):
    """Where a job stands."""

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
        """Whether the job has ended and will not come back."""
        return self in {JobStatus.FAILED, JobStatus.CANCELED, JobStatus.FINISHED}

    isGloballyTerminalState = is_globally_terminal_state

    def is_terminal_state(self) -> bool:
        """Whether the job has ended here; one that is suspended may go on elsewhere."""
        return self.is_globally_terminal_state() or self is JobStatus.SUSPENDED

    isTerminalState = is_terminal_state


@final
@attrs.frozen(kw_only=True)
class JobExecutionResult:
    """What remains of a job that has ended.

    Differs from Flink: there are no accumulators (a deprecated way to metrics), but all metrics.
    """

    job_id: JobID
    net_runtime_ms: int
    metrics: MetricsSnapshot = attrs.field(factory=MetricsSnapshot, repr=False)

    def get_job_id(self) -> JobID:
        """The job's identity."""
        return self.job_id

    getJobId = get_job_id

    def get_net_runtime(self) -> int:
        """How long the job ran, in ms."""
        return self.net_runtime_ms

    getNetRuntime = get_net_runtime

    def get_metrics(self) -> MetricsSnapshot:
        """All metrics of the job at its end; Flink has nothing like it."""
        return self.metrics

    getMetrics = get_metrics

    def is_job_execution_result(self) -> bool:
        """Always true."""
        return True

    isJobExecutionResult = is_job_execution_result

    def get_all_accumulator_results(self) -> Mapping[str, object]:
        """Always empty."""
        return {}

    getAllAccumulatorResults = get_all_accumulator_results

    def get_accumulator_result(self, accumulator_name: str) -> object:
        """Always fails: there are no accumulators.

        Raises:
            DefinitionError: No accumulator has this name.
        """
        raise DefinitionError(f"the job has no accumulator {accumulator_name!r}", now="Jobs here have no accumulators.")

    getAccumulatorResult = get_accumulator_result


@final
@attrs.frozen(kw_only=True)
class JobSettings:
    """How a job is to run.

    Args:
        name: Its name.
        parallelism: The number of subtasks; None when Spark's cores decide.
        checkpoint_dir: Where its progress is kept; None for nowhere.
        checkpoint_interval_ms: How often; None when checkpointing is off.
        ignores_unclaimed_state: Whether state of operators that are no more may go.
        accepts_changed_operators: Whether operators may go on with state that depends on what has changed.
        chains_operators: Whether Flink would run neighbouring Python operators as one.
        program: The file name of the program, where the job has Flink's default name.
        reporters: Who reports its metrics.
        progress: Whether it tells of itself on standard error: on, off, or auto.
    """

    name: str
    parallelism: int | None = None
    checkpoint_dir: str | None = None
    checkpoint_interval_ms: int | None = None
    max_parallelism: int | None = None
    restarts: RestartStrategyConfiguration = attrs.field(factory=FallbackRestart)
    parameters: Mapping[str, str] = FrozenMap()
    python_files: tuple[str, ...] = ()
    python_executable: str | None = None
    chains_operators: bool = True
    ignores_unclaimed_state: bool = False
    accepts_changed_operators: bool = False
    program: str | None = None
    reporters: tuple[ReporterSettings, ...] = ()
    progress: str = "auto"

    @property
    def checkpointing_interval_ms(self) -> int | None:
        """How often a checkpoint is to be taken; None when checkpointing is off, 0 when only a directory is set."""
        if self.checkpoint_interval_ms is None and self.checkpoint_dir is not None:
            return 0
        return self.checkpoint_interval_ms


class RunningJob(Protocol):
    """What the engine gives for a started job."""

    @property
    def job_id(self) -> JobID:
        """The job's identity."""

    @property
    def finished(self) -> Future[JobExecutionResult]:
        """Done when the job has ended; carries its error."""

    def status(self) -> JobStatus:
        """Where the job stands."""

    def metrics(self) -> MetricsSnapshot:
        """The metrics of all completed tasks."""

    def cancel(self) -> Future[None]:
        """Stop after the running micro-batch; done when the job has stopped."""

    def wait(self) -> JobExecutionResult:
        """Wait for the end; Ctrl-C stops the job after the running micro-batch and leaves the program."""


@final
class JobClient:
    """A handle to a job started by ``execute_async``; its answers are futures with ``result()``, as in PyFlink."""

    _j_job_client = Refused()

    def __init__(self, job: RunningJob) -> None:
        self._job = job

    def get_job_id(self) -> JobID:
        """The job's identity."""
        return self._job.job_id

    getJobId = get_job_id

    def get_job_status(self) -> Future[JobStatus]:
        """Where the job stands now."""
        status: Future[JobStatus] = Future()
        status.set_result(self._job.status())
        return status

    getJobStatus = get_job_status

    def get_metrics(self) -> MetricsSnapshot:
        """All metrics of the job, of its completed micro-batches; after its end, as they were then.

        Flink has nothing like it: there, metrics are read through reporters or the REST API.
        """
        return self._job.metrics()

    getMetrics = get_metrics

    def get_accumulators(self) -> Future[Mapping[str, object]]:
        """Always empty: jobs here have metrics instead."""
        none: Future[Mapping[str, object]] = Future()
        none.set_result({})
        return none

    getAccumulators = get_accumulators

    def cancel(self) -> Future[None]:
        """Stop the job after the running micro-batch."""
        return self._job.cancel()

    def get_job_execution_result(self) -> Future[JobExecutionResult]:
        """Done when the job has ended; raises its error."""
        return self._job.finished

    getJobExecutionResult = get_job_execution_result

    def stop_with_savepoint(
        self, advance_to_end_of_event_time: bool, savepoint_directory: str | None = None
    ) -> NoReturn:
        """Refused: there are no savepoints.

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
