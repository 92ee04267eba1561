"""Snapshots of a driven job, and whether a program can continue from one: the rules are those of checkpoint folders."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, final

import attrs

from kafkastream.model.common.error_location import located
from kafkastream.model.connectors.subscription import TopicPartition
from kafkastream.model.graph.job_graph import JobGraph
from kafkastream.model.job.job_result import JobSettings
from kafkastream.spark.checkpoint.operators import dependencies_of
from kafkastream.spark.checkpoint.part_identity import PartIdentity, check_owner, part_identities
from kafkastream.spark.checkpoint.record import JobRecord
from kafkastream.spark.checkpoint.state_layout import Layout

__all__ = ["JobSnapshot", "PartSnapshot", "PartStart", "part_starts"]


@final
@attrs.frozen
class PartSnapshot:
    """State of a connected part of a job.

    Args:
        states: Keyed state of each subtask.
        layout: Layout of the keyed state.
        watermarks: Watermarks, as a checkpoint has them.
        offsets: Next offset in each partition, by the key of the source.
    """

    states: tuple[Mapping[bytes, bytes], ...] = attrs.field(repr=False)
    layout: Layout
    watermarks: Mapping[str, Any] = attrs.field(repr=False)
    offsets: Mapping[str, Mapping[TopicPartition, int]]


@final
@attrs.frozen
class JobSnapshot:
    """State of a driven job, from which another driver continues: keyed state, watermarks, offsets, and the time.

    Args:
        record: Sources and operators of the job, which a program is compared with.
        parts: State of the job's connected parts, by the name of their folder in a checkpoint.
        now_ms: Processing time, in ms since 1970.
    """

    record: JobRecord = attrs.field(repr=False)
    parts: Mapping[str, PartSnapshot]
    now_ms: int


@final
@attrs.frozen
class PartStart:
    """Start of a connected part of a job.

    Args:
        identity: Graph of the part, and what it continues from.
        layout: Layout of its keyed state.
        dependencies: Dependencies of each keyed operator's state.
        snapshot: State to begin with; None for none.
    """

    identity: PartIdentity
    layout: Layout
    dependencies: Mapping[str, str]
    snapshot: PartSnapshot | None


def part_starts(
    graph: JobGraph, settings: JobSettings, parallelism: int, restored: JobSnapshot | None
) -> list[PartStart]:
    """Return the starts of a job's connected parts.

    Args:
        graph: Graph of the job.
        settings: Settings of the job.
        parallelism: Number of subtasks.
        restored: Snapshot to continue from; None to begin without state.

    Raises:
        DefinitionError: On a cluster, the program could not continue from a checkpoint with this content.
    """
    with located(f"job {settings.name!r}, snapshot"):
        if restored is not None:
            check_owner(restored.record, settings)
        identities = part_identities(
            list(graph.components()),
            () if restored is None else restored.record.parts,
            lambda folder: () if restored is None else restored.parts[folder].offsets.keys(),
            can_name=True,
            ignores_unclaimed=settings.ignores_unclaimed_state,
        )
        return [
            _part_start(identity, settings, parallelism, restored and restored.parts.get(identity.place.folder))
            for identity in identities
        ]


def _part_start(
    identity: PartIdentity, settings: JobSettings, parallelism: int, snapshot: PartSnapshot | None
) -> PartStart:
    layout, with_state = Layout.of(identity.graph, parallelism), frozenset[str]()
    if snapshot is not None:
        layout = snapshot.layout.continued(layout, ignores_unclaimed=settings.ignores_unclaimed_state)
        with_state = snapshot.layout.operator_ids
    dependencies = dependencies_of(identity, with_state, accepts_changed=settings.accepts_changed_operators)
    return PartStart(identity, layout, dependencies, snapshot)
