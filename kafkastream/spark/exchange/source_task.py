"""A source's task on a worker: decodes records and runs the operator chain over a task's Arrow batches."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import final

import attrs
import pyarrow as pa

from kafkastream.metrics.values import OperatorScope
from kafkastream.model.common.time import wall_clock_ms
from kafkastream.model.connectors.subscription import TopicPartition
from kafkastream.model.functions.runtime_context import RuntimeContext
from kafkastream.spark.crash_notes import NOTE, record_range
from kafkastream.spark.worker.batches import Batch, ElementError, concatenated, salvaged
from kafkastream.spark.worker.chained_operators import TaskScope
from kafkastream.spark.worker.failures import function_failed, not_decoded
from kafkastream.spark.worker.operator_chain import ChainedOperator, OperatorChain, applied
from kafkastream.spark.worker.record_decoders import Decoder, source_record, split_name
from kafkastream.spark.worker.rejected_records import dead_letter
from kafkastream.spark.worker.reports import Report, ReportKind
from kafkastream.spark.worker.slot_names import origin_name
from kafkastream.spark.worker.task_metrics import SourceMetrics

__all__ = ["SourceTask"]


@final
@attrs.define(eq=False)
class SourceTask:
    """Processes the records of one source: decoder, operators, sinks.

    Args:
        name: The source's name.
        identity: Stable identity of the source, in the names of transactions.
        decoder: Decodes records to elements.
        chain: Takes the elements; its ``apart`` stage takes records that cannot be decoded. Without that stage they
            fail the job.
        scope: Scope of the source's metrics.
        consumer_metrics: Whether they include those of a Kafka consumer.
        is_behind: Whether an earlier task has read the records and has reported the source's metrics.
    """

    name: str
    identity: str
    decoder: Decoder
    chain: OperatorChain
    scope: OperatorScope = attrs.field(factory=OperatorScope)
    consumer_metrics: bool = False
    is_behind: bool = False
    _source: SourceMetrics | None = attrs.field(default=None, init=False)

    def open(self, context: RuntimeContext) -> None:
        """Open the source's schema and every operator.

        Raises:
            UserFunctionError: An ``open`` raised.
        """
        self._source = SourceMetrics(self.scope, context.subtask, consumer_metrics=self.consumer_metrics)
        with function_failed(self.name, "open"):
            self.decoder.open(attrs.evolve(context, task_name=self.name, metrics=self._source.group))
        self.chain.open(context)

    @property
    def reusable(self) -> bool:
        """True if the opened functions can be reused in the next task: not if one overrides ``close``."""
        return self.chain.reusable

    def abandon(self) -> None:
        """End a task that has failed."""
        self.chain.abandon()

    def begin(self, arrow: pa.RecordBatch) -> None:
        """Begin a task, with its first records."""
        self.decoder.begin()
        if "topic" not in arrow.schema.names:
            self.chain.begin(TaskScope(self.identity))
            return
        self.turn_to(TopicPartition(arrow["topic"][0].as_py(), arrow["partition"][0].as_py()))

    def turn_to(self, partition: TopicPartition) -> None:
        """Go on with the records of a partition, of which a task of an epoch has several."""
        origin = origin_name(self.identity, partition.topic, partition.partition)
        self.chain.begin(TaskScope(origin, split_name(partition)))

    def process(self, arrow: pa.RecordBatch) -> None:
        """Process the records of one Arrow batch.

        Raises:
            JobError: A function or a sink failed on an element; the error names its record.
        """
        assert self._source is not None
        fetched_at = wall_clock_ms()
        place = partial(self.decoder.position, arrow)
        NOTE.records(record_range(place(0), place(arrow.num_rows - 1)))
        NOTE.enter(f"source {self.name!r}", place)
        for sink in self.chain.sinks:
            sink.arrives(arrow)
        batch = self._decoded(arrow)
        NOTE.leave()
        for operator in self.chain.before:
            batch = applied(operator, batch, place)
        self._source.emitted(arrow, batch, fetched_at)
        self.chain.push(batch, place)

    def finish(self) -> Iterator[Report]:
        """End the task; errors as with ``OperatorChain.finish``."""
        assert self._source is not None
        if self.decoder.stopped_at is not None:
            for sink in self.chain.sinks:
                sink.stops(self.decoder.stopped_at)
        yield from self.chain.finish()
        yield from self.decoder.finish()
        yield self.counted()

    def counted(self) -> Report:
        """Return the changes of the metrics since the last report."""
        assert self._source is not None
        own = () if self.is_behind else (self._source.changes(),)
        return Report(ReportKind.METRICS, self.scope.node, [*own, *self.chain.changes()])

    def _decoded(self, arrow: pa.RecordBatch) -> Batch:
        try:
            return self.decoder.decode(arrow) if self.chain.apart is None else self._decodable(arrow, self.chain.apart)
        except ElementError as error:
            raise not_decoded(self.name, self.decoder.position(arrow, error.index), error.__cause__) from error

    def _decodable(self, arrow: pa.RecordBatch, dead_letters: ChainedOperator) -> Batch:
        """Return the elements of the records that can be decoded; the others go to the dead letters."""
        batches: list[tuple[int, Batch]] = []
        dead: list[tuple[int, ElementError]] = []
        for row, found in salvaged(
            lambda begin, end: self.decoder.decode(arrow.slice(begin, end - begin)), arrow.num_rows
        ):
            if isinstance(found, ElementError):
                dead.append((row, found))
            else:
                batches.append((row, found))
        if dead:
            assert self._source is not None
            self._source.failed(arrow, len(dead))
            self.decoder.skipped(len(dead))
            letters = [dead_letter(source_record(arrow, row), self.name, error) for row, error in dead]
            batch = Batch(letters, [None] * len(dead), [row for row, _ in dead])
            self.chain.push_to(dead_letters, batch, partial(self.decoder.position, arrow))
        return concatenated(batches)
