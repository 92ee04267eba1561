"""The job graph: what a program has built, as plain data that can be compared, split and drawn."""

from __future__ import annotations

import enum
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from itertools import chain
from typing import Any, final

import attrs

from kafkastream.errors import DefinitionError
from kafkastream.spec.dead_letters import dead_letter_sink
from kafkastream.spec.functions import Function, KeySelector
from kafkastream.spec.keyed_operation import KeyedOperation
from kafkastream.spec.output_tag import OutputTag
from kafkastream.spec.sink import KafkaSink
from kafkastream.spec.source import KafkaSource
from kafkastream.spec.state_descriptors import MapStateDescriptor
from kafkastream.spec.types import TypeInformation
from kafkastream.spec.watermark import WatermarkStrategy

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


class OperatorKind(enum.Enum):
    """What an operator does to an element."""

    MAP = "Map"
    FLAT_MAP = "Flat Map"
    FILTER = "Filter"
    PROCESS = "Process"
    KEYED_PROCESS = "KeyedProcess"
    REDUCE = "Keyed Reduce"
    WINDOW = "Window"
    CO_MAP = "Co-Map"
    CO_FLAT_MAP = "Co-Flat Map"
    CO_PROCESS = "Co-Process"
    INTERVAL_JOIN = "Interval Join"
    BROADCAST_PROCESS = "Co-Process-Broadcast"
    GROUP_AGGREGATE = "GroupAggregate"
    WINDOW_AGGREGATE = "WindowAggregate"
    DEDUPLICATE = "Deduplicate"
    RANK = "Rank"
    JOIN = "Join"
    INTERVAL_JOIN_OF_ROWS = "IntervalJoin"
    TEMPORAL_JOIN = "TemporalJoin"
    CHANGELOG_NORMALIZE = "ChangelogNormalize"
    UPSERT_MATERIALIZE = "SinkUpsertMaterializer"
    TIMESTAMPS = "Timestamps/Watermarks"


@final
@attrs.frozen
class CollectionSource:
    """Elements that the program holds itself, or whole numbers one after the other; bounded."""

    elements: tuple[object, ...] | range

    def pieces(self, most: int) -> Iterator[tuple[object, ...] | range]:
        """The elements in pieces that may be read one by one: numbers so many at a time, other elements at once.

        Example:
            >>> list(CollectionSource(range(5)).pieces(2)), list(CollectionSource(("a", "b", "c")).pieces(2))
            ([range(0, 2), range(2, 4), range(4, 5)], [('a', 'b', 'c')])
        """
        if isinstance(self.elements, range):
            size = self.elements.stop - self.elements.start  # len() ends where C's whole numbers do
            yield from (self.elements[begin : begin + most] for begin in range(0, size, most))
        else:
            yield self.elements


@final
@attrs.frozen
class PrintSink:
    """Standard output, in Flink's format."""

    identifier: str = ""
    to_err: bool = False


@final
@attrs.frozen
class CollectSink:
    """The calling program."""


@final
@attrs.frozen
class DiscardingSink:
    """Nowhere."""


@attrs.frozen(kw_only=True)
class Node:
    """What every node of a graph has."""

    id: int
    name: str
    uid: str | None = None
    parallelism: int | None = None
    output_type: TypeInformation[Any] | None = None
    description: str | None = None

    @property
    def inputs(self) -> tuple[int, ...]:
        """The nodes whose elements come in, by id."""
        return ()

    @property
    def pact(self) -> str:
        """What Flink's plan calls this kind of node."""
        return "Operator"

    @property
    def label(self) -> str:
        """What Flink's plan and metrics call this node."""
        return self.name


@final
@attrs.frozen(kw_only=True)
class SourceNode(Node):
    """Where elements begin.

    Args:
        source: What is read.
        watermarks: How elements get their event time.
        keeps_records: Whether a dead letter may need the whole record; none does behind a keyed operator.
    """

    source: KafkaSource[Any] | CollectionSource
    watermarks: WatermarkStrategy[Any]
    keeps_records: bool = False

    @property
    def pact(self) -> str:
        """What Flink's plan calls this kind of node."""
        return "Data Source"

    @property
    def label(self) -> str:
        """What Flink's plan and metrics call this node."""
        return f"Source: {self.name}"


@attrs.frozen(kw_only=True)
class _OneInput(Node):
    input: int

    @property
    def inputs(self) -> tuple[int, ...]:
        """The one node before."""
        return (self.input,)


@final
@attrs.frozen(kw_only=True)
class OperatorNode(_OneInput):
    """A function on each element."""

    kind: OperatorKind
    function: Function | Callable[..., Any] | WatermarkStrategy[Any]


@final
@attrs.frozen(kw_only=True)
class KeyedInput:
    """A stream that comes to a keyed operator, and how the key of its elements is found.

    Args:
        node: The stream's node.
        selector: Finds the key; without one, elements stay with their subtask.
        is_broadcast: Whether its elements come to every subtask.
    """

    node: int
    selector: KeySelector[Any, Any] | Callable[[Any], Any] | None = None
    is_broadcast: bool = False


