"""A query in the job graph: tables become sources, stateful operations keyed operators, the result a ``QueryNode``."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final, final

import attrs

from kafkastream.model.common.endpoints import Sink
from kafkastream.model.common.immutable import FrozenMap
from kafkastream.model.common.time import Duration
from kafkastream.model.common.watermark_strategy import WatermarkStrategy
from kafkastream.model.graph.job_graph import (
    CollectionSource,
    CollectSink,
    JobGraph,
    KeyedInput,
    KeyedNode,
    Node,
    OperatorKind,
    SinkNode,
    SourceNode,
    UnionNode,
)
from kafkastream.sql.connectors import StreamTableSource, TableSink, source_of
from kafkastream.sql.plan.branches import Branch, Origin, branches
from kafkastream.sql.plan.operations import (
    CountWindowAggregate,
    Deduplicate,
    GroupAggregate,
    IntervalJoin,
    Join,
    LookupJoin,
    Matches,
    MatchRecognize,
    Materialize,
    Normalize,
    Operation,
    OverAggregate,
    Pairs,
    PartitionCommit,
    SessionAggregate,
    SessionRows,
    Sort,
    TableOperation,
    TemporalJoin,
    TopN,
    WindowAggregate,
)
from kafkastream.sql.plan.relations import Relation, Scan, Stateful, Values
from kafkastream.sql.plan.source_compatibility import check_mixture
from kafkastream.sql.plan.state_description import state_description
from kafkastream.sql.session_functions import NamedFunction
from kafkastream.sql.table import TableDefinition

__all__ = [
    "KeyColumns",
    "QueryNode",
    "QuerySettings",
    "Route",
    "StreamNode",
    "Target",
    "query_graph",
    "query_nodes",
    "routes",
    "streams_read",
]


@final
@attrs.frozen
class KeyColumns:
    """Key selector of rows: some of their columns.

    Example:
        >>> KeyColumns((1,))((0, "a", "b")), KeyColumns((0, 1))((0, "a", "b"))
        ('b', ('a', 'b'))
    """

    columns: tuple[int, ...]

    def __call__(self, row: Any) -> Any:
        """Return the key of a row, whose kind precedes its columns."""
        if len(self.columns) == 1:
            return row[self.columns[0] + 1]
        return tuple(row[column + 1] for column in self.columns)


@final
@attrs.frozen
class Target:
    """Target of a query's rows: a table's sink, or the calling program.

    Args:
        sink: Sink; None for the calling program.
        table: Declaration of the table.
    """

    sink: TableSink | None = None
    table: TableDefinition | None = None

    @property
    def spec(self) -> Sink:
        """Return the sink in the job graph."""
        return CollectSink() if self.sink is None else self.sink.sink

    @property
    def name(self) -> str:
        """Return the name in plans and metrics."""
        return "Collect" if self.table is None else self.table.name[-1]


@final
@attrs.frozen(kw_only=True)
class QuerySettings:
    """Settings of a query.

    Args:
        time_zone: Session time zone, for TIMESTAMP_LTZ.
        idle_timeout_ms: Time without a record after which a partition is idle, in ms; 0 for never.
        drops_null: Whether to drop a row with NULL in a NOT NULL column of the sink, which otherwise fails the job.
        functions: User-defined functions that it calls, by their names in Spark.
    """

    time_zone: str = "UTC"
    idle_timeout_ms: int = 0
    drops_null: bool = False
    functions: Mapping[str, NamedFunction] = attrs.field(default=FrozenMap(), repr=False)


@final
@attrs.frozen(kw_only=True)
class QueryNode(Node):
    """Result of a query, for its sink.

    Args:
        merged: Input nodes.
        relation: Plan of the query.
        origins: Nodes of the origins of rows, in the order of ``origins(relation)``.
        target: Target of the rows.
        settings: Settings of the query.
    """

    merged: tuple[int, ...]
    relation: Relation
    origins: tuple[int, ...]
    target: Target
    settings: QuerySettings = attrs.field(factory=QuerySettings)

    @property
    def inputs(self) -> tuple[int, ...]:
        """The nodes whose rows come in."""
        return self.merged

    def _taking(self, numbers: Mapping[int, int]) -> dict[str, Any]:
        return {name: tuple(numbers[one] for one in getattr(self, name)) for name in ("merged", "origins")}


@final
@attrs.frozen(kw_only=True)
class StreamNode(Node):
    """Conversion of a stream's elements to rows.

    Args:
        input: Node of the stream.
        source: Table source with the columns of the rows.
        watermarks: Watermark strategy of the table; None for that of the stream.
    """

    input: int
    source: StreamTableSource
    watermarks: WatermarkStrategy[Any] | None = None

    @property
    def inputs(self) -> tuple[int, ...]:
        """The stream's node."""
        return (self.input,)

    def _taking(self, numbers: Mapping[int, int]) -> dict[str, Any]:
        return {"input": numbers[self.input]}


