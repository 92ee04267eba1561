"""What Spark runs for each task: the chain of the source that the task's records come from."""

from __future__ import annotations

import itertools
import pickle
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from typing import final

import attrs
import pyarrow as pa

from kafkastream.errors import KafkastreamError, WorkerDependencyError
from kafkastream.spark.chain import Chain
from kafkastream.spark.records import subtask_of
from kafkastream.spark.reports import Report, ReportKind, report_batches

__all__ = ["TaskPlan"]

_opened: dict[tuple[str, int, int], Chain] = {}


@final
@attrs.frozen
class TaskPlan:
    """What every task of a query needs.

    Args:
        run_id: One per start of a job; functions opened for an earlier one are dropped.
        parallelism: The number of subtasks, in Flink's counting.
        chains: The pickled chain of each source, by the source's node.
    """

    run_id: str
    parallelism: int
    chains: Mapping[int, bytes]

    def function(self, query: str, batch: int) -> Callable[[Iterable[pa.RecordBatch]], Iterator[pa.RecordBatch]]:
        """The plain function that ``mapInArrow`` wants.

        Args:
            query: The query, the same after a restart.
            batch: The micro-batch, the same when it is run again.
        """

        def task(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
            return _run(self, query, batch, iter(batches))

        return task

    def chain_for(self, arrow: pa.RecordBatch) -> tuple[Chain, tuple[str, int, int]]:
        """The opened chain for these records, and its place in the cache, from which it is taken."""
        node = arrow["source"][0].as_py()
        subtask = subtask_of(arrow, self.parallelism)
        key = (self.run_id, node, subtask)
        if key in _opened:
            return _opened.pop(key), key
        for stale in [other for other in _opened if other[0] != self.run_id]:
            del _opened[stale]
        chain = _unpickle(self.chains[node])
        chain.open(subtask, self.parallelism, _attempt())
        return chain, key


def _run(plan: TaskPlan, query: str, batch: int, batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    """A failure of the user's is reported as a row; raised, it would come out of the JVM as a Java stack."""
    node = 0
    try:
        first = next((arrow for arrow in batches if arrow.num_rows), None)
        if first is None:
            return
        chain, key = plan.chain_for(first)
        node = key[1]
        with _abandoned_unless_done(chain):
            chain.begin(query, batch, first)
            for arrow in itertools.chain((first,), batches):
                chain.process(arrow)
                yield from report_batches(report for sink in chain.sinks for report in sink.drain())
            yield from report_batches(chain.finish())
        if chain.reusable:
            _opened[key] = chain
    except KafkastreamError as error:
        for _ in batches:  # Spark expects the input to be read to its end
            pass
        yield from report_batches([Report(ReportKind.FAILURE, node, error)])


@contextmanager
def _abandoned_unless_done(chain: Chain) -> Iterator[None]:
    try:
        yield
    except BaseException:
        chain.abandon()
        raise


def _unpickle(chain: bytes) -> Chain:
    try:
        unpickled: Chain = pickle.loads(chain)
    except ModuleNotFoundError as error:
        raise WorkerDependencyError(
            f"Spark's workers lack the module {error.name!r}, which the job imports",
            now=f"Install it for the workers' Python, or ship it: spark-submit --py-files {error.name}.py, or a .zip.",
        ) from None
    return unpickled


def _attempt() -> int:
    from pyspark import TaskContext

    context = TaskContext.get()
    return context.attemptNumber() if context else 0
