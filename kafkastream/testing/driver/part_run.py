"""Runs a connected part of a job graph in this process: the engine's own tasks, with state in memory, without Spark."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import partial
from itertools import product
from typing import TYPE_CHECKING, Any, Final, final

import attrs
import pandas as pd  # noqa: F401 - pyarrow imports it with its first array, which takes longer than most tests

from kafkastream.errors import DefinitionError
from kafkastream.metrics.values import OperatorScope
from kafkastream.model.common.immutable import FrozenMap
from kafkastream.model.common.snapshot import copied
from kafkastream.model.common.watermark_strategy import MIN_WATERMARK
from kafkastream.model.connectors.split_source import Source
from kafkastream.model.connectors.subscription import TopicPartition
from kafkastream.model.graph.chaining import Serialization
from kafkastream.model.graph.job_graph import CollectionSource, KeyedNode, SourceNode
from kafkastream.operators.state.keyed_context import forget
from kafkastream.spark.checkpoint.operator_ids import keyed_operator_ids
from kafkastream.spark.exchange.keyed_task import KeyedTask, state_name
from kafkastream.spark.exchange.shuffle_messages import Message, OperatorInput, Watermarks
from kafkastream.spark.exchange.source_task import SourceTask
from kafkastream.spark.internals.pickles import element_dumps
from kafkastream.spark.plan.chain_compiler import ChainCompiler
from kafkastream.spark.plan.collection_rows import collection_rows
from kafkastream.spark.plan.watermark_service import WatermarkService
from kafkastream.spark.worker.batches import Batch
from kafkastream.spark.worker.chained_operators import TaskScope
from kafkastream.spark.worker.failures import function_failed
from kafkastream.spark.worker.fetched_records import arrow_of
from kafkastream.spark.worker.operator_chain import applied
from kafkastream.spark.worker.record_decoders import CollectionDecoder, columns_of, owner_subtask, split_name
from kafkastream.spark.worker.reports import Report, ReportKind
from kafkastream.spark.worker.slot_names import origin_name
from kafkastream.spark.worker.worker_cache import JobAttempt
from kafkastream.sql.plan.query_node import QueryNode
from kafkastream.testing.driver.arrivals import Arrival
from kafkastream.testing.driver.capturing_sinks import CapturingKafkaOperator, with_capturing_sinks
from kafkastream.testing.driver.job_snapshot import PartSnapshot, PartStart
from kafkastream.testing.driver.memory_backend import MemoryBackend

if TYPE_CHECKING:
    from kafkastream.testing.driver.sql.query_rows import QueryRows
    from kafkastream.testing.driver.sql.row_chains import RowChains
    from kafkastream.testing.driver.sql.spark_rows import SparkRows

__all__ = ["PartRun"]

_ROWS_AT_ONCE: Final = 10_000


@final
class PartRun:
    """A connected part of a job, while it runs.

    Args:
        start: Graph of the part, and the state to begin with.
        attempt: Attempt that its tasks belong to.
        parallelism: Number of subtasks.
        chains: Whether Flink would chain neighbouring Python operators.
        scopes: Metric scope of each node.
        partitions: Number of partitions of the sinks' topics; others have one.
        now: Returns the processing time, in ms.
        take: Takes what tasks report for the driver.
        by_spark: Returns what computes the rows of queries that are not computed in Python; None to refuse these.

    Attributes:
        graph: Graph of the part, whose sinks keep what they get.
        identities: Identity of each keyed operator, by its node.
        states: Keyed state of each subtask.
        time: Watermarks.

    Raises:
        UnsupportedFeatureError: A query needs Spark, and ``by_spark`` is None.
    """

    def __init__(
        self,
        start: PartStart,
        attempt: JobAttempt,
        parallelism: int,
        *,
        chains: bool,
        scopes: Mapping[int, OperatorScope],
        partitions: Mapping[str, int],
        now: Callable[[], int],
        take: Callable[[Report], None],
        by_spark: Callable[[], SparkRows] | None = None,
    ) -> None:
        graph, snapshot = start.identity.graph, start.snapshot
        self._rows: QueryRows | None = None
        self._row_chains: RowChains | None = None
        if any(isinstance(node, QueryNode) for node in graph.nodes):  # only jobs with SQL import it
            from kafkastream.testing.driver.sql.query_rows import QueryRows

            self._rows = QueryRows(graph, parameters=attempt.job_parameters, now=now, by_spark=by_spark)
        self.graph = with_capturing_sinks(graph, partitions)
        self._start = start
        self._attempt, self._parallelism, self._now, self._take = attempt, parallelism, now, take
        # As on Spark, keys stay in as many subtasks as they began with.
        self._buckets = start.layout.buckets
        self._compiler = ChainCompiler(
            self.graph,
            attempt,
            ends=False,
            scopes=scopes,
            labels=tuple(range(self._buckets)) if start.layout.levels else (),
            decoders={
                **{node.id: CollectionDecoder() for node in graph.sources if isinstance(node.source, Source)},
                **({} if self._rows is None else self._rows.decoders),
            },
            serialization=Serialization.of(graph, parallelism, chains=chains),
        )
        if self._rows is not None:
            from kafkastream.testing.driver.sql.row_chains import RowChains

            self._row_chains = RowChains(self._rows, self._compiler, attempt, parallelism)
        self.identities = keyed_operator_ids(self.graph)
        self.states = [MemoryBackend() for _ in range(self._buckets)]
        self.time = WatermarkService(self.graph, parallelism, clock=lambda: now() / 1000, buckets=self._buckets)
        if snapshot is not None:
            self.states = [MemoryBackend(content) for content in snapshot.states]
            for state, identity in product(self.states, start.layout.gone):
                forget(state, state_name(identity))
            self.time.restore(snapshot.watermarks)
            self.time.has_read_collections = True
        self._levels = self.graph.levels()
        self._sources: dict[tuple[int, int], SourceTask] = {}
        self._keyed: dict[tuple[int, int], KeyedTask] = {}
        self._messages: dict[tuple[int, int], list[Message]] = {}
        self._announced_watermarks: Mapping[str, int] = self.time.watermarks()
        self._timers_due: dict[tuple[int, int], int | None] = {}

    def open(self) -> None:
        """Open all functions.

        Raises:
            UserFunctionError: An ``open`` raised.
            DefinitionError: A function could not be sent to Spark's workers.
        """
        for source in self.graph.sources:
            self._source_task(source, 0)
        for node in self._keyed_nodes():
            for subtask in range(self._buckets):
                self.keyed_task(node, subtask)

    def _keyed_nodes(self) -> Iterator[KeyedNode]:
        return (node for level in self._levels for node in level)

    def snapshot(self, offsets: Mapping[str, Mapping[TopicPartition, int]]) -> PartSnapshot:
        """Return the state between two micro-batches.

        Args:
            offsets: Next offset in each partition, by the key of the source.
        """
        states = tuple(FrozenMap(state.content) for state in self.states)
        return PartSnapshot(states, attrs.evolve(self._start.layout, gone=()), self.time.content(), offsets)

    def read_collections(self) -> None:
        """Run the first micro-batch: the elements of collections and files, whose watermark is then the last one."""
        for source in self.graph.sources:
            if isinstance(source.source, CollectionSource) and source.source.ends:
                self._read_collection(source, source.source)
        self._run_stages()
        self.time.has_read_collections = True
        self.settle()

    def micro_batch(self, arrivals: Iterable[Arrival]) -> None:
        """Run a micro-batch of arrivals, and those that its watermarks cause."""
        for arrival in arrivals:
            source = self.graph[arrival.source]
            assert isinstance(source, SourceNode)
            self._process(source, arrival)
        self._run_stages()
        self.settle()

    def settle(self) -> None:
        """Send new watermarks to the keyed operators, until none has moved."""
        while self._levels:
            watermarks = self.time.watermarks()
            if all(
                watermark <= self._announced_watermarks.get(name, MIN_WATERMARK)
                for name, watermark in watermarks.items()
            ):
                return
            self._announced_watermarks = watermarks
            self._run_stages()

    def next_timer(self) -> int | None:
        """Return a lower bound for the time of the next processing-time timer; None if there is none."""
        return min((due for due in self._timers_due.values() if due is not None), default=None)

    def fire_timers(self) -> None:
        """Fire the processing-time timers that are due now, and mark idle partitions."""
        self.time.mark_polled()
        if self._levels:
            self._run_stages()
        self.settle()

    def end(self, source: int) -> None:
        """End a source: its watermark is the last one."""
        self.time.ended(source)

    def close(self, *, has_failed: bool) -> None:
        """Close the functions of tasks that are open: one whose functions override ``close`` is not, after a micro-batch.

        Raises:
            UserFunctionError: A ``close`` raised.
        """
        tasks: list[SourceTask | KeyedTask] = [*self._sources.values(), *self._keyed.values()]
        for task in tasks:
            if has_failed:
                task.abandon()
            for function in task.operator.functions if isinstance(task, KeyedTask) else ():
                with function_failed(task.name, "close"):
                    function.close()
            for operator in task.chain.operators():
                with function_failed(operator.name, "close"):
                    operator.close()
        if self._row_chains is not None:
            self._row_chains.close(has_failed=has_failed)

    def _process(self, source: SourceNode, arrival: Arrival) -> None:
        topic, number = arrival.partition.topic, arrival.partition.partition
        subtask = owner_subtask(topic, number, source.parallelism or self._parallelism)
        task = self._source_task(source, subtask)
        origin = origin_name(task.identity, topic, number)
        self._begin(task, TaskScope(origin, split_name(arrival.partition)))
        if arrival.records and self._rows is not None and self._rows.knows(source.id):
            batch = self._rows.of_records(source.id, arrival.partition, arrival.records)
            self._push(task, batch, partial(_position_of_element, str(arrival.partition)))
        elif arrival.records:
            task.process(arrow_of(source.id, arrival.partition, arrival.records, columns_of(source)))
        if arrival.elements:
            values, timestamps = zip(*arrival.elements, strict=True)
            batch = Batch(list(values), list(timestamps), range(len(values)))
            if self._rows is not None and self._rows.knows(source.id):
                batch = self._rows.of_table(source.id, values)
            self._push(task, batch, partial(_position_of_element, str(arrival.partition)))
        self._finish_source(source.id, subtask, task)

    def _read_collection(self, source: SourceNode, collection: CollectionSource) -> None:
        task = self._source_task(source, 0)
        self._begin(task, TaskScope(task.identity))
        if self._rows is not None and self._rows.knows(source.id):
            self._push(task, self._rows.of_values(source.id), "row {} of VALUES".format)
        for piece in collection.pieces(_ROWS_AT_ONCE):
            for rows in collection_rows(source, piece, element_dumps).to_batches():
                task.process(rows)
        self._finish_source(source.id, 0, task)

    def _begin(self, task: SourceTask, scope: TaskScope) -> None:
        task.decoder.begin()
        task.chain.begin(scope)

    def _push(self, task: SourceTask, batch: Batch, position: Callable[[int], str]) -> None:
        """Push elements that a test sends through a source's chain; there are no records of them."""
        for sink in task.chain.sinks:
            if isinstance(sink, CapturingKafkaOperator):
                sink.arrives_without_records()
        for operator in task.chain.before:
            batch = applied(operator, batch, position)
        task.chain.push(batch, position)

    def _finish_source(self, source: int, subtask: int, task: SourceTask) -> None:
        for report in (*task.chain.drain(), *task.finish()):
            self._handle(report)
        self._push_rows(subtask)
        if not task.reusable:  # its functions were closed
            del self._sources[source, subtask]

    def _run_stages(self) -> None:
        """Run the keyed operators, level by level, on the messages that have arrived."""
        marks = Watermarks(self._announced_watermarks, self._now())
        for node in self._keyed_nodes():
            for subtask, state in enumerate(self.states):
                task = self.keyed_task(node, subtask)
                arrived = OperatorInput.of(self._messages.pop((node.id, subtask), ()), marks)
                for report in task.run(state, TaskScope(f"{task.identity}-{subtask}"), arrived):
                    self._handle(report)
                self._push_rows(subtask)
                if not task.reusable:  # its functions were closed
                    del self._keyed[node.id, subtask]

    def _push_rows(self, subtask: int) -> None:
        """Push the rows that a task has sent through the chains behind them, which may send rows, too."""
        if self._row_chains is not None:
            while self._row_chains.has_rows:
                for report in self._row_chains.run(subtask):
                    self._handle(report)

    def _handle(self, report: Report) -> None:
        """Handle a task's report: messages for keyed operators, watermarks and timers here, the rest in the driver."""
        match report.kind:
            case ReportKind.EXCHANGE:
                message: Message = report.content
                if self._row_chains is not None and message.kind == ReportKind.WRITE.value:
                    self._row_chains.keep(message)
                    return
                self._messages.setdefault((message.node, message.bucket), []).append(message)
            case ReportKind.TIMES:
                seen, idle = report.content
                self.time.observe({report.node: seen}, idle)
            case ReportKind.TIMERS:
                subtask, due = report.content
                self._timers_due[report.node, subtask] = due
            case _:
                self._take(report)

    def _source_task(self, source: SourceNode, subtask: int) -> SourceTask:
        if (source.id, subtask) not in self._sources:
            task = _copy_task(self._compiler.source_task(source), source.name)
            task.open(self._attempt.context(subtask, self._parallelism))
            self._sources[source.id, subtask] = task
        return self._sources[source.id, subtask]

    def keyed_task(self, node: KeyedNode, subtask: int) -> KeyedTask:
        """Return the task of a keyed operator in a subtask, opened."""
        if (node.id, subtask) not in self._keyed:
            task = _copy_task(self._compiler.keyed_task(node), node.name)
            task.open(self._attempt.context(subtask, self._buckets))
            self._keyed[node.id, subtask] = task
        return self._keyed[node.id, subtask]


def _copy_task(task: Any, name: str) -> Any:
    """Return a task of its own for a subtask: on Spark, each has its own copy of the functions."""
    try:
        return copied(task)
    except Exception as error:
        raise DefinitionError(
            f"a function after {name!r} could not be sent to Spark's workers: {error}",
            now="Open connections, locks and files in open(), not in the constructor or the script's globals.",
        ) from error


def _position_of_element(partition: str, row: int) -> str:
    return f"element {row + 1} sent to {partition}"
