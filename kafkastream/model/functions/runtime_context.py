"""Runtime context: task, subtask, metrics and state of a function, available from ``open`` on."""

from __future__ import annotations

from collections.abc import Mapping
from typing import final

import attrs

from kafkastream.metrics.groups import MetricGroup
from kafkastream.model.common.argument_checks import checked_methods
from kafkastream.model.common.parallelism import default_max_parallelism
from kafkastream.model.functions.state_store import Cells, KeyedStateStore
from kafkastream.secret_masking import redacted

__all__ = ["RuntimeContext"]


@final
@checked_methods
@attrs.frozen(kw_only=True)
class RuntimeContext(KeyedStateStore):
    """Task, subtask, job parameters, metrics and keyed state of a function.

    The subtask is Flink's: a source partition belongs to the subtask that Flink's enumerator would assign it to, so
    ``get_index_of_this_subtask`` agrees with a Flink job of the same parallelism.

    Example:
        >>> RuntimeContext(task_name="upper", subtask=1, parallelism=4).get_task_name_with_subtasks()
        'upper (2/4)'
    """

    task_name: str
    subtask: int = 0
    parallelism: int = 1
    max_parallelism: int | None = None
    attempt: int = 0
    job_parameters: Mapping[str, str] = attrs.field(factory=dict, repr=redacted)
    metrics: MetricGroup = attrs.field(factory=MetricGroup, eq=False, repr=False)
    cells: Cells | None = attrs.field(default=None, eq=False, repr=False)

    def get_task_name(self) -> str:
        """Return the name of the operator that runs this function."""
        return self.task_name

    getTaskName = get_task_name

    def get_index_of_this_subtask(self) -> int:
        """Return the index of this subtask, from 0 to parallelism - 1."""
        return self.subtask

    getIndexOfThisSubtask = get_index_of_this_subtask

    def get_number_of_parallel_subtasks(self) -> int:
        """Return the parallelism of the operator."""
        return self.parallelism

    getNumberOfParallelSubtasks = get_number_of_parallel_subtasks

    def get_max_number_of_parallel_subtasks(self) -> int:
        """Return the maximum parallelism; where none is set, the default that Flink derives from the operator's
        parallelism.

        Example:
            >>> RuntimeContext(task_name="upper", parallelism=200).get_max_number_of_parallel_subtasks()
            512
        """
        return self.max_parallelism or default_max_parallelism(self.parallelism)

    getMaxNumberOfParallelSubtasks = get_max_number_of_parallel_subtasks

    def get_attempt_number(self) -> int:
        """Return the number of earlier attempts at this task, by the restart strategy or by Spark; 0 for the first
        attempt.
        """
        return self.attempt

    getAttemptNumber = get_attempt_number

    def get_task_name_with_subtasks(self) -> str:
        """Return the task's name with its subtask, counted from 1: ``name (1/4)``."""
        return f"{self.task_name} ({self.subtask + 1}/{self.parallelism})"

    getTaskNameWithSubtasks = get_task_name_with_subtasks

    def get_job_parameter(self, key: str, default_value: str) -> str:
        """Return a global job parameter.

        Args:
            key: Name of the parameter.
            default_value: Value to return where the parameter is not set.
        """
        return self.job_parameters.get(key, default_value)

    getJobParameter = get_job_parameter

    def get_metrics_group(self) -> MetricGroup:
        """Return the group that the function registers its metrics with, in ``open``; ``getMetricGroup`` in Java.

        Example:
            >>> RuntimeContext(task_name="upper").get_metrics_group().counter("calls").get_count()
            0
        """
        return self.metrics

    getMetricsGroup = get_metrics_group
    getMetricGroup = get_metrics_group
