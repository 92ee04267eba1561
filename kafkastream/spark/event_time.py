"""How far event time has come: made on the driver of what the tasks have seen of each partition, as Flink makes it."""

from __future__ import annotations

import time
from collections.abc import Callable, Collection, Iterable, Mapping
from typing import Any, NamedTuple, final

from kafkastream.spark.identities import identities, keyed_identities
from kafkastream.spark.records import owner_subtask, split_name
from kafkastream.spec.graph import CollectionSource, JobGraph, Node, OperatorKind, OperatorNode, SourceNode
from kafkastream.spec.subscription import TopicPartition
from kafkastream.spec.watermark import MAX_WATERMARK, MIN_WATERMARK, NoWatermarks, WatermarkStrategy

__all__ = ["EventTime", "Seen"]

Seen = Mapping[int, Mapping[str, int]]
"""By the node that makes watermarks, and there by its splits: the watermark that a split has come to."""


class _Input(NamedTuple):
    """What an operator hears of time by one of its inputs; an idle one holds back nobody."""

    watermark: int
    is_idle: bool = False


@final
class EventTime:
    """The watermarks of a connected part of a job.

    Args:
        graph: The part.
        parallelism: The number of subtasks.
        clock: The time in s; only differences count.
    """

    def __init__(self, graph: JobGraph, parallelism: int, clock: Callable[[], float] = time.monotonic) -> None:
        self._graph = graph
        self._parallelism = parallelism
        self._clock = clock
        self._began = self._looked = clock()
        self._seen: dict[int, dict[str, int]] = {}
        self._active: dict[tuple[int, str], float] = {}
        self._names = identities(graph.nodes)
        self._keyed = keyed_identities(graph)
        self._splits: dict[int, frozenset[TopicPartition]] = {}
        self._finished: dict[int, frozenset[TopicPartition]] = {}
        self._ended: set[int] = set()
        self._combined: dict[int, int] = {}

    def restore(self, content: Mapping[str, Any]) -> None:
        """Begin where an earlier run has been, by what ``content`` told then."""
        seen, combined = content.get("seen", {}), content.get("combined", {})
        self._seen = {node: dict(seen[name]) for node, name in self._names.items() if name in seen}
        self._combined = {node: combined[name] for node, name in self._names.items() if name in combined}

    def content(self) -> dict[str, Any]:
        """What an earlier run is to know after a restart."""
        return {
            "combined": {self._names[node]: watermark for node, watermark in self._combined.items()},
            "seen": {self._names[node]: splits for node, splits in self._seen.items()},
        }

    def watermarks(self) -> dict[str, int]:
        """How far event time has come at each keyed operator, by its identity."""
        return {name: self._of(self._graph[node]).watermark for node, name in self._keyed.items()}

    def reads(self, source: int, partitions: Iterable[TopicPartition]) -> None:
        """A source reads these partitions now; each of them counts from the beginning."""
        self._splits[source] = self._splits.get(source, frozenset()).union(partitions)

    def looked(self) -> None:
        """What there is to read was looked for now: who has nothing now is idle, if it had nothing for long enough."""
        self._looked = self._clock()

    def saw(self, seen: Seen) -> None:
        """What the tasks of a micro-batch have seen, which began when there was a look last."""
        for node, splits in seen.items():
            known = self._seen.setdefault(node, {})
            for split, watermark in splits.items():
                known[split] = max(watermark, known.get(split, MIN_WATERMARK))
                self._active[node, split] = self._looked

    def finished(self, source: int, partitions: Iterable[TopicPartition]) -> None:
        """A bounded source has read these partitions to their stops: they hold back nobody any more."""
        self._finished[source] = frozenset(partitions)

    def ended(self, source: int) -> None:
        """A source has come to its end."""
        self._ended.add(source)

    def _of(self, node: Node) -> _Input:
        """What comes out of a node: never less than before."""
        found = self._now(node)
        combined = max(self._combined.get(node.id, MIN_WATERMARK), found.watermark)
        self._combined[node.id] = combined
        return _Input(combined, found.is_idle)

    def _now(self, node: Node) -> _Input:
        match node:
            case SourceNode(source=CollectionSource()):
                return _Input(MAX_WATERMARK)
            case SourceNode() if node.id in self._ended:
                return _Input(MAX_WATERMARK)
            case SourceNode():
                left = self._splits.get(node.id, frozenset()) - self._finished.get(node.id, frozenset())
                return self._generated(node, node.watermarks, frozenset(map(split_name, left)))
            case OperatorNode(kind=OperatorKind.TIMESTAMPS, function=WatermarkStrategy() as strategy):
                upstream = self._of(self._graph[node.input])
                if upstream.watermark == MAX_WATERMARK:
                    return upstream
                return self._generated(node, strategy, self._subtasks(node))
            case _:
                return _lowest([self._of(self._graph[taken]) for taken in node.inputs])

    def _generated(self, node: Node, strategy: WatermarkStrategy[Any], splits: Collection[str]) -> _Input:
        """The lowest of the splits that are not idle; where there are none yet, it is as with one that has nothing."""
        if isinstance(strategy.generation, NoWatermarks):
            return _Input(MIN_WATERMARK)
        seen, timeout = self._seen.get(node.id, {}), strategy.idle_timeout
        longest = None if timeout is None else timeout.to_millis() / 1000
        return _lowest(
            [
                _Input(
                    seen.get(split, MIN_WATERMARK),
                    longest is not None and self._looked - self._active.get((node.id, split), self._began) >= longest,
                )
                for split in splits or ("",)
            ]
        )

    def _subtasks(self, node: OperatorNode) -> frozenset[str]:
        """The subtasks of a node before any shuffle to which elements may come: those that own a partition."""
        own = node.parallelism or self._parallelism
        return frozenset(
            str(owner_subtask(split.topic, split.partition, self._parallelism) % own)
            for source in self._graph.sources
            if source.id in self._upstream(node)
            for split in self._splits.get(source.id, frozenset()) - self._finished.get(source.id, frozenset())
            if source.id not in self._ended
        )

    def _upstream(self, node: Node) -> frozenset[int]:
        found = {node.id}
        for taken in node.inputs:
            found |= self._upstream(self._graph[taken])
        return frozenset(found)


def _lowest(inputs: Iterable[_Input]) -> _Input:
    """What several inputs come to: the lowest of those that are not idle; where all are, time stands still."""
    active = [one.watermark for one in inputs if not one.is_idle]
    return _Input(min(active, default=MIN_WATERMARK), is_idle=not active)
