"""The exactly-once sinks behind keyed operators: one task writes all of a micro-batch, in one transaction.

What comes out of a keyed operator has no place in the source by which an unfinished attempt could be told from a finished
one, and with functions that give other results each time it may even come out of another bucket. So all of a micro-batch
is written at once, or not at all; the slot's marker says whether it was.
"""

from __future__ import annotations

import pickle
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import partial
from typing import final

import attrs
import pyarrow as pa

from kafkastream.errors import KafkastreamError
from kafkastream.spark.batches import Batch
from kafkastream.spark.exchange import Message, dumps
from kafkastream.spark.flow import Flow
from kafkastream.spark.operators import TaskScope
from kafkastream.spark.reports import Report, ReportKind, report_batches
from kafkastream.spark.sinks import SinkOperator
from kafkastream.spark.task import attempt, unpickled

__all__ = ["SINGLE", "HandOver", "WriterPlan"]

SINGLE = "all"
"""What stands in the slot's name in place of where in the source its records come from."""

_opened: dict[tuple[str, int], Flow] = {}
"""The worker's opened sinks, by the job's start and the node."""


@final
@attrs.define(eq=False)
class HandOver(SinkOperator):
    """Sends elements to the task that writes them.

    Args:
        node: The sink's node.
        label: Of the bucket that the rows go by.
    """

    has_metrics = False
    node: int
    label: int
    _origin: str = attrs.field(default="", init=False)
    _number: int = attrs.field(default=0, init=False)
    _pending: list[Message] = attrs.field(factory=list, init=False)

    def begin(self, task: TaskScope) -> None:
        """Know where the elements come from, by which they are put in order again."""
        self._origin, self._number, self._pending = task.origin, 0, []

    def write(self, batch: Batch) -> None:
        """Send a batch."""
        payload = dumps((list(batch.values), list(batch.timestamps)))
        self._pending.append(
            Message(self.label, ReportKind.WRITE.value, self.node, self._origin, self._number, payload)
        )
        self._number += 1

    def drain(self) -> Iterator[Report]:
        """The rows so far."""
        pending, self._pending = self._pending, []
        return (Report(ReportKind.EXCHANGE, self.node, message) for message in pending)


@final
@attrs.frozen
class WriterPlan:
    """What the writing task needs.

    Args:
        run_id: One per start of a job.
        flows: The pickled sink of each node, as a flow of one stage.
    """

    run_id: str
    flows: Mapping[int, bytes]

    def function(self, query: str, batch: int) -> Callable[[Iterable[pa.RecordBatch]], Iterator[pa.RecordBatch]]:
        """What ``mapInArrow`` wants: messages in, reports out."""
        return partial(_run, self, query, batch)

    def taken(self, node: int) -> Flow:
        """An opened sink; who takes it puts it back."""
        key = (self.run_id, node)
        if key in _opened:
            return _opened.pop(key)
        for stale in [other for other in _opened if other[0] != self.run_id]:
            del _opened[stale]
        flow: Flow = unpickled(self.flows[node])
        flow.open(0, 1, attempt())
        return flow


def _run(plan: WriterPlan, query: str, batch: int, batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    to_write: dict[int, list[Message]] = {}
    failed = False
    for arrow in batches:
        for row in arrow.to_pylist():
            message = Message(**row)
            if message.kind == ReportKind.WRITE.value:
                to_write.setdefault(message.node, []).append(message)
                continue
            failed = failed or message.kind == ReportKind.FAILURE.value
            yield _as_report_batch(message)
    if not failed:
        for node in plan.flows:
            yield from report_batches(_written(plan, TaskScope(query, batch, SINGLE), node, to_write.get(node, [])))


def _written(plan: WriterPlan, task: TaskScope, node: int, messages: list[Message]) -> Iterator[Report]:
    """What comes of writing a sink's elements, in order."""
    flow = plan.taken(node)
    flow.begin(task)
    try:
        for message in sorted(messages, key=lambda one: (one.origin, one.number)):
            values, timestamps = pickle.loads(message.payload)
            flow.push(Batch(values, timestamps, range(len(values))), lambda _: "what came out of a keyed operator")
        yield from flow.finish()
        yield Report(ReportKind.METRICS, node, list(flow.changes()))
    except KafkastreamError as error:
        flow.abandon()
        yield Report(ReportKind.FAILURE, node, error)
    except BaseException:
        flow.abandon()
        raise
    else:
        _opened[plan.run_id, node] = flow


def _as_report_batch(message: Message) -> pa.RecordBatch:
    columns = [pa.array([message.kind]), pa.array([message.node], pa.int32()), pa.array([message.payload], pa.binary())]
    return pa.RecordBatch.from_arrays(columns, ["kind", "node", "payload"])