def streams_read(graph: JobGraph) -> tuple[JobGraph, ...]:
    """Return the streams that queries read, each up to the conversion of its elements to rows, the last of its nodes.

    A stream that is read on the way to another one is a part of that, and not returned by itself.
    """
    streams = [graph.reaching(node.id) for node in graph.nodes if isinstance(node, StreamNode)]
    parts = {node.id for stream in streams for node in stream.nodes[:-1]}
    return tuple(stream for stream in streams if stream.nodes[-1].id not in parts)


@final
@attrs.frozen
class Route:
    """Path of rows within a query, from their origin to their consumer.

    Args:
        branch: Branch with the rows.
        node: Node of their origin.
        into: Node of the operation that takes them; None for the sink.
    """

    branch: Branch
    node: int
    into: int | None = None


def routes(query: QueryNode) -> tuple[Route, ...]:
    """Return all routes of rows within a query."""
    nodes = iter(query.origins)

    def of(relation: Relation) -> Iterator[tuple[Branch, int, list[Route]]]:
        for branch in branches(relation):
            merged = branch.origin.merged if isinstance(branch.origin, Stateful) else ()
            before = [one for part in merged for one in of(part)]
            node = next(nodes)
            inner = [Route(taken, source, node) for taken, source, _ in before]
            yield branch, node, [*inner, *(route for _, _, more in before for route in more)]

    return tuple(route for branch, node, before in of(query.relation) for route in (Route(branch, node), *before))


def query_graph(relation: Relation, target: Target, settings: QuerySettings, ids: Iterator[int]) -> JobGraph:
    """Return the job graph of a query with its sink; arguments and errors as of ``query_nodes``."""
    nodes = query_nodes(relation, target, settings, ids)
    sink = target.sink
    parallelism = None if sink is None else sink.parallelism
    end = SinkNode(id=next(ids), name=target.name, input=nodes[-1].id, sink=target.spec, parallelism=parallelism)
    return JobGraph((*nodes, end)).with_distinct_uids()


def query_nodes(relation: Relation, target: Target, settings: QuerySettings, ids: Iterator[int]) -> tuple[Node, ...]:
    """Return the nodes of a query; the last one emits its rows.

    Args:
        relation: Plan of the query.
        target: Target of its rows.
        settings: Settings of the query.
        ids: Supply of node numbers.

    Raises:
        KafkastreamError: A table's options are invalid or not supported.
    """
    check_mixture(relation)
    graph = _Graph(ids, settings.idle_timeout_ms)
    merged = graph.add(relation)
    graph.put(
        QueryNode(
            id=next(ids),
            name="Query",
            merged=merged,
            relation=relation,
            origins=tuple(graph.origins),
            target=target,
            settings=settings,
        )
    )
    return tuple(graph.nodes)


