"""Metrics of a job on the driver, added up from the reports of its tasks."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import NamedTuple, TypeAlias, final

import attrs

from kafkastream.metrics.snapshot import MetricsSnapshot, ReportedMetric
from kafkastream.metrics.values import (
    Change,
    DistributionValue,
    Group,
    MeterIncrement,
    MeterValue,
    MetricKind,
    MetricValue,
    OperatorChanges,
    RateWindow,
    Reading,
)

__all__ = ["JOB", "MetricStore", "Operator"]

JOB = 0
"""Node id in readings of the job's own metrics."""

_RATED = frozenset({"numBytesIn", "numRecordsIn", "numRecordsOut"})
_RATE_SPAN_S = 60

Provider: TypeAlias = Callable[[], Iterable[Reading]]


class Operator(NamedTuple):
    """Displayed name and id of an operator, both unique in the job."""

    name: str
    id: str


class _Key(NamedTuple):
    """Identity of a metric in a job."""

    node: int
    subtask: int
    groups: tuple[Group, ...]
    name: str


@attrs.define
class _Count:
    """Counter or meter; with a window, it also has a rate."""

    kind: MetricKind
    window: RateWindow | None
    count: int = 0
    grew_at: float | None = None

    def add(self, increment: int, now: float) -> None:
        self.count += increment
        if increment:
            self.grew_at = now
        if self.window is not None:
            self.window.note(now, self.count)


@final
class MetricStore:
    """Adds up the metrics that completed tasks report, per operator, subtask and group; thread-safe.

    Args:
        job_name: Name of the job.
        job_id: Id of the job.
        operators: Operators by node id.
        clock: Returns a monotonic time in s.
    """

    def __init__(
        self,
        job_name: str,
        job_id: str,
        operators: Mapping[int, Operator],
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._job_name = job_name
        self._job_id = job_id
        self._operators = operators
        self._clock = clock
        self._lock = threading.Lock()
        self._totals: dict[_Key, _Count | DistributionValue | int | float | bool | str] = {}
        self._providers: dict[str, Provider] = {}

    def merge(self, reported: Iterable[OperatorChanges]) -> None:
        """Add the report of a completed task."""
        with self._lock:
            now = self._clock()
            for node, subtask, changes in reported:
                for change in changes:
                    self._add_change(_Key(node, subtask, change.groups, change.name), change, now)

    def provide(self, name: str, provider: Provider) -> None:
        """Register a function that provides further readings for each snapshot, and replaces an earlier one of this name.

        Metrics reported by tasks take precedence over provided ones.

        Args:
            name: Name of the provider.
            provider: Returns readings.
        """
        self._providers[name] = provider

    def seconds_since_growth(self, node: int, name: str) -> Mapping[int, float]:
        """Return the time in s since a counter of an operator last grew, by subtask.

        Args:
            node: Node id of the operator.
            name: Name of the counter.
        """
        with self._lock:
            now = self._clock()
            counts = {
                key.subtask: total for key, total in self._totals.items() if (key.node, *key[2:]) == (node, (), name)
            }
            return {
                subtask: now - total.grew_at
                for subtask, total in counts.items()
                if isinstance(total, _Count) and total.grew_at is not None
            }

    def snapshot(self) -> MetricsSnapshot:
        """Return all current metrics."""
        provided = [reading for provider in tuple(self._providers.values()) for reading in provider()]
        with self._lock:
            now = self._clock()
            reported = [reading for key, total in self._totals.items() for reading in _readings(key, total, now)]
        readings = {reading[:2] + reading[3:5]: reading for reading in (*provided, *reported)}
        metrics = map(self._to_reported_metric, readings.values())
        return MetricsSnapshot(self._job_name, self._job_id, tuple(sorted(metrics, key=_sort_key)))

    def _add_change(self, key: _Key, change: Change, now: float) -> None:
        total = self._totals.get(key)
        match change.value:
            case DistributionValue() as more:
                self._totals[key] = total.merged(more) if isinstance(total, DistributionValue) else more
            case MeterIncrement(events=increment, span_s=span):
                self._counter_of(key, change.kind, span).add(increment, now)
            case int(increment) if change.kind is MetricKind.COUNTER:
                self._counter_of(key, change.kind, _rate_span(key)).add(increment, now)
            case int() | float() | str() as value:
                self._totals[key] = value
            case _:
                raise AssertionError(change)

    def _counter_of(self, key: _Key, kind: MetricKind, span_s: float | None) -> _Count:
        total = self._totals.setdefault(key, _Count(kind, None if span_s is None else RateWindow(span_s)))
        assert isinstance(total, _Count)
        return total

    def _to_reported_metric(self, reading: Reading) -> ReportedMetric:
        operator = Operator("", "") if reading.node == JOB else self._operators[reading.node]
        return ReportedMetric(
            job=self._job_name,
            operator=operator.name,
            operator_id=operator.id,
            subtask=reading.subtask,
            groups=reading.groups,
            name=reading.name,
            kind=reading.kind,
            value=reading.value,
        )


def _rate_span(key: _Key) -> float | None:
    """Return the span in s of the rate that Flink adds to its own counters of records and bytes; None for other counters."""
    return None if key.groups or key.name not in _RATED else _RATE_SPAN_S


def _readings(key: _Key, total: _Count | MetricValue, now: float) -> Iterator[Reading]:
    node, subtask, groups, name = key
    match total:
        case _Count(kind=kind, count=count, window=window):
            meter = None if window is None else MeterValue(count, window.rate(now))
            if kind is MetricKind.COUNTER:
                yield Reading(node, subtask, kind, groups, name, count)
                name = f"{name}PerSecond"
            if meter is not None:
                yield Reading(node, subtask, MetricKind.METER, groups, name, meter)
        case DistributionValue():
            yield Reading(node, subtask, MetricKind.DISTRIBUTION, groups, name, total)
        case _:
            yield Reading(node, subtask, MetricKind.GAUGE, groups, name, total)


def _sort_key(metric: ReportedMetric) -> tuple[str, int, str]:
    return metric.operator, metric.subtask, metric.path
