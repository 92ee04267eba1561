"""What Spark runs for each task: the chain of the source that the task's records come from."""

from __future__ import annotations

import itertools
import json
import pickle
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, final

import attrs
import pyarrow as pa

from kafkastream.errors import KafkastreamError, WorkerDependencyError
from kafkastream.model.graph.graph_nodes import CONTROL_NODE
from kafkastream.spark.crash_notes import NOTE
from kafkastream.spark.exchange.shuffle_messages import Message, Watermarks, message_batches, messages_of
from kafkastream.spark.exchange.source_chain import Chain
from kafkastream.spark.worker.record_decoders import subtask_of
from kafkastream.spark.worker.reports import REPORT_SCHEMA, Report, ReportKind, collect_reports, report_batches
from kafkastream.spark.worker.worker_cache import Opened, Run, tried_before

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

__all__ = ["TaskPlan", "unpickled"]

_opened: Opened[Chain] = Opened()


@final
@attrs.frozen
class TaskPlan:
    """What every task of a query needs.

    Args:
        run: Whose tasks they are; functions opened for an earlier one are dropped.
        parallelism: The number of subtasks, in Flink's counting.
        chains: The pickled chain of each source, by the source's node.
        stage: Tells apart the tasks of one run that take the same records one after the other.
    """

    run: Run
    parallelism: int
    chains: Mapping[int, bytes]
    stage: int = 0

    def function(self) -> Callable[[Iterable[pa.RecordBatch]], Iterator[pa.RecordBatch]]:
        """Return the plain function that ``mapInArrow`` wants."""

        def task(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
            return report_batches(_reports(self, iter(batches)))

        return task

    def collect(self, frame: DataFrame) -> list[Report]:
        """Take the records of a micro-batch through their chains, and return what the tasks report."""
        return collect_reports(frame.mapInArrow(self.function(), REPORT_SCHEMA))

    def reports(self, batches: Iterator[pa.RecordBatch]) -> Iterator[Report]:
        """Run a task, and return what it has to tell, as it comes to it."""
        return _reports(self, batches)

    def messages(self, labels: tuple[int, ...]) -> Callable[[Iterable[pa.RecordBatch]], Iterator[pa.RecordBatch]]:
        """The same where stateful stages follow: what comes out goes to buckets with these labels."""

        def task(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
            remaining = iter(batches)
            first = next((arrow for arrow in remaining if arrow.num_rows), None)
            if first is None:
                return
            whole = itertools.chain((first,), remaining)
            if first["source"][0].as_py() == CONTROL_NODE:  # read to its end, without which Spark ends the worker
                yield from message_batches(itertools.chain.from_iterable(_marks(arrow, labels) for arrow in whole))
            else:
                first = _own_columns(first)
                reports = _reports(self, map(_own_columns, whole))
                own = labels[subtask_of(first, self.parallelism) % len(labels)]
                yield from message_batches(messages_of(reports, own))

        return task

    def chain_for(self, arrow: pa.RecordBatch) -> tuple[Chain, tuple[int, int, int]]:
        """The opened chain for these records, and its place among the opened ones, from which it is taken."""
        node = arrow["source"][0].as_py()
        subtask = subtask_of(arrow, self.parallelism)

        def opened() -> Chain:
            chain: Chain = unpickled(self.chains[node])
            chain.open(self.run.context(subtask, self.parallelism))
            return chain

        key = (node, subtask, self.stage)
        return _opened.take(self.run, key, opened), key


def _reports(plan: TaskPlan, batches: Iterator[pa.RecordBatch]) -> Iterator[Report]:
    """What a task has to tell, as it comes to it.

    A failure of the user's is reported, too; raised, it would come out of the JVM as a Java stack.
    """
    node = 0
    try:
        first = next((arrow for arrow in batches if arrow.num_rows), None)
        if first is None:
            return
        chain, key = plan.chain_for(first)
        node, *_ = key
        with NOTE.task(plan.run.id, tried_before()), _abandoned_unless_done(chain):
            chain.begin(first)
            for arrow in itertools.chain((first,), batches):
                chain.process(arrow)
                yield from chain.flow.drain()
            yield from chain.finish()
        if chain.flow.reusable:
            _opened.keep(plan.run, key, chain)
    except KafkastreamError as error:
        for _ in batches:  # Spark expects the input to be read to its end
            pass
        yield Report(ReportKind.FAILURE, node, error)


def _own_columns(arrow: pa.RecordBatch) -> pa.RecordBatch:
    """Without the columns that the rows of a collection have only because those of Kafka are in the same frame."""
    is_whole = "topic" not in arrow.schema.names or arrow["topic"].null_count == 0
    return arrow if is_whole else arrow.select(["source", "value"])


def _marks(arrow: pa.RecordBatch, labels: tuple[int, ...]) -> Iterator[Message]:
    """How far time has come, to every bucket."""
    for value in arrow["value"].to_pylist():
        told = json.loads(value)
        marks = Watermarks(told["watermarks"], told["now"], told["gone"], told.get("last", {}))
        payload = pickle.dumps(tuple(marks))
        for label in labels:
            yield Message(label, ReportKind.WATERMARKS.value, CONTROL_NODE, "", 0, False, payload)


@contextmanager
def _abandoned_unless_done(chain: Chain) -> Iterator[None]:
    try:
        yield
    except BaseException:
        chain.flow.abandon()
        raise


def unpickled(chain: bytes) -> Any:
    """A chain, as it was sent.

    Raises:
        WorkerDependencyError: A module that it needs is not there.
    """
    try:
        return pickle.loads(chain)
    except ModuleNotFoundError as error:
        raise WorkerDependencyError(
            f"Spark's workers lack the module {error.name!r}, which the job imports",
            now=f"Install it for the workers' Python, or ship it: spark-submit --py-files {error.name}.py, or a .zip.",
        ) from None
