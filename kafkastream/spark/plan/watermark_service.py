"""Watermarks, combined on the driver from the tasks' reports about each partition, as Flink combines them."""

from __future__ import annotations

import time
from collections.abc import Callable, Container, Iterable, Mapping
from typing import Any, final

from kafkastream.model.common.watermark_strategy import MAX_WATERMARK, MIN_WATERMARK, NoWatermarks, WatermarkStrategy
from kafkastream.model.connectors.subscription import TopicPartition
from kafkastream.model.graph.job_graph import (
    CollectionSource,
    JobGraph,
    KeyedNode,
    Node,
    OperatorKind,
    OperatorNode,
    SourceNode,
    UnionNode,
)
from kafkastream.spark.checkpoint.operator_ids import keyed_operator_ids, operator_ids
from kafkastream.spark.plan.watermark_valve import (
    Channels,
    InputStatus,
    StatusWatermarkValve,
    combined_status,
    lowest_or_highest,
)
from kafkastream.spark.worker.record_decoders import owner_subtask, split_name
from kafkastream.sql.plan.query_node import StreamNode

__all__ = ["Seen", "WatermarkService"]

Seen = Mapping[int, Mapping[str, int]]
"""Watermark of each split, by the node that generates watermarks."""


@final
class WatermarkService:
    """Watermarks of a connected part of a job.

    Args:
        graph: Graph of the part.
        parallelism: The number of subtasks.
        clock: Returns the time in seconds; only differences count.
        buckets: Number of buckets of keys; default: the parallelism.

    Attributes:
        is_aligned: Whether a source has watermark alignment.
        has_read_collections: Whether a micro-batch has read the elements of collections, whose watermark is then final.
    """

    def __init__(
        self,
        graph: JobGraph,
        parallelism: int,
        clock: Callable[[], float] = time.monotonic,
        buckets: int | None = None,
    ) -> None:
        self._graph = graph
        self._parallelism = parallelism
        self._buckets = buckets or parallelism
        self._clock = clock
        self._began = self._looked = clock()
        self._seen: dict[int, dict[str, int]] = {}
        self._active: dict[tuple[int, str], float] = {}
        self._marked_idle: set[tuple[int, str]] = set()
        strategies = filter(None, map(_strategy, graph.nodes))
        self._timeouts_s = {one.idle_timeout.to_millis() / 1000 for one in strategies if one.idle_timeout}
        self._names = operator_ids(graph.nodes)
        self._keyed = keyed_operator_ids(graph)
        self._splits: dict[int, dict[TopicPartition, int]] = {}  # with the subtask that reads it
        self._finished: dict[int, frozenset[TopicPartition]] = {}
        self._ended: set[int] = set()
        self.has_read_collections = False
        self._combined: dict[int, int] = {}
        self._subtask_watermarks: dict[tuple[int, int], int] = {}
        self._valves: dict[tuple[int, int | str], StatusWatermarkValve] = {}
        aligned = [node.watermarks.alignment for node in graph.sources if node.watermarks.alignment is not None]
        self._align_every = min((one.update_interval.to_millis() / 1000 for one in aligned), default=0)
        self._align_at = self._began
        self.is_aligned = bool(aligned)
        self._waiting: dict[int, frozenset[TopicPartition]] = {}

    def restore(self, content: Mapping[str, Any]) -> None:
        """Restore the watermarks from the ``content`` of an earlier run."""
        seen, combined = content.get("seen", {}), content.get("combined", {})
        self._seen = {node: dict(seen[name]) for node, name in self._names.items() if name in seen}
        self._combined = {node: combined[name] for node, name in self._names.items() if name in combined}

    def content(self) -> dict[str, Any]:
        """Return the content of the checkpoint for ``restore``."""
        return {
            "combined": {self._names[node]: watermark for node, watermark in self._combined.items()},
            "seen": {self._names[node]: splits for node, splits in self._seen.items()},
        }

    def watermarks(self) -> dict[str, int]:
        """Return the watermarks of the keyed operators, by their identities."""
        return {name: self._after_keyed(self._graph[node]).watermark for node, name in self._keyed.items()}

    def of_subtasks(self, source: int) -> dict[int, int]:
        """Return the watermarks of a source's subtasks, for those that have one."""
        subtasks: dict[int, list[InputStatus]] = {}
        for partition, status in self._of_partitions(self._source(source)).items():
            subtasks.setdefault(self._splits[source][partition], []).append(status)
        watermarks = {subtask: lowest_or_highest(statuses) for subtask, statuses in subtasks.items()}
        return {subtask: watermark for subtask, watermark in watermarks.items() if watermark > MIN_WATERMARK}

    def of_partitions(self, source: int) -> dict[TopicPartition, tuple[int | None, bool]]:
        """Return the watermark of each partition of a source, None if there is none, and whether it is idle."""
        return {
            partition: (None if one.watermark <= MIN_WATERMARK else one.watermark, one.is_idle)
            for partition, one in self._of_partitions(self._source(source)).items()
        }

    def of_nodes(self) -> dict[int, int]:
        """Return the last watermark after each node that has one and leads to a keyed operator."""
        return {node: watermark for node, watermark in self._combined.copy().items() if watermark > MIN_WATERMARK}

    def allowed(self, source: int) -> int | None:
        """Return the maximum watermark of a source: the minimum of its group plus the drift; None for no limit.

        As in Flink, a partition counts for the minimum if it has a watermark and is neither idle nor at its end.
        """
        alignment = self._source(source).watermarks.alignment
        if alignment is None:
            return None
        group = [
            one
            for node in self._graph.sources
            if node.watermarks.alignment is not None and node.watermarks.alignment.group == alignment.group
            for one in self._of_partitions(node).values()
            if one.watermark > MIN_WATERMARK
        ]
        return lowest_or_highest(group) + alignment.max_drift.to_millis() if group else None

    def align(self) -> Mapping[int, frozenset[TopicPartition]]:
        """Return the partitions to pause, by source; updated once per update interval.

        A paused partition does not become idle.
        """
        if self.is_aligned and self._clock() >= self._align_at:
            self._align_at = self._clock() + self._align_every
            self._waiting = {node.id: self._ahead(node) for node in self._graph.sources}
        return self._waiting

    def add_splits(self, source: int, partitions: Iterable[TopicPartition]) -> None:
        """Register partitions of a source; each counts for the watermark at once."""
        splits = self._splits.setdefault(source, {})
        parallelism = self._graph[source].parallelism or self._parallelism
        new = [partition for partition in partitions if partition not in splits]
        splits.update({one: owner_subtask(one.topic, one.partition, parallelism) for one in new})

    def mark_polled(self) -> None:
        """Note a poll for records: a split without records becomes idle after its timeout.

        Splits become idle one after the other also if one poll finds several: one that is idle earlier lets the watermark
        advance to those of the others, and which one is the last decides where it ends.
        """
        before, now = self._looked, self._clock()
        for source, partitions in self._waiting.items():
            for split in map(split_name, partitions):
                self._active[source, split] = self._active.get((source, split), self._began) + now - before
        moments = {since + timeout for timeout in self._timeouts_s for since in (self._began, *self._active.values())}
        for moment in sorted(one for one in moments if before < one < now):
            self._looked = moment
            self.watermarks()
        self._looked = now

    def observe(self, seen: Seen, idle: Container[str] = ()) -> None:
        """Update the watermarks by the reports of a micro-batch, which has just ended.

        Its records count as read now: a micro-batch that takes longer than the timeout makes none of its splits idle, as
        backpressure does not in Flink: https://issues.apache.org/jira/browse/FLINK-35886.

        Args:
            seen: Splits with records, and their watermarks.
            idle: Splits among them that their generators have marked idle.
        """
        now = self._clock()
        for node, splits in seen.items():
            known = self._seen.setdefault(node, {})
            for split, watermark in splits.items():
                known[split] = max(watermark, known.get(split, MIN_WATERMARK))
                self._active[node, split] = now
                (self._marked_idle.add if split in idle else self._marked_idle.discard)((node, split))

    def finished(self, source: int, partitions: Iterable[TopicPartition]) -> None:
        """Note that a bounded source has finished these partitions: they do not hold back watermarks any more."""
        self._finished[source] = frozenset(partitions)

    def ended(self, source: int) -> None:
        """Note that a source has ended."""
        self._ended.add(source)

    def _after_keyed(self, node: Node) -> InputStatus:
        """Return the status after a keyed operator, whose subtasks all get the watermarks of all subtasks before it."""
        reached = self._combined.get(node.id, MIN_WATERMARK)
        inputs = []
        for number, taken in enumerate(node.inputs):
            valve = self._valves.setdefault((node.id, number), StatusWatermarkValve(reached))
            inputs.append(valve.update(self._after(self._graph[taken])))
        status = combined_status(inputs, reached)
        self._combined[node.id] = status.watermark
        return status

    def _after(self, node: Node) -> Channels:
        """Return the status of each subtask after a node."""
        if isinstance(node, KeyedNode):
            return {(node.id, ""): self._after_keyed(node)}  # all have the same
        channels = self._after_source(node) if isinstance(node, SourceNode) else self._after_operator(node)
        reached = lowest_or_highest(channels.values())
        self._combined[node.id] = max(self._combined.get(node.id, MIN_WATERMARK), reached)
        return channels

    def _after_operator(self, node: Node) -> Channels:
        before = {key: status for taken in node.inputs for key, status in self._after(self._graph[taken]).items()}
        if isinstance(node, UnionNode):
            return before  # In Flink a union is not an operator: its inputs are channels of the next operator.
        strategy = _strategy(node)
        if strategy is None:
            by_subtask: dict[str, dict[tuple[int, str], InputStatus]] = {}
            for (origin, subtask), status in before.items():
                by_subtask.setdefault(subtask, {})[origin, subtask] = status
            return {
                (node.id, subtask): self._valves.setdefault((node.id, subtask), StatusWatermarkValve()).update(statuses)
                for subtask, statuses in by_subtask.items()
            }
        if lowest_or_highest(before.values()) == MAX_WATERMARK:
            return {(node.id, ""): InputStatus(MAX_WATERMARK)}
        subtasks = self._subtasks(node) or ("",)  # without any, as with an empty one
        return {(node.id, subtask): self._of_split(node, strategy, subtask) for subtask in subtasks}

    def _after_source(self, node: SourceNode) -> Channels:
        match node:
            case SourceNode(source=CollectionSource(ends=True)):
                return {(node.id, ""): InputStatus(MAX_WATERMARK if self.has_read_collections else MIN_WATERMARK)}
            case SourceNode() if node.id in self._ended:
                return {(node.id, ""): InputStatus(MAX_WATERMARK)}
            case SourceNode() if not self._splits.get(node.id):  # without any partition, as with an empty one
                return {(node.id, ""): self._of_split(node, node.watermarks, "")}
        statuses = self._of_partitions(node)
        finished = self._finished.get(node.id, frozenset())
        subtasks: dict[int, list[InputStatus]] = {}
        for partition in statuses.keys() - finished or statuses:
            subtasks.setdefault(self._splits[node.id][partition], []).append(statuses[partition])
        channels = {}
        for subtask, of_subtask in subtasks.items():
            reached = self._subtask_watermarks.get((node.id, subtask), MIN_WATERMARK)
            status = combined_status(of_subtask, reached)
            self._subtask_watermarks[node.id, subtask] = status.watermark
            channels[node.id, str(subtask)] = status
        return channels

    def _of_partitions(self, node: SourceNode) -> dict[TopicPartition, InputStatus]:
        """Return the watermarks of a source's partitions; a finished one counts as idle."""
        finished = self._finished.get(node.id, frozenset())
        found = {
            partition: self._of_split(node, node.watermarks, split_name(partition))
            for partition in self._splits.get(node.id, ())
        }
        return {p: one._replace(is_idle=True) if p in finished else one for p, one in found.items()}

    def _ahead(self, node: SourceNode) -> frozenset[TopicPartition]:
        limit = self.allowed(node.id)
        if limit is None:
            return frozenset()
        return frozenset(p for p, one in self._of_partitions(node).items() if not one.is_idle and one.watermark > limit)

    def _of_split(self, node: Node, strategy: WatermarkStrategy[Any], split: str) -> InputStatus:
        timeout, since = strategy.idle_timeout, self._active.get((node.id, split), self._began)
        is_quiet = timeout is not None and self._looked >= since + timeout.to_millis() / 1000
        is_idle = is_quiet or (node.id, split) in self._marked_idle
        is_constant = isinstance(strategy.generation, NoWatermarks)
        seen = MIN_WATERMARK if is_constant else self._seen.get(node.id, {}).get(split, MIN_WATERMARK)
        return InputStatus(seen, is_idle)

    def _subtasks(self, node: Node) -> frozenset[str]:
        """Return the subtasks of a node that can receive elements: those that own a partition; all, after a shuffle."""
        before = [self._graph[one] for one in self._before(node)]
        # Rows of streams stay in the buckets of their subtasks.
        is_of_rows = any(isinstance(one, StreamNode) for one in (node, *before))
        subtasks = min(self._parallelism, self._buckets) if is_of_rows else self._parallelism
        owners = {
            owner_subtask(split.topic, split.partition, self._parallelism) % subtasks % (node.parallelism or subtasks)
            for source in before
            for split in self._splits.get(source.id, {}).keys() - self._finished.get(source.id, frozenset())
            if source.id not in self._ended
        }
        if any(isinstance(one, KeyedNode) for one in before):
            owners.update(range(min(node.parallelism or self._buckets, self._buckets)))
        return frozenset(map(str, owners))

    def _before(self, node: Node) -> frozenset[int]:
        """Return the nodes upstream of one, back to the last shuffle."""
        found = set(node.inputs)
        for taken in map(self._graph.__getitem__, node.inputs):
            if not isinstance(taken, KeyedNode):
                found |= self._before(taken)
        return frozenset(found)

    def _source(self, source: int) -> SourceNode:
        node = self._graph[source]
        assert isinstance(node, SourceNode)
        return node


def _strategy(node: Node) -> WatermarkStrategy[Any] | None:
    """Return the strategy by which a node generates watermarks; None if it forwards those of its inputs."""
    match node:
        case (
            SourceNode(watermarks=WatermarkStrategy() as strategy)
            | OperatorNode(kind=OperatorKind.TIMESTAMPS, function=WatermarkStrategy() as strategy)
            | StreamNode(watermarks=WatermarkStrategy() as strategy)
        ):
            return strategy
        case _:
            return None
