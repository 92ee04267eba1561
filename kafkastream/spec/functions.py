"""What users implement: functions that a job applies to its elements, with the context they see."""

from __future__ import annotations

import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Mapping
from typing import Generic, NoReturn, TypeVar, final

import attrs

from kafkastream.errors import UnsupportedFeatureError
from kafkastream.metrics.groups import MetricGroup

__all__ = [
    "FilterFunction",
    "FlatMapFunction",
    "Function",
    "MapFunction",
    "ProcessFunction",
    "RuntimeContext",
    "TimerService",
    "function_name",
]

IN = TypeVar("IN")
OUT = TypeVar("OUT")


@final
@attrs.frozen(kw_only=True)
class RuntimeContext:
    """Where a function runs: its task, its subtask, and the job's parameters.

    The subtask is Flink's: a source partition belongs to the subtask that Flink's enumerator would give it to, so
    ``get_index_of_this_subtask`` agrees with a Flink job of the same parallelism.

    Example:
        >>> RuntimeContext(task_name="upper", subtask=1, parallelism=4).get_task_name_with_subtasks()
        'upper (2/4)'
    """

    task_name: str
    subtask: int = 0
    parallelism: int = 1
    attempt: int = 0
    job_parameters: Mapping[str, str] = attrs.field(factory=dict)
    metrics: MetricGroup = attrs.field(factory=MetricGroup, eq=False, repr=False)

    def get_task_name(self) -> str:
        """The name of the operator that runs this function."""
        return self.task_name

    getTaskName = get_task_name

    def get_index_of_this_subtask(self) -> int:
        """The number of this subtask, from 0 to parallelism - 1."""
        return self.subtask

    getIndexOfThisSubtask = get_index_of_this_subtask

    def get_number_of_parallel_subtasks(self) -> int:
        """How many subtasks the operator has."""
        return self.parallelism

    getNumberOfParallelSubtasks = get_number_of_parallel_subtasks

    def get_attempt_number(self) -> int:
        """How often Spark has started this task before (0 at the first try)."""
        return self.attempt

    getAttemptNumber = get_attempt_number

    def get_task_name_with_subtasks(self) -> str:
        """The task's name with its subtask, counted from 1: ``name (1/4)``."""
        return f"{self.task_name} ({self.subtask + 1}/{self.parallelism})"

    getTaskNameWithSubtasks = get_task_name_with_subtasks

    def get_job_parameter(self, key: str, default_value: str) -> str:
        """A global job parameter, or ``default_value``."""
        return self.job_parameters.get(key, default_value)

    getJobParameter = get_job_parameter

    def get_metrics_group(self) -> MetricGroup:
        """Where the function registers its metrics, in ``open``; ``getMetricGroup`` in Java.

        Example:
            >>> RuntimeContext(task_name="upper").get_metrics_group().counter("calls").get_count()
            0
        """
        return self.metrics

    getMetricsGroup = get_metrics_group
    getMetricGroup = get_metrics_group


class Function:
    """Base of all functions: ``open`` runs before the first element, ``close`` after the last.

    A function is opened once per Python worker and subtask and kept between micro-batches.
    Differs from Flink: a function that overrides ``close`` is opened and closed with every task of every micro-batch,
    because Spark may take a worker away between two of them; what such a function buffers is never lost.
    """

    def open(self, runtime_context: RuntimeContext) -> None:
        """Prepare: open connections, load models."""

    def close(self) -> None:
        """Tear down: flush and release what ``open`` has taken."""


class MapFunction(Function, ABC, Generic[IN, OUT]):
    """One element in, one out."""

    @abstractmethod
    def map(self, value: IN) -> OUT:
        """Return the element that takes the place of ``value``."""


class FlatMapFunction(Function, ABC, Generic[IN, OUT]):
    """One element in, any number out."""

    @abstractmethod
    def flat_map(self, value: IN) -> Iterable[OUT]:
        """Yield, or return, the elements that take the place of ``value``."""


class FilterFunction(Function, ABC, Generic[IN]):
    """Decide whether an element stays."""

    @abstractmethod
    def filter(self, value: IN) -> bool:
        """Return true for an element to keep."""


class TimerService:
    """What a process function knows of time."""

    def current_processing_time(self) -> int:
        """The wall clock of the worker, in ms since the epoch."""
        return time.time_ns() // 1_000_000

    currentProcessingTime = current_processing_time

    def current_watermark(self) -> NoReturn:
        """Refused: watermarks reach functions with keyed streams only."""
        raise UnsupportedFeatureError(
            "the watermark is not known in a ProcessFunction on a stream without keys",
            now="current_processing_time() and ctx.timestamp() work.",
        )

    currentWatermark = current_watermark


class ProcessFunction(Function, ABC, Generic[IN, OUT]):
    """Like a flat map that also sees the element's timestamp and the time."""

    class Context:
        """The element's timestamp and the time; valid only during one call."""

        __slots__ = ("_timer_service", "_timestamp")

        def __init__(self) -> None:
            self._timestamp: int | None = None
            self._timer_service = TimerService()

        def timestamp(self) -> int | None:
            """The element's event time in ms: Kafka's timestamp, or what the timestamp assigner made of it."""
            return self._timestamp

        def timer_service(self) -> TimerService:
            """The time service; timers need a keyed stream."""
            return self._timer_service

        timerService = timer_service

    @abstractmethod
    def process_element(self, value: IN, ctx: ProcessFunction.Context) -> Iterable[OUT]:
        """Yield, or return, the elements that take the place of ``value``."""


def function_name(function: Function | Callable[..., object]) -> str:
    """A name to show for a function: its own, or its class's."""
    name = getattr(function, "__name__", None)
    return type(function).__name__ if name is None else str(name)
