"""Tasks after a stateful operation or a stream: take its rows to the next operation or to the sink.

A row of such a DataFrame is either a row of the query, or a message on its way to the driver.
"""

from __future__ import annotations

import pickle
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from itertools import chain
from typing import Final, final

import attrs
import pyarrow as pa
from pyarrow import compute

from kafkastream.model.functions.runtime_context import RuntimeContext
from kafkastream.spark.exchange.shuffle_messages import Message, message_batches, messages_of
from kafkastream.spark.sql.rows.columnar_parts import of_bytes
from kafkastream.spark.sql.rows.wire_values import array_of
from kafkastream.spark.worker.batches import from_first_rows
from kafkastream.spark.worker.chained_operators import TaskScope
from kafkastream.spark.worker.operator_chain import OperatorChain, applied
from kafkastream.spark.worker.pickling import unpickled
from kafkastream.spark.worker.record_decoders import Decoder
from kafkastream.spark.worker.reports import Report, ReportKind, report_batches
from kafkastream.spark.worker.task_runner import TaskRunner
from kafkastream.spark.worker.worker_cache import JobAttempt
from kafkastream.sql.plan.spark_text import KEPT

__all__ = ["HIDDEN", "RowTask", "Unpacking"]

HIDDEN: Final = tuple(f"__message_{name}" for name in Message._fields)
"""Columns of a message, in addition to those of rows."""
_BUCKET, _KIND = HIDDEN[:2]
_BEHIND: Final = HIDDEN[Message._fields.index("behind")]

_Arrows = Iterator[pa.RecordBatch]


@final
@attrs.frozen
class Unpacking:
    """Unpacks the rows in messages of an operation; other messages pass unchanged.

    Args:
        node: The operation's node.
        schema: Schema of its rows.
    """

    node: int
    schema: pa.Schema

    def __call__(self, batches: Iterable[pa.RecordBatch]) -> _Arrows:
        """Unpack messages; a plain function for ``mapInArrow``."""
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
@attrs.define(eq=False)
class RowChain:
    """Operator chain after rows of a query, for one subtask.

    Args:
        chain: Takes the elements.
        decoder: Makes elements of rows.
    """

    chain: OperatorChain
    decoder: Decoder
    _is_abandoned: bool = attrs.field(default=False, init=False)

    def open(self, context: RuntimeContext) -> None:
        """Open all operators."""
        self.chain.open(context)
        self.decoder.open(context)

    @property
    def reusable(self) -> bool:
        """True if the opened functions can be reused in the next task."""
        return self.chain.reusable and not self._is_abandoned

    def abandon(self) -> None:
        """End a task that has failed."""
        self._is_abandoned = True
        self.chain.abandon()

    def push_in_order(self, rows: pa.RecordBatch) -> Iterator[Report]:
        """Push the rows before the watermark, then those after it."""
        is_behind = compute.fill_null(rows[_BEHIND], True)
        for side, own in ((False, compute.invert(is_behind)), (True, is_behind)):
            self.chain.behind_watermark(is_behind=side)
            self._push(rows.filter(own))
            yield from self.chain.drain()

    def _push(self, rows: pa.RecordBatch) -> None:
        if KEPT in rows.schema.names and not self.chain.before:
            rows = rows.filter(rows[KEPT])
        if not rows.num_rows:
            return
        for sink in self.chain.sinks:
            sink.arrives(rows)
        place = partial(self.decoder.position, rows)
        batch = self.decoder.decode(rows)
        for operator in self.chain.before:
            batch = applied(operator, batch, place)
        if batch.values:
            self.chain.push(batch, place)


@final
@attrs.frozen
class RowTask:
    """Task that runs an operator chain on such rows.

    Args:
        run: Attempt that the tasks belong to.
        node: Node that the rows come from.
        chain: Pickled operators.
        decoder: Makes elements of rows.
        parallelism: Number of subtasks.
    """

    run: JobAttempt
    node: int
    chain: bytes
    decoder: Decoder
    parallelism: int

    def messages(self, labels: Sequence[int]) -> Callable[[Iterable[pa.RecordBatch]], _Arrows]:
        """Return the function for ``mapInArrow`` if another operation follows.

        Args:
            labels: Labels of that operation's buckets.
        """

        def task(batches: Iterable[pa.RecordBatch]) -> _Arrows:
            found = from_first_rows(batches)
            if found is not None:
                first, every = found
                label = first[_BUCKET][0].as_py()
                subtask = labels.index(label) if label in labels else 0
                given = self._given(every, f"node-{self.node}-{subtask}", subtask)
                yield from message_batches(chain.from_iterable(_as_messages(one, label) for one in given))

        return task

    def reports(self, origin: str) -> Callable[[Iterable[pa.RecordBatch]], _Arrows]:
        """Return the function for ``mapInArrow`` if the sink follows; it yields reports for the driver.

        Args:
            origin: Origin of the rows in the names of transactions.
        """

        def task(batches: Iterable[pa.RecordBatch]) -> _Arrows:
            found = from_first_rows(batches)
            if found is not None:
                yield from report_batches(map(_as_report, self._given(found[1], origin, 0)))

        return task

    def _given(self, batches: Iterator[pa.RecordBatch], origin: str, subtask: int) -> Iterator[Message | Report]:
        """Run a task; yield the messages among its input, and the output of its rows."""

        def load() -> RowChain:
            return RowChain(unpickled(self.chain), self.decoder)

        runner = TaskRunner(self.run, self.node, ("rows", self.node, subtask), load, subtask, self.parallelism)
        return runner.run(partial(self._work, batches, origin), rest=batches)

    def _work(self, batches: Iterable[pa.RecordBatch], origin: str, operators: RowChain) -> Iterator[Message | Report]:
        operators.chain.begin(TaskScope(origin))
        failed = False
        for arrow in batches:
            is_row = compute.is_null(arrow[_KIND])
            passing = _messages(arrow.filter(compute.invert(is_row)))
            yield from passing
            failed = failed or any(one.kind == ReportKind.FAILURE.value for one in passing)
            if not failed:
                yield from operators.push_in_order(arrow.filter(is_row))
        if failed:
            operators.abandon()
            return
        yield from operators.chain.finish()
        yield Report(ReportKind.METRICS, self.node, list(operators.chain.changes()))


def _as_messages(one: Message | Report, label: int) -> Iterable[Message]:
    return (one,) if isinstance(one, Message) else messages_of((one,), label)


def _as_report(one: Message | Report) -> Report:
    return Report(ReportKind(one.kind), one.node, pickle.loads(one.payload)) if isinstance(one, Message) else one


def _messages(arrow: pa.RecordBatch) -> list[Message]:
    columns = (arrow[name].to_pylist() for name in HIDDEN)
    return [Message(*values) for values in zip(*columns, strict=True)]
