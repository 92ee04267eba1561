"""What metrics are made of: their kinds, their places, their values, and how values of one metric add up."""

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
    """A group below an operator's: a name, or a name with a value, as topic ``orders``."""

    name: str
    value: str | None = None

    @property
    def components(self) -> tuple[str, ...]:
        """Its parts of a scope."""
        return (self.name,) if self.value is None else (self.name, self.value)


@final
@attrs.frozen
class OperatorScope:
    """Whose metrics they are: the job, and the operator by its name and its node in the graph."""

    job: str = "job"
    operator: str = "operator"
    node: int = 0

    def components(self, subtask: int) -> tuple[str, ...]:
        """How the full names of an operator's metrics begin."""
        return (self.job, self.operator, str(subtask))


@final
@attrs.frozen
class DistributionValue:
    """What is kept of the values of a distribution; all are 0 before the first one.

    Attributes:
        count: How many values there were.
        sum: Their sum.
        min: The least of them.
        max: The greatest of them.

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
        """The average; 0 before the first value."""
        return self.sum / self.count if self.count else 0.0

    def merged(self, other: DistributionValue) -> DistributionValue:
        """The distribution of the values of both."""
        if not (self.count and other.count):
            return self if self.count else other
        return DistributionValue(
            self.count + other.count, self.sum + other.sum, min(self.min, other.min), max(self.max, other.max)
        )


@final
@attrs.frozen
class MeterValue:
    """How many events a meter has seen, and how many per second of late."""

    count: int
    rate: float


MetricValue: TypeAlias = int | float | bool | str | MeterValue | DistributionValue


class Change(NamedTuple):
    """What has become of one metric since its task last told: an increment, or for gauges the value."""

    kind: MetricKind
    groups: tuple[Group, ...]
    name: str
    value: object


class MeterIncrement(NamedTuple):
    """How many events a meter has seen more, and over which time span it tells its rate."""

    events: int
    span_s: float


class OperatorChanges(NamedTuple):
    """The changes of one operator's metrics, in one subtask."""

    node: int
    subtask: int
    changes: tuple[Change, ...]


class Reading(NamedTuple):
    """The value of one metric at a moment."""

    node: int
    subtask: int
    kind: MetricKind
    groups: tuple[Group, ...]
    name: str
    value: MetricValue


_RESOLUTION_S = 1.0


@final
class RateWindow:
    """How fast a count has grown over the last ``span_s`` seconds; Flink's ``MeterView`` without its thread.

    As there, a count that is younger than the span is taken to have been 0 before.

    Example:
        >>> window = RateWindow(span_s=10)
        >>> window.note(at=100.0, count=30)
        >>> window.rate(at=105.0), window.rate(at=111.0)
        (3.0, 0.0)
    """

    __slots__ = ("_noted", "span_s")

    def __init__(self, span_s: float) -> None:
        self.span_s = span_s
        self._noted: deque[tuple[float, int]] = deque([(float("-inf"), 0)])

    def note(self, at: float, count: int) -> None:
        """The count at a time in seconds, which never goes back."""
        if at - self._noted[-1][0] < _RESOLUTION_S:
            at = self._noted.pop()[0]
        self._noted.append((at, count))
        self._forget(at)

    def rate(self, at: float) -> float:
        """Events per second up to a time."""
        self._forget(at)
        return (self._noted[-1][1] - self._noted[0][1]) / self.span_s

    def _forget(self, at: float) -> None:
        while len(self._noted) > 1 and self._noted[1][0] <= at - self.span_s:
            self._noted.popleft()
