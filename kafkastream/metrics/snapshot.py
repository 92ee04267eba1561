"""The metrics of a job at a moment, as programs and reporters read them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import final

import attrs

from kafkastream.metrics.values import Group, MeterValue, MetricKind, MetricValue

__all__ = ["MetricsSnapshot", "ReportedMetric"]


@final
@attrs.frozen(kw_only=True)
class ReportedMetric:
    """One metric of one operator in one subtask, or of the job itself.

    Attributes:
        job: The job's name.
        operator: The operator's name, as in the execution plan; the second of a name is ``Map-2``; empty for the job's own.
        operator_id: The operator's uid, or its number in the execution plan; empty for the job's own.
        subtask: Counted from 0.
        groups: The groups below the operator's.
        name: The metric's own name.
        kind: What kind it is.
        value: A number, bool or text; of a meter a ``MeterValue``, of a distribution a ``DistributionValue``.
    """

    job: str
    operator: str
    operator_id: str
    subtask: int
    groups: tuple[Group, ...]
    name: str
    kind: MetricKind
    value: MetricValue

    @property
    def path(self) -> str:
        """The name below the operator: ``KafkaSourceReader.commitsSucceeded``."""
        return ".".join([*(part for group in self.groups for part in group.components), self.name])

    @property
    def identifier(self) -> str:
        """The full name: job, operator, subtask, and the path; just job and path for the job's own."""
        return f"{self.job}.{self.operator}.{self.subtask}.{self.path}" if self.operator else f"{self.job}.{self.path}"


@final
@attrs.frozen
class MetricsSnapshot(Mapping[str, MetricValue]):
    """All metrics of a job at a moment: a mapping from full name to value, which does not change.

    A full name is Flink's operator scope without host and task manager: ``<job>.<operator>.<subtask>.<path>``, or
    ``<job>.<path>`` for what is the job's own.

    Example:
        >>> calls = ReportedMetric(
        ...     job="copy",
        ...     operator="Map",
        ...     operator_id="2",
        ...     subtask=0,
        ...     groups=(),
        ...     name="calls",
        ...     kind=MetricKind.COUNTER,
        ...     value=3,
        ... )
        >>> snapshot = MetricsSnapshot("copy", "", (calls,))
        >>> snapshot["copy.Map.0.calls"], snapshot.of_operator("Map").total("calls")
        (3, 3)
    """

    job_name: str = ""
    job_id: str = ""
    metrics: tuple[ReportedMetric, ...] = ()
    _values: Mapping[str, MetricValue] = attrs.field(init=False, eq=False, repr=False)

    @_values.default
    def _by_identifier(self) -> Mapping[str, MetricValue]:
        return {metric.identifier: metric.value for metric in self.metrics}

    def of_operator(self, name: str) -> MetricsSnapshot:
        """Only the metrics of the operator of this name."""
        return self._only(lambda metric: metric.operator == name)

    ofOperator = of_operator

    def total(self, path: str) -> int:
        """The sum of a counter, or of a meter's events, over all operators and subtasks that are in here.

        Args:
            path: The metric's name, with its groups: ``KafkaSourceReader.commitsSucceeded``.

        Raises:
            KeyError: There is no such counter or meter.
        """
        values = [metric.value for metric in self.metrics if metric.path == path and metric.kind in _SUMMED]
        if not values:
            raise KeyError(path)
        return sum(value.count if isinstance(value, MeterValue) else _whole(value) for value in values)

    def _only(self, wanted: Callable[[ReportedMetric], bool]) -> MetricsSnapshot:
        return attrs.evolve(self, metrics=tuple(filter(wanted, self.metrics)))

    def __getitem__(self, identifier: str) -> MetricValue:
        return self._values[identifier]

    def __iter__(self) -> Iterator[str]:
        return iter(self._values)

    def __len__(self) -> int:
        return len(self._values)


_SUMMED = frozenset({MetricKind.COUNTER, MetricKind.METER})


def _whole(value: MetricValue) -> int:
    assert isinstance(value, int)
    return value
