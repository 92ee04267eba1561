"""The graph of a job with queries, as the test driver runs it: with tables that a test fills, and sinks that keep rows."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import attrs

from kafkastream.errors import UnsupportedFeatureError
from kafkastream.model.connectors.kafka_source import KafkaSource
from kafkastream.model.graph.job_graph import (
    CollectionSource,
    CollectSink,
    JobGraph,
    KeyedNode,
    Node,
    SinkNode,
    SourceNode,
)
from kafkastream.sql.connectors import KafkaTableSink, StreamTableSource, source_of
from kafkastream.sql.plan.operations import PartitionCommit, TableOperation
from kafkastream.sql.plan.query_node import QueryNode, routes
from kafkastream.sql.plan.relations import Scan
from kafkastream.sql.table import TableDefinition

__all__ = ["ReadTable", "driven_graph", "read_tables", "written_tables"]


class ReadTable(NamedTuple):
    """Table that a query reads.

    Args:
        node: Node of its source.
        definition: The table.
    """

    node: int
    definition: TableDefinition


def read_tables(graph: JobGraph) -> Iterator[ReadTable]:
    """Yield the tables that queries read, each as often as it is read."""
    for query in _queries(graph):
        for route in routes(query):
            origin = route.branch.origin
            if isinstance(origin, Scan) and not isinstance(source_of(origin.table), StreamTableSource):
                yield ReadTable(route.node, origin.table)


def written_tables(graph: JobGraph) -> Iterator[tuple[SinkNode, QueryNode]]:
    """Yield the sinks of queries, also those whose rows come to the program, with their queries."""
    for node in graph.sinks:
        query = graph[node.input]
        if isinstance(query, QueryNode):
            yield node, query


def driven_graph(graph: JobGraph) -> JobGraph:
    """Return the graph with sources for the tables that are not of Kafka, and sinks that keep the rows of tables.

    Its operators take rows as they are: no task of Spark aggregates them before.

    Raises:
        UnsupportedFeatureError: A query commits the partitions of files.
    """
    for node in graph.nodes:
        if isinstance(node, KeyedNode) and isinstance(node.function, TableOperation):
            _check_operation(node, node.function)
    read = {table.node for table in read_tables(graph)}
    kafka_sinks = {node.id for node, query in written_tables(graph) if isinstance(query.target.sink, KafkaTableSink)}

    def changed(node: Node) -> Node:
        if isinstance(node, SourceNode) and node.id in read and not isinstance(node.source, KafkaSource):
            return attrs.evolve(node, source=CollectionSource((), ends=False))
        if isinstance(node, SinkNode) and node.id in kafka_sinks:
            return attrs.evolve(node, sink=CollectSink())
        if isinstance(node, KeyedNode) and isinstance(node.function, TableOperation):
            return attrs.evolve(node, function=attrs.evolve(node.function, takes_rows=True))
        return node

    return JobGraph(tuple(map(changed, graph.nodes)))


def _queries(graph: JobGraph) -> Iterator[QueryNode]:
    return (node for node in graph.nodes if isinstance(node, QueryNode))


def _check_operation(node: KeyedNode, function: TableOperation) -> None:
    if isinstance(function.operation, PartitionCommit):
        raise UnsupportedFeatureError(
            "a test driver writes no files, whose partitions could be committed",
            where=f"operator {node.name!r}",
            now="Leave sink.partition-commit.policy.kind out in the test.",
        )
