"""Metrics that functions register and update on the workers."""

from __future__ import annotations

import logging
import numbers
import time
from collections.abc import Callable, Iterator, Mapping
from typing import ClassVar, Final, TypeAlias, TypeVar, final

from kafkastream.errors import DefinitionError
from kafkastream.metrics.shown_text import number_text
from kafkastream.metrics.values import Change, DistributionValue, Group, MeterIncrement, MetricKind, RateWindow

__all__ = [
    "Counter",
    "Distribution",
    "Gauge",
    "Meter",
    "Metric",
    "MetricGroup",
]

log = logging.getLogger("kafkastream")

_INFINITE = float("inf")


class Metric:
    """Base class of metrics."""

    __slots__ = ()


@final
class Counter(Metric):
    """Counts up and down.

    Changes reach the job's metrics when their task has completed; each is at most the largest ``long`` of Java, at which
    Flink's counters would overflow.

    Example:
        >>> counter = MetricGroup().counter("orders")
        >>> counter.inc()
        >>> counter.inc(2)
        >>> counter.get_count()
        3
    """

    __slots__ = ("_count", "_told")
    kind: ClassVar = MetricKind.COUNTER

    def __init__(self) -> None:
        self._count = 0
        self._told: int | None = None

    def inc(self, n: int = 1) -> None:
        """Increment the count by ``n``."""
        self._count += n

    def dec(self, n: int = 1) -> None:
        """Decrement the count by ``n``."""
        self._count -= n

    def get_count(self) -> int:
        """Return the count of this function object; the job's metrics have the sum over all workers."""
        return self._count

    getCount = get_count

    def _take(self) -> int | None:
        told, self._told = self._told, self._count
        return _long(self._count) if told is None else _long(self._count - told) or None


@final
class Gauge(Metric):
    """Value that is read from a function at the end of each task."""

    __slots__ = ("_read",)
    kind: ClassVar = MetricKind.GAUGE

    def __init__(self) -> None:
        self._read: Callable[[], object] = _nothing

    def get_value(self) -> object:
        """Return the current value."""
        return self._read()

    getValue = get_value

    def _take(self) -> object:
        try:
            return _plain(self._read())
        except Exception:
            log.warning("a gauge could not be read and keeps its last value", exc_info=True)
            return None


@final
class Meter(Metric):
    """Counts events and measures their rate per second.

    Example:
        >>> meter = MetricGroup().meter("orders")
        >>> meter.mark_event(3)
        >>> meter.get_count()
        3
    """

    __slots__ = ("_events", "_window")
    kind: ClassVar = MetricKind.METER

    def __init__(self, time_span_in_seconds: int) -> None:
        self._events = Counter()
        # Flink's MeterView rounds the span down to a multiple of its update interval of 5 s: MeterView.java at
        # https://github.com/apache/flink/tree/master/flink-metrics/flink-metrics-core
        self._window = RateWindow(max(time_span_in_seconds - time_span_in_seconds % 5, 5))

    def mark_event(self, value: int = 1) -> None:
        """Record the occurrence of ``value`` events."""
        self._events._count += value

    markEvent = mark_event

    def get_count(self) -> int:
        """Return the number of events of this function object; the job's metrics have the sum over all workers."""
        return self._events._count

    getCount = get_count

    def get_rate(self) -> float:
        """Return the events per second of this function object, up to the end of its last task."""
        return self._window.rate(time.monotonic())

    getRate = get_rate

    def _take(self) -> object:
        self._window.note(time.monotonic(), self._events._count)
        increment = self._events._take()
        return None if increment is None else MeterIncrement(increment, self._window.span_s)


