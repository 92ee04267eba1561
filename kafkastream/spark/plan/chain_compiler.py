"""Compiles a part of the job graph to operator chains: one per source, and one per keyed operator."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import singledispatchmethod
from typing import Any, final

import attrs

from kafkastream.metrics.values import OperatorScope
from kafkastream.model.common.coercion import coercion_of
from kafkastream.model.common.immutable import FrozenMap
from kafkastream.model.common.watermark_strategy import NoWatermarks, WatermarkStrategy
from kafkastream.model.connectors.kafka_sink import DeliveryGuarantee, KafkaSink
from kafkastream.model.connectors.kafka_source import KafkaSource
from kafkastream.model.graph.chaining import Serialization
from kafkastream.model.graph.job_graph import (
    JobGraph,
    KeyedNode,
    Node,
    OperatorNode,
    SideOutputNode,
    SinkNode,
    SourceNode,
    UnionNode,
)
from kafkastream.operators.operator_factory import create_operator
from kafkastream.spark.checkpoint.operator_ids import keyed_operator_ids, operator_ids
from kafkastream.spark.exchange.keyed_task import KeyedTask
from kafkastream.spark.exchange.shuffle_messages import ExchangeOperator
from kafkastream.spark.exchange.single_writer import HandOver
from kafkastream.spark.exchange.source_task import SourceTask
from kafkastream.spark.sql.rows.columnar_windows import ColumnarExchange
from kafkastream.spark.sql.rows.row_elements import RowElements, RowsDecoder, RowTimes
from kafkastream.spark.worker.chain_sinks import (
    SinkOperator,
    SinkPlace,
    sink_operator,
)
from kafkastream.spark.worker.chained_operators import Operator, PresentRows
from kafkastream.spark.worker.declared_type import DeclaredType
from kafkastream.spark.worker.element_chain import ElementOperator
from kafkastream.spark.worker.kafka_writer import TransactionalOperator
from kafkastream.spark.worker.operator_chain import ChainedOperator, OperatorChain
from kafkastream.spark.worker.record_decoders import Decoder, decoder_of
from kafkastream.spark.worker.user_operators import timestamp_operators, user_operator
from kafkastream.spark.worker.watermark_operator import WatermarkOperator
from kafkastream.spark.worker.worker_cache import JobAttempt
from kafkastream.sql.plan.operations import TableOperation
from kafkastream.sql.plan.query_node import QueryNode, StreamNode, streams_read

__all__ = ["ChainCompiler"]


@final
@attrs.frozen
class ChainCompiler:
    """Compiles nodes to chained operators; a node that is reached on several paths becomes one operator.

    Args:
        graph: One connected part of the job graph.
        run: Whose tasks they are.
        ends: Whether the input is bounded.
        scopes: Metric scope of each node.
        labels: Labels of the buckets of keys.
        decoders: Decoders of the rows of a SQL query's sources, by their nodes.
        serialization: Nodes after which elements are coerced to their declared type.
        is_prompt: Whether records leave at once, in latency mode.
    """

    graph: JobGraph
    run: JobAttempt
    ends: bool = attrs.field(kw_only=True)
    scopes: Mapping[int, OperatorScope] = attrs.field(default=FrozenMap(), kw_only=True)
    labels: tuple[int, ...] = attrs.field(default=(), kw_only=True)
    decoders: Mapping[int, Decoder] = attrs.field(default=FrozenMap(), kw_only=True)
    serialization: Serialization = attrs.field(kw_only=True)
    is_prompt: bool = attrs.field(default=False, kw_only=True)

    @serialization.default
    def _default_serialization(self) -> Serialization:
        return Serialization.of(self.graph)

    def source_task(self, source: SourceNode) -> SourceTask:
        """Return the task of ``source``."""
        dead_letters = self.graph.dead_letters(source.id)
        return SourceTask(
            source.name,
            operator_ids(self.graph.sources)[source.id],
            self.decoders.get(source.id) or decoder_of(source),
            OperatorChain(
                self._after(source, {}),
                self._before(source),
                None if dead_letters is None else next(self._stages(dead_letters, {}, source)),
            ),
            scope=self.scope_of(source),
            consumer_metrics=isinstance(source.source, KafkaSource) and source.source.registers_consumer_metrics,
        )

    def _before(self, node: SourceNode | StreamNode) -> tuple[Operator, ...]:
        """Return the first operators of a source: they assign event time, then drop elements that only carry one."""
        if node.watermarks is None:
            return ()
        timing = self._timing(node, node.watermarks)
        decoder = self.decoders.get(node.id)
        if not isinstance(decoder, RowsDecoder):
            return timing
        times = (RowTimes(node.name, decoder.time),) if timing and isinstance(decoder, RowElements) else ()
        return (*timing, PresentRows(node.name), *times)

    def keyed_task(self, node: KeyedNode) -> KeyedTask:
        """Return the task of a keyed operator and its output chain."""
        return KeyedTask(
            node.name,
            keyed_operator_ids(self.graph)[node.id],
            create_operator(node),
            self._chain_after(node),
            self.scope_of(node),
            node.has_keys,
        )

    def _chain_after(self, node: KeyedNode) -> OperatorChain:
        """Return the chain after a keyed operator; the output of a SQL operator goes to Spark instead."""
        if isinstance(node.function, TableOperation):
            return OperatorChain((ChainedOperator(HandOver(node.name, node.id, self.labels[0])),))
        made: dict[int, ChainedOperator] = {}
        after = self._after(node, made)
        return OperatorChain(after, sides=self._aside(node, made), is_handed_on=self._hands_on(node, after))

    def chain_behind(self, node: Node) -> OperatorChain:
        """Return the chain after a SQL operation: to the sink, or to the exchange of the next operation."""
        before = self._before(node) if isinstance(node, StreamNode) else ()
        return OperatorChain(self._after(node, {}), before)

    def writers(self) -> Mapping[int, TransactionalOperator]:
        """Return the exactly-once sinks after keyed operators, by their nodes."""
        writers: dict[int, TransactionalOperator] = {}
        for node in self.graph.sinks:
            if _is_exact(node) and self._is_behind_keys(node):
                writer = self._sink(node)
                assert isinstance(writer, TransactionalOperator)
                writer.scope = self.scope_of(node)
                writers[node.id] = writer
        return writers

    def _is_behind_keys(self, node: Node) -> bool:
        """Return whether elements come from keyed operators or a stream's rows, and so belong to no source partition."""
        return any(
            isinstance(self.graph[taken], (KeyedNode, StreamNode)) or self._is_behind_keys(self.graph[taken])
            for taken in node.inputs
        )

    def _timing(self, node: Node, strategy: WatermarkStrategy[Any]) -> tuple[Operator, ...]:
        """Return the operators that assign event time, and generate watermarks if a keyed operator needs them."""
        if self.labels and not isinstance(strategy.generation, NoWatermarks):
            return (WatermarkOperator(node.name, strategy, node.id, by_partition=isinstance(node, SourceNode)),)
        return timestamp_operators(node.name, strategy)

    def _after(self, node: Node, made: dict[int, ChainedOperator]) -> tuple[ChainedOperator, ...]:
        """Return the operators after a node; where Flink serializes elements, coercion to their type comes first."""
        stages = self._takers(node, made)
        type_info = self.serialization.types.get(node.id)
        if not stages or type_info is None or coercion_of(type_info) is None:
            return stages
        name = f"{self.graph[node.input].name}: {node.name}" if isinstance(node, SideOutputNode) else node.name
        return (ChainedOperator(DeclaredType(name, type_info=type_info), stages),)

    def _takers(self, node: Node, made: dict[int, ChainedOperator]) -> tuple[ChainedOperator, ...]:
        takers = self.graph.consumers(node.id)
        keyed = {taker.id: taker for taker in takers if isinstance(taker, KeyedNode)}  # with all side outputs
        others = (taker for taker in takers if not isinstance(taker, (KeyedNode, SideOutputNode)))
        return tuple(stage for taker in (*others, *keyed.values()) for stage in self._stages(taker, made, node))

    def _aside(self, node: Node, made: dict[int, ChainedOperator]) -> Mapping[str, tuple[ChainedOperator, ...]]:
        """Return the operators that consume a node's side outputs, by tag."""
        found: dict[str, tuple[ChainedOperator, ...]] = {}
        for taker in self.graph.consumers(node.id):
            if isinstance(taker, SideOutputNode):
                found[taker.tag.tag_id] = (*found.get(taker.tag.tag_id, ()), *self._after(taker, made))
        return found

    def _stages(self, node: Node, made: dict[int, ChainedOperator], before: Node) -> Iterator[ChainedOperator]:
        if isinstance(node, KeyedNode):
            yield from self._exchanges(node, before)
        elif isinstance(node, (UnionNode, QueryNode)):
            yield from self._after(node, made)
        elif node.id in made:
            yield made[node.id]
        elif isinstance(node, StreamNode):
            from kafkastream.spark.sql.rows.stream_rows import StreamRows  # only for queries of streams

            source = node.source.apart
            yield made.setdefault(node.id, ChainedOperator(StreamRows(node.name, node.id, source, self.labels or (0,))))
        else:
            operator = self.operator(node)
            if operator is None:
                yield from self._after(node, made)
                return
            operator.parallelism = node.parallelism
            operator.scope = self.scope_of(node)
            after = self._after(node, made)
            hands_on = isinstance(operator, ElementOperator) and self._hands_on(node, after)
            yield made.setdefault(node.id, ChainedOperator(operator, after, self._aside(node, made), hands_on))

    def _hands_on(self, node: Node, after: tuple[ChainedOperator, ...]) -> bool:
        """Return whether the elements of a node go to the next function one by one, in one of Flink's chains."""
        return node.id in self.serialization.objects and all(
            isinstance(stage.operator, ElementOperator) for stage in after
        )

    def _exchanges(self, node: KeyedNode, before: Node) -> Iterator[ChainedOperator]:
        """Return the exchanges from a node to a keyed operator; one for each input of the operator that it feeds."""
        for side, keyed in enumerate(node.keyed):
            if keyed.node != before.id:
                continue
            if isinstance(node.function, TableOperation) and node.function.is_columnar:
                yield ChainedOperator(ColumnarExchange(node.name, node.id, self.labels))
            else:
                element_type = before.output_type if before.id in self.serialization.objects else None
                yield ChainedOperator(
                    ExchangeOperator(node.name, node.id, side, keyed, self.labels, before.name, element_type)
                )

    def scope_of(self, node: Node) -> OperatorScope:
        """Return the metric scope of a node."""
        return self.scopes.get(node.id, OperatorScope(operator=node.label, node=node.id))

    @singledispatchmethod
    def operator(self, node: Node) -> Operator | None:
        """Return the operator of a node in a chain, by its class; None if elements pass unchanged."""
        from kafkastream.cdc.node import PipelineNode  # only jobs with pipelines import change data capture

        if isinstance(node, PipelineNode):
            from kafkastream.cdc.book import SchemaBook
            from kafkastream.spark.worker.change_router import ChangeRouter

            return ChangeRouter(node.name, node.processing, SchemaBook())
        raise NotImplementedError(f"no operator is registered for {type(node).__name__}")

    @operator.register
    def _(self, node: OperatorNode) -> Operator | None:
        if isinstance(node.function, WatermarkStrategy):
            return next(iter(self._timing(node, node.function)), None)
        return user_operator(node)

    @operator.register
    def _(self, node: SinkNode) -> Operator:
        return HandOver(node.name, node.id, self.labels[0]) if self._is_written_apart(node) else self._sink(node)

    def levels_behind(self, query: QueryNode, part: JobGraph) -> Sequence[Sequence[KeyedNode]]:
        """Return the keyed operators of a program after a SQL query in a part of the graph, stage by stage."""
        inside = {node.id for node in part.reaching(query.id).nodes}
        levels = ([node for node in level if node.id not in inside] for level in part.levels())
        return list(filter(None, levels))

    def _is_written_apart(self, node: SinkNode) -> bool:
        """Return whether a task of its own writes to a sink; not directly after a SQL query, which has only one task."""
        if not (self.labels and _is_exact(node) and self._is_behind_keys(node)):
            return False
        inside = {one.id for stream in streams_read(self.graph) for one in stream.nodes}
        queries = (one for one in self.graph.nodes if isinstance(one, QueryNode) and one.id not in inside)
        return all(self.levels_behind(query, self.graph) for query in queries)

    def _sink(self, node: SinkNode) -> SinkOperator:
        identity = operator_ids(self.graph.sinks)[node.id]
        return sink_operator(
            node.sink,
            SinkPlace(node.name, node.id, self.run, identity, node.output_type, self.ends, self.is_prompt),
        )


def _is_exact(node: SinkNode) -> bool:
    """Return whether a sink writes to Kafka in transactions."""
    return isinstance(node.sink, KafkaSink) and node.sink.delivery_guarantee is DeliveryGuarantee.EXACTLY_ONCE
