"""Run of a driven job: its connected parts, the processing time, micro-batches and checkpoints."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from typing import TYPE_CHECKING, Final, final

from kafkastream.errors import DefinitionError, KafkastreamError
from kafkastream.metrics.store import MetricStore, Operator
from kafkastream.metrics.values import OperatorScope
from kafkastream.model.common.immutable import FrozenMap
from kafkastream.model.common.time import wall_clock
from kafkastream.model.connectors.subscription import TopicPartition
from kafkastream.model.formats.malformed import RecordLimits, use_limits
from kafkastream.model.graph.job_graph import JobGraph, KeyedNode, SourceNode, distinct_names
from kafkastream.model.job.job_result import JobID, JobSettings
from kafkastream.operators.operator_state import OperatorState
from kafkastream.operators.state.program_classes import MAIN_MODULE, classes_defined_in, use_classes
from kafkastream.operators.state.state_pickles import imported_packages, read_state_of
from kafkastream.spark.checkpoint.record import JobRecord
from kafkastream.spark.exchange.keyed_task import state_name
from kafkastream.spark.worker.async_calls import event_loops
from kafkastream.spark.worker.record_decoders import split_name
from kafkastream.spark.worker.worker_cache import JobAttempt
from kafkastream.testing.driver.arrivals import Arrival, merge_by_partition
from kafkastream.testing.driver.job_outputs import JobOutputs
from kafkastream.testing.driver.job_snapshot import JobSnapshot, part_starts
from kafkastream.testing.driver.part_run import PartRun
from kafkastream.testing.driver.source_positions import SourcePositions
from kafkastream.testing.driver.virtual_time import VirtualTimeLoop

if TYPE_CHECKING:
    from kafkastream.testing.driver.sql.spark_rows import SparkRows

__all__ = ["START_MS", "JobRun"]

__tracebackhide__ = True  # pytest shows no frames of this module between a test and its function

START_MS: Final = 1_767_225_600_000
"""Processing time at the start of a driven job: 2026-01-01T00:00:00Z."""

_MOST_ROUNDS: Final = 1_000
"""Micro-batches that a job may make of its own output, one after the other."""

_PACKAGE: Final = "kafkastream."


@final
class JobRun:
    """A job while it runs; time stands still until ``advance``.

    Args:
        graph: Graph of the job.
        settings: Settings of the job.
        parallelism: Number of subtasks.
        partitions: Number of partitions of topics; others have one.
        now_ms: Processing time at the start, in ms since 1970.
        restored: Snapshot of an earlier run to continue from; has the time of its own.
        spark: Whether Spark computes the rows of queries that are not computed in Python, and their formats.

    Attributes:
        now_ms: Processing time, in ms since 1970.
        outputs: What the job has given so far.
        positions: What the sources read, and how far they have come.
        has_spark: Whether Spark may compute.
    """

    def __init__(
        self,
        graph: JobGraph,
        settings: JobSettings,
        *,
        parallelism: int,
        partitions: Mapping[str, int],
        now_ms: int,
        restored: JobSnapshot | None,
        spark: bool = False,
    ) -> None:
        self.now_ms = now_ms if restored is None else restored.now_ms
        self.has_spark = spark
        self._graph = graph
        self._partitions = FrozenMap(partitions)
        self.limits = settings.limits
        self._interval_ms = settings.effective_checkpoint_interval_ms or 0
        self._checkpoint_at = self.now_ms + self._interval_ms
        self.positions = SourcePositions(graph, self._partitions)
        self._collected: list[Arrival] | None = None
        self._spark_rows: SparkRows | None = None
        self._end_reason: str | None = None
        self._parts: list[PartRun] = []
        names = distinct_names(node.label for node in graph.nodes)
        operators = {
            node.id: Operator(name, node.uid or str(node.id)) for node, name in zip(graph.nodes, names, strict=True)
        }
        job_id = str(JobID())
        self.outputs = JobOutputs(graph, MetricStore(settings.name, job_id, operators))
        attempt = JobAttempt(job_id, job_parameters=settings.parameters, max_parallelism=settings.max_parallelism)
        scopes = {node: OperatorScope(settings.name, operator.name, node) for node, operator in operators.items()}
        self._settings = settings
        self._classes = classes_defined_in(sys.modules[MAIN_MODULE])
        self._packages = imported_packages()
        self._starts = part_starts(graph, settings, parallelism, restored)
        try:
            with self._working():
                for start in self._starts:
                    part = PartRun(
                        start,
                        attempt,
                        parallelism,
                        chains=settings.chains_operators,
                        scopes=scopes,
                        partitions=self._partitions,
                        now=lambda: self.now_ms,
                        take=self.outputs.take,
                        by_spark=self.spark_rows if spark else None,
                    )
                    self._parts.append(part)
                    for source in part.graph.sources:
                        part.time.add_splits(source.id, self.positions.partitions(source))
                    part.open()
                    if start.snapshot is not None:
                        self.positions.restore(start, start.snapshot)
                for start, part in zip(self._starts, self._parts, strict=True):
                    if start.snapshot is None:
                        part.read_collections()
                    else:
                        part.fire_timers()
            self._read_own_output()
        except BaseException:
            self.close()
            raise

    def spark_rows(self) -> SparkRows:
        """Return what computes rows and records with Spark, which it starts if it does not run."""
        if self._spark_rows is None:
            from kafkastream.testing.driver.sql.spark_rows import SparkRows

            self._spark_rows = SparkRows(self._settings.name, self._settings.parameters, lambda: self.now_ms)
        return self._spark_rows

    def add_split(self, source: SourceNode, split: TopicPartition) -> None:
        """Register a split of a user's source, which holds back the watermark from now on."""
        self.part_of(source.id).time.add_splits(source.id, [split])

    def part_of(self, node: int) -> PartRun:
        """Return the part that has a node.

        Raises:
            DefinitionError: The run has ended.
        """
        self._check_open()
        return next(part for part in self._parts if any(own.id == node for own in part.graph.nodes))

    def operator_state(self, node: KeyedNode) -> OperatorState:
        """Return the state of a keyed operator.

        Raises:
            DefinitionError: The run has ended.
        """
        part = self.part_of(node.id)
        return OperatorState(
            node,
            lambda subtask: part.keyed_task(node, subtask).operator,
            part.states,
            state_name(part.identities[node.id]),
            self.environment,
        )

    def arrive(self, *arrivals: Arrival) -> None:
        """Process arrivals as a micro-batch of their own, or with others within ``micro_batch``."""
        self._check_open()
        if self._collected is not None:
            self._collected.extend(arrivals)
            return
        with self._working():
            self._process(arrivals)
        self._read_own_output()

    @contextmanager
    def micro_batch(self) -> Iterator[None]:
        """Process all that arrives within the ``with`` block as one micro-batch."""
        self._collected = []
        try:
            yield
            arrivals = self._collected
        finally:
            self._collected = None
        self.arrive(*arrivals)

    def _process(self, arrivals: Iterable[Arrival]) -> None:
        for part in self._parts:
            sources = {source.id for source in part.graph.sources}
            own = [arrival for arrival in arrivals if arrival.source in sources]
            if own:
                part.micro_batch(merge_by_partition(own))

    def set_watermark(self, source: SourceNode, split: TopicPartition, timestamp: int) -> None:
        """Set the watermark of a source's partition, in ms since 1970."""
        with self._working():
            part = self.part_of(source.id)
            part.time.observe({source.id: {split_name(split): timestamp}})
            part.settle()
        self._read_own_output()

    def end(self, sources: Iterable[SourceNode]) -> None:
        """End the input of sources of a part, unless it has ended: of all at once, so no watermark shows one before another."""
        self._check_open()
        ending = [source for source in sources if source.id not in self.positions.ended]
        if ending:
            with self._working():
                part = self.part_of(ending[0].id)
                for source in ending:
                    self.positions.ended.add(source.id)
                    part.end(source.id)
                part.settle()
            self._read_own_output()

    def advance(self, ms: int) -> None:
        """Advance the processing time, and fire the timers and make the checkpoints that become due, each at its time."""
        self._check_open()
        target = self.now_ms + ms
        while True:
            due = [timer for part in self._parts if (timer := part.next_timer()) is not None and timer > self.now_ms]
            step = min([*due, *([self._checkpoint_at] if self._interval_ms else [])], default=target + 1)
            self.now_ms = min(step, target)
            with self._working():
                for part in self._parts:
                    part.fire_timers()
                if self._interval_ms and self.now_ms >= self._checkpoint_at:
                    self._commit()
            self._read_own_output()
            if step > target:
                return

    def checkpoint(self) -> None:
        """Make a checkpoint: what exactly-once sinks have written becomes visible."""
        self._check_open()
        self._commit()
        self._read_own_output()

    def commit_all(self) -> None:
        """Make checkpoints until all output is visible, also what the job makes of its own output."""
        self.checkpoint()
        for _ in range(_MOST_ROUNDS):
            if not self.outputs.has_uncommitted:
                return
            self.checkpoint()

    def snapshot(self) -> JobSnapshot:
        """Return the state from which another run continues.

        Raises:
            DefinitionError: A source has ended.
        """
        self._check_open()
        if self.positions.ended:
            raise DefinitionError(
                "a job whose input has ended leaves no state to continue from",
                where="snapshot",
                now="Take the snapshot before finish().",
            )
        self.commit_all()
        record = JobRecord(
            job=self._settings.name,
            program=self._settings.program,
            parts=tuple(start.identity.record(start.dependencies) for start in self._starts),
        )
        parts = {
            start.identity.place.folder: part.snapshot(self.positions.offsets_by_key(start))
            for start, part in zip(self._starts, self._parts, strict=True)
        }
        return JobSnapshot(record, FrozenMap(parts), self.now_ms)

    def _read_own_output(self) -> None:
        """Let the sources read the records that sinks have written to their topics, until there are none left.

        Raises:
            DefinitionError: There is no end of them.
        """
        for _ in range(_MOST_ROUNDS):
            records = self.outputs.take_visible()
            arrivals = list(self.positions.arrivals_of(records)) if records else []
            if not arrivals:
                return
            with self._working():
                self._process(arrivals)
        topics = sorted({arrival.partition.topic for arrival in arrivals})
        error = DefinitionError(
            f"the job reads what it writes to topic {', '.join(topics)}, and each record makes another one",
            now="On a cluster it would go on like this, too.",
        )
        self.fail(error)
        raise error

    def _commit(self) -> None:
        self.outputs.commit()
        self._checkpoint_at = self.now_ms + self._interval_ms

    def fail(self, error: KafkastreamError) -> None:
        """End the run: nothing can be processed after an error, as in a job that has failed."""
        self._end_reason = f"the job has failed: {error}"

    def commit_unless_periodic(self) -> None:
        """Commit a micro-batch, unless the job has an interval for checkpoints."""
        if not self._interval_ms:
            self.outputs.commit()

    def close(self) -> None:
        """Close the functions; nothing can be processed afterwards.

        Raises:
            UserFunctionError: A ``close`` raised.
        """
        has_failed, self._end_reason = self._end_reason is not None, self._end_reason or "it was closed"
        parts, self._parts = self._parts, []
        for part in parts:
            part.close(has_failed=has_failed)

    @contextmanager
    def environment(self) -> Iterator[None]:
        """Let state and time be those of the job within a ``with`` block, as in a worker that runs its tasks."""
        use_classes(self._classes)
        read_state_of("", allows_code=self._settings.allows_code_in_state, packages=self._packages)
        try:
            with wall_clock(lambda: self.now_ms):
                yield
        finally:
            use_classes({})
            read_state_of("", allows_code=False)

    def _working(self) -> _Work:
        self._check_open()
        return _Work(self)

    def _check_open(self) -> None:
        if self._end_reason is not None:
            raise DefinitionError(f"the driver cannot be used any more: {self._end_reason}", now="Make a new one.")


