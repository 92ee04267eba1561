from __future__ import annotations

from kafkastream.model.common.watermark_strategy import WatermarkStrategy
from kafkastream.model.connectors.kafka_sink import KafkaSink
from kafkastream.model.connectors.record_serialization import KafkaRecordSerializationSchema
from kafkastream.model.formats import SimpleStringSchema
from kafkastream.model.graph.job_graph import (
    CollectionSource,
    DiscardingSink,
    JobGraph,
    KeyedInput,
    KeyedNode,
    Node,
    OperatorKind,
    OperatorNode,
    PrintSink,
    SinkNode,
    SourceNode,
    UnionNode,
)


def source(node_id: int) -> SourceNode:
    strategy = WatermarkStrategy.no_watermarks()
    return SourceNode(id=node_id, name=f"source {node_id}", source=CollectionSource((1,)), watermarks=strategy)


def operator(node_id: int, taken: int) -> OperatorNode:
    return OperatorNode(id=node_id, name="Map", input=taken, kind=OperatorKind.MAP, function=str)


def sink(node_id: int, taken: int) -> SinkNode:
    return SinkNode(id=node_id, name="Print", input=taken, sink=PrintSink())


def union(node_id: int, *taken: int) -> UnionNode:
    return UnionNode(id=node_id, name="Union", merged=taken)


def ids(nodes: tuple[Node, ...]) -> list[int]:
    return [node.id for node in nodes]


GRAPH = JobGraph((source(1), operator(2, 1), operator(3, 1), union(4, 2, 3), sink(5, 4), source(6), operator(7, 6)))


def test_sources_sinks_and_consumers_are_found() -> None:
    assert (ids(GRAPH.sources), ids(GRAPH.sinks)) == ([1, 6], [5])
    assert ids(GRAPH.consumers(1)) == [2, 3]
    assert GRAPH[4] == union(4, 2, 3)


def test_a_stream_united_with_itself_is_consumed_twice() -> None:
    graph = JobGraph((source(1), union(2, 1, 1), sink(3, 2)))
    assert ids(graph.consumers(1)) == [2, 2]


def test_operators_that_nothing_reads_get_a_sink() -> None:
    ended = GRAPH.with_discarding_sinks()
    assert ids(ended.nodes) == [1, 2, 3, 4, 5, 6, 7, -7]
    assert (ended.sinks[-1].input, ended.sinks[-1].sink) == (7, DiscardingSink())
    assert JobGraph((source(1),)).with_discarding_sinks() == JobGraph((source(1),))


def test_whole_records_are_read_for_dead_letters_that_have_them() -> None:
    """Behind a keyed operator there is no record to be kept."""
    schema = KafkaRecordSerializationSchema.builder().set_topic("out")
    records = schema.set_value_serialization_schema(SimpleStringSchema()).build()
    builder = KafkaSink.builder().set_bootstrap_servers("b:1").set_record_serializer(records)
    kafka = builder.set_dead_letter_topic("dead").build()
    keyed = KeyedNode(
        id=2, name="keyed", keyed=(KeyedInput(node=1, selector=str),), kind=OperatorKind.MAP, function=str
    )
    behind = SinkNode(id=3, name="behind", input=2, sink=kafka)
    direct = SinkNode(id=4, name="direct", input=1, sink=kafka)
    assert not JobGraph((source(1), keyed, behind)).with_dead_letters().sources[0].keeps_records
    assert JobGraph((source(1), keyed, behind, direct)).with_dead_letters().sources[0].keeps_records


def test_separate_parts_are_told_apart_in_order() -> None:
    graph = JobGraph((source(1), source(2), sink(3, 2), source(4), union(5, 1, 4), sink(6, 5)))
    assert [ids(part.nodes) for part in graph.components()] == [[1, 4, 5, 6], [2, 3]]
