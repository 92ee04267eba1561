"""What takes the rows behind an operation with state, or a stream: to the next one, or to the sink, with reports beside.

A row of such a frame is either one of the query's, or a message that is on its way to the driver.
"""

from __future__ import annotations

import pickle
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from itertools import chain
from typing import Any, Final, final

import attrs
import pyarrow as pa
from pyarrow import compute

from kafkastream.errors import KafkastreamError
from kafkastream.spark.crash_notes import NOTE
from kafkastream.spark.exchange.shuffle_messages import Message, message_batches, messages_of
from kafkastream.spark.exchange.source_tasks import unpickled
from kafkastream.spark.sql.rows.columnar_parts import of_bytes
from kafkastream.spark.sql.rows.wire_values import array_of
from kafkastream.spark.worker.chained_operators import TaskScope
from kafkastream.spark.worker.operator_chain import Flow, applied
from kafkastream.spark.worker.record_decoders import Decoder
from kafkastream.spark.worker.reports import Report, ReportKind, report_batches
from kafkastream.spark.worker.worker_cache import Opened, Run, tried_before
from kafkastream.sql.plan.spark_text import KEPT

__all__ = ["HIDDEN", "Continuation", "Unpacking"]

HIDDEN: Final = tuple(f"__message_{name}" for name in Message._fields)
"""The columns of a message, beside those of rows."""
_BUCKET, _KIND = HIDDEN[:2]
_BEHIND: Final = HIDDEN[Message._fields.index("behind")]

_Arrows = Iterator[pa.RecordBatch]
_opened: Opened[tuple[Flow, Decoder]] = Opened()


@final
@attrs.frozen
class Unpacking:
    """Makes rows of what an operation has sent; other messages pass.

    Args:
        node: The operation's node.
        schema: The columns of its rows.
    """

    node: int
    schema: pa.Schema

    def __call__(self, batches: Iterable[pa.RecordBatch]) -> _Arrows:
        """The plain function that ``mapInArrow`` wants."""
        for arrow in batches:
            for row in arrow.to_pylist():
                message = Message(**row)
                if message.kind == ReportKind.WRITE.value and message.node == self.node:
                    yield from self._rows(message)
                else:
                    yield self._passing(message)

    def _rows(self, message: Message) -> Iterator[pa.RecordBatch]:
        rows, _ = pickle.loads(message.payload)
        hidden, fields = self._fields
        if isinstance(rows, bytes):
            columns = [column.combine_chunks() for column in of_bytes(rows).columns]
        else:
            columns = [array_of(one, field.type) for one, field in zip(zip(*rows, strict=True), fields, strict=True)]
        if not columns or not len(columns[0]):
            return
        known = {_BUCKET: message.bucket, _BEHIND: message.behind}
        own = [pa.repeat(pa.scalar(known.get(field.name), field.type), len(columns[0])) for field in hidden]
        yield pa.RecordBatch.from_arrays([*own, *columns], schema=self.schema)

    @property
    def _fields(self) -> tuple[list[pa.Field], list[pa.Field]]:
        every = list(self.schema)
        return every[: len(HIDDEN)], every[len(HIDDEN) :]

    def _passing(self, message: Message) -> pa.RecordBatch:
        hidden, fields = self._fields
        own = [pa.array([value], field.type) for value, field in zip(message, hidden, strict=True)]
        columns = [pa.nulls(1, field.type) for field in fields]
        return pa.RecordBatch.from_arrays([*own, *columns], schema=self.schema)


