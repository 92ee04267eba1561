"""Warnings when a job starts: guarantees that do not hold, and settings that are not applied."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from kafkastream.model.graph.job_graph import CollectionSource, JobGraph, KeyedNode
from kafkastream.model.job.job_result import JobSettings
from kafkastream.options.checkpoints import CHECKPOINT_DIR
from kafkastream.spark.checkpoint.state_layout import Layout

__all__ = ["checkpoint_needs", "start_warnings"]


def checkpoint_needs(part: JobGraph) -> Iterator[str]:
    """Yield what needs a checkpoint directory, of a part that is unbounded or restarts after a failure."""
    if all(isinstance(node.source, CollectionSource) for node in part.sources):
        return
    if Layout.of(part, 1).levels:
        yield "state"
    for node in part.sinks:
        if node.sink.guarantee:
            yield f"an {node.sink.guarantee} sink"


def start_warnings(parts: Sequence[JobGraph], settings: JobSettings, default_parallelism: int) -> Iterator[str]:
    """Yield the warnings about a job; none for parts that end or only show rows to the user, as in a trial.

    Args:
        parts: Connected parts of the job.
        settings: Settings of the job.
        default_parallelism: Number of Spark's cores, which counts if the job sets no parallelism.
    """
    lasting = [
        part
        for part in parts
        if part.unbounded_sources and not all(node.sink.goes_through_driver for node in part.sinks)
    ]
    needs = list(dict.fromkeys(need for part in lasting for need in checkpoint_needs(part)))
    if needs and settings.checkpoint_dir is None:
        yield (
            f"{' and '.join(needs)}, but no checkpoint directory: when the program ends, its progress is lost, and the "
            f"next start begins at the starting offsets, without state; set {CHECKPOINT_DIR.key}"
        )
    parallelism = settings.parallelism or default_parallelism
    ignored = [
        f"{node.name!r} ({node.parallelism})"
        for part in lasting
        for node in part.nodes
        if isinstance(node, KeyedNode) and node.parallelism not in (None, parallelism)
    ]
    if ignored:
        yield (
            f"the parallelism of {', '.join(ignored)} is not applied: operators on keyed streams have that of the job, "
            f"which is {parallelism}"
        )