class _Graph:
    """Graph under construction."""

    def __init__(self, ids: Iterator[int], idle_timeout_ms: int) -> None:
        self.ids = ids
        self.nodes: list[Node] = []
        self.origins: list[int] = []
        self._idle_timeout_ms = idle_timeout_ms

    def put(self, node: Node) -> int:
        self.nodes.append(node)
        return node.id

    def add(self, relation: Relation) -> tuple[int, ...]:
        """Add the nodes of a relation; return the nodes that emit its rows."""
        return tuple(self._origin(branch.origin) for branch in branches(relation))

    def _origin(self, origin: Origin) -> int:
        match origin:
            case Scan():
                node = self._scan(origin)
            case Values():
                node = self._source(CollectionSource(()), "Values", WatermarkStrategy.no_watermarks())
            case Stateful():
                node = self._stateful(origin)
        self.origins.append(node)
        return node

    def _source(self, source: Any, name: str, watermarks: WatermarkStrategy[Any]) -> int:
        return self.put(SourceNode(id=next(self.ids), name=name, source=source, watermarks=watermarks))

    def _scan(self, scan: Scan) -> int:
        source = source_of(scan.table)
        name = scan.table.name[-1]
        watermarks = WatermarkStrategy.no_watermarks()
        if scan.watermark is not None:
            # The event time that rows carry is one ms later than their watermark.
            watermarks = WatermarkStrategy.for_monotonous_timestamps()
            if self._idle_timeout_ms:
                watermarks = watermarks.with_idleness(Duration.of_millis(self._idle_timeout_ms))
        if not isinstance(source, StreamTableSource):
            return self._source(source.graph_source, name, watermarks)
        last = self._copied(source.stream.nodes)
        own = None if scan.watermark is None else watermarks
        return self.put(StreamNode(id=next(self.ids), name=name, input=last, source=source, watermarks=own))

    def _copied(self, nodes: Sequence[Node]) -> int:
        """Copy all nodes of a stream, once for each table that is read; return the copy of its last node."""
        numbers = {node.id: next(self.ids) for node in nodes}
        self.nodes.extend(node.renumbered(numbers) for node in nodes)
        return numbers[nodes[-1].id]

    def _stateful(self, stateful: Stateful) -> int:
        inputs = [self._one(self.add(relation)) for relation in stateful.merged]
        number = sum(isinstance(node, KeyedNode) for node in self.nodes)
        kind = _KINDS[type(stateful.operation)]
        node = KeyedNode(
            id=next(self.ids),
            name=kind.value,
            uid=f"{number}-{kind.name.lower()}",
            keyed=tuple(
                KeyedInput(node=taken, selector=KeyColumns(keys))
                for taken, keys in zip(inputs, stateful.keys, strict=True)
            ),
            kind=kind,
            function=TableOperation(
                stateful.operation,
                retracts=any(not relation.changelog.is_insert_only for relation in stateful.merged),
                keys=stateful.keys,
                has_plain_keys=not any(
                    relation.fields[place].type.inner_types
                    for relation, places in zip(stateful.merged, stateful.keys, strict=True)
                    for place in places
                ),
                depends_on=state_description(stateful, _what_it_reads),
            ),
        )
        return self.put(node)

    def _one(self, taken: tuple[int, ...]) -> int:
        return taken[0] if len(taken) == 1 else self.put(UnionNode(id=next(self.ids), name="Union", merged=taken))


def _what_it_reads(scan: Scan) -> str:
    return source_of(scan.table).origin_text


_KINDS: Final[Mapping[type[Operation], OperatorKind]] = {
    GroupAggregate: OperatorKind.GROUP_AGGREGATE,
    WindowAggregate: OperatorKind.WINDOW_AGGREGATE,
    SessionAggregate: OperatorKind.WINDOW_AGGREGATE,
    CountWindowAggregate: OperatorKind.GROUP_WINDOW_AGGREGATE,
    SessionRows: OperatorKind.WINDOW_TABLE_FUNCTION,
    Deduplicate: OperatorKind.DEDUPLICATE,
    TopN: OperatorKind.RANK,
    Sort: OperatorKind.SORT,
    MatchRecognize: OperatorKind.MATCH,
    OverAggregate: OperatorKind.OVER_AGGREGATE,
    Join: OperatorKind.JOIN,
    IntervalJoin: OperatorKind.INTERVAL_JOIN_OF_ROWS,
    TemporalJoin: OperatorKind.TEMPORAL_JOIN,
    LookupJoin: OperatorKind.LOOKUP_JOIN,
    Pairs: OperatorKind.JOIN,
    Matches: OperatorKind.JOIN,
    Normalize: OperatorKind.CHANGELOG_NORMALIZE,
    Materialize: OperatorKind.UPSERT_MATERIALIZE,
    PartitionCommit: OperatorKind.PARTITION_COMMIT,
}
