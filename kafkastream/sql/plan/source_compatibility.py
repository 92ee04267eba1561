"""Which rows may stand beside which in one query: those that are there at once, and those that come."""

from __future__ import annotations

from kafkastream.errors import UnsupportedFeatureError
from kafkastream.model.connectors.kafka_source import KafkaSource
from kafkastream.model.graph.job_graph import CollectionSource, JobGraph, KeyedNode
from kafkastream.sql.connectors import (
    DataGenTableSource,
    FileTableSource,
    KafkaTableSource,
    StreamTableSource,
    TableSource,
    source_of,
)
from kafkastream.sql.plan.branches import Origin, origins
from kafkastream.sql.plan.relations import Relation, Scan, Stateful, Values

__all__ = ["check_mixture", "generators"]


def generators(relation: Relation) -> tuple[DataGenTableSource, ...]:
    """The tables of a query whose rows are made up."""
    return tuple(source for source in map(_table, origins(relation)) if isinstance(source, DataGenTableSource))


def check_mixture(relation: Relation) -> None:
    """Refuse rows that are there at once beside those that come.

    Raises:
        UnsupportedFeatureError: There are both.
    """
    every = tuple(origins(relation))
    is_keyed = any(map(_has_keys, every))
    here = [what for what in map(_at_hand, every) if what is not None]
    if any(map(_reads_kafka, every)):
        for where, what, needs_state in here:
            if not (is_keyed and needs_state):
                raise UnsupportedFeatureError(
                    f"{what} together with a table or stream of Kafka",
                    where=where,
                    now="Write the rows to a topic with one INSERT, and read that topic.",
                )
    if is_keyed and not all(one.is_bounded for one in generators(relation)):
        raise UnsupportedFeatureError(
            "a 'datagen' table without an end in front of an operation with state",
            where="datagen",
            now="Give it 'number-of-rows'; or write it to a topic with one INSERT, and read that topic.",
        )


def _at_hand(origin: Origin) -> tuple[str, str, bool] | None:
    """Rows that do not come from Kafka: where they stand, what they are, and whether they may stand beside such.

    What a program holds itself comes with the stream that tells of time, which there is where there is state.
    """
    if isinstance(origin, Values):
        return "VALUES", "rows of VALUES, or of a SELECT without FROM,", False
    match _table(origin):
        case DataGenTableSource():
            return "datagen", "a query of a 'datagen' table", False
        case FileTableSource():
            return "filesystem", "a 'filesystem' table, without state,", True
        case StreamTableSource(stream=stream):
            sources = JobGraph(stream.nodes).sources
            collections = [node.name for node in sources if isinstance(node.source, CollectionSource)]
            if collections:
                return f"stream {collections[0]!r}", "elements that the program holds itself, without state,", True
    return None


def _has_keys(origin: Origin) -> bool:
    """Whether there is state, in the query or in a stream that it reads."""
    if isinstance(origin, Stateful):
        return True
    match _table(origin):
        case StreamTableSource(stream=stream):
            return any(isinstance(node, KeyedNode) for node in stream.nodes)
        case _:
            return False


def _reads_kafka(origin: Origin) -> bool:
    """Whether a table, or a stream, has a topic behind it."""
    match _table(origin):
        case StreamTableSource(stream=stream):
            return any(isinstance(node.source, KafkaSource) for node in JobGraph(stream.nodes).sources)
        case source:
            return isinstance(source, KafkaTableSource)


def _table(origin: Origin) -> TableSource | None:
    """The table that is read, if it is one."""
    return source_of(origin.table) if isinstance(origin, Scan) else None
