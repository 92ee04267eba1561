"""Tasks of a source's partitions: each runs the chain of the source that its records come from."""

from __future__ import annotations

import itertools
import json
import pickle
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, final

import attrs
import pyarrow as pa

from kafkastream.model.graph.node_ids import CONTROL_NODE
from kafkastream.spark.exchange.shuffle_messages import Message, Watermarks, message_batches, messages_of
from kafkastream.spark.exchange.source_task import SourceTask
from kafkastream.spark.internals.python import map_in_arrow
from kafkastream.spark.worker.batches import by_partition, from_first_rows, in_larger_batches
from kafkastream.spark.worker.pickling import unpickled
from kafkastream.spark.worker.record_decoders import subtask_of
from kafkastream.spark.worker.reports import REPORT_SCHEMA, Report, ReportKind, collect_reports, report_batches
from kafkastream.spark.worker.task_runner import TaskRunner
from kafkastream.spark.worker.worker_cache import JobAttempt

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

__all__ = ["TaskPlan"]


@final
@attrs.frozen
class TaskPlan:
    """Plan of a query's tasks, pickled to each of them.

    Args:
        run: Attempt that the tasks belong to; functions that an earlier attempt opened are dropped.
        parallelism: Number of subtasks, as Flink counts them.
        chains: Pickled task of each source, by the source's node.
        stage: Index among the tasks of one attempt that process the same records one after the other.
    """

    run: JobAttempt
    parallelism: int
    chains: Mapping[int, bytes]
    stage: int = 0

    def function(self) -> Callable[[Iterable[pa.RecordBatch]], Iterator[pa.RecordBatch]]:
        """Return the plain function for ``mapInArrow``."""

        def task(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
            return report_batches(self.reports(iter(batches)))

        return task

    def collect(self, frame: DataFrame) -> list[Report]:
        """Run the chains on the records of a micro-batch, and return the tasks' reports."""
        return collect_reports(map_in_arrow(frame, self.function(), REPORT_SCHEMA))

    def messages(self, labels: tuple[int, ...]) -> Callable[[Iterable[pa.RecordBatch]], Iterator[pa.RecordBatch]]:
        """Return the function for ``mapInArrow`` before stateful stages: it yields messages to these buckets."""

        def task(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
            found = from_first_rows(batches)
            if found is None:
                return
            first, every = found
            if first["source"][0].as_py() == CONTROL_NODE:  # read to its end, without which Spark ends the worker
                yield from message_batches(itertools.chain.from_iterable(_marks(arrow, labels) for arrow in every))
            else:
                reports = self._of_partition(map(_own_columns, every))  # these frames have a task for each
                own = labels[subtask_of(_own_columns(first), self.parallelism) % len(labels)]
                yield from message_batches(messages_of(reports, own))

        return task

    def reports(self, batches: Iterator[pa.RecordBatch]) -> Iterator[Report]:
        """Run a task, and yield its reports as they are made; it may have several partitions, one after the other."""
        for own in by_partition(batches):
            yield from self._of_partition(own)

    def _of_partition(self, batches: Iterator[pa.RecordBatch]) -> Iterator[Report]:
        first = next(batches)
        every = itertools.chain((first,), batches)
        runner = self.runner(first["source"][0].as_py(), subtask_of(first, self.parallelism))

        def work(task: SourceTask) -> Iterator[Report]:
            task.begin(first)
            for arrow in in_larger_batches(task.decoder.batches(every), task.decoder.rows_at_once):
                task.process(arrow)
                yield from task.chain.drain()
            yield from task.finish()

        yield from runner.run(work, rest=every)

    def runner(self, node: int, subtask: int) -> TaskRunner[SourceTask]:
        """Return the task runner of a source in a subtask."""
        key = ("source", node, subtask, self.stage)
        return TaskRunner(self.run, node, key, lambda: unpickled(self.chains[node]), subtask, self.parallelism)


def _own_columns(arrow: pa.RecordBatch) -> pa.RecordBatch:
    """Drop the Kafka columns of a batch of a collection's rows, which come from a frame shared with Kafka records."""
    is_whole = "topic" not in arrow.schema.names or arrow["topic"].null_count == 0
    return arrow if is_whole else arrow.select(["source", "value"])


def _marks(arrow: pa.RecordBatch, labels: tuple[int, ...]) -> Iterator[Message]:
    """Return the watermarks as a message to every bucket."""
    for value in arrow["value"].to_pylist():
        told = json.loads(value)
        marks = Watermarks(told["watermarks"], told["now"], told["gone"], told.get("last", {}))
        payload = pickle.dumps(tuple(marks))
        for label in labels:
            yield Message(label, ReportKind.WATERMARKS.value, CONTROL_NODE, "", 0, False, payload)
