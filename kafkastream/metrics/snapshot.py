"""Metrics of a job at a point in time, as programs and reporters read them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import final

import attrs

from kafkastream.metrics.values import Group, MeterValue, MetricKind, MetricValue

__all__ = ["MetricsSnapshot", "ReportedMetric"]


@final
@attrs.frozen(kw_only=True)
class ReportedMetric:
    """Metric of an operator's subtask, or of the job itself.

    Attributes:
        job: Name of the job.
        operator: Name of the operator in the execution plan, with a suffix if it is used twice (``Map-2``); empty for
            the job itself.
        operator_id: Uid of the operator, or its number in the execution plan; empty for the job itself.
        subtask: Index of the subtask, from 0.
        groups: Groups within the operator's group.
        name: Name of the metric.
        kind: Kind of the metric.
        value: Number, bool or text; ``MeterValue`` of a meter, ``DistributionValue`` of a distribution.
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
        """Name within the operator: ``KafkaSourceReader.commitsSucceeded``."""
        return ".".join([*(part for group in self.groups for part in group.components), self.name])

    @property
    def identifier(self) -> str:
        """Full name: job, operator, subtask and path; only job and path for metrics of the job itself."""
        return f"{self.job}.{self.operator}.{self.subtask}.{self.path}" if self.operator else f"{self.job}.{self.path}"


@final
@attrs.frozen
class MetricsSnapshot(Mapping[str, MetricValue]):
    """All metrics of a job at a point in time: an immutable mapping from full name to value.

    Full names are Flink's operator scope without host and task manager: ``<job>.<operator>.<subtask>.<path>``, or
    ``<job>.<path>`` for metrics of the job itself.

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
        """Return the metrics of one operator, given by its name."""
        return self._select(lambda metric: metric.operator == name)

    ofOperator = of_operator

    def total(self, path: str) -> int:
        """Return the sum of a counter or of a meter's events over all operators and subtasks of this snapshot.

        Args:
            path: Name of the metric with its groups, such as ``KafkaSourceReader.commitsSucceeded``.

        Raises:
            KeyError: No counter or meter has this name.
        """
        values = [metric.value for metric in self.metrics if metric.path == path and metric.kind in _SUMMED]
        if not values:
            raise KeyError(path)
        return sum(value.count if isinstance(value, MeterValue) else _as_int(value) for value in values)

    def _select(self, wanted: Callable[[ReportedMetric], bool]) -> MetricsSnapshot:
        return attrs.evolve(self, metrics=tuple(filter(wanted, self.metrics)))

    def __getitem__(self, identifier: str) -> MetricValue:
        return self._values[identifier]

    def __iter__(self) -> Iterator[str]:
        return iter(self._values)

    def __len__(self) -> int:
        return len(self._values)


_SUMMED = frozenset({MetricKind.COUNTER, MetricKind.METER})


def _as_int(value: MetricValue) -> int:
    assert isinstance(value, int)
    return value
