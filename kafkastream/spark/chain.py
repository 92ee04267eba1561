"""A chain of operators on a worker: decode, functions and sinks in one pass over a task's Arrow batches."""

from __future__ import annotations

import time
from collections.abc import Iterator
from typing import final

import attrs
import pyarrow as pa

from kafkastream.metrics.values import OperatorChanges, OperatorScope
from kafkastream.spark.batches import Batch, ElementError, joined, salvaged
from kafkastream.spark.dead_letters import dead_letter
from kafkastream.spark.failures import function_failed, not_decoded
from kafkastream.spark.operators import Operator
from kafkastream.spark.records import Decoder
from kafkastream.spark.reports import Report, ReportKind
from kafkastream.spark.sinks import SinkOperator, TaskScope
from kafkastream.spark.task_metrics import OperatorMetrics, SourceMetrics
from kafkastream.spec.functions import RuntimeContext

__all__ = ["Chain", "Stage", "origin_name"]


@final
@attrs.define(eq=False)
class Stage:
    """An operator and the stages that take what comes out of it."""

    operator: Operator
    next: tuple[Stage, ...] = ()


@final
@attrs.define(eq=False)
class Chain:
    """All that happens to the records of one source, down to the sinks.

    Args:
        name: The source's name.
        identity: The source, in the names of transactions.
        decoder: Makes elements of records.
        stages: What takes the elements.
        assigner: Gives the elements their event time before, if the source's strategy does so.
        dead_letters: Takes the records that cannot be decoded; without it, they fail the job.
        scope: Whose the source's metrics are.
        consumer_metrics: Whether what Kafka's consumer would tell is among them.
    """

    name: str
    identity: str
    decoder: Decoder
    stages: tuple[Stage, ...]
    assigner: Operator | None = None
    dead_letters: Stage | None = None
    scope: OperatorScope = attrs.field(factory=OperatorScope)
    consumer_metrics: bool = False
    _source: SourceMetrics | None = attrs.field(default=None, init=False)
    _metrics: dict[Operator, OperatorMetrics] = attrs.field(factory=dict, init=False)

    def operators(self) -> tuple[Operator, ...]:
        """Every operator once; one that is reached on two ways is one operator."""
        first = () if self.assigner is None else (self.assigner,)
        stages = self.stages if self.dead_letters is None else (self.dead_letters, *self.stages)
        return tuple(dict.fromkeys((*first, *_operators(stages))))

    @property
    def sinks(self) -> tuple[SinkOperator, ...]:
        """The sinks among the operators."""
        return tuple(operator for operator in self.operators() if isinstance(operator, SinkOperator))

    @property
    def reusable(self) -> bool:
        """Whether the opened functions may serve the next task: not when one wants to be closed."""
        return not any(operator.overrides_close for operator in self.operators())

    def open(self, subtask: int, parallelism: int, attempt: int) -> None:
        """Open the source's schema and every operator.

        Raises:
            UserFunctionError: An ``open`` raised.
        """
        self._source = SourceMetrics(self.scope, subtask, consumer_metrics=self.consumer_metrics)
        with function_failed(self.name, "open"):
            self.decoder.open()
        for operator in self.operators():
            own = operator.parallelism or parallelism
            self._metrics[operator] = OperatorMetrics(operator.scope, subtask % own)
            context = RuntimeContext(
                task_name=operator.name,
                subtask=subtask % own,
                parallelism=own,
                attempt=attempt,
                metrics=self._metrics[operator].group,
            )
            with function_failed(operator.name, "open"):
                operator.open(context)

    def begin(self, query: str, batch: int, arrow: pa.RecordBatch) -> None:
        """Begin a task, whose first records these are."""
        task = TaskScope(query, batch, self._origin(arrow))
        for sink in self.sinks:
            sink.begin(task)

    def _origin(self, arrow: pa.RecordBatch) -> str:
        if "topic" not in arrow.schema.names:
            return self.identity
        return origin_name(self.identity, arrow["topic"][0].as_py(), arrow["partition"][0].as_py())

    def abandon(self) -> None:
        """End a task that has failed."""
        for sink in self.sinks:
            sink.abandon()

    def process(self, arrow: pa.RecordBatch) -> None:
        """Take the records of one Arrow batch through all operators.

        Raises:
            JobError: An element failed, with the position of its record.
        """
        assert self._source is not None
        fetched_at = time.time_ns() // 1_000_000
        sinks = self.sinks
        for sink in sinks:
            sink.arrives(arrow)
        batch = self._decoded(arrow)
        if self.assigner is not None:
            batch = self._applied(self.assigner, batch, arrow)
        self._source.emitted(arrow, batch, fetched_at)
        for stage in self.stages:
            self._push(stage, batch, arrow)
        for sink in sinks:
            sink.passed()

    def finish(self) -> Iterator[Report]:
        """End the task: functions with a ``close`` of their own are closed, then sinks have written.

        Raises:
            UserFunctionError: A function's ``close`` raised.
            DeliveryError: A sink could not write.
        """
        for operator in self.operators():
            if operator.overrides_close:
                with function_failed(operator.name, "close"):
                    operator.close()
        for sink in self.sinks:
            yield from sink.finish()
        yield Report(ReportKind.METRICS, self.scope.node, list(self._changes()))

    def _decoded(self, arrow: pa.RecordBatch) -> Batch:
        try:
            return (
                self.decoder.decode(arrow) if self.dead_letters is None else self._decodable(arrow, self.dead_letters)
            )
        except ElementError as error:
            raise not_decoded(self.name, self.decoder.position(arrow, error.index), error.__cause__) from error

    def _decodable(self, arrow: pa.RecordBatch, dead_letters: Stage) -> Batch:
        """The elements of the records that can be decoded; the others go to the dead letters."""
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
            letters = [dead_letter(arrow, row, self.name, error) for row, error in dead]
            self._push(dead_letters, Batch(letters, [None] * len(dead), [row for row, _ in dead]), arrow)
        return joined(batches)

    def _push(self, stage: Stage, batch: Batch, arrow: pa.RecordBatch) -> None:
        if not batch.values:
            return
        out = self._applied(stage.operator, batch, arrow)
        metrics = self._metrics[stage.operator]
        metrics.records_in.inc(len(batch.values))
        metrics.records_out.inc(len(out.values))
        for following in stage.next:
            self._push(following, out, arrow)

    def _applied(self, operator: Operator, batch: Batch, arrow: pa.RecordBatch) -> Batch:
        try:
            return operator.apply(batch)
        except ElementError as error:
            position = self.decoder.position(arrow, batch.origin[error.index])
            raise operator.failure(batch.values[error.index], position, error.__cause__) from error

    def _changes(self) -> Iterator[OperatorChanges]:
        """What the metrics of all operators have to tell; the assigner's work counts as the source's."""
        assert self._source is not None
        yield self._source.changes()
        yield from (metrics.changes() for operator, metrics in self._metrics.items() if operator is not self.assigner)


def origin_name(source: str, topic: str, partition: int) -> str:
    """Where the records of a task come from, as a part of their transactions' names."""
    return f"{source}-{topic}-{partition}"


def _operators(stages: tuple[Stage, ...]) -> Iterator[Operator]:
    for stage in stages:
        yield stage.operator
        yield from _operators(stage.next)
