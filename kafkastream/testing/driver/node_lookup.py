"""Finds sources, sinks and operators of a job by their names or uids."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from kafkastream.errors import DefinitionError
from kafkastream.model.connectors.kafka_sink import KafkaSink
from kafkastream.model.connectors.kafka_source import KafkaSource
from kafkastream.model.connectors.record_builders import BuiltRecordSerializationSchema
from kafkastream.model.connectors.subscription import TopicPartition
from kafkastream.model.graph.job_graph import CollectionSource, JobGraph, KeyedNode, PrintSink, SinkNode, SourceNode

__all__ = ["check_written_topic", "find_keyed_operator", "find_sinks", "find_source", "unknown_name"]


def find_source(graph: JobGraph, name: str, splits: Callable[[SourceNode], Iterable[TopicPartition]]) -> SourceNode:
    """Return the source with a name or uid, or the first one of Kafka that reads the topic of that name.

    Args:
        graph: Graph of the job.
        name: Name, uid or topic.
        splits: Returns the partitions that a source reads.

    Raises:
        DefinitionError: There is none, with those that there are; or the source has its elements itself.
    """
    named = [node for node in graph.sources if name in (node.name, node.uid)]
    reading = [node for node in graph.sources if any(split.topic == name for split in splits(node))]
    for node in named or reading[:1]:
        if not isinstance(node.source, CollectionSource):
            return node
        raise DefinitionError(
            f"source {name!r} has its elements itself, and has given them", now="Send records to other sources."
        )
    raise unknown_name(
        "source", name, [node.name for node in graph.sources if not isinstance(node.source, CollectionSource)]
    )


def find_keyed_operator(graph: JobGraph, name: str) -> KeyedNode:
    """Return the keyed operator with a uid or name.

    Raises:
        DefinitionError: There is none, with those that there are.
    """
    keyed = [node for node in graph.nodes if isinstance(node, KeyedNode)]
    for node in (*(node for node in keyed if node.uid == name), *(node for node in keyed if node.name == name)):
        return node
    raise unknown_name("operator with keys", name, [node.uid or node.name for node in keyed])


def find_sinks(graph: JobGraph, name: str) -> list[SinkNode]:
    """Return the sinks of a name or uid, except Kafka and print sinks.

    Raises:
        DefinitionError: There is none, with those that there are; or it is a Kafka or print sink.
    """
    for node in graph.sinks:
        if name in (node.uid, node.name) and isinstance(node.sink, KafkaSink):
            raise DefinitionError(f"sink {name!r} writes to Kafka", now="Use values(topic) or topic(topic).")
        if name in (node.uid, node.name) and isinstance(node.sink, PrintSink):
            raise DefinitionError(f"sink {name!r} prints", now="Use printed.")
    sinks = [node for node in graph.sinks if not isinstance(node.sink, KafkaSink | PrintSink)]
    names = {node.id: _names_of_sink(graph, node) for node in sinks}
    named = [node for node in sinks if name in names[node.id]]
    if not named:
        raise unknown_name("sink", name, [first for first, *_ in names.values()])
    return named


def check_written_topic(graph: JobGraph, topic: str) -> None:
    """Check that a sink may write to a topic: that one does, or one chooses the topic of each element.

    Raises:
        DefinitionError: None does, with the topics that sinks write to.
    """
    topics = {node.source.dead_letter_topic for node in graph.sources if isinstance(node.source, KafkaSource)}
    for node in graph.sinks:
        if node.takes_dead_letters:
            continue
        match node.sink:
            case KafkaSink(
                record_serializer=BuiltRecordSerializationSchema(topic=str(name)), dead_letter_topic=letters
            ):
                topics |= {name, letters}
            case KafkaSink():
                return
    if topic not in topics:
        raise unknown_name("sink that writes to topic", topic, [name for name in topics if name is not None])


def unknown_name(kind: str, name: str, known: list[str]) -> DefinitionError:
    """Return the error for a name that the job does not have, with those that it has."""
    names = ", ".join(map(repr, sorted(set(known)))) or "none"
    return DefinitionError(f"the job has no {kind} {name!r}", now=f"There are: {names}.")


def _names_of_sink(graph: JobGraph, node: SinkNode) -> list[str]:
    """Return the uid and name of a sink; those of the operator if the sink only ends a stream that has none."""
    named = node if node.id >= 0 else graph[node.input]
    return [named.uid or named.name, named.name]
