"""Starts a job graph on Spark: one query for each connected part of it."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial, reduce
from itertools import islice
from threading import Event
from typing import TYPE_CHECKING, Any, final

import attrs
from pyspark.sql import DataFrame
from pyspark.sql.streaming.query import StreamingQuery

from kafkastream.cdc.node import PipelineNode
from kafkastream.errors import JobError, KafkastreamError, StorageError, UnsupportedFeatureError
from kafkastream.model.connectors.kafka_source import KafkaSource
from kafkastream.model.connectors.subscription import TopicPartition
from kafkastream.model.graph.chaining import Serialization
from kafkastream.model.graph.flow_text import flow_text
from kafkastream.model.graph.job_graph import JobGraph
from kafkastream.model.job.job_result import JobID, JobSettings
from kafkastream.spark.cdc.decoder import change_decoders
from kafkastream.spark.cdc.query import PipelineQuery, pipeline_query
from kafkastream.spark.checkpoint import CheckpointFolder, Extent
from kafkastream.spark.checkpoint.identity import JobIdentity, PartIdentity
from kafkastream.spark.checkpoint.operators import dependencies_of
from kafkastream.spark.checkpoint.owner import FolderOwner
from kafkastream.spark.checkpoint.source_options import offsets_of_json
from kafkastream.spark.internals.queries import query_id
from kafkastream.spark.job.cluster_checks import check_cluster, checkpointed
from kafkastream.spark.job.collecting import CollectedElements
from kafkastream.spark.job.exactly_once import ExactlyOnce
from kafkastream.spark.job.job_lines import JobLines
from kafkastream.spark.job.job_metrics import JobMetrics, QueryMetrics
from kafkastream.spark.job.keyed_part import keyed_query, layout_of
from kafkastream.spark.job.live_runs import LIVE_RUNS
from kafkastream.spark.job.program_end import STARTED
from kafkastream.spark.job.query_progress import FollowedQuery
from kafkastream.spark.job.query_runner import RunningPart, StopRequestedError
from kafkastream.spark.job.report_handler import ReportHandler
from kafkastream.spark.job.restarts import Restarts
from kafkastream.spark.job.running_job import Job
from kafkastream.spark.job.written_markers import WrittenMarkers
from kafkastream.spark.plan.chain_compiler import ChainCompiler, chains_of, level_plans, task_plan, writer_plan
from kafkastream.spark.plan.keyed_query import KeyedQuery, in_levels, labels_of
from kafkastream.spark.plan.passthrough import PassThrough, pass_through
from kafkastream.spark.plan.physical_plan import QueryFrames
from kafkastream.spark.plan.query_compiler import query_frames, row_decoders
from kafkastream.spark.plan.source_frames import (
    KafkaInput,
    KeyedSource,
    collection_frame,
    collection_frames,
    collections_of,
    kafka_frames,
    refuse_removed,
    resolved,
)
from kafkastream.spark.plan.table_session import table_session
from kafkastream.spark.session.py_files import ship
from kafkastream.spark.session.query_settings import NAMED_SOURCES
from kafkastream.spark.session.query_settings import settings as session_settings
from kafkastream.spark.session.session import spark_session
from kafkastream.spark.worker.reports import REPORT_SCHEMA, Report, collect_reports
from kafkastream.spark.worker.slot_names import SINGLE, SlotNames
from kafkastream.spark.worker.worker_cache import Run
from kafkastream.sql.plan.query_node import QueryNode
from kafkastream.sql.plan.source_compatibility import generators

if TYPE_CHECKING:
    from kafkastream.spark.exchange.single_writer import WriterPlan
    from kafkastream.spark.exchange.source_tasks import TaskPlan

__all__ = ["start", "start_and_collect"]

_SHOWN_PER_BATCH = 200_000
"""How many records a micro-batch holds at most when what comes out of it goes through the driver."""
_PIECE = 200_000
"""How many numbers of a sequence a micro-batch holds."""
_POLL_S = 0.1
_KEYED_PER_BATCH = 500_000
"""How many at most when a bucket's elements are put in order again, for which they are all in memory."""