@final
@attrs.frozen(kw_only=True)
class KeyedNode(Node):
    """A function on the elements of each key: it has state and timers.

    Args:
        keyed: The streams that come in.
        kind: How the function is called.
        function: The function.
        broadcast: The broadcast states that it may ask for.
    """

    keyed: tuple[KeyedInput, ...]
    kind: OperatorKind
    function: Function | Callable[..., Any] | KeyedOperation
    broadcast: tuple[MapStateDescriptor[Any, Any], ...] = ()

    @property
    def inputs(self) -> tuple[int, ...]:
        """The nodes whose elements come in."""
        return tuple(one.node for one in self.keyed)

    @property
    def has_keys(self) -> bool:
        """Whether its functions have keyed state and timers."""
        return any(one.selector is not None for one in self.keyed)

    @property
    def keeps_state(self) -> bool:
        """Whether something of it may outlive a restart: a plain function has no state."""
        may_ask = isinstance(self.function, (Function, KeyedOperation))
        return may_ask and (self.has_keys or bool(self.broadcast))


@final
@attrs.frozen(kw_only=True)
class SideOutputNode(_OneInput):
    """What a function has written to a side output."""

    tag: OutputTag[Any]


@final
@attrs.frozen(kw_only=True)
class SinkNode(_OneInput):
    """Where elements end.

    Args:
        sink: What takes them.
        takes_dead_letters: Whether it takes, in place of the elements of a source, the records that gave none.
    """

    sink: KafkaSink[Any] | PrintSink | CollectSink | DiscardingSink
    takes_dead_letters: bool = False

    @property
    def pact(self) -> str:
        """What Flink's plan calls this kind of node."""
        return "Data Sink"

    @property
    def label(self) -> str:
        """What Flink's plan and metrics call this node."""
        return f"Sink: {self.name}"


@final
@attrs.frozen(kw_only=True)
class UnionNode(Node):
    """Several streams as one."""

    merged: tuple[int, ...]

    @property
    def inputs(self) -> tuple[int, ...]:
        """The merged nodes."""
        return self.merged


@final
@attrs.frozen
class JobGraph:
    """All nodes of a job, each after its inputs."""

    nodes: tuple[Node, ...]

    def __getitem__(self, node_id: int) -> Node:
        return next(node for node in self.nodes if node.id == node_id)

    @property
    def sources(self) -> tuple[SourceNode, ...]:
        """Where elements begin."""
        return tuple(node for node in self.nodes if isinstance(node, SourceNode))

    @property
    def sinks(self) -> tuple[SinkNode, ...]:
        """Where elements end."""
        return tuple(node for node in self.nodes if isinstance(node, SinkNode))

    def consumers(self, node_id: int) -> tuple[Node, ...]:
        """The nodes that take the elements of ``node_id``; one that takes them twice stands twice."""
        return tuple(
            node
            for node in self.nodes
            for taken in node.inputs
            if taken == node_id and not (isinstance(node, SinkNode) and node.takes_dead_letters)
        )

    def levels(self) -> tuple[tuple[KeyedNode, ...], ...]:
        """The keyed operators by how many of them elements pass at most up to there: each level is a shuffle."""
        depth: dict[int, int] = {}
        for node in self.nodes:
            before = max((depth[taken] for taken in node.inputs), default=0)
            depth[node.id] = before + isinstance(node, KeyedNode)
        keyed = [node for node in self.nodes if isinstance(node, KeyedNode)]
        deepest = max((depth[node.id] for node in keyed), default=0)
        return tuple(tuple(node for node in keyed if depth[node.id] == level) for level in range(1, deepest + 1))

    def with_distinct_uids(self) -> JobGraph:
        """This graph, if each uid is that of one node.

        Raises:
            DefinitionError: Two nodes share one, so their state could not be told apart.
        """
        for uid, times in Counter(node.uid for node in self.nodes if node.uid is not None).items():
            if times > 1:
                where = ", ".join(repr(node.name) for node in self.nodes if node.uid == uid)
                raise DefinitionError(
                    f"Hash collision on user-specified ID {uid!r}", where=f"operators {where}", now="Give each its own."
                )
        return self

    def dead_letters(self, source_id: int) -> SinkNode | None:
        """The node that takes the dead letters of a source, if any does."""
        return next((node for node in self.sinks if node.takes_dead_letters and node.input == source_id), None)

    def with_dead_letters(self) -> JobGraph:
        """With a sink for the dead letters of each source that wants them."""
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
                sinks = unkeyed._kafka_sinks(node.id)
                yield attrs.evolve(node, keeps_records=any(sink.dead_letter_topic is not None for sink in sinks))

    def _kafka_sinks(self, node_id: int) -> list[KafkaSink[Any]]:
        """Those that elements of a node may come to."""
        reached = (node.sink for node in self._after(node_id) if isinstance(node, SinkNode))
        return [sink for sink in reached if isinstance(sink, KafkaSink)]

    def _after(self, node_id: int) -> Iterator[Node]:
        """Every node that elements of a node may come to."""
        reached = {node_id}
        for node in self.nodes:
            if reached.intersection(node.inputs):
                reached.add(node.id)
                yield node

    def reaching_sinks(self) -> JobGraph:
        """Without the nodes from which no element reaches a sink."""
        kept: set[int] = set()
        for node in reversed(self.nodes):
            if node.id in kept or isinstance(node, SinkNode):
                kept |= {node.id, *node.inputs}
        return JobGraph(tuple(node for node in self.nodes if node.id in kept))

    def components(self) -> Iterator[JobGraph]:
        """The graph's separate parts: each runs as one query."""
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


def distinct_names(names: Iterable[str]) -> list[str]:
    """The names, where the second of a kind gets a number.

    Example:
        >>> distinct_names(["Map", "Filter", "Map"])
        ['Map', 'Filter', 'Map-2']
    """
    seen: Counter[str] = Counter()
    numbered = []
    for name in names:
        seen[name] += 1
        numbered.append(name if seen[name] == 1 else f"{name}-{seen[name]}")
    return numbered
