"""A connected part of a job, compiled for one start of its query."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import ExitStack
from functools import partial
from threading import Event
from typing import Any, Final, final

import attrs
from pyspark.sql.streaming.query import StreamingQuery
from pyspark.sql.streaming.readwriter import DataStreamWriter

from kafkastream.errors import StorageError
from kafkastream.model.common.error_location import located
from kafkastream.model.common.immutable import FrozenMap
from kafkastream.model.graph.chaining import Serialization
from kafkastream.model.graph.job_graph import CollectionSource
from kafkastream.model.job.job_result import JobSettings
from kafkastream.spark.cdc.decoder import change_decoders
from kafkastream.spark.checkpoint.folder import CheckpointFolder, OffsetRange
from kafkastream.spark.checkpoint.operators import dependencies_of
from kafkastream.spark.checkpoint.part_identity import PartIdentity
from kafkastream.spark.checkpoint.source_options import offsets_of_json
from kafkastream.spark.checkpoint.state_layout import Layout
from kafkastream.spark.internals.jvm import keep_session_active
from kafkastream.spark.job.epochs import Heard
from kafkastream.spark.job.exactly_once import ExactlyOnce
from kafkastream.spark.job.job_metrics import JobMetrics, QueryMetrics
from kafkastream.spark.job.keyed_plan import layout_of
from kafkastream.spark.job.latency_mode import check_mode, runs_in_real_time
from kafkastream.spark.job.latency_slots import LATENCY_SLOTS
from kafkastream.spark.job.live_runs import LIVE_RUNS
from kafkastream.spark.job.micro_batches import MicroBatches
from kafkastream.spark.job.plan_compiler import Compilation, query_plan
from kafkastream.spark.job.query_plan import QueryMemory, QueryPlan
from kafkastream.spark.job.query_progress import QueryProgress
from kafkastream.spark.job.query_runner import QueryRunner
from kafkastream.spark.job.real_time import in_real_time, take_slots
from kafkastream.spark.job.report_handler import ReportHandler
from kafkastream.spark.job.running_query import RunningQuery
from kafkastream.spark.job.written_markers import WrittenMarkers
from kafkastream.spark.plan.chain_compiler import ChainCompiler
from kafkastream.spark.plan.keyed_query import labels_of
from kafkastream.spark.plan.query_compiler import row_decoders
from kafkastream.spark.plan.source_frames import KeyedSource, SourceInput, refuse_removed, source_inputs
from kafkastream.spark.plan.task_plans import source_tasks
from kafkastream.spark.session.forked_python import renew_program
from kafkastream.spark.session.query_settings import NAMED_SOURCES
from kafkastream.spark.session.query_settings import settings as session_settings
from kafkastream.spark.worker.worker_cache import JobAttempt

__all__ = ["CompiledQuery", "JobContext", "compiled"]

log = logging.getLogger("kafkastream")

_SHOWN_PER_BATCH: Final = 200_000
"""Maximum number of records of a micro-batch whose output goes through the driver."""
_KEYED_PER_BATCH: Final = 500_000
"""Maximum number of records if buckets are sorted back into order, in memory."""


@final
@attrs.frozen
class JobContext:
    """Context that all queries of a job share.

    Args:
        folder: Checkpoint folder of the job.
        settings: Settings of the job.
        metrics: Metrics of the job.
        collect: Takes the elements of collecting sinks.
        epoch_slots: Number of tasks of each part's epochs, by the part's folder; 0 or none for micro-batches.
    """

    folder: CheckpointFolder
    settings: JobSettings
    metrics: JobMetrics
    collect: Callable[[Iterable[Any]], None]
    epoch_slots: Mapping[str, int] = FrozenMap()


@final
@attrs.frozen(kw_only=True)
class CompiledQuery:
    """A connected part of a job, ready to start once as one query (``query_runner.Part``).

    Args:
        again: Compiles the part for the next start.
        context: Shared by all queries of the job.
        memory: Progress that outlives restarts.
        part: Graph of the part, and its place in the checkpoint folder.
        plan: Plan that takes records from sources to sinks.
        handler: Handles the tasks' reports.
        inputs: Kafka sources with their offsets, in the order of the plan.
        run: Attempt that the tasks belong to.
        parallelism: Number of subtasks.
        exactly_once: Exactly-once sinks.
        dependencies: Dependencies of the state of each keyed operator, by the operator's identity.
    """

    again: Callable[[], CompiledQuery]
    context: JobContext
    memory: QueryMemory
    part: PartIdentity
    plan: QueryPlan
    handler: ReportHandler
    inputs: tuple[SourceInput, ...]
    run: JobAttempt
    parallelism: int
    exactly_once: ExactlyOnce
    dependencies: Mapping[str, str]
    _resources: ExitStack = attrs.field(factory=ExitStack, init=False)

    @property
    def checkpoints(self) -> str:
        """Path of the checkpoint folder."""
        return self._folder.path

    def start(self, runner: QueryRunner) -> RunningQuery | None:
        """Run the rows that do not come from Kafka, then start the query if there are Kafka sources."""
        renew_program(self._folder.session.sparkContext)
        LIVE_RUNS.begin_part(self.run.id, self._name)
        self._folder.record_mode(self._name, in_epochs=self._is_in_epochs)
        self.exactly_once.begin(self.inputs)
        # Spark's parser has the settings of the thread's active session, whichever session parses:
        # https://github.com/apache/spark/blob/v4.2.1/sql/catalyst/src/main/scala/org/apache/spark/sql/internal/SQLConf.scala, ``get``
        with keep_session_active(self._folder.session):
            self.plan.prepare(self._batches(runner), self.memory, self.inputs)
        if not self.inputs and not self.plan.is_endless:
            return None
        sources = _keyed_sources(self.part)
        metrics = self._metrics()
        return RunningQuery(
            self.inputs,
            partial(source_inputs, self._folder.session, sources, is_named=self.part.place.is_named),
            partial(self._begin, runner, metrics.came_to),
            QueryProgress(self.inputs, self.context.settings, metrics, self._keep, self.plan.keyed, self._name),
            lambda: self.plan.epochs,
            lambda: LATENCY_SLOTS.of(self.run.id, self._name),
        )

    def close(self) -> None:
        """Delete temporary files and release callbacks."""
        with self._resources:
            self._resources.callback(self.handler.close)
            self.plan.close()

    @property
    def _is_in_epochs(self) -> bool:
        return bool(self.context.epoch_slots.get(self._name))

    @property
    def _folder(self) -> CheckpointFolder:
        return self.context.folder

    @property
    def _name(self) -> str:
        return self.part.place.folder

    def _keep(self, offset_ranges: Mapping[str, OffsetRange]) -> None:
        self._folder.record(self._name, offset_ranges)
        self.memory.is_kept = True

    def _metrics(self) -> QueryMetrics:
        keyed, graph = self.plan.keyed, self.part.graph
        return QueryMetrics(
            self.context.metrics.store,
            self.parallelism,
            native=[node.id for node in (*graph.sources, *graph.sinks)] if self.plan.is_native else (),
            event_time=None if keyed is None else keyed.time,
            name=self._name,
            begun=self.memory.begun,
            history=self.context.metrics.history,
        )

    def _batches(self, runner: QueryRunner) -> MicroBatches:
        names = self.exactly_once.names
        return MicroBatches(
            self._folder.session.sparkContext,
            self.run.id,
            self._name,
            names,
            self.handler,
            runner,
            resources=self._resources,
        )

    def _begin(self, runner: QueryRunner, heard: Heard, inputs: Sequence[SourceInput], over: Event) -> StreamingQuery:
        names = NAMED_SOURCES if self.part.place.is_named else {}
        session = self._folder.session
        # Spark asks the thread's session whether there is a type TIME: RowEncoder of foreachBatch.
        with (
            session_settings(session, {**names, **self._folder.settings(), **self.plan.settings()}),
            keep_session_active(session),
        ):
            return self._begun(runner, heard, inputs, over)

    def _begun(self, runner: QueryRunner, heard: Heard, inputs: Sequence[SourceInput], over: Event) -> StreamingQuery:
        folder, name, names = self._folder, self._name, self.exactly_once.names
        self.exactly_once.prepare(inputs)
        markers = WrittenMarkers.of(self.part.graph, inputs, names.id, self.plan.pipeline)
        markers.check()
        batches = attrs.evolve(
            self._batches(runner),
            check=lambda batch: markers.check_batch(folder, name, batch),
            is_stream=True,
            over=over,
        )
        writer = self._triggered(
            inputs, self.plan.writer(self.plan.frames(folder.session, inputs, self._most_per_batch), batches)
        )
        writer = writer.queryName(f"{self.context.settings.name}: {name} ({runner.job_id})")
        writer = writer.option("checkpointLocation", folder.of_query(name))
        # Spark's own writer may call user-defined functions, too: its tasks inherit this thread's local properties.
        LIVE_RUNS.context(names.id, 0).hand_out(folder.session.sparkContext)
        query = writer.start()
        self.plan.begun(query, inputs, batches, heard)
        return query

    def _triggered(self, inputs: Sequence[SourceInput], writer: DataStreamWriter) -> DataStreamWriter:
        settings = self.context.settings
        interval = settings.effective_checkpoint_interval_ms
        if self._is_in_epochs:
            return writer
        if settings.latency is not None and runs_in_real_time(self.part.graph):
            spark, left = self._folder.session.sparkContext, int(len(self.context.epoch_slots) > 1)
            if take_slots(spark, settings.name, (self.run.id, self._name), inputs, left):
                return in_real_time(writer, settings.latency)
        if self.plan.keyed is None and all(one.ends for one in inputs):
            return writer.trigger(availableNow=True)
        if self.exactly_once.commits_with_checkpoint and interval is not None:  # output becomes visible then
            return writer.trigger(processingTime=f"{interval} milliseconds")
        return writer

    @property
    def _most_per_batch(self) -> int | None:
        if any(node.sink.goes_through_driver for node in self.part.graph.sinks):
            return _SHOWN_PER_BATCH
        return None if self.plan.keyed is None else _KEYED_PER_BATCH


def compiled(context: JobContext, part: PartIdentity, run: JobAttempt, memory: QueryMemory) -> CompiledQuery:
    """Compile a connected part of a job, to continue from its checkpoint.

    Raises:
        KafkastreamError: A topic does not exist, no broker answers, a function cannot be pickled, or the program cannot
            continue from the state in the checkpoint.
    """
    folder, graph, name = context.folder, part.graph, part.place.folder
    _warn_of_lost_state(folder, part, context.settings)
    inputs = _inputs(folder, part, memory)
    parallelism = context.settings.parallelism or folder.session.sparkContext.defaultParallelism
    completed, planned = folder.completed_offsets(name), folder.planned_offsets(name)
    refuse_removed(inputs, planned)
    epoch_slots = context.epoch_slots.get(name, 0)
    check_mode(folder, name, in_epochs=epoch_slots > 0)
    if not memory.begun:
        memory.begun = {one.key: offsets_of_json(completed.get(one.key)) for one in inputs}
    left = Layout.of_offsets(completed)
    layout = layout_of(folder, part, context.settings, parallelism, left, Layout.of_offsets(planned))
    with located(f"job {context.settings.name!r}, checkpoint {folder.of_query(name)}"):
        dependencies = dependencies_of(
            part,
            frozenset() if left is None else left.operator_ids,
            accepts_changed=context.settings.accepts_changed_operators,
        )
    compiler = ChainCompiler(
        graph,
        run,
        ends=all(one.offset_range.stops is not None for one in inputs),
        scopes=context.metrics.scopes,
        labels=labels_of(layout),
        decoders={**row_decoders(graph), **change_decoders(graph)},
        serialization=Serialization.of(graph, parallelism, chains=context.settings.chains_operators),
        is_prompt=epoch_slots > 0,
    )
    chains, writers = source_tasks(compiler), compiler.writers()
    compilation = Compilation(folder, part, context.settings, compiler, chains, writers, parallelism, epoch_slots)
    return CompiledQuery(
        again=lambda: compiled(context, part.started(dependencies), run.again(), memory),
        context=context,
        memory=memory,
        part=part,
        plan=query_plan(compilation, layout, planned),
        handler=ReportHandler(graph, context.collect, context.metrics.store),
        inputs=inputs,
        run=run,
        parallelism=parallelism,
        exactly_once=ExactlyOnce.of(name, folder, graph, run.id, chains, writers.values(), in_epochs=epoch_slots > 0),
        dependencies=dependencies,
    )


def _warn_of_lost_state(folder: CheckpointFolder, part: PartIdentity, settings: JobSettings) -> None:
    """Warn if the last run has ended at its stops and had state, which ``offset_ranges`` is about to delete."""
    name = part.place.folder
    if any(offset_range.finished for offset_range in folder.kept_offset_ranges(name).values()):
        layout = Layout.of_offsets(folder.completed_offsets(name))
        if layout is not None and layout.operator_ids:
            log.warning(
                "job %r: the last run of %s is complete, so this one continues at its offsets with empty state: a running "
                "count begins at 1 again; to keep the state, run it unbounded, and stop it by cancel()",
                *(settings.name, name),
            )


def _inputs(folder: CheckpointFolder, part: PartIdentity, memory: QueryMemory) -> tuple[SourceInput, ...]:
    """Return the sources of a part's stream, with their offsets."""
    offset_ranges = folder.offset_ranges(part.place.folder)
    if memory.is_kept and not offset_ranges:  # the file system is unavailable; all would be read again
        raise StorageError(
            "the job's progress is missing", now="Check that the checkpoint directory is mounted; nothing was changed."
        )
    return source_inputs(folder.session, _keyed_sources(part), offset_ranges, is_named=part.place.is_named)


def _keyed_sources(part: PartIdentity) -> list[KeyedSource]:
    return [
        KeyedSource(node, node.source, key)
        for node, key in zip(part.graph.sources, part.place.keys, strict=True)
        if not isinstance(node.source, CollectionSource)
    ]
