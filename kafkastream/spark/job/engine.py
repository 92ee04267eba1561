"""Starts a job graph on Spark: one query for each connected part of it."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

from pyspark.sql import SparkSession

from kafkastream.cdc.node import PipelineNode
from kafkastream.errors import UnsupportedFeatureError
from kafkastream.metrics.history import JobHistory
from kafkastream.model.common.immutable import FrozenMap
from kafkastream.model.connectors.kafka_source import KafkaSource
from kafkastream.model.graph.flow_text import flow_text
from kafkastream.model.graph.job_graph import JobGraph
from kafkastream.model.job.job_result import JobID, JobSettings
from kafkastream.model.job.page_settings import PageSettings
from kafkastream.operators.state.state_pickles import imported_packages
from kafkastream.options.flink_settings import setting_notes
from kafkastream.page.job_state import JobFacts
from kafkastream.spark.checkpoint.folder import CheckpointFolder
from kafkastream.spark.checkpoint.identity import JobIdentity
from kafkastream.spark.checkpoint.owner import FolderOwner
from kafkastream.spark.internals.queries import forget_query_listeners
from kafkastream.spark.job.cluster_checks import check_cluster, checkpointed
from kafkastream.spark.job.collecting import CollectedElements
from kafkastream.spark.job.compiled_query import CompiledQuery, JobContext, compiled
from kafkastream.spark.job.job_lines import JobLines, page_of_command
from kafkastream.spark.job.job_metrics import JobMetrics
from kafkastream.spark.job.latency_mode import latency_tasks, occupies_slots
from kafkastream.spark.job.latency_slots import LATENCY_SLOTS
from kafkastream.spark.job.live_runs import LIVE_RUNS
from kafkastream.spark.job.program_end import STARTED
from kafkastream.spark.job.query_plan import QueryMemory
from kafkastream.spark.job.restarts import Restarts
from kafkastream.spark.job.running_job import Job
from kafkastream.spark.job.start_warnings import start_warnings
from kafkastream.spark.session.late_cleanup import clean_up_later
from kafkastream.spark.session.master import listening_address
from kafkastream.spark.session.py_files import ship
from kafkastream.spark.session.query_settings import job_session
from kafkastream.spark.session.session import spark_session
from kafkastream.spark.session.signals import interrupt_held_back
from kafkastream.spark.session.worker_prints import pass_on_prints
from kafkastream.spark.worker.pickling import sent_classes
from kafkastream.spark.worker.worker_cache import JobAttempt
from kafkastream.sql.plan.query_node import QueryNode
from kafkastream.sql.plan.source_compatibility import generators

if TYPE_CHECKING:
    from kafkastream.page.server import PageServer

__all__ = ["start", "start_and_collect"]

log = logging.getLogger("kafkastream")


def start(graph: JobGraph, settings: JobSettings) -> Job:
    """Start a job and return at once.

    Raises:
        KafkastreamError: The job cannot start: a topic does not exist, no broker answers, a function cannot be sent.
        KeyboardInterrupt: Ctrl-C came, and no job runs.
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
    session = spark_session(settings.python_executable, has_epochs=occupies_slots(graph, settings))
    started: list[Job] = []
    try:
        with interrupt_held_back():
            started.append(_started(session, graph, settings, collect))
    except KeyboardInterrupt:
        for job in started:
            job.cancel().result()
        raise
    return started[0]


def _started(
    session: SparkSession, graph: JobGraph, settings: JobSettings, collect: Callable[[Iterable[Any]], None]
) -> Job:
    """Start a job in a session of its own, with the settings of the program's."""
    ship(session, settings.python_files)
    settings = checkpointed(session, settings)
    own = job_session(session, _time_zone(graph), settings.limits)
    try:
        return _started_in(own, graph, settings, collect)
    except BaseException:
        clean_up_later(partial(forget_query_listeners, own))
        raise


