"""Nodes of a job graph: sources, operators, keyed operators and sinks."""

from __future__ import annotations

import enum
from collections.abc import Callable, Iterator, Mapping
from typing import Any, ClassVar, Final, final

import attrs
from typing_extensions import Self

from kafkastream.model.common.endpoints import Sink
from kafkastream.model.common.names import check_name
from kafkastream.model.common.output_tag import OutputTag
from kafkastream.model.common.stream_functions import Function, KeySelector
from kafkastream.model.common.types import TypeInformation
from kafkastream.model.common.watermark_strategy import WatermarkStrategy
from kafkastream.model.connectors.file_formats import FileContents
from kafkastream.model.connectors.kafka_source import KafkaSource
from kafkastream.model.connectors.split_source import Source
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

_CHAIN_SINKS: Final = "kafkastream.spark.worker.chain_sinks"


class OperatorKind(enum.Enum):
    """Kind of operator; the value is Flink's default name for it."""

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
    GROUP_WINDOW_AGGREGATE = "GroupWindowAggregate"
    WINDOW_TABLE_FUNCTION = "WindowTableFunction"
    DEDUPLICATE = "Deduplicate"
    RANK = "Rank"
    SORT = "Sort"
    MATCH = "Match"
    OVER_AGGREGATE = "OverAggregate"
    JOIN = "Join"
    INTERVAL_JOIN_OF_ROWS = "IntervalJoin"
    TEMPORAL_JOIN = "TemporalJoin"
    LOOKUP_JOIN = "LookupJoin"
    CHANGELOG_NORMALIZE = "ChangelogNormalize"
    UPSERT_MATERIALIZE = "SinkUpsertMaterializer"
    PARTITION_COMMIT = "PartitionCommitter"
    TIMESTAMPS = "Timestamps/Watermarks"


@final
@attrs.frozen
class CollectionSource:
    """Source of elements that the program holds itself, of a sequence of numbers, or of the contents of files.

    Args:
        elements: Elements, numbers or files.
        ends: Whether the source is bounded; rows that SQL generates need not be.
    """

    elements: tuple[object, ...] | range | FileContents
    ends: bool = True

    def pieces(self, most: int) -> Iterator[tuple[object, ...] | range | FileContents]:
        """Yield the elements in pieces: numbers in ranges of at most ``most``, other elements at once.

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
class PrintSink(Sink):
    """Sink that prints to standard output, in Flink's format."""

    engine_module: ClassVar[str] = _CHAIN_SINKS
    identifier: str = ""
    to_err: bool = False

    @property
    def target_text(self) -> str:
        """Return the stream of the terminal."""
        return "standard error" if self.to_err else "print"

    @property
    def goes_through_driver(self) -> bool:
        """Always true: the sink prints in the driver."""
        return True


@final
@attrs.frozen
class CollectSink(Sink):
    """Sink that hands elements to the calling program."""

    engine_module: ClassVar[str] = _CHAIN_SINKS

    @property
    def target_text(self) -> str:
        """Return a word for the calling program."""
        return "the program"

    @property
    def goes_through_driver(self) -> bool:
        """Always true: the driver collects the elements."""
        return True


@final
@attrs.frozen
class DiscardingSink(Sink):
    """Sink that drops all elements."""

    engine_module: ClassVar[str] = _CHAIN_SINKS

    @property
    def target_text(self) -> str:
        """Return a word for no target."""
        return "nowhere"


@attrs.frozen(kw_only=True)
class Node:
    """Base of the nodes of a graph; a copy has an id of its own, keeps the uid, and ``copy_of`` is the node's id."""

    id: int
    name: str = attrs.field(validator=check_name)
    uid: str | None = attrs.field(default=None, validator=check_name)
    parallelism: int | None = None
    output_type: TypeInformation[Any] | None = None
    description: str | None = None
    copy_of: int | None = None
    placement: Placement = attrs.field(factory=Placement)

    @property
    def inputs(self) -> tuple[int, ...]:
        """Ids of the input nodes."""
        return ()

    @property
    def is_copy(self) -> bool:
        """True if the node runs within a query that reads a stream, instead of the stream's own node."""
        return self.copy_of is not None

    def renumbered(self, numbers: Mapping[int, int]) -> Self:
        """Return a copy whose id and inputs are mapped by ``numbers``."""
        return attrs.evolve(self, id=numbers[self.id], copy_of=self.id, **self._taking(numbers))

    def _taking(self, numbers: Mapping[int, int]) -> dict[str, Any]:
        """Return the attributes that name the inputs, with their ids mapped by ``numbers``."""
        return {}

    @property
    def pact(self) -> str:
        """Kind of node in Flink's execution plan."""
        return "Operator"

    @property
    def label(self) -> str:
        """Name of the node in Flink's execution plan and metrics."""
        return self.name


