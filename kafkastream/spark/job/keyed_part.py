"""The keyed side of a part of a job, as far as an earlier run has come."""

from __future__ import annotations

import json
import logging
from collections.abc import Mapping, Sequence

import attrs

from kafkastream.model.common.error_location import located
from kafkastream.model.graph.job_graph import JobGraph
from kafkastream.model.job.job_result import JobSettings
from kafkastream.spark.checkpoint import CheckpointFolder
from kafkastream.spark.checkpoint.control_stream import CONTROL_NAME
from kafkastream.spark.checkpoint.state_layout import Layout
from kafkastream.spark.plan.keyed_query import KeyedQuery, Stages
from kafkastream.spark.session.spark_versions import warn_of_leak

__all__ = ["keyed_query", "layout_of"]

log = logging.getLogger("kafkastream")


def layout_of(
    folder: CheckpointFolder,
    graph: JobGraph,
    name: str,
    settings: JobSettings,
    parallelism: int,
    planned_offsets: Mapping[str, str],
) -> Layout | None:
    """Where the state of a part's keyed operators is; None when it has, and had, none.

    Raises:
        DefinitionError: There is state in the checkpoint that the program cannot go on with.
    """
    now = Layout.of(graph, parallelism)
    completed, planned = map(Layout.of_offsets, (folder.completed_offsets(name), planned_offsets))
    with located(f"job {settings.name!r}, checkpoint {folder.of_query(name)}"):
        if completed is not None:
            now = completed.continued(now, ignores_unclaimed=settings.ignores_unclaimed_state)
        if planned is not None:
            planned.check_streams(now)
            now = attrs.evolve(now, buckets=planned.buckets)  # as many as Spark's shuffle has, to which it holds
    if now.levels and now.buckets != parallelism:
        log.info(
            "the keys of %s stay in %d subtasks, as they began; the parallelism is now %d",
            name,
            now.buckets,
            parallelism,
        )
    return now if now.levels else None


def keyed_query(
    folder: CheckpointFolder,
    graph: JobGraph,
    parallelism: int,
    stages: Stages,
    labels: Sequence[int],
    layout: Layout,
    planned_offsets: Mapping[str, str],
) -> KeyedQuery:
    """The keyed side of a part, as far as an earlier run has come."""
    warn_of_leak(folder.session.version)
    keyed = KeyedQuery(folder.session, graph, parallelism, stages, labels, layout)
    if CONTROL_NAME in planned_offsets:
        keyed.restore(json.loads(planned_offsets[CONTROL_NAME]))
    return keyed
