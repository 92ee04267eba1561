"""Runs the writers of users' sinks on a worker."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator, Sequence
from typing import Any, TypeVar, final

import attrs
import pyarrow as pa

from kafkastream.cdc.sinks import SinkError
from kafkastream.errors import DefinitionError, JobError, UnsupportedFeatureError
from kafkastream.metrics.groups import Counter
from kafkastream.model.common.value_printing import shown
from kafkastream.model.connectors.dead_letter_topics import DeadLetter, SourceRecord
from kafkastream.model.connectors.kafka_sink import DeliveryGuarantee
from kafkastream.model.connectors.sink_writer import (
    Committer,
    CommitterInitContext,
    CommittingSinkWriter,
    Sink,
    SinkWriter,
    SupportsCommitter,
    WriteContext,
)
from kafkastream.model.functions.runtime_context import RuntimeContext
from kafkastream.spark.worker.batches import Batch, ElementError
from kafkastream.spark.worker.chain_sinks import SinkOperator, SinkPlace, sink_committer, sink_operator
from kafkastream.spark.worker.chained_operators import TaskScope
from kafkastream.spark.worker.failures import function_failed, said
from kafkastream.spark.worker.record_decoders import source_record, without_record
from kafkastream.spark.worker.reports import Report, ReportKind
from kafkastream.spark.worker.retries import retried

__all__ = ["WriterOperator"]

log = logging.getLogger("kafkastream")

T = TypeVar("T")


@final
@attrs.define(eq=False)
class WriterOperator(SinkOperator):
    """Passes batches to the writer of a user's sink.

    Args:
        node: The sink's node.
        sink: The sink as the user defined it.
        dead_letters: Writes dead letters; None if a rejected element fails the job.
    """

    node: int
    sink: Sink[Any]
    dead_letters: SinkOperator | None
    _writer: SinkWriter[Any] | None = attrs.field(default=None, init=False)
    _arrow: pa.RecordBatch | None = attrs.field(default=None, init=False)
    _written: tuple[Counter, ...] = attrs.field(default=(), init=False)
    _errors: tuple[Counter, ...] = attrs.field(default=(), init=False)

    def open(self, context: RuntimeContext) -> None:
        """Create the writer, and register Flink's metrics of sink writers."""
        group = context.get_metrics_group()
        self._written = (group._own_counter("numRecordsOut"), group._own_counter("numRecordsSend"))
        self._errors = (group._own_counter("numRecordsOutErrors"), group._own_counter("numRecordsSendErrors"))
        self._writer = self.sink.create_writer(context)
        needed = CommittingSinkWriter if isinstance(self.sink, SupportsCommitter) else SinkWriter
        if not isinstance(self._writer, needed):
            raise DefinitionError(
                f"create_writer returned a {type(self._writer).__name__}, which is no {needed.__name__}",
                where=f"sink {self.name!r}",
            )
        if self.dead_letters is not None:
            self.dead_letters.open(attrs.evolve(context, metrics=group.add_group("deadLetters")))

    def begin(self, task: TaskScope) -> None:
        """Begin a task of the dead letters; the writer has none of its own."""
        if self.dead_letters is not None:
            self.dead_letters.begin(task)

    def arrives(self, arrow: pa.RecordBatch) -> None:
        """Keep the source records, if dead letters may need them; rows of a query have none."""
        if self.dead_letters is not None and "value" in arrow.schema.names:
            self._arrow = arrow

    def write(self, batch: Batch) -> None:
        """Write the elements; those that the writer rejects become dead letters."""
        if not batch.values:
            return

        def write() -> WriteContext:
            context = WriteContext(batch.timestamps)
            self._opened.write(batch.values, context)
            return context

        where = f"a batch of {len(batch.values)} elements, the first is {shown(batch.values[0])}"
        rejected = self._retried("write", write, where).rejected
        for counter in self._written:
            counter.inc(len(batch.values) - len(rejected))
        if not rejected:
            return
        for counter in self._errors:
            counter.inc(len(rejected))
        if self.dead_letters is None:
            index = min(rejected)
            raise ElementError(index) from rejected[index]
        letters = [
            DeadLetter(self._record(batch, index), self.name, said(rejected[index]), shown(batch.values[index]))
            for index in sorted(rejected)
        ]
        self.dead_letters.write(Batch(letters, [None] * len(letters), range(len(letters))))

    def failure(self, element: object, position: str, error: BaseException | None) -> JobError:
        """Return the error of an element that the writer has rejected."""
        return SinkError(
            f"sink {self.name!r} rejected an element: {said(error)}",
            where=f"{position}; element {shown(element)}",
            now="Drop such elements before the sink, or give the sink dead_letters.",
        )

    def flush(self) -> None:
        """Flush the writer."""
        self._retried("flush", self._opened.flush)
        if self.dead_letters is not None:
            self.dead_letters.flush()

    def finish(self) -> Iterator[Report]:
        """Flush the writer, and report what is to be committed."""
        self.flush()
        if isinstance(self._opened, CommittingSinkWriter):
            committables = list(self._retried("prepare_commit", self._opened.prepare_commit))
            if committables:
                yield Report(ReportKind.COMMITTABLES, self.node, committables)
        if self.overrides_close:
            with function_failed(self.name, "close", "sink"):
                self._opened.close()
        yield from self.drain()

    def abandon(self) -> None:
        """Close the writer of a task that has failed; its own error must not replace the task's."""
        if self.dead_letters is not None:
            self.dead_letters.abandon()
        if self._writer is not None:
            try:
                self._writer.close()
            except Exception:
                log.warning("close of sink %r raised after a failure", self.name, exc_info=True)

    @property
    def overrides_close(self) -> bool:
        """True if the writer overrides ``close``, so that each task has a writer of its own."""
        return self._writer is not None and type(self._writer).close is not SinkWriter.close

    @property
    def _opened(self) -> SinkWriter[Any]:
        assert self._writer is not None
        return self._writer

    def _retried(self, method: str, call: Callable[[], T], where: str = "") -> T:
        return retried(call, self.sink.retry_strategy, f"{method} of sink {self.name!r}", where)

    def _record(self, batch: Batch, index: int) -> SourceRecord:
        """Return the source record of an element; after keyed operators the element's text replaces it."""
        if self._arrow is None:
            return without_record(batch.values[index])
        return source_record(self._arrow, batch.origin[index])