def start(graph: JobGraph, settings: JobSettings) -> Job:
    """Start a job and return at once.

    Raises:
        KafkastreamError: The job cannot start: a topic does not exist, no broker answers, a function cannot be sent.
    """
    job = _start(graph, settings, _nobody_collects)
    STARTED.add(job, collects=False)
    return job


def start_and_collect(graph: JobGraph, settings: JobSettings) -> CollectedElements:
    """Start a job and return the elements that it collects, while it runs.

    Raises:
        KafkastreamError: The job cannot start.
    """
    elements = CollectedElements()
    job = _start(graph, settings, elements.put)
    STARTED.add(job, collects=True)
    elements.follow(job)
    return elements


def _nobody_collects(_: Iterable[Any]) -> None:
    raise AssertionError("a job without a collecting sink collects nothing")


def _start(graph: JobGraph, settings: JobSettings, collect: Callable[[Iterable[Any]], None]) -> Job:
    session = spark_session(settings.python_executable)
    ship(session, settings.python_files)
    settings = checkpointed(session, settings)
    queries = {node.settings.time_zone for node in graph.nodes if isinstance(node, QueryNode)}
    zones = sorted(queries | {node.processing.time_zone for node in graph.nodes if isinstance(node, PipelineNode)})
    if len(zones) > 1:
        raise UnsupportedFeatureError(
            f"queries in the time zones {' and '.join(zones)} in one job",
            where="table.local-time-zone",
            now="Set it before the first of them, or execute them as jobs of their own.",
        )
    if zones:
        session = table_session(session, zones[0])
    components = tuple(graph.components())
    _check_ends(components)
    check_cluster(session, components, settings)
    folder = CheckpointFolder.of(session, settings)
    job_id = JobID()
    restarts = Restarts(settings.restarts)
    metrics = JobMetrics(graph, settings.name, job_id, restarts=lambda: restarts.count)
    run = Run(str(job_id), job_parameters=settings.parameters, max_parallelism=settings.max_parallelism)
    LIVE_RUNS.begin(run.id)
    try:
        owner = FolderOwner.take(folder, settings.name)
        try:
            identity = JobIdentity.of(folder, settings, components)
            parts = [_part(folder, part, settings, metrics, collect, _Read(), run) for part in identity.parts]
            identity.keep([one.dependencies for one in parts])
            metrics.report_by(settings.reporters)
        except BaseException:
            owner.release()
            raise
    except BaseException:
        LIVE_RUNS.end(run.id)
        folder.clean()
        raise
    lines = JobLines.of(settings.name, graph, settings.progress)
    lines.started(flow_text(graph), session.sparkContext.uiWebUrl)
    return Job(
        job_id,
        settings.name,
        _servers(graph),
        parts,
        restarts,
        metrics,
        partial(_end, folder, owner, parts, run),
        owner.lost,
        lines,
    )


def _end(folder: CheckpointFolder, owner: FolderOwner, parts: Iterable[_Part], run: Run) -> None:
    """Leave nothing behind of a job that has ended."""
    LIVE_RUNS.end(run.id)
    try:
        for part in parts:
            part.exactly_once.forget()
    finally:
        owner.release()
        folder.clean()


def _check_ends(components: Sequence[JobGraph]) -> None:
    """See that rows which are made up without an end keep nobody waiting: parts begin one after the other."""
    queries = (node for part in components for node in part.nodes if isinstance(node, QueryNode))
    if len(components) > 1 and not all(source.is_bounded for query in queries for source in generators(query.relation)):
        raise UnsupportedFeatureError(
            "a 'datagen' table without an end beside other queries in one job",
            where="datagen",
            now="Give it 'number-of-rows', or execute its INSERT on its own.",
        )


@attrs.define
class _Read:
    """What a part remembers over restarts.

    Args:
        pieces: How many pieces of its collections it has read.
        kept: Whether the checkpoint directory knows what its sources begin with.
        begun: How far its sources had been read when the job started, by their keys.
        seconds: For how many seconds it has made up rows.
    """

    pieces: int = 0
    seconds: int = 0
    kept: bool = False
    begun: Mapping[str, Mapping[TopicPartition, int]] | None = None