@final
@attrs.frozen
class Continuation:
    """What takes such rows.

    Args:
        run: Whose tasks they are.
        node: The node whose rows they are, by which opened functions are found again.
        flow: The pickled flow of the rows' elements.
        decoder: Makes elements of rows.
        parallelism: The number of subtasks.
    """

    run: Run
    node: int
    flow: bytes
    decoder: Decoder
    parallelism: int

    def messages(self, labels: Sequence[int]) -> Callable[[Iterable[pa.RecordBatch]], _Arrows]:
        """What ``mapInArrow`` wants where another operation follows, whose buckets have these labels."""

        def task(batches: Iterable[pa.RecordBatch]) -> _Arrows:
            with NOTE.task(self.run.id, tried_before()):
                for label, passing, reports in self._taken(batches, TaskScope(f"node-{self.node}"), labels):
                    yield from message_batches(chain(passing, messages_of(reports, label)))

        return task

    def reports(self, origin: str) -> Callable[[Iterable[pa.RecordBatch]], _Arrows]:
        """The same where the sink follows, and what is left are reports for the driver.

        Args:
            origin: What stands for where rows come from, in the names of transactions.
        """

        def task(batches: Iterable[pa.RecordBatch]) -> _Arrows:
            with NOTE.task(self.run.id, tried_before()):
                for _, passing, reports in self._taken(batches, TaskScope(origin), ()):
                    told = (Report(ReportKind(one.kind), one.node, pickle.loads(one.payload)) for one in passing)
                    yield from report_batches(chain(told, reports))

        return task

    def _taken(
        self, batches: Iterable[pa.RecordBatch], task: TaskScope, labels: Sequence[int]
    ) -> Iterator[tuple[int, list[Message], Iterable[Report]]]:
        """What each batch gives: a bucket's label, the messages in it, and what its rows have come to."""
        remaining = iter(batches)
        first = next((arrow for arrow in remaining if arrow.num_rows), None)
        if first is None:
            return
        label = first[_BUCKET][0].as_py()
        subtask = labels.index(label) if label in labels else 0
        (flow, decoder), key = self._flow(subtask)
        flow.begin(task._replace(origin=f"{task.origin}-{subtask}" if labels else task.origin))
        failed = False
        try:
            for arrow in chain((first,), remaining):
                is_row = compute.is_null(arrow[_KIND])
                passing = _messages(arrow.filter(compute.invert(is_row)))
                failed = failed or any(one.kind == ReportKind.FAILURE.value for one in passing)
                yield label, passing, () if failed else self._pushed_in_order(flow, decoder, arrow.filter(is_row))
            if failed:
                flow.abandon()
                return
            yield label, [], list(flow.finish())
            yield label, [], [Report(ReportKind.METRICS, self.node, list(flow.changes()))]
        except KafkastreamError as error:
            flow.abandon()
            for _ in remaining:  # Spark expects the input to be read to its end
                pass
            yield label, [], [Report(ReportKind.FAILURE, self.node, error)]
        except BaseException:
            flow.abandon()
            raise
        else:
            if flow.reusable:
                _opened.keep(self.run, key, (flow, decoder))

    def _flow(self, subtask: int) -> tuple[tuple[Flow, Decoder], Any]:
        def opened() -> tuple[Flow, Decoder]:
            flow: Flow = unpickled(self.flow)
            flow.open(self.run.context(subtask, self.parallelism))
            self.decoder.open()
            return flow, self.decoder

        key = (self.node, subtask)
        return _opened.take(self.run, key, opened), key

    @classmethod
    def _pushed_in_order(cls, flow: Flow, decoder: Decoder, rows: pa.RecordBatch) -> list[Report]:
        """Push the rows before the watermark, then those behind it."""
        is_behind = compute.fill_null(rows[_BEHIND], True)
        flow.behind_watermark(is_behind=False)
        reports = cls._pushed(flow, decoder, rows.filter(compute.invert(is_behind)))
        flow.behind_watermark(is_behind=True)
        return [*reports, *cls._pushed(flow, decoder, rows.filter(is_behind))]

    @staticmethod
    def _pushed(flow: Flow, decoder: Decoder, rows: pa.RecordBatch) -> list[Report]:
        if KEPT in rows.schema.names and not flow.before:
            rows = rows.filter(rows[KEPT])
        if rows.num_rows:
            for sink in flow.sinks:
                sink.arrives(rows)
            place = partial(decoder.position, rows)
            batch = decoder.decode(rows)
            for operator in flow.before:
                batch = applied(operator, batch, place)
            if batch.values:
                flow.push(batch, place)
        return list(flow.drain())


def _messages(arrow: pa.RecordBatch) -> list[Message]:
    columns = (arrow[name].to_pylist() for name in HIDDEN)
    return [Message(*values) for values in zip(*columns, strict=True)]
