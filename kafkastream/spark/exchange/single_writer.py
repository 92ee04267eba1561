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
from kafkastream.spark.crash_notes import NOTE
from kafkastream.spark.exchange.shuffle_messages import Message, SendingOperator, as_sent, dumps
from kafkastream.spark.exchange.source_tasks import unpickled
from kafkastream.spark.worker.batches import Batch
from kafkastream.spark.worker.chained_operators import TaskScope
from kafkastream.spark.worker.operator_chain import Flow
from kafkastream.spark.worker.reports import Report, ReportKind, report_batch, report_batches
from kafkastream.spark.worker.slot_names import SINGLE
from kafkastream.spark.worker.worker_cache import Opened, Run, tried_before

__all__ = ["HandOver", "WriterPlan"]

_opened: Opened[Flow] = Opened()


@final
@attrs.define(eq=False)
class HandOver(SendingOperator):
    """Sends elements to the task that writes them; the target is the sink's node.

    Args:
        label: Of the bucket that the rows go by.
    """

    kind = ReportKind.WRITE
    label: int

    def write(self, batch: Batch) -> None:
        """Send a batch."""
        self.send(self.label, dumps((list(batch.values), list(batch.timestamps))))


@final
@attrs.frozen
class WriterPlan:
    """What the writing task needs.

    Args:
        run: Whose task it is.
        flows: The pickled sink of each node, as a flow of one stage.
    """

    run: Run
    flows: Mapping[int, bytes]

    def function(self) -> Callable[[Iterable[pa.RecordBatch]], Iterator[pa.RecordBatch]]:
        """What ``mapInArrow`` wants: messages in, reports out."""
        return partial(_run, self)

    def taken(self, node: int) -> Flow:
        """An opened sink; who takes it puts it back."""

        def opened() -> Flow:
            flow: Flow = unpickled(self.flows[node])
            flow.open(self.run.context(0, 1))
            return flow

        return _opened.take(self.run, node, opened)


def _run(plan: WriterPlan, batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    to_write: dict[int, list[Message]] = {}
    failed = False
    for arrow in batches:
        for row in arrow.to_pylist():
            message = Message(**row)
            if message.kind == ReportKind.WRITE.value:
                to_write.setdefault(message.node, []).append(message)
                continue
            failed = failed or message.kind == ReportKind.FAILURE.value
            yield report_batch(message.kind, message.node, message.payload)
    if not failed:
        for node in plan.flows:
            yield from report_batches(_written(plan, TaskScope(SINGLE), node, to_write.get(node, [])))


def _written(plan: WriterPlan, task: TaskScope, node: int, messages: list[Message]) -> Iterator[Report]:
    """What comes of writing a sink's elements, in order."""
    flow = plan.taken(node)
    flow.begin(task)
    try:
        with NOTE.task(plan.run.id, tried_before()):
            for message in as_sent(messages):
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
        _opened.keep(plan.run, node, flow)