@final
@attrs.frozen(kw_only=True)
class _Part:
    """A connected part of the job, ready to run as one query (``kafkastream.spark.job.query_runner.Part``)."""

    again: Callable[[], _Part]
    read: _Read
    graph: JobGraph
    name: str
    settings: JobSettings
    folder: CheckpointFolder
    plan: TaskPlan
    inputs: tuple[KafkaInput, ...]
    native: PassThrough | None
    reports: ReportHandler
    metrics: JobMetrics
    exactly_once: ExactlyOnce
    keyed: KeyedQuery | None
    writer: WriterPlan | None
    tables: QueryFrames | None
    pipeline: PipelineQuery | None
    is_named: bool
    dependencies: Mapping[str, str]

    def start(self, run: RunningPart) -> FollowedQuery | None:
        """Run the collections, then start the query, if there is anything else to read."""
        LIVE_RUNS.begin_part(self.plan.run.id, self.name)
        self.exactly_once.begin(self.inputs)
        if self.pipeline is not None:
            self.pipeline.begin(self.inputs)
        if self.keyed is None and self.tables is None:
            self._read_collections(run)
        elif self.keyed is None:
            self._read_values(run)
        elif not self.inputs:
            with session_settings(self.folder.session, self.keyed.settings()):
                self._keyed_batch(run, Event(), self.keyed.static_frame(), self._slots.of_piece(0))
        if not self.inputs:
            return None
        if self.read.begun is None:
            completed = self.folder.completed_offsets(self.name)
            self.read.begun = {one.key: offsets_of_json(completed.get(one.key)) for one in self.inputs}
        return FollowedQuery(
            resolve=partial(
                resolved,
                self.folder.session,
                [KeyedSource(one.node, one.source, one.key) for one in self.inputs],
                is_named=self.is_named,
            ),
            begin=partial(self._query, run),
            keep=self._keep,
            inputs=self.inputs,
            settings=self.settings,
            metrics=QueryMetrics(
                self.metrics.store,
                self.plan.parallelism,
                native=[node.id for node in (*self.graph.sources, *self.graph.sinks)] if self._is_native else (),
                event_time=None if self.keyed is None else self.keyed.time,
                name=self.name,
                begun=self.read.begun,
            ),
            keyed=self.keyed,
        )

    @property
    def checkpoints(self) -> str:
        """Where its progress is kept."""
        return self.folder.path

    def _keep(self, extents: Mapping[str, Extent]) -> None:
        self.folder.record(self.name, extents)
        self.read.kept = True

    def _read_collections(self, run: RunningPart) -> None:
        """A piece is a micro-batch, which a restart does not repeat when it has been carried out."""
        pieces = (
            (node, piece) for node, source in collections_of(self.graph) for piece in enumerate(source.pieces(_PIECE))
        )
        for node, (number, elements) in islice(pieces, self.read.pieces, None):
            frame = collection_frame(self.folder.session, node, elements)
            self._batch(run, Event(), frame, self._slots.of_piece(number))
            self.read.pieces += 1

    @property
    def _slots(self) -> SlotNames:
        return self.exactly_once.names

    @property
    def _is_native(self) -> bool:
        return self.native is not None or (self.tables is not None and self.tables.is_native)

    def _read_values(self, run: RunningPart) -> None:
        """The rows that a query itself holds are one micro-batch; those that are made up come second by second."""
        tables, read = self.tables, self.read
        assert tables is not None
        if self.inputs:
            return
        collections = collection_frames(self.folder.session, self.graph)
        began = time.monotonic() - read.seconds
        while not read.pieces or not tables.making_ends(read.seconds):
            now = max(int(time.monotonic() - began), read.seconds) + 1
            frame = tables.frame(collections, seconds=(read.seconds, now))
            self._batch(run, Event(), frame, self._slots.of_piece(read.pieces))
            read.pieces, read.seconds = read.pieces + 1, now
            while time.monotonic() < began + now and not tables.making_ends(now):
                run.check_not_stopping()
                time.sleep(_POLL_S)

    def _query(self, run: RunningPart, inputs: Sequence[KafkaInput], over: Event) -> StreamingQuery:
        wanted = {**(NAMED_SOURCES if self.is_named else {}), **({} if self.keyed is None else self.keyed.settings())}
        with session_settings(self.folder.session, wanted):
            return self._begun(run, inputs, over)

    def _begun(self, run: RunningPart, inputs: Sequence[KafkaInput], over: Event) -> StreamingQuery:
        through_driver = any(node.sink.goes_through_driver for node in self.graph.sinks)
        self.exactly_once.prepare(inputs)
        markers = WrittenMarkers.of(self.graph, inputs, self._slots.id, self.pipeline.identity if self.pipeline else "")
        markers.check()
        number_of = partial(self._batch_number, run, markers)
        most = _KEYED_PER_BATCH if self.keyed is not None else None
        frames = kafka_frames(self.folder.session, inputs, _SHOWN_PER_BATCH if through_driver else most)
        if self.native is not None:
            writer = self.native.writer(next(iter(frames.values())))
        elif self.tables is not None and self.tables.is_native:
            writer = self.tables.writer(frames)
        elif self.keyed is not None:
            self.folder.relocate_state(self.name)
            frame = self.keyed.frame(frames, is_named=self.is_named)
            writer = frame.writeStream.foreachBatch(
                lambda batch, number: self._keyed_batch(run, over, batch, number_of(number))
            )
        else:
            frame = reduce(DataFrame.unionByName, frames.values()) if self.tables is None else self.tables.frame(frames)
            writer = frame.writeStream.foreachBatch(
                lambda batch, number: self._batch(run, over, batch, number_of(number))
            )
        interval = self.settings.effective_checkpoint_interval_ms
        if self.keyed is None and all(one.ends for one in inputs):
            writer = writer.trigger(availableNow=True)
        elif (
            self.exactly_once.commits_with_checkpoint and interval is not None
        ):  # by which output becomes visible, as in Flink
            writer = writer.trigger(processingTime=f"{interval} milliseconds")
        writer = writer.queryName(f"{self.settings.name}: {self.name} ({run.job_id})")
        writer = writer.option("checkpointLocation", self.folder.of_query(self.name))
        # What Spark alone writes may call functions, too: its tasks are told what this thread is told.
        LIVE_RUNS.context(self._slots.id, 0).hand_out(self.folder.session.sparkContext)
        return writer.start()

    def _batch_number(self, run: RunningPart, markers: WrittenMarkers, batch: int) -> int:
        """Check the markers for a micro-batch of Spark's, and return its number as the slots' markers count it."""
        try:
            markers.check_batch(self.folder, self.name, batch)
        except KafkastreamError as error:
            run.fail(error)
        return self._slots.of_batch(batch)

    def _batch(self, run: RunningPart, over: Event, frame: DataFrame, batch: int) -> None:
        """Run a micro-batch, whose number is what the slots' markers count it as."""
        if self.tables is not None and self.tables.ends_in_rows:
            tasks = partial(collect_reports, self._ended(self.tables, frame))
        elif self.pipeline is not None:
            self._pipeline_batch(self.pipeline, run, over, frame, batch)
            return
        else:
            tasks = partial(self.plan.collect, frame)
        self._carried_out(run, over, tasks, batch)

    def _pipeline_batch(
        self, pipeline: PipelineQuery, run: RunningPart, over: Event, frame: DataFrame, batch: int
    ) -> None:
        """Run a micro-batch in rounds: schemas follow what records of one round show, and the rest is taken in the next."""
        pipeline.begin_batch(batch)
        is_left = True
        while is_left:
            reports = self._carried_out(run, over, partial(pipeline.run, frame), batch)
            try:
                is_left = pipeline.take(reports)
            except JobError as error:
                run.fail(error)

    def _keyed_batch(self, run: RunningPart, over: Event, frame: DataFrame, batch: int) -> None:
        """Run a micro-batch that goes through stateful stages."""
        assert self.keyed is not None
        query = str(query_id(frame.sparkSession))
        if self.tables is not None and self.tables.ends_in_rows:
            frame = self._ended(self.tables, frame)
        elif self.writer is not None:
            frame = frame.repartition(1).mapInArrow(self.writer.function(), REPORT_SCHEMA)
        with self.keyed.micro_batch(query):
            reports = self._carried_out(run, over, partial(collect_reports, frame), batch)
            self.keyed.take(reports)

    def _ended(self, tables: QueryFrames, frame: DataFrame) -> DataFrame:
        """What comes of the rows of a query; one task writes to exactly-once sinks."""
        one = frame if self.writer is None else frame.repartition(1)
        return one.mapInArrow(tables.end.reports(SINGLE), REPORT_SCHEMA)

    def _carried_out(
        self, run: RunningPart, over: Event, tasks: Callable[[], list[Report]], batch: int
    ) -> list[Report]:
        """What the tasks have reported, when all that it asks for has been done."""
        context = LIVE_RUNS.context(self._slots.id, batch)
        run.check_not_stopping()
        try:
            context.hand_out(self.folder.session.sparkContext)
            reports = tasks()
            LIVE_RUNS.wrote(self.plan.run.id, self.name, reports)
            self.reports.handle(reports)
        except Exception as error:  # noqa: BLE001 - Spark would show the user its own stack instead
            if over.is_set():
                raise StopRequestedError from None
            run.fail(error)
        return reports


