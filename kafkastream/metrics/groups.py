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

    Increments reach the job's metrics when their task completes. Each is limited to Java's largest ``long``, at which
    Flink's counters would overflow.

    Example:
        >>> counter = MetricGroup().counter("orders")
        >>> counter.inc()
        >>> counter.inc(2)
        >>> counter.get_count()
        3
    """

    __slots__ = ("_count", "_reported_count")
    kind: ClassVar = MetricKind.COUNTER

    def __init__(self) -> None:
        self._count = 0
        self._reported_count: int | None = None

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
        previous, self._reported_count = self._reported_count, self._count
        return _to_long(self._count) if previous is None else _to_long(self._count - previous) or None


@final
class Gauge(Metric):
    """Value that is read from a function at the end of each task."""

    __slots__ = ("_read",)
    kind: ClassVar = MetricKind.GAUGE

    def __init__(self) -> None:
        self._read: Callable[[], object] = _no_value

    def get_value(self) -> object:
        """Return the current value."""
        return self._read()

    getValue = get_value

    def _take(self) -> object:
        try:
            return _to_plain_value(self._read())
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

    __slots__ = ("_count", "_has_reported", "_max", "_min", "_reported", "_sum")
    kind: ClassVar = MetricKind.DISTRIBUTION

    def __init__(self) -> None:
        self._has_reported = False
        self._reported = DistributionValue()
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
        return self._reported.merged(self._since)

    getStatistics = get_statistics

    @property
    def _since(self) -> DistributionValue:
        return DistributionValue(self._count, self._sum, self._min, self._max) if self._count else DistributionValue()

    def _take(self) -> object:
        since, was_known = self._since, self._has_reported
        since = DistributionValue(since.count, *map(_to_number, (since.sum, since.min, since.max)))
        self._reported, self._has_reported = self._reported.merged(since), True
        self._count, self._sum, self._min, self._max = 0, 0, _INFINITE, -_INFINITE
        return since if since.count or not was_known else None


_Metric: TypeAlias = Counter | Gauge | Meter | Distribution
_MetricKey: TypeAlias = tuple[tuple[Group, ...], str]
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
        self._metrics: dict[_MetricKey, _Metric] = {}
        self._reserved: set[_MetricKey] = set()

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
        return self._register(name, Counter, Counter)

    def gauge(self, name: str, obj: Callable[[], object]) -> None:
        """Register a gauge.

        Args:
            name: Name of the metric.
            obj: Function that returns a number, bool or text; called at the end of each task.
        """
        self._register(name, Gauge, Gauge)._read = obj

    def meter(self, name: str, time_span_in_seconds: int = 60) -> Meter:
        """Register a meter of events per second.

        Args:
            name: Name of the metric.
            time_span_in_seconds: Time over which the rate is averaged; rounded down to a multiple of 5 s, as in Flink.
        """
        return self._register(name, Meter, lambda: Meter(time_span_in_seconds))

    def distribution(self, name: str) -> Distribution:
        """Register a distribution of whole numbers.

        Args:
            name: Name of the metric.

        Returns:
            The distribution; the existing one if the group already has a distribution of this name.

        Raises:
            DefinitionError: The group has another kind of metric of this name, or the operator itself has one.
        """
        return self._register(name, Distribution, Distribution)

    def get_scope_components(self) -> list[str]:
        """Return the parts of the group's full name: job, operator, subtask, groups.

        Differs from Flink: host and task manager, which do not exist here, are left out.
        """
        return [*self._scope, *(part for group in self._groups for part in group.components)]

    getScopeComponents = get_scope_components

    def get_all_variables(self) -> Mapping[str, str]:
        """Return the variables of the groups, and ``<job_name>``, ``<operator_name>`` and ``<subtask_index>``."""
        scope_variables = zip(("<job_name>", "<operator_name>", "<subtask_index>"), self._scope, strict=False)
        return {
            **dict(scope_variables),
            **{f"<{group.name}>": group.value for group in self._groups if group.value is not None},
        }

    getAllVariables = get_all_variables

    def get_metric_identifier(self, metric_name: str) -> str:
        """Return the full name of a metric in this group, as in ``JobClient.get_metrics()``."""
        return ".".join((*self.get_scope_components(), metric_name))

    getMetricIdentifier = get_metric_identifier

    def _register(self, name: str, kind: type[M], make: Callable[[], M]) -> M:
        key = (self._groups, str(name))
        metric = self._metrics.setdefault(key, make())
        if key in self._reserved or not isinstance(metric, kind):
            owner = " of the operator itself" if key in self._reserved else ""
            raise DefinitionError(
                f"the metric {self.get_metric_identifier(name)!r} already exists and is a {metric.kind.value}{owner}",
                now="Give it another name, or a group of its own.",
            )
        return metric

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


def _no_value() -> None:
    """Value of a gauge without a function."""


def _to_plain_value(value: object) -> object:
    """Convert a gauge's value to plain Python: NumPy numbers become Python's, and other objects text.

    So the driver, its page and its reporters never see classes of the program, and cannot fail on them.
    """
    match value:
        case None | bool():
            return value
        case numbers.Integral():
            return int(value) if int(value).bit_length() <= _MAX_BITS else number_text(int(value))
        case numbers.Real():
            return float(value)
        case _:
            return str(value)[:_TEXT_CHARACTERS]


def _to_long(count: object) -> int:
    """Convert a count, to which functions may have added NumPy numbers, and limit it to Java's ``long``."""
    match count:
        case numbers.Integral():
            return max(-_LONG_MAX, min(int(count), _LONG_MAX))
        case _:
            return _to_number(count)  # type: ignore[return-value]  # of a function that has added fractions


def _to_number(value: object) -> float:
    """Convert a number of any class to a Python number that ``float`` accepts."""
    match value:
        case numbers.Integral() if int(value).bit_length() <= _MAX_BITS:
            return int(value)
        case numbers.Integral():
            return _INFINITE if int(value) > 0 else -_INFINITE
        case _:
            return float(value)  # type: ignore[arg-type]  # of NumPy or decimal


_MAX_BITS: Final = 1_000
"""Integers up to this size convert to ``float``, and to text quickly."""
_LONG_MAX: Final = 2**63 - 1
_TEXT_CHARACTERS: Final = 1_000
"""Maximum length of a gauge's text, which every task reports."""
