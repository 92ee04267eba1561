"""Watermarks, combined on the driver from the tasks' reports about each partition, as Flink combines them."""

from __future__ import annotations

import time
from collections.abc import Callable, Container, Iterable, Mapping, Sequence
from typing import Any, NamedTuple, final

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
)
from kafkastream.spark.checkpoint.operator_ids import keyed_operator_ids, operator_ids
from kafkastream.spark.worker.record_decoders import owner_subtask, split_name
from kafkastream.sql.plan.query_node import StreamNode

__all__ = ["Seen", "WatermarkService"]

Seen = Mapping[int, Mapping[str, int]]
"""Watermark of each split, by the node that generates watermarks."""


class _Input(NamedTuple):
    """Watermark of one of an operator's inputs; an idle input does not hold back the operator."""

    watermark: int
    is_idle: bool = False


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
        self._splits: dict[int, frozenset[TopicPartition]] = {}
        self._finished: dict[int, frozenset[TopicPartition]] = {}
        self._ended: set[int] = set()
        self.has_read_collections = False
        self._combined: dict[int, int] = {}
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
        return {name: self._of(self._graph[node]).watermark for node, name in self._keyed.items()}

    def of_subtasks(self, source: int) -> dict[int, int]:
        """Return the watermarks of a source's subtasks, for those that have one."""
        subtasks: dict[int, list[_Input]] = {}
        for partition, one in self._of_partitions(self._source(source)).items():
            owner = owner_subtask(partition.topic, partition.partition, self._parallelism)
            subtasks.setdefault(owner, []).append(one)
        come_to = {subtask: _come_to(own) for subtask, own in subtasks.items()}
        return {subtask: watermark for subtask, watermark in come_to.items() if watermark > MIN_WATERMARK}

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
        return _come_to(group) + alignment.max_drift.to_millis() if group else None

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
        self._splits[source] = self._splits.get(source, frozenset()).union(partitions)

    def mark_polled(self) -> None:
        """Note a poll for records: a split without records becomes idle after its timeout.

        Splits become idle one after the other also if one poll finds several: one that is idle earlier lets the watermark
        advance to those of the others. If all became idle at once, it would stay.
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

    def _of(self, node: Node) -> _Input:
        """Return the watermark after a node; it never decreases."""
        found = self._now(node)
        combined = max(self._combined.get(node.id, MIN_WATERMARK), found.watermark)
        self._combined[node.id] = combined
        return _Input(combined, found.is_idle)

    def _now(self, node: Node) -> _Input:
        if isinstance(node, SourceNode):
            return self._of_source(node)
        inputs = [self._of(self._graph[taken]) for taken in node.inputs]
        strategy = _strategy(node)
        if strategy is None:
            return _lowest(inputs)
        (upstream,) = inputs
        if upstream.watermark == MAX_WATERMARK:
            return upstream
        splits = self._subtasks(node) or ("",)  # without any, as with an empty one
        return _made_by(strategy, [self._of_split(node, strategy, split) for split in splits])

    def _of_source(self, node: SourceNode) -> _Input:
        match node:
            case SourceNode(source=CollectionSource(ends=True)):
                return _Input(MAX_WATERMARK if self.has_read_collections else MIN_WATERMARK)
            case SourceNode() if node.id in self._ended:
                return _Input(MAX_WATERMARK)
            case SourceNode() if not self._splits.get(node.id):  # without any partition, as with an empty one
                return _made_by(node.watermarks, [self._of_split(node, node.watermarks, "")])
            case _:
                return _made_by(node.watermarks, self._of_partitions(node).values())

    def _of_partitions(self, node: SourceNode) -> dict[TopicPartition, _Input]:
        """Return the watermarks of a source's partitions; a finished one counts as idle."""
        finished = self._finished.get(node.id, frozenset())
        found = {
            partition: self._of_split(node, node.watermarks, split_name(partition))
            for partition in self._splits.get(node.id, frozenset())
        }
        return {p: one._replace(is_idle=True) if p in finished else one for p, one in found.items()}

    def _ahead(self, node: SourceNode) -> frozenset[TopicPartition]:
        limit = self.allowed(node.id)
        if limit is None:
            return frozenset()
        return frozenset(p for p, one in self._of_partitions(node).items() if not one.is_idle and one.watermark > limit)

    def _of_split(self, node: Node, strategy: WatermarkStrategy[Any], split: str) -> _Input:
        timeout, since = strategy.idle_timeout, self._active.get((node.id, split), self._began)
        is_quiet = timeout is not None and self._looked >= since + timeout.to_millis() / 1000
        is_idle = is_quiet or (node.id, split) in self._marked_idle
        return _Input(self._seen.get(node.id, {}).get(split, MIN_WATERMARK), is_idle)

    def _subtasks(self, node: Node) -> frozenset[str]:
        """Return the subtasks of a node that can receive elements: those that own a partition; all, after a shuffle."""
        before = [self._graph[one] for one in self._before(node)]
        # Rows of streams stay in the buckets of their subtasks.
        is_of_rows = any(isinstance(one, StreamNode) for one in (node, *before))
        subtasks = min(self._parallelism, self._buckets) if is_of_rows else self._parallelism
        owners = {
            owner_subtask(split.topic, split.partition, self._parallelism) % subtasks % (node.parallelism or subtasks)
            for source in before
            for split in self._splits.get(source.id, frozenset()) - self._finished.get(source.id, frozenset())
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


def _made_by(strategy: WatermarkStrategy[Any], splits: Iterable[_Input]) -> _Input:
    """Return the watermark after a node that generates watermarks of these splits."""
    return _Input(MIN_WATERMARK) if isinstance(strategy.generation, NoWatermarks) else _lowest(splits)


def _lowest(inputs: Iterable[_Input]) -> _Input:
    """Return the watermark of several inputs: the minimum of those that are not idle; if all are, it stays."""
    active = [one.watermark for one in inputs if not one.is_idle]
    return _Input(min(active, default=MIN_WATERMARK), is_idle=not active)


def _come_to(inputs: Sequence[_Input]) -> int:
    """Return the progress of several inputs: the minimum of those that are not idle; if all are, the maximum."""
    lowest = _lowest(inputs)
    return max(one.watermark for one in inputs) if lowest.is_idle else lowest.watermark