@final
@attrs.frozen(kw_only=True)
class SourceNode(Node):
    """Source of a stream.

    Args:
        source: The source.
        watermarks: Strategy for timestamps and watermarks.
        keeps_records: Whether a dead letter may need the whole record; not after a keyed operator.
    """

    source: KafkaSource[Any] | Source[Any] | CollectionSource
    watermarks: WatermarkStrategy[Any]
    keeps_records: bool = False

    @property
    def pact(self) -> str:
        """Kind of node in Flink's execution plan."""
        return "Data Source"

    @property
    def label(self) -> str:
        """Name of the node in Flink's execution plan and metrics."""
        return f"Source: {self.name}"


@attrs.frozen(kw_only=True)
class _OneInput(Node):
    input: int

    @property
    def inputs(self) -> tuple[int, ...]:
        """Id of the only input node."""
        return (self.input,)

    def _taking(self, numbers: Mapping[int, int]) -> dict[str, Any]:
        return {"input": numbers[self.input]}


@final
@attrs.frozen(kw_only=True)
class OperatorNode(_OneInput):
    """Operator that calls a function for each element, without keys."""

    kind: OperatorKind
    function: Function | Callable[..., Any] | WatermarkStrategy[Any]


@final
@attrs.frozen(kw_only=True)
class KeyedInput:
    """Input stream of a keyed operator, with its key selector.

    Args:
        node: Id of the stream's node.
        selector: Extracts the key; None keeps elements with their subtask.
        is_broadcast: Whether every subtask gets all elements.
        key_type: Type of the key, if the program declares it.
    """

    node: int
    selector: KeySelector[Any, Any] | Callable[[Any], Any] | None = None
    is_broadcast: bool = False
    key_type: TypeInformation[Any] | None = None


@final
@attrs.frozen(kw_only=True)
class KeyedNode(Node):
    """Keyed operator: calls a function for the elements of each key, with keyed state and timers.

    Args:
        keyed: Input streams.
        kind: Method of the stream that the operator came from.
        function: The function.
        broadcast: Broadcast states that the function may use.
        in_batch: Whether it gets each key's elements at the end of the input, sorted by timestamp.
    """

    keyed: tuple[KeyedInput, ...]
    kind: OperatorKind
    function: Function | Callable[..., Any] | KeyedOperation
    broadcast: tuple[MapStateDescriptor[Any, Any], ...] = ()
    in_batch: bool = False

    @property
    def inputs(self) -> tuple[int, ...]:
        """Ids of the input nodes."""
        return tuple(one.node for one in self.keyed)

    def _taking(self, numbers: Mapping[int, int]) -> dict[str, Any]:
        return {"keyed": tuple(attrs.evolve(one, node=numbers[one.node]) for one in self.keyed)}

    @property
    def has_keys(self) -> bool:
        """True if the functions have keyed state and timers."""
        return any(one.selector is not None for one in self.keyed)

    @property
    def keeps_state(self) -> bool:
        """True if the operator keeps state that outlives a restart; a plain function does not."""
        may_ask = isinstance(self.function, (Function, KeyedOperation))
        return self.in_batch or (may_ask and (self.has_keys or bool(self.broadcast)))


@final
@attrs.frozen(kw_only=True)
class SideOutputNode(_OneInput):
    """Elements that a function wrote to a side output."""

    tag: OutputTag[Any]


@final
@attrs.frozen(kw_only=True)
class SinkNode(_OneInput):
    """Sink of a stream.

    Args:
        sink: The sink.
        takes_dead_letters: Whether it takes, instead of a source's elements, the records that could not be read.
    """

    sink: Sink
    takes_dead_letters: bool = False

    @property
    def pact(self) -> str:
        """Kind of node in Flink's execution plan."""
        return "Data Sink"

    @property
    def label(self) -> str:
        """Name of the node in Flink's execution plan and metrics."""
        return f"Sink: {self.name}"


@final
@attrs.frozen(kw_only=True)
class UnionNode(Node):
    """Union of several streams."""

    merged: tuple[int, ...]

    @property
    def inputs(self) -> tuple[int, ...]:
        """Ids of the merged nodes."""
        return self.merged

    def _taking(self, numbers: Mapping[int, int]) -> dict[str, Any]:
        return {"merged": tuple(numbers[one] for one in self.merged)}
