"""Starts a job graph on Spark: one query for each connected part of it."""

from __future__ import annotations

import logging
import re
import shutil
import tempfile
import uuid
from collections import Counter
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any, final

import attrs
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql.streaming.query import StreamingQuery

from kafkastream.spark.collecting import CollectedElements
from kafkastream.spark.compile import task_plan
from kafkastream.spark.job import Job
from kafkastream.spark.outcome import Outcome, run_tasks
from kafkastream.spark.passthrough import PassThrough, pass_through
from kafkastream.spark.session import spark_session
from kafkastream.spark.streams import KafkaInput, collection_frame, kafka_frame, resolve
from kafkastream.spark.task import TaskPlan
from kafkastream.spec.graph import CollectionSource, CollectSink, JobGraph, PrintSink
from kafkastream.spec.job import JobSettings
from kafkastream.spec.source import KafkaSource

__all__ = ["start", "start_and_collect"]

log = logging.getLogger("kafkastream")

_SHOWN_PER_BATCH = 200_000
"""How many records a micro-batch holds at most when what comes out of it goes through the driver."""


def start(graph: JobGraph, settings: JobSettings) -> Job:
    """Start a job and return at once.

    Raises:
        KafkastreamError: The job cannot start: a topic does not exist, no broker answers, a function cannot be sent.
    """
    return _start(graph, settings, _nobody_collects)


def start_and_collect(graph: JobGraph, settings: JobSettings) -> CollectedElements:
    """Start a job and return the elements that it collects, while it runs.

    Raises:
        KafkastreamError: The job cannot start.
    """
    elements = CollectedElements()
    elements.follow(_start(graph, settings, elements.put))
    return elements


def _nobody_collects(_: Iterable[Any]) -> None:
    raise AssertionError("a job without a collecting sink collects nothing")


def _start(graph: JobGraph, settings: JobSettings, collect: Callable[[Iterable[Any]], None]) -> Job:
    session = spark_session()
    components = tuple(graph.components())
    names = _distinct(map(_identity, components))
    parts = [_part(session, part, name, settings, collect) for part, name in zip(components, names, strict=True)]
    folder = _CheckpointFolder.of(settings)
    return Job(settings.name, _servers(graph), [part.starter(session, folder) for part in parts], folder.clean)


@final
@attrs.frozen
class _CheckpointFolder:
    """Where the queries of a job keep their progress."""

    path: str
    temporary: bool

    @staticmethod
    def of(settings: JobSettings) -> _CheckpointFolder:
        """The job's own folder; one that ends with the job when no directory was given."""
        if settings.checkpoint_dir is not None:
            return _CheckpointFolder(f"{settings.checkpoint_dir.rstrip('/')}/{_slug(settings.name)}", temporary=False)
        log.info("job %r has no checkpoint directory: nothing survives a restart", settings.name)
        return _CheckpointFolder(Path(tempfile.mkdtemp(prefix="kafkastream-")).as_uri(), temporary=True)

    def clean(self) -> None:
        """Remove what nobody will read again."""
        if self.temporary:
            shutil.rmtree(self.path.removeprefix("file://"), ignore_errors=True)


@final
@attrs.frozen(kw_only=True)
class _Part:
    """A connected part of the job, ready to run as one query."""

    graph: JobGraph
    name: str
    job_name: str
    plan: TaskPlan
    inputs: tuple[KafkaInput, ...]
    native: PassThrough | None
    outcome: Outcome

    def starter(self, session: SparkSession, folder: _CheckpointFolder) -> Callable[[Job], StreamingQuery | None]:
        """What the job calls to start this part."""
        return lambda job: self._run(job, session, folder)

    def _run(self, job: Job, session: SparkSession, folder: _CheckpointFolder) -> StreamingQuery | None:
        for node in self.graph.sources:
            if isinstance(node.source, CollectionSource):
                self._batch(job, collection_frame(session, node, node.source))
        if not self.inputs:
            return None
        return self._query(job, session, f"{folder.path}/{self.name}")

    def _query(self, job: Job, session: SparkSession, checkpoint: str) -> StreamingQuery:
        through_driver = any(isinstance(node.sink, (PrintSink, CollectSink)) for node in self.graph.sinks)
        frame = kafka_frame(session, self.inputs, _SHOWN_PER_BATCH if through_driver else None)
        if self.native is not None:
            writer = self.native.writer(frame)
        else:
            writer = frame.writeStream.foreachBatch(lambda batch, _: self._batch(job, batch))
        if all(one.ends for one in self.inputs):
            writer = writer.trigger(availableNow=True)
        return (
            writer.queryName(f"{self.job_name}: {self.name} ({job.job_id})")
            .option("checkpointLocation", checkpoint)
            .start()
        )

    def _batch(self, job: Job, frame: DataFrame) -> None:
        job.check_not_stopping()
        try:
            self.outcome.carry_out(run_tasks(frame, self.plan))
        except Exception as error:  # noqa: BLE001 - Spark would show the user its own stack instead
            job.fail(error)


def _part(
    session: SparkSession, graph: JobGraph, name: str, settings: JobSettings, collect: Callable[[Iterable[Any]], None]
) -> _Part:
    inputs = tuple(resolve(node, node.source) for node in graph.sources if isinstance(node.source, KafkaSource))
    parallelism = settings.parallelism or session.sparkContext.defaultParallelism
    ends = all(one.ends for one in inputs)
    return _Part(
        graph=graph,
        name=name,
        job_name=settings.name,
        plan=task_plan(graph, uuid.uuid4().hex, parallelism, ends=ends),
        inputs=inputs,
        native=pass_through(graph),
        outcome=Outcome(graph, collect),
    )


def _servers(graph: JobGraph) -> str:
    sources = (node.source for node in graph.sources)
    return ",".join(dict.fromkeys(source.bootstrap_servers for source in sources if isinstance(source, KafkaSource)))


def _identity(graph: JobGraph) -> str:
    """What a part of a restarted job is recognised by: its sources' uids, or names."""
    return _slug("+".join(node.uid or node.name for node in graph.sources))


def _distinct(names: Iterable[str]) -> list[str]:
    """The names, where the second of a kind gets a number."""
    seen: Counter[str] = Counter()
    numbered = []
    for name in names:
        seen[name] += 1
        numbered.append(name if seen[name] == 1 else f"{name}-{seen[name]}")
    return numbered


def _slug(name: str) -> str:
    return re.sub(r"[^\w.+-]+", "-", name).strip("-") or "job"
