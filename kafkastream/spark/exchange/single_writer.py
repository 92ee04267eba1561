"""Exactly-once sinks after keyed operators: one task writes a whole micro-batch in one transaction.

Output of a keyed operator has no source offset by which a repeated attempt could skip elements that are written, and with
non-deterministic functions it may even come from another bucket. So a micro-batch is written as a whole or not at all;
the slot's marker shows whether it was.
"""

from __future__ import annotations

import pickle
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import partial
from typing import final

import attrs
import pyarrow as pa

from kafkastream.spark.exchange.shuffle_messages import Message, SendingOperator, as_sent
from kafkastream.spark.internals.pickles import element_dumps
from kafkastream.spark.worker.batches import Batch
from kafkastream.spark.worker.chained_operators import TaskScope
from kafkastream.spark.worker.operator_chain import OperatorChain
from kafkastream.spark.worker.pickling import unpickled
from kafkastream.spark.worker.reports import Report, ReportKind, report_batch, report_batches
from kafkastream.spark.worker.slot_names import SINGLE
from kafkastream.spark.worker.task_runner import TaskRunner
from kafkastream.spark.worker.worker_cache import JobAttempt

__all__ = ["HandOver", "WriterPlan"]


@final
@attrs.define(eq=False)
class HandOver(SendingOperator):
    """Sends elements to the writing task; the target is the sink's node.

    Args:
        label: Label of the bucket that carries them.
    """

    kind = ReportKind.WRITE
    label: int

    def write(self, batch: Batch) -> None:
        """Send a batch."""
        self.send(self.label, element_dumps((list(batch.values), list(batch.timestamps))))


@final
@attrs.frozen
class WriterPlan:
    """Plan of the writing task.

    Args:
        run: Attempt that the task belongs to.
        chains: Pickled sink of each node, as a chain of one stage.
    """

    run: JobAttempt
    chains: Mapping[int, bytes]

    def function(self) -> Callable[[Iterable[pa.RecordBatch]], Iterator[pa.RecordBatch]]:
        """Return the function for ``mapInArrow``: from messages to reports."""
        return partial(_run, self)

    def runner(self, node: int) -> TaskRunner[OperatorChain]:
        """Return the task runner of a sink."""
        return TaskRunner(self.run, node, ("writer", node), lambda: unpickled(self.chains[node]), 0, 1)


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
        for node in plan.chains:
            yield from report_batches(_written(plan, node, to_write.get(node, ())))


def _written(plan: WriterPlan, node: int, messages: Iterable[Message]) -> Iterator[Report]:
    """Write a sink's elements in order, and yield its reports."""

    def work(chain: OperatorChain) -> Iterator[Report]:
        chain.begin(TaskScope(SINGLE))
        for message in as_sent(messages):
            values, timestamps = pickle.loads(message.payload)
            chain.push(Batch(values, timestamps, range(len(values))), lambda _: "what came out of a keyed operator")
        yield from chain.finish()
        yield Report(ReportKind.METRICS, node, list(chain.changes()))

    return plan.runner(node).run(work)
