"""A part of the job graph to what runs it: one chain per source, and the stream of all their records."""

from __future__ import annotations

import pickle
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, final

import attrs
from pyspark import cloudpickle
from typing_extensions import assert_never

from kafkastream.errors import DefinitionError
from kafkastream.kafka.admin import Cluster
from kafkastream.kafka.properties import producer_properties, transactional_properties
from kafkastream.metrics.values import OperatorScope
from kafkastream.spark.chain import Chain, Stage
from kafkastream.spark.checkpoint import slug
from kafkastream.spark.dead_letters import DeadLetters
from kafkastream.spark.encoding import RecordEncoder
from kafkastream.spark.kafka_sink import KafkaOperator, ProducingOperator, TransactionalOperator
from kafkastream.spark.operators import Operator, timestamp_operator, user_operator
from kafkastream.spark.records import decoder_of
from kafkastream.spark.sinks import CollectOperator, PrintOperator, SinkOperator
from kafkastream.spark.stores import with_pem_stores
from kafkastream.spark.task import TaskPlan
from kafkastream.spec.dead_letters import DeadLetterSchema
from kafkastream.spec.graph import (
    CollectSink,
    JobGraph,
    Node,
    OperatorNode,
    PrintSink,
    SinkNode,
    SourceNode,
    UnionNode,
    distinct_names,
)
from kafkastream.spec.record_serialization import KafkaRecordSerializationSchema
from kafkastream.spec.sink import DeliveryGuarantee, KafkaSink
from kafkastream.spec.source import KafkaSource
from kafkastream.spec.values import FrozenMap

__all__ = ["ChainCompiler", "chains_of", "identities", "task_plan"]


def chains_of(
    graph: JobGraph, run_id: str, *, ends: bool, scopes: Mapping[int, OperatorScope] = FrozenMap()
) -> Mapping[int, Chain]:
    """The chain of each source of a connected graph, by the source's node.

    Args:
        graph: One component of the job graph.
        run_id: One per start.
        ends: Whether the input ends by itself.
        scopes: Whose the metrics of each node are.

    Raises:
        UnsupportedFeatureError: A sink asks for what cannot run outside the Java client.
    """
    compiler = ChainCompiler(graph, run_id, ends=ends, scopes=scopes)
    return {source.id: compiler.chain(source) for source in graph.sources}


def task_plan(chains: Mapping[int, Chain], run_id: str, parallelism: int) -> TaskPlan:
    """What the tasks of a query run.

    Args:
        chains: What happens to the records of each source.
        run_id: One per start.
        parallelism: The number of subtasks.

    Raises:
        DefinitionError: A function cannot be sent to workers.
    """
    return TaskPlan(run_id, parallelism, {source: _pickled(chain) for source, chain in chains.items()})