@final
class _Work:
    """Micro-batches at a run's time, within a ``with`` block. They commit, unless the job has an interval for checkpoints."""

    def __init__(self, run: JobRun) -> None:
        self._run = run
        self._resources = ExitStack()

    def __enter__(self) -> None:
        self._resources.enter_context(self._run.environment())
        self._resources.enter_context(event_loops(VirtualTimeLoop))
        use_limits(self._run.limits)
        self._resources.callback(use_limits, RecordLimits())

    def __exit__(self, _: object, error: BaseException | None, __: object) -> None:
        self._resources.close()
        if isinstance(error, KafkastreamError):
            self._run.fail(error)
            # Without the frames of the engine, of which pytest would show a hundred lines between test and function.
            raise error.with_traceback(None) from _user_exception(error)
        if error is None:
            self._run.commit_unless_periodic()


def _user_exception(error: KafkastreamError) -> BaseException | None:
    """Return the exception of a user's function that an error is about, with the traceback of the function only."""
    cause: BaseException | None = error
    while cause is not None and type(cause).__module__.startswith(_PACKAGE):
        cause = cause.__cause__
    if cause is None:
        return None
    trace = cause.__traceback__
    while trace is not None and trace.tb_frame.f_globals.get("__name__", "").startswith(_PACKAGE):
        trace = trace.tb_next
    return cause.with_traceback(trace)