@final
class Distribution(Metric):
    """Collects count, sum, minimum and maximum of values.

    Example:
        >>> sizes = MetricGroup().distribution("sizes")
        >>> sizes.update(4)
        >>> sizes.update(6)
        >>> sizes.get_statistics()
        DistributionValue(count=2, sum=10, min=4, max=6)
    """

    __slots__ = ("_count", "_is_known", "_max", "_min", "_sum", "_taken")
    kind: ClassVar = MetricKind.DISTRIBUTION

    def __init__(self) -> None:
        self._is_known = False
        self._taken = DistributionValue()
        self._count = 0
        self._sum: float = 0
        self._min = _INFINITE
        self._max = -_INFINITE

    def update(self, value: float) -> None:
        """Add a value."""
        self._count += 1
        self._sum += value
        if value < self._min:  # noqa: PLR1730 - a third of the time of a call of min
            self._min = value
        if value > self._max:  # noqa: PLR1730
            self._max = value

    def get_statistics(self) -> DistributionValue:
        """Return the statistics of this function object; the job's metrics have those over all workers."""
        return self._taken.merged(self._since)

    getStatistics = get_statistics

    @property
    def _since(self) -> DistributionValue:
        return DistributionValue(self._count, self._sum, self._min, self._max) if self._count else DistributionValue()

    def _take(self) -> object:
        since, was_known = self._since, self._is_known
        since = DistributionValue(since.count, *map(_number, (since.sum, since.min, since.max)))
        self._taken, self._is_known = self._taken.merged(since), True
        self._count, self._sum, self._min, self._max = 0, 0, _INFINITE, -_INFINITE
        return since if since.count or not was_known else None


_Metric: TypeAlias = Counter | Gauge | Meter | Distribution
_Place: TypeAlias = tuple[tuple[Group, ...], str]
M = TypeVar("M", Counter, Gauge, Meter, Distribution)