def _part(
    folder: CheckpointFolder,
    part: PartIdentity,
    settings: JobSettings,
    metrics: JobMetrics,
    collect: Callable[[Iterable[Any]], None],
    read: _Read,
    run: Run,
) -> _Part:
    """A part, compiled: of what an earlier start has left, only its checkpoint counts."""
    graph, name, is_named = part.graph, part.place.folder, part.place.is_named
    sources = [
        KeyedSource(node, node.source, key)
        for node, key in zip(graph.sources, part.place.keys, strict=True)
        if isinstance(node.source, KafkaSource)
    ]
    extents = folder.extents(name)
    if read.kept and not extents:  # on a file system that is gone for a while; all would be read again
        raise StorageError(
            "the job's progress is gone", now="Is the checkpoint directory mounted? Nothing was changed."
        )
    inputs = resolved(folder.session, sources, extents, is_named=is_named)
    parallelism = settings.parallelism or folder.session.sparkContext.defaultParallelism
    ends = all(one.extent.stops is not None for one in inputs)
    planned = folder.planned_offsets(name)
    refuse_removed(inputs, planned)
    layout = layout_of(folder, graph, name, settings, parallelism, planned)
    dependencies = dependencies_of(folder, part, settings)
    labels = labels_of(layout)
    decoders = {**row_decoders(graph), **change_decoders(graph)}
    compiler = ChainCompiler(
        graph,
        run,
        ends=ends,
        scopes=metrics.scopes,
        labels=labels,
        decoders=decoders,
        serialization=Serialization.of(graph, parallelism, chains=settings.chains_operators),
    )
    chains, writers = chains_of(compiler), compiler.writers()
    plan = task_plan(chains, run, parallelism)
    tables = query_frames(folder.session, compiler, plan, decoders)
    if tables is None:
        # Nothing runs in the last ones, where an earlier run had more than are needed.
        levels = graph.levels()
        more = 0 if layout is None else len(layout.levels) - len(levels)
        stages = in_levels(plan, level_plans(compiler, (*levels, *[()] * more)))
    else:
        stages = tables.frame
    return _Part(
        again=lambda: _part(folder, part.started(dependencies), settings, metrics, collect, read, run.again()),
        read=read,
        graph=graph,
        name=name,
        settings=settings,
        folder=folder,
        plan=plan,
        inputs=inputs,
        native=pass_through(graph),
        reports=ReportHandler(graph, collect, metrics.store),
        metrics=metrics,
        exactly_once=ExactlyOnce.of(name, folder, graph, run.id, chains, writers.values()),
        keyed=None if layout is None else keyed_query(folder, graph, parallelism, stages, labels, layout, planned),
        writer=writer_plan(writers, run) if writers else None,
        tables=tables,
        pipeline=pipeline_query(folder, name, graph, chains, run, parallelism, settings.python_files),
        is_named=is_named,
        dependencies=dependencies,
    )


def _servers(graph: JobGraph) -> str:
    sources = (node.source for node in graph.sources)
    return ",".join(dict.fromkeys(source.bootstrap_servers for source in sources if isinstance(source, KafkaSource)))
