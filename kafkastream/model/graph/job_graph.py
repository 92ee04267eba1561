"""Job graph: the operators of a program, as plain data that can be compared, split and drawn."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from itertools import chain
from typing import Any, final

import attrs

from kafkastream.errors import DefinitionError
from kafkastream.model.connectors.dead_letter_topics import dead_letter_sink
from kafkastream.model.connectors.kafka_sink import KafkaSink
from kafkastream.model.connectors.kafka_source import Boundedness, KafkaSource
from kafkastream.model.graph.graph_nodes import (
    CollectionSource,
    CollectSink,
    DiscardingSink,
    KeyedInput,
    KeyedNode,
    Node,
    OperatorKind,
    OperatorNode,
    PrintSink,
    SideOutputNode,
    SinkNode,
    SourceNode,
    UnionNode,
)

__all__ = [
    "CollectSink",
    "CollectionSource",
    "DiscardingSink",
    "JobGraph",
    "KeyedInput",
    "KeyedNode",
    "Node",
    "OperatorKind",
    "OperatorNode",
    "PrintSink",
    "SideOutputNode",
    "SinkNode",
    "SourceNode",
    "UnionNode",
    "distinct_names",
]


@final
@attrs.frozen
class JobGraph:
    """Nodes of a job, each after its inputs."""

    nodes: tuple[Node, ...]

    def __getitem__(self, node_id: int) -> Node:
        return next(node for node in self.nodes if node.id == node_id)

    @property
    def sources(self) -> tuple[SourceNode, ...]:
        """Sources of the job."""
        return tuple(node for node in self.nodes if isinstance(node, SourceNode))

    @property
    def sinks(self) -> tuple[SinkNode, ...]:
        """Sinks of the job."""
        return tuple(node for node in self.nodes if isinstance(node, SinkNode))

    def consumers(self, node_id: int) -> tuple[Node, ...]:
        """Return the nodes that take the elements of ``node_id``; a node that takes them twice is listed twice."""
        return tuple(
            node
            for node in self.nodes
            for taken in node.inputs
            if taken == node_id and not (isinstance(node, SinkNode) and node.takes_dead_letters)
        )

    def levels(self) -> tuple[tuple[KeyedNode, ...], ...]:
        """Keyed operators by level: the largest number of keyed operators that elements pass before; each level is a
        shuffle.
        """
        depth: dict[int, int] = {}
        for node in self.nodes:
            before = max((depth[taken] for taken in node.inputs), default=0)
            depth[node.id] = before + isinstance(node, KeyedNode)
        keyed = [node for node in self.nodes if isinstance(node, KeyedNode)]
        deepest = max((depth[node.id] for node in keyed), default=0)
        return tuple(tuple(node for node in keyed if depth[node.id] == level) for level in range(1, deepest + 1))

    def in_batch_mode(self) -> JobGraph:
        """Return the graph for batch mode: keyed and broadcast operators wait for the end of their input."""
        return JobGraph(
            tuple(
                attrs.evolve(node, in_batch=True)
                if isinstance(node, KeyedNode) and (node.has_keys or node.broadcast)
                else node
                for node in self.nodes
            )
        )

    def with_distinct_uids(self) -> JobGraph:
        """Return this graph, after checking that no two operators share a uid.

        Raises:
            DefinitionError: Two nodes that are not copies share one, so their state could not be distinguished.
        """
        own = [node for node in self.nodes if node.uid is not None and not node.is_copy]
        for uid, times in Counter(node.uid for node in own).items():
            if times > 1:
                where = ", ".join(repr(node.name) for node in own if node.uid == uid)
                raise DefinitionError(
                    f"Hash collision on user-specified ID {uid!r}", where=f"operators {where}", now="Give each its own."
                )
        return self

    def dead_letters(self, source_id: int) -> SinkNode | None:
        """Return the sink of a source's dead letters, or None."""
        return next((node for node in self.sinks if node.takes_dead_letters and node.input == source_id), None)

    def with_dead_letters(self) -> JobGraph:
        """Return the graph with a sink for each source that has a dead letter topic."""
        return JobGraph(tuple(chain.from_iterable(map(self._with_its_dead_letters, self.nodes))))

    def _with_its_dead_letters(self, node: Node) -> Iterator[Node]:
        if not isinstance(node, SourceNode):
            yield node
            return
        match node.source:
            case KafkaSource(dead_letter_topic=str() as topic) as source:
                yield attrs.evolve(node, keeps_records=True)
                yield SinkNode(
                    id=-node.id,
                    name=f"{node.name} dead letters",
                    uid=None if node.uid is None else f"{node.uid} dead letters",
                    parallelism=node.parallelism,
                    input=node.id,
                    sink=dead_letter_sink(topic, source, self._kafka_sinks(node.id)),
                    takes_dead_letters=True,
                )
            case _:
                unkeyed = JobGraph(tuple(node for node in self.nodes if not isinstance(node, KeyedNode)))
                sinks = (after.sink for after in unkeyed._after(node.id) if isinstance(after, SinkNode))
                yield attrs.evolve(node, keeps_records=any(sink.keeps_records for sink in sinks))

    def _kafka_sinks(self, node_id: int) -> list[KafkaSink[Any]]:
        """Return the Kafka sinks that elements of a node may reach."""
        reached = (node.sink for node in self._after(node_id) if isinstance(node, SinkNode))
        return [sink for sink in reached if isinstance(sink, KafkaSink)]

    def _after(self, node_id: int) -> Iterator[Node]:
        """Yield every node that elements of a node may reach."""
        reached = {node_id}
        for node in self.nodes:
            if reached.intersection(node.inputs):
                reached.add(node.id)
                yield node

    def with_discarding_sinks(self) -> JobGraph:
        """Return the graph with a sink that discards, after each operator that nothing reads."""
        read = {taken for node in self.nodes for taken in node.inputs}
        ends = (node for node in self.nodes if node.id not in read and not isinstance(node, (SourceNode, SinkNode)))
        return JobGraph((*self.nodes, *map(_discarding_sink, ends)))

    def reaching(self, *ends: int) -> JobGraph:
        """Return the graph of these nodes and all upstream ones."""
        kept = set(ends)
        for node in reversed(self.nodes):
            if node.id in kept:
                kept.update(node.inputs)
        return JobGraph(tuple(node for node in self.nodes if node.id in kept))

    @property
    def unbounded_sources(self) -> list[SourceNode]:
        """Return the sources that are not bounded; not those of SQL that generate rows without end."""
        return [
            node
            for node in self.sources
            if not isinstance(node.source, CollectionSource)
            and node.source.get_boundedness() is not Boundedness.BOUNDED
        ]

    def components(self) -> Iterator[JobGraph]:
        """Yield the connected parts of the graph; each runs as one query."""
        part = {node.id: node.id for node in self.nodes}

        def root(node_id: int) -> int:
            while part[node_id] != node_id:
                node_id = part[node_id]
            return node_id

        for node in self.nodes:
            for taken in node.inputs:
                part[root(node.id)] = root(taken)
        for first in dict.fromkeys(root(node.id) for node in self.nodes):
            yield JobGraph(tuple(node for node in self.nodes if root(node.id) == first))


def _discarding_sink(node: Node) -> SinkNode:
    return SinkNode(
        id=-node.id,
        name=f"{node.name} without a sink",
        uid=None if node.uid is None else f"{node.uid} without a sink",
        parallelism=node.parallelism,
        input=node.id,
        sink=DiscardingSink(),
        output_type=node.output_type,
    )


def distinct_names(names: Iterable[str]) -> list[str]:
    """Return the names, with a number appended to those that repeat.

    Example:
        >>> distinct_names(["Map", "Filter", "Map", "Map-2"])
        ['Map', 'Filter', 'Map-2', 'Map-2-2']
    """
    numbers: Counter[str] = Counter()
    numbered: dict[str, None] = {}
    for name in names:
        numbers[name] += 1
        candidate = name if numbers[name] == 1 else f"{name}-{numbers[name]}"
        while candidate in numbered:
            numbers[name] += 1
            candidate = f"{name}-{numbers[name]}"
        numbered[candidate] = None
    return list(numbered)