@final
class MetricGroup:
    """Named group of metrics; ``runtime_context.get_metrics_group()`` returns the operator's.

    Registering a name twice in one group returns the same metric.
    Differs from Flink: metrics reach the driver with the results of completed tasks, so those of a failed micro-batch
    are lost, and those of a repeated one are counted once.

    Raises:
        DefinitionError: The name belongs to a metric of another kind, or to a metric of the operator itself.

    Example:
        >>> orders = MetricGroup(("job", "Map", "0")).add_group("shop", "Lyon")
        >>> orders.get_metric_identifier("large")
        'job.Map.0.shop.Lyon.large'
    """

    __slots__ = ("_groups", "_metrics", "_reserved", "_scope")

    def __init__(self, scope: tuple[str, ...] = ()) -> None:
        self._scope = scope
        self._groups: tuple[Group, ...] = ()
        self._metrics: dict[_Place, _Metric] = {}
        self._reserved: set[_Place] = set()

    def add_group(self, name: str, extra: str | None = None) -> MetricGroup:
        """Return a subgroup, created if necessary.

        Args:
            name: Name of the group, or of a variable if ``extra`` is given.
            extra: Value of the variable, which becomes a label in Prometheus.
        """
        group = MetricGroup(self._scope)
        group._groups = (*self._groups, Group(str(name), None if extra is None else str(extra)))
        group._metrics, group._reserved = self._metrics, self._reserved
        return group

    addGroup = add_group

    def counter(self, name: str) -> Counter:
        """Register a counter.

        Args:
            name: Name of the metric.

        Returns:
            The counter; the existing one if the group already has a counter of this name.

        Raises:
            DefinitionError: The group has another kind of metric of this name, or the operator itself has one.
        """
        return self._registered(name, Counter, Counter)

    def gauge(self, name: str, obj: Callable[[], object]) -> None:
        """Register a gauge.

        Args:
            name: Name of the metric.
            obj: Function that returns a number, bool or text; called at the end of each task.
        """
        self._registered(name, Gauge, Gauge)._read = obj

    def meter(self, name: str, time_span_in_seconds: int = 60) -> Meter:
        """Register a meter of events per second.

        Args:
            name: Name of the metric.
            time_span_in_seconds: Time over which the rate is averaged; rounded down to a multiple of 5 s, as in Flink.
        """
        return self._registered(name, Meter, lambda: Meter(time_span_in_seconds))

    def distribution(self, name: str) -> Distribution:
        """Register a distribution of whole numbers.

        Args:
            name: Name of the metric.

        Returns:
            The distribution; the existing one if the group already has a distribution of this name.

        Raises:
            DefinitionError: The group has another kind of metric of this name, or the operator itself has one.
        """
        return self._registered(name, Distribution, Distribution)

    def get_scope_components(self) -> list[str]:
        """Return the parts of the group's full name: job, operator, subtask, groups.

        Differs from Flink: host and task manager, which do not exist here, are left out.
        """
        return [*self._scope, *(part for group in self._groups for part in group.components)]

    getScopeComponents = get_scope_components

    def get_all_variables(self) -> Mapping[str, str]:
        """Return the variables of the groups, and ``<job_name>``, ``<operator_name>`` and ``<subtask_index>``."""
        own = zip(("<job_name>", "<operator_name>", "<subtask_index>"), self._scope, strict=False)
        return {**dict(own), **{f"<{group.name}>": group.value for group in self._groups if group.value is not None}}

    getAllVariables = get_all_variables

    def get_metric_identifier(self, metric_name: str) -> str:
        """Return the full name of a metric in this group, as in ``JobClient.get_metrics()``."""
        return ".".join((*self.get_scope_components(), metric_name))

    getMetricIdentifier = get_metric_identifier

    def _registered(self, name: str, kind: type[M], make: Callable[[], M]) -> M:
        place = (self._groups, str(name))
        known = self._metrics.setdefault(place, make())
        if place in self._reserved or not isinstance(known, kind):
            owner = " of the operator itself" if place in self._reserved else ""
            raise DefinitionError(
                f"the metric {self.get_metric_identifier(name)!r} already exists and is a {known.kind.value}{owner}",
                now="Give it another name, or a group of its own.",
            )
        return known

    def _own_counter(self, name: str) -> Counter:
        """Register a counter of the operator itself, whose name functions cannot use."""
        self._reserved.discard((self._groups, name))
        counter = self.counter(name)
        self._reserved.add((self._groups, name))
        return counter

    def _take(self) -> Iterator[Change]:
        """Yield the changes of all metrics of the operator since the last call."""
        for (groups, name), metric in self._metrics.items():
            value = metric._take()
            if value is not None:
                yield Change(metric.kind, groups, name, value)


def _nothing() -> None:
    """Stand in for a gauge's function that returns no value."""


def _plain(value: object) -> object:
    """Convert a gauge's value to plain Python: NumPy numbers become Python's, and other objects text.

    The driver, its page and its reporters do not have to know the classes of the program, and cannot fail at them.
    """
    match value:
        case None | bool():
            return value
        case numbers.Integral():
            return int(value) if int(value).bit_length() <= _BITS else number_text(int(value))
        case numbers.Real():
            return float(value)
        case _:
            return str(value)[:_TEXT_CHARACTERS]


def _long(count: object) -> int:
    """Convert a count, to which functions may have added numbers of NumPy, to one within Java's ``long``."""
    match count:
        case numbers.Integral():
            return max(-_LONGEST, min(int(count), _LONGEST))
        case _:
            return _number(count)  # type: ignore[return-value]  # of a function that has added fractions


def _number(value: object) -> float:
    """Convert a number of any class to one of Python that has a ``float``."""
    match value:
        case numbers.Integral() if int(value).bit_length() <= _BITS:
            return int(value)
        case numbers.Integral():
            return _INFINITE if int(value) > 0 else -_INFINITE
        case _:
            return float(value)  # type: ignore[arg-type]  # of NumPy or decimal


_BITS: Final = 1_000
"""Whole numbers of so many bits have a ``float``, and a text that does not take long."""
_LONGEST: Final = 2**63 - 1
_TEXT_CHARACTERS: Final = 1_000
"""Maximum length of a gauge's text, which each task reports."""
