"""Decides which parts of a job run in latency mode, with how many tasks, and whether a checkpoint allows it."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from typing import Final

from pyspark import SparkContext

from kafkastream.cdc.node import PipelineNode
from kafkastream.errors import DefinitionError, UnsupportedFeatureError
from kafkastream.model.connectors.kafka_sink import KafkaSink
from kafkastream.model.connectors.kafka_source import KafkaSource
from kafkastream.model.connectors.sink_writer import Sink, SupportsCommitter
from kafkastream.model.connectors.split_source import Source
from kafkastream.model.graph.job_graph import CollectSink, DiscardingSink, JobGraph, KeyedNode, PrintSink
from kafkastream.model.job.job_result import JobSettings
from kafkastream.options.job import BUFFER_TIMEOUT
from kafkastream.spark.checkpoint.folder import CheckpointFolder
from kafkastream.spark.internals.jvm import task_slots
from kafkastream.spark.job.epoch_server import check_encryption
from kafkastream.spark.job.latency_slots import LATENCY_SLOTS
from kafkastream.spark.job.real_time import real_time_refusal
from kafkastream.sql.plan.query_node import QueryNode, StreamNode

__all__ = ["check_mode", "latency_refusal", "latency_tasks", "occupies_slots", "runs_in_real_time"]

log = logging.getLogger("kafkastream")

_SINKS: Final = (KafkaSink, PrintSink, DiscardingSink, CollectSink, Sink)


def latency_refusal(part: JobGraph) -> str | None:
    """Return why a part of a job runs in micro-batches, though the latency mode is on; None if it does not."""
    if _has_query(part):
        return real_time_refusal(part)
    if any(isinstance(node, PipelineNode) for node in part.nodes):
        return "it is a pipeline"
    keyed = next((node for node in part.nodes if isinstance(node, KeyedNode)), None)
    if keyed is not None:
        return f"operator {keyed.name!r} takes elements by key, or has state"
    other = next((node for node in part.sinks if not isinstance(node.sink, _SINKS)), None)
    if other is not None:
        return f"sink {other.name!r} is a {type(other.sink).__name__}, which writes by the micro-batch"
    committing = next((node for node in part.sinks if isinstance(node.sink, SupportsCommitter)), None)
    if committing is not None:
        return f"sink {committing.name!r} has a committer, which commits by the micro-batch"
    own = next((node for node in part.sources if isinstance(node.source, Source)), None)
    if own is not None:
        return f"source {own.name!r} is a {type(own.source).__name__}, which is read by the micro-batch"
    kafka = [node for node in part.sources if isinstance(node.source, KafkaSource)]
    aligned = next((node for node in kafka if node.watermarks.alignment is not None), None)
    if aligned is not None:
        return f"source {aligned.name!r} has watermark alignment"
    return None if kafka else "it reads no topic"


def runs_in_real_time(part: JobGraph) -> bool:
    """Return whether Spark's real-time mode runs a part of a job, if it has the slots; it runs queries of SQL."""
    return _has_query(part) and latency_refusal(part) is None


def occupies_slots(graph: JobGraph, settings: JobSettings) -> bool:
    """Return whether a part of a job runs in latency mode, so that its tasks occupy their slots as long as it runs."""
    return settings.latency is not None and any(latency_refusal(part) is None for part in graph.components())


def _has_query(part: JobGraph) -> bool:
    return any(isinstance(node, (QueryNode, StreamNode)) for node in part.nodes)


def latency_tasks(spark: SparkContext, run: str, parts: Sequence[JobGraph], settings: JobSettings) -> Sequence[int]:
    """Return the number of tasks of each part's epochs, 0 for those that run otherwise.

    Tasks of an epoch occupy their slots as long as the job runs, so some are left to other parts.

    Raises:
        DefinitionError: Spark has too few slots.
        SetupError: Spark encrypts its RPC, and the package for that is not installed.
    """
    if settings.latency is None:
        return [0] * len(parts)
    reasons = [latency_refusal(part) for part in parts]
    for part, reason in zip(parts, reasons, strict=True):
        if reason is not None:
            names = ", ".join(repr(node.name) for node in part.sources)
            level = logging.WARNING if part.unbounded_sources else logging.INFO
            log.log(
                level, "job %r: the part of source %s runs in micro-batches, since %s", settings.name, names, reason
            )
    in_epochs = [reason is None and not _has_query(part) for part, reason in zip(parts, reasons, strict=True)]
    epochs = sum(in_epochs)
    if not epochs:
        return [0] * len(parts)
    check_encryption(spark)
    slots, taken = task_slots(spark), LATENCY_SLOTS.taken
    kept = int(epochs < len(parts))
    share = (slots - taken - kept) // epochs
    if share < 1:
        raise DefinitionError(
            f"the latency mode needs a slot of Spark's for each of {epochs} parts"
            f"{' and one for the others' if kept else ''}, and of {slots} slots {taken} are occupied by other jobs",
            where=f"job {settings.name!r}",
            now="Give Spark more cores (for example spark.master local[8]), or leave out the buffer timeout.",
        )
    tasks = min(share, settings.parallelism or spark.defaultParallelism)
    LATENCY_SLOTS.take(run, "epochs", epochs * tasks)
    return [tasks if one else 0 for one in in_epochs]


def check_mode(folder: CheckpointFolder, name: str, *, in_epochs: bool) -> None:
    """Check that a query may continue from its checkpoint in this mode; after a clean end it always may.

    Raises:
        UnsupportedFeatureError: The query was interrupted in the other mode.
    """
    state = folder.state(name)
    if state is None or folder.ran_in_epochs(name) == in_epochs:
        return
    if in_epochs and state.planned_at_ms is None:
        return
    before, now = ("micro-batches", "latency mode") if in_epochs else ("latency mode", "micro-batches")
    raise UnsupportedFeatureError(
        f"the job was interrupted in {before}, and cannot continue in {now} from there",
        where=f"checkpoint {folder.of_query(name)}",
        now=f"Start it once more as before and stop it by cancel() or Ctrl-C; then the mode may change. "
        f"{BUFFER_TIMEOUT.key} chooses it.",
    )
