"""A stateful stage: Spark's ``transformWithState`` over buckets, which runs the keyed operators of one level.

Spark's grouping key is the bucket. The keys of the stream, their state and their timers are stored in one map of bytes
per bucket, in pages of many keys: a call to Spark's state store goes to another process and would be too slow for each
record.
"""

from __future__ import annotations

import pickle
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple, final

import attrs
from pyspark.sql.streaming.stateful_processor import MapState, StatefulProcessor, StatefulProcessorHandle
from pyspark.sql.types import BinaryType, StructField, StructType

from kafkastream.model.formats.malformed import RecordLimits, use_limits
from kafkastream.operators.state.keyed_context import forget
from kafkastream.operators.state.state_backend import KeyedStateBackend
from kafkastream.spark.exchange.buckets import shared_task
from kafkastream.spark.exchange.keyed_task import KeyedTask, state_name
from kafkastream.spark.exchange.map_backend import MapBackend
from kafkastream.spark.exchange.shuffle_messages import (
    Message,
    OperatorInput,
    Watermarks,
    message_frame,
    messages_of,
)
from kafkastream.spark.internals.python import PromptInput
from kafkastream.spark.worker.chained_operators import TaskScope
from kafkastream.spark.worker.pickling import unpickled
from kafkastream.spark.worker.reports import Report, ReportKind
from kafkastream.spark.worker.task_runner import TaskRunner
from kafkastream.spark.worker.worker_cache import JobAttempt

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["LevelPlan", "StatefulStage"]

_BYTES = StructType([StructField("bytes", BinaryType())])


@final
@attrs.frozen
class LevelPlan:
    """Plan of the tasks of a stateful stage.

    Args:
        run: Attempt that the tasks belong to; functions that an earlier attempt opened are dropped.
        labels: Label of each subtask's bucket.
        chains: Pickled task of each keyed operator of this level, by its node.
        is_last: Whether no other level follows, so that watermarks are not forwarded.
    """

    run: JobAttempt
    labels: tuple[int, ...]
    chains: Mapping[int, bytes]
    is_last: bool

    def runner(self, node: int, subtask: int) -> TaskRunner[KeyedTask]:
        """Return the task runner of an operator for a subtask."""
        key = ("keyed", node, subtask)
        return TaskRunner(self.run, node, key, lambda: unpickled(self.chains[node]), subtask, len(self.labels))


@final
class StatefulStage(StatefulProcessor):
    """Spark's ``StatefulProcessor`` of a stateful stage."""

    def __init__(self, plan: LevelPlan, limits: RecordLimits) -> None:
        self._plan = plan
        self._limits = limits
        self._prompt = PromptInput()
        self._bytes: MapState | None = None
        self._first: int | None = None

    def init(self, handle: StatefulProcessorHandle) -> None:
        """Declare the state of a task: a map of bytes."""
        self._first = None
        self._bytes = handle.getMapState("bytes", _BYTES, _BYTES)

    def handleInputRows(self, key: Any, rows: Iterator[Any], timerValues: Any) -> Iterator[pd.DataFrame]:  # noqa: N803 - Spark's names
        """Process a bucket's messages of a micro-batch."""
        assert self._bytes is not None
        use_limits(self._limits)
        label = int(key[0])
        messages = [Message(*row) for frame in rows for row in frame.itertuples(index=False, name=None)]
        error = shared_task(label, self._first, self._plan.labels)
        if error is not None:
            yield message_frame(
                list(messages_of([Report(ReportKind.FAILURE, next(iter(self._plan.chains), 0), error)], label))
            )
            return
        self._first = label
        backend = MapBackend(self._bytes)
        for some in _handled(self._plan, label, messages, backend):
            yield message_frame(some)
        backend.flush()

    def close(self) -> None:
        """Do nothing: chains stay open for the next micro-batch."""


@final
class _Arrived(NamedTuple):
    """Messages to a bucket in a micro-batch: by node, those to forward, and the watermarks."""

    own: Mapping[int, Sequence[Message]]
    passing: list[Message]
    marks: Watermarks | None

    @staticmethod
    def of(plan: LevelPlan, messages: Iterable[Message]) -> _Arrived:
        own: dict[int, list[Message]] = {}
        passing: list[Message] = []
        marks: Watermarks | None = None
        for message in messages:
            if message.kind == ReportKind.EXCHANGE.value and message.node in plan.chains:
                own.setdefault(message.node, []).append(message)
                continue
            if message.kind == ReportKind.WATERMARKS.value:
                marks = Watermarks(*pickle.loads(message.payload))
                if plan.is_last:
                    continue
            passing.append(message)
        return _Arrived(own, passing, marks)


def _handled(
    plan: LevelPlan, label: int, messages: Iterable[Message], backend: KeyedStateBackend
) -> Iterator[list[Message]]:
    """Process a bucket's messages, and yield those for the next stage or the driver."""
    own, passing, marks = _Arrived.of(plan, messages)
    subtask = plan.labels.index(label)
    if passing:
        yield passing
    for identity in () if marks is None else marks.gone:
        forget(backend, state_name(identity))
    for node in plan.chains:
        if marks is not None or node in own:
            arrived = OperatorInput.of(own.get(node, ()), marks)

            def work(task: KeyedTask, arrived: OperatorInput = arrived) -> Iterator[Report]:
                return task.run(backend, TaskScope(f"{task.identity}-{subtask}"), arrived)

            for report in plan.runner(node, subtask).run(work):
                yield list(messages_of([report], label))
                if report.kind is ReportKind.FAILURE:
                    return