@final
@attrs.frozen
class _RetryingCommitter(Committer[Any]):
    """Committer of a user's sink, called again by the sink's retry strategy."""

    sink: Sink[Any]
    name: str
    committer: Committer[Any]

    def commit(self, committables: Sequence[Any], checkpoint_id: int) -> None:
        retried(
            lambda: self.committer.commit(committables, checkpoint_id),
            self.sink.retry_strategy,
            f"commit of sink {self.name!r}",
            f"micro-batch {checkpoint_id}",
        )

    def close(self) -> None:
        with function_failed(self.name, "close", "committer of sink"):
            self.committer.close()


@sink_operator.register
def _(sink: Sink, place: SinkPlace) -> SinkOperator:
    return WriterOperator(place.name, place.node, sink, _dead_letters(sink, place))


def _dead_letters(sink: Sink[Any], place: SinkPlace) -> SinkOperator | None:
    if sink.dead_letters is None:
        return None
    if sink.dead_letters.delivery_guarantee is DeliveryGuarantee.EXACTLY_ONCE:
        raise UnsupportedFeatureError(
            "dead letters of a sink of your own are not written in transactions",
            where=f"dead_letters of sink {place.name!r}",
            now="Use DeliveryGuarantee.AT_LEAST_ONCE for them.",
        )
    return sink_operator(
        sink.dead_letters,
        place._replace(name=f"{place.name} dead letters", identity=f"{place.identity} dead letters", element_type=None),
    )


@sink_committer.register
def _(sink: Sink, context: CommitterInitContext) -> Committer[Any]:
    assert isinstance(sink, SupportsCommitter)
    with function_failed(context.sink_name, "create_committer", "sink"):
        return _RetryingCommitter(sink, context.sink_name, sink.create_committer(context))
