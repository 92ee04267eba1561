"""A stateful stage: Spark's ``transformWithState`` over buckets, with the keyed operators of one level inside.

Spark knows one key for each bucket. The keys of the stream, their state and their timers are ours, in one map of bytes per
bucket: so a call to Spark's state store, which is one to another process, is made for a page of keys, not for each record.
"""

from __future__ import annotations

import pickle
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple, final

import attrs
from pyspark.sql.streaming.stateful_processor import MapState, StatefulProcessor, StatefulProcessorHandle
from pyspark.sql.types import BinaryType, StructField, StructType

from kafkastream.operators.state.keyed_context import forget
from kafkastream.spark.exchange.buckets import shared_task
from kafkastream.spark.exchange.keyed_task import KeyedTask, state_name
from kafkastream.spark.exchange.shuffle_messages import (
    Message,
    OperatorInput,
    Watermarks,
    dumps,
    message_frame,
    messages_of,
)
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
        run: Whose tasks they are; functions opened for an earlier one are dropped.
        labels: The labels of the buckets, by subtask.
        chains: The pickled chain of each keyed operator of this level, by its node.
        is_last: Whether no other level follows, so that watermarks end here.
    """

    run: JobAttempt
    labels: tuple[int, ...]
    chains: Mapping[int, bytes]
    is_last: bool

    def runner(self, node: int, subtask: int) -> TaskRunner[KeyedTask]:
        """Return what runs an operator for a subtask."""
        key = ("keyed", node, subtask)
        return TaskRunner(self.run, node, key, lambda: unpickled(self.chains[node]), subtask, len(self.labels))


@final
class StatefulStage(StatefulProcessor):
    """Spark's side of a stateful stage."""

    def __init__(self, plan: LevelPlan) -> None:
        self._plan = plan
        self._bytes: MapState | None = None
        self._first: int | None = None

    def init(self, handle: StatefulProcessorHandle) -> None:
        """Begin a task, and declare its state: a map of bytes."""
        self._first = None
        self._bytes = handle.getMapState("bytes", _BYTES, _BYTES)

    def handleInputRows(self, key: Any, rows: Iterator[Any], timerValues: Any) -> Iterator[pd.DataFrame]:  # noqa: N803 - Spark's names
        """Take a bucket's messages of a micro-batch."""
        assert self._bytes is not None
        label = int(key[0])
        messages = [Message(*row) for frame in rows for row in frame.itertuples(index=False, name=None)]
        error = shared_task(label, self._first, self._plan.labels)
        if error is not None:
            yield message_frame(
                list(messages_of([Report(ReportKind.FAILURE, next(iter(self._plan.chains), 0), error)], label))
            )
            return
        self._first = label
        for some in _handled(self._plan, label, messages, _Backend(self._bytes)):
            yield message_frame(some)

    def close(self) -> None:
        """Nothing is to be closed: the chains stay for the next micro-batch."""


@final
class _Backend:
    """Spark's state of one bucket (``kafkastream.operators.state.state_backend.KeyedStateBackend``)."""

    def __init__(self, state: MapState) -> None:
        self._state = state

    def get(self, key: bytes) -> bytes | None:
        found = self._state.getValue((key,))
        return None if found is None else bytes(found[0])

    def put(self, key: bytes, value: bytes) -> None:
        self._state.updateValue((key,), (value,))

    def remove(self, key: bytes) -> None:
        self._state.removeKey((key,))

    def dumps(self, content: Any) -> bytes:
        return dumps(content)


@final
class _Arrived(NamedTuple):
    """Messages to a bucket in a micro-batch: by the node that they are for, those that go on, and the watermarks."""

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


def _handled(plan: LevelPlan, label: int, messages: Iterable[Message], backend: _Backend) -> Iterator[list[Message]]:
    """Process a bucket's messages, and yield those that go on to the next stage, or to the driver."""
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
