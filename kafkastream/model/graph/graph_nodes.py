"""The nodes of a job graph: where elements begin, what is done to them, and where they end."""

from __future__ import annotations

import enum
from collections.abc import Callable, Iterator, Mapping
from typing import Any, final

import attrs
from typing_extensions import Self

from kafkastream.model.common.endpoints import Sink
from kafkastream.model.common.output_tag import OutputTag
from kafkastream.model.common.stream_functions import Function, KeySelector
from kafkastream.model.common.types import TypeInformation
from kafkastream.model.common.watermark_strategy import WatermarkStrategy
from kafkastream.model.connectors.file_formats import FileContents
from kafkastream.model.connectors.kafka_sink import KafkaSink
from kafkastream.model.connectors.kafka_source import KafkaSource
from kafkastream.model.functions.keyed_operation import KeyedOperation
from kafkastream.model.functions.state_descriptors import MapStateDescriptor
from kafkastream.model.graph.slot_placement import Placement

__all__ = [
    "CollectSink",
    "CollectionSource",
    "DiscardingSink",
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
]


class OperatorKind(enum.Enum):
    """What an operator does to an element."""

    MAP = "Map"
    FLAT_MAP = "Flat Map"
    FILTER = "Filter"
    PROCESS = "Process"
    ASYNC_WAIT = "async wait operator"
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
    """Elements that the program holds itself, whole numbers one after the other, or contents of files; bounded."""

    elements: tuple[object, ...] | range | FileContents

    def pieces(self, most: int) -> Iterator[tuple[object, ...] | range | FileContents]:
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
    """What every node of a graph has; a copy is another node of the job with the uid of the one that it is a copy of."""

    id: int
    name: str
    uid: str | None = None
    parallelism: int | None = None
    output_type: TypeInformation[Any] | None = None
    description: str | None = None
    is_copy: bool = False
    placement: Placement = attrs.field(factory=Placement)

    @property
    def inputs(self) -> tuple[int, ...]:
        """The nodes whose elements come in, by id."""
        return ()

    def renumbered(self, numbers: Mapping[int, int]) -> Self:
        """A copy under another number, after nodes with other numbers."""
        return attrs.evolve(self, id=numbers[self.id], is_copy=True, **self._taking(numbers))

    def _taking(self, numbers: Mapping[int, int]) -> dict[str, Any]:
        """What names the nodes before, with other numbers."""
        return {}

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

    def _taking(self, numbers: Mapping[int, int]) -> dict[str, Any]:
        return {"input": numbers[self.input]}


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
        key_type: The type of the key, if the program gives it.
    """

    node: int
    selector: KeySelector[Any, Any] | Callable[[Any], Any] | None = None
    is_broadcast: bool = False
    key_type: TypeInformation[Any] | None = None


@final
@attrs.frozen(kw_only=True)
class KeyedNode(Node):
    """A function on the elements of each key: it has state and timers.

    Args:
        keyed: The streams that come in.
        kind: How the function is called.
        function: The function.
        broadcast: The broadcast states that it may ask for.
        in_batch: Whether it takes each key's elements at the end of the input, in the order of their times.
    """

    keyed: tuple[KeyedInput, ...]
    kind: OperatorKind
    function: Function | Callable[..., Any] | KeyedOperation
    broadcast: tuple[MapStateDescriptor[Any, Any], ...] = ()
    in_batch: bool = False

    @property
    def inputs(self) -> tuple[int, ...]:
        """The nodes whose elements come in."""
        return tuple(one.node for one in self.keyed)

    def _taking(self, numbers: Mapping[int, int]) -> dict[str, Any]:
        return {"keyed": tuple(attrs.evolve(one, node=numbers[one.node]) for one in self.keyed)}

    @property
    def has_keys(self) -> bool:
        """Whether its functions have keyed state and timers."""
        return any(one.selector is not None for one in self.keyed)

    @property
    def keeps_state(self) -> bool:
        """Whether something of it may outlive a restart: a plain function has no state."""
        may_ask = isinstance(self.function, (Function, KeyedOperation))
        return self.in_batch or (may_ask and (self.has_keys or bool(self.broadcast)))


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

    sink: KafkaSink[Any] | PrintSink | CollectSink | DiscardingSink | Sink
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

    def _taking(self, numbers: Mapping[int, int]) -> dict[str, Any]:
        return {"merged": tuple(numbers[one] for one in self.merged)}