@final
@attrs.frozen
class ChainCompiler:
    """Turns nodes into stages; one function's node is one stage however often it is reached."""

    graph: JobGraph
    run_id: str
    ends: bool = attrs.field(kw_only=True)
    scopes: Mapping[int, OperatorScope] = attrs.field(default=FrozenMap(), kw_only=True)

    def chain(self, source: SourceNode) -> Chain:
        """All that happens to the records of ``source``."""
        dead_letters = self.graph.dead_letters(source.id)
        return Chain(
            source.name,
            identities(self.graph.sources)[source.id],
            decoder_of(source),
            self._after(source, {}),
            assigner=timestamp_operator(source.name, source.watermarks),
            dead_letters=None if dead_letters is None else next(self._stages(dead_letters, {})),
            scope=self._scope(source),
            consumer_metrics=isinstance(source.source, KafkaSource) and source.source.registers_consumer_metrics,
        )

    def _after(self, node: Node, made: dict[int, Stage]) -> tuple[Stage, ...]:
        return tuple(stage for taker in self.graph.consumers(node.id) for stage in self._stages(taker, made))

    def _stages(self, node: Node, made: dict[int, Stage]) -> Iterator[Stage]:
        if node.id in made:
            yield made[node.id]
            return
        operator = self._operator(node)
        following = self._after(node, made)
        if operator is None:
            yield from following
        else:
            operator.parallelism = node.parallelism
            operator.scope = self._scope(node)
            yield made.setdefault(node.id, Stage(operator, following))

    def _scope(self, node: Node) -> OperatorScope:
        return self.scopes.get(node.id, OperatorScope(operator=node.label, node=node.id))

    def _operator(self, node: Node) -> Operator | None:
        """The node's operator; None when elements pass unchanged."""
        match node:
            case OperatorNode():
                return user_operator(node)
            case SinkNode():
                return self._sink(node)
            case UnionNode():
                return None
            case _:
                raise AssertionError(node)

    def _sink(self, node: SinkNode) -> SinkOperator:
        match node.sink:
            case KafkaSink() as sink:
                return self._kafka(node, sink)
            case PrintSink() as sink:
                return PrintOperator(node.name, node.id, sink, node.output_type)
            case CollectSink():
                return CollectOperator(node.name, node.id)
            case never:
                assert_never(never)

    def _kafka(self, node: SinkNode, sink: KafkaSink[Any]) -> KafkaOperator:
        assert sink.record_serializer is not None
        properties = with_pem_stores(sink.properties)
        encoder = RecordEncoder(_knowing_limits(sink.record_serializer, properties))
        letters = None if sink.dead_letter_topic is None else DeadLetters(node.name, sink.dead_letter_topic, properties)
        if sink.delivery_guarantee is DeliveryGuarantee.EXACTLY_ONCE:
            assert sink.transactional_id_prefix is not None
            return TransactionalOperator(
                name=node.name,
                encoder=encoder,
                dead_letters=letters,
                properties=transactional_properties(properties),
                prefix=sink.transactional_id_prefix,
                sink=identities(self.graph.sinks)[node.id],
            )
        return ProducingOperator(
            node=node.id,
            name=node.name,
            run_id=self.run_id,
            encoder=encoder,
            dead_letters=letters,
            properties=FrozenMap(producer_properties(properties)),
            # Flink flushes NONE at the end of input only; here the last task of a job does not know that it is the last.
            flush_each_task=self.ends or sink.delivery_guarantee is DeliveryGuarantee.AT_LEAST_ONCE,
        )


def identities(nodes: Sequence[Node]) -> Mapping[int, str]:
    """By what sources or sinks are known to the brokers, and after a restart: their uids, or names, as parts of a path."""
    names = distinct_names(slug(node.uid or node.name) for node in nodes)
    return {node.id: name for node, name in zip(nodes, names, strict=True)}


def _knowing_limits(
    schema: KafkaRecordSerializationSchema[Any], properties: Mapping[str, str]
) -> KafkaRecordSerializationSchema[Any]:
    """A schema that knows how much its topic takes, if it wants to."""
    if not isinstance(schema, DeadLetterSchema):
        return schema
    limit = Cluster(properties).topic_setting(schema.topic, "max.message.bytes")
    return attrs.evolve(schema, limit=None if limit is None else int(limit))


def _pickled(chain: Chain) -> bytes:
    try:
        pickled: bytes = cloudpickle.dumps(chain)
    except (TypeError, AttributeError, pickle.PicklingError) as error:
        raise DefinitionError(
            f"the function of operator {_culprit(chain.operators())!r} cannot be sent to Spark's workers: {error}",
            now="Open connections, locks and files in open(), not in the constructor or the script's globals.",
        ) from error
    return pickled


def _culprit(operators: Iterable[Operator]) -> str:
    for operator in operators:
        try:
            cloudpickle.dumps(operator)
        except Exception:  # noqa: BLE001 - whatever it raises, this is the one
            return operator.name
    return "?"