def _started_in(
    session: SparkSession, graph: JobGraph, settings: JobSettings, collect: Callable[[Iterable[Any]], None]
) -> Job:
    components = tuple(graph.components())
    _check_ends(components)
    check_cluster(session, components, settings)
    folder = CheckpointFolder.of(session, settings)
    job_id = JobID()
    restarts = Restarts(settings.restarts)
    page = settings.page or page_of_command(settings.configuration)
    history = None if page is None else JobHistory()
    metrics = JobMetrics(graph, settings.name, job_id, restarts=lambda: restarts.count, history=history)
    run = _first_attempt(job_id, settings, folder)
    LIVE_RUNS.begin(run.id)
    try:
        owner = FolderOwner.take(folder, settings.name)
        try:
            identity = JobIdentity.of(folder, settings, components)
            context = JobContext(folder, settings, metrics, collect, _epoch_slots(identity, run))
            parts = [compiled(context, part, run, QueryMemory()) for part in identity.parts]
            identity.keep([one.dependencies for one in parts])
            server = None if page is None else _served(page)
            metrics.report_by(settings.reporters, listening_address(str(session.sparkContext.master)))
        except BaseException:
            owner.release()
            raise
    except BaseException:
        LIVE_RUNS.end(run.id)
        LATENCY_SLOTS.give_back(run.id)
        folder.clean()
        raise
    default_parallelism = session.sparkContext.defaultParallelism
    for warning in (*setting_notes(settings.configuration), *start_warnings(components, settings, default_parallelism)):
        log.warning("job %r: %s", settings.name, warning)
    lines = JobLines.of(settings.name, graph, settings.progress)
    lines.started(flow_text(graph), session.sparkContext.uiWebUrl, None if server is None else server.address)
    job = Job(
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
    if server is not None:
        _show(server, job, graph, settings, session)
    return job


def _first_attempt(job_id: JobID, settings: JobSettings, folder: CheckpointFolder) -> JobAttempt:
    return JobAttempt(
        str(job_id),
        job_parameters=settings.parameters,
        max_parallelism=settings.max_parallelism,
        classes=sent_classes(),
        checkpoint=folder.path,
        allows_code=settings.allows_code_in_state,
        packages=imported_packages(),
    )


def _served(settings: PageSettings) -> PageServer:
    from kafkastream.page.server import shared_page_server

    return shared_page_server(settings)


def _show(server: PageServer, job: Job, graph: JobGraph, settings: JobSettings, session: SparkSession) -> None:
    """Show a job on the job page."""
    context = session.sparkContext
    facts = JobFacts(
        job_id=job.job_id,
        graph=graph,
        settings=settings,
        parallelism=settings.parallelism or context.defaultParallelism,
        spark_page=context.uiWebUrl,
    )
    server.jobs.add(facts, job)


def _time_zone(graph: JobGraph) -> str:
    """Return the time zone of the job's queries; UTC if there are none."""
    queries = {node.settings.time_zone for node in graph.nodes if isinstance(node, QueryNode)}
    zones = sorted(queries | {node.processing.time_zone for node in graph.nodes if isinstance(node, PipelineNode)})
    if len(zones) > 1:
        raise UnsupportedFeatureError(
            f"queries in the time zones {' and '.join(zones)} in one job",
            where="table.local-time-zone",
            now="Set it before the first of them, or execute them as jobs of their own.",
        )
    return zones[0] if zones else "UTC"


def _epoch_slots(identity: JobIdentity, run: JobAttempt) -> Mapping[str, int]:
    """Return the number of tasks of each part's epochs, by the part's folder."""
    parts = identity.parts
    slots = latency_tasks(
        identity.folder.session.sparkContext, run.id, [part.graph for part in parts], identity.settings
    )
    return FrozenMap({part.place.folder: own for part, own in zip(parts, slots, strict=True)})


def _end(folder: CheckpointFolder, owner: FolderOwner, queries: Iterable[CompiledQuery], run: JobAttempt) -> None:
    """Clean up after a job."""
    pass_on_prints()
    LIVE_RUNS.end(run.id)
    LATENCY_SLOTS.give_back(run.id)
    try:
        for query in queries:
            query.exactly_once.forget()
    finally:
        owner.release()
        folder.clean()
        clean_up_later(partial(forget_query_listeners, folder.session))  # they hear of the last events in a thread


def _check_ends(components: Sequence[JobGraph]) -> None:
    """Refuse an unbounded table of generated rows next to other queries: parts run one after the other."""
    queries = (node for part in components for node in part.nodes if isinstance(node, QueryNode))
    if len(components) > 1:
        for source in (source for query in queries for source in generators(query.relation)):
            source.check_bounded("next to other queries in one job", ", or execute its INSERT on its own.")


def _servers(graph: JobGraph) -> str:
    sources = (node.source for node in graph.sources)
    return ",".join(dict.fromkeys(source.bootstrap_servers for source in sources if isinstance(source, KafkaSource)))
