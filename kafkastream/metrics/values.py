"""Kinds, scopes and values of metrics, and how values of one metric are merged."""

from __future__ import annotations

import enum
from collections import deque
from typing import NamedTuple, TypeAlias, final

import attrs

__all__ = [
    "Change",
    "DistributionValue",
    "Group",
    "MeterIncrement",
    "MeterValue",
    "MetricKind",
    "MetricValue",
    "OperatorChanges",
    "OperatorScope",
    "RateWindow",
    "Reading",
]


class MetricKind(enum.Enum):
    """Flink's kinds of metrics."""

    COUNTER = "counter"
    GAUGE = "gauge"
    METER = "meter"
    DISTRIBUTION = "distribution"


class Group(NamedTuple):
    """Metric group within an operator's: a name, or a variable with its value, such as topic ``orders``."""

    name: str
    value: str | None = None

    @property
    def components(self) -> tuple[str, ...]:
        """Parts that the group adds to a scope."""
        return (self.name,) if self.value is None else (self.name, self.value)


@final
@attrs.frozen
class OperatorScope:
    """Scope of an operator's metrics: the job, and the operator's name and node id."""

    job: str = "job"
    operator: str = "operator"
    node: int = 0

    def components(self, subtask: int) -> tuple[str, ...]:
        """Return the first parts of the full names of a subtask's metrics."""
        return (self.job, self.operator, str(subtask))


@final
@attrs.frozen
class DistributionValue:
    """Statistics of a distribution; all are 0 before the first value.

    Attributes:
        count: Number of values.
        sum: Sum of the values.
        min: Minimum.
        max: Maximum.

    Example:
        >>> DistributionValue(2, 10, 4, 6).merged(DistributionValue(1, 2, 2, 2))
        DistributionValue(count=3, sum=12, min=2, max=6)
    """

    count: int = 0
    sum: float = 0
    min: float = 0
    max: float = 0

    @property
    def mean(self) -> float:
        """Mean of the values; 0 before the first, and infinite if it is too large for a float."""
        try:
            return self.sum / self.count if self.count else 0.0
        except OverflowError:
            return float("inf") if self.sum > 0 else float("-inf")

    def merged(self, other: DistributionValue) -> DistributionValue:
        """Return the statistics of the values of this distribution and of ``other``."""
        if not (self.count and other.count):
            return self if self.count else other
        return DistributionValue(
            self.count + other.count, self.sum + other.sum, min(self.min, other.min), max(self.max, other.max)
        )


@final
@attrs.frozen
class MeterValue:
    """Number of a meter's events, and their current rate per second."""

    count: int
    rate: float


MetricValue: TypeAlias = int | float | bool | str | MeterValue | DistributionValue


class Change(NamedTuple):
    """Change of a metric since its task's last report: an increment, or the value of a gauge."""

    kind: MetricKind
    groups: tuple[Group, ...]
    name: str
    value: object


class MeterIncrement(NamedTuple):
    """Number of new events of a meter, and the time span of its rate."""

    events: int
    span_s: float


class OperatorChanges(NamedTuple):
    """Changes of all metrics of an operator's subtask."""

    node: int
    subtask: int
    changes: tuple[Change, ...]


class Reading(NamedTuple):
    """Value of a metric at a point in time."""

    node: int
    subtask: int
    kind: MetricKind
    groups: tuple[Group, ...]
    name: str
    value: MetricValue


_RESOLUTION_S = 1.0


@final
class RateWindow:
    """Growth rate of a count over the last ``span_s`` seconds, like Flink's ``MeterView`` without its thread.

    As in Flink, a count younger than the span counts as 0 before it existed.

    Example:
        >>> window = RateWindow(span_s=10)
        >>> window.note(at=100.0, count=30)
        >>> window.rate(at=105.0), window.rate(at=111.0)
        (3.0, 0.0)
    """

    __slots__ = ("_samples", "span_s")

    def __init__(self, span_s: float) -> None:
        self.span_s = span_s
        self._samples: deque[tuple[float, int]] = deque([(float("-inf"), 0)])

    def note(self, at: float, count: int) -> None:
        """Record a count.

        Args:
            at: Monotonic time in s.
            count: Count at that time.
        """
        if at - self._samples[-1][0] < _RESOLUTION_S:
            at = self._samples.pop()[0]
        self._samples.append((at, count))
        self._drop_old_samples(at)

    def rate(self, at: float) -> float:
        """Return the events per second up to a monotonic time in s."""
        self._drop_old_samples(at)
        return (self._samples[-1][1] - self._samples[0][1]) / self.span_s

    def _drop_old_samples(self, at: float) -> None:
        while len(self._samples) > 1 and self._samples[1][0] <= at - self.span_s:
            self._samples.popleft()
