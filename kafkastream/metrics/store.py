"""The metrics of a job on the driver: what its tasks have reported, added up."""

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
"""What stands in place of an operator's node in readings of the job's own metrics."""

_RATED = frozenset({"numBytesIn", "numRecordsIn", "numRecordsOut"})
_RATE_SPAN_S = 60

Provider: TypeAlias = Callable[[], Iterable[Reading]]


class Operator(NamedTuple):
    """How an operator is shown: its name, which no other of the job has, and its id."""

    name: str
    id: str


class _Key(NamedTuple):
    node: int
    subtask: int
    groups: tuple[Group, ...]
    name: str


@attrs.define
class _Count:
    """A counter or a meter; one with a window also has a rate."""

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
    """Adds up what completed tasks report, per operator, subtask and group; safe to use from several threads.

    Args:
        job_name: The job's name.
        job_id: The job's identity.
        operators: The operators, by their node.
        clock: Tells the time in seconds; it never goes back.
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
        """Add what one completed task reports."""
        with self._lock:
            now = self._clock()
            for node, subtask, changes in reported:
                for change in changes:
                    self._add(_Key(node, subtask, change.groups, change.name), change, now)

    def provide(self, name: str, provider: Provider) -> None:
        """Ask ``provider`` too whenever the metrics are read, in place of the one that had its name before.

        What tasks have reported goes before what it says.
        """
        self._providers[name] = provider

    def seconds_since_growth(self, node: int, name: str) -> Mapping[int, float]:
        """How long ago a counter of an operator grew, by subtask."""
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
        """All metrics now."""
        provided = [reading for provider in tuple(self._providers.values()) for reading in provider()]
        with self._lock:
            now = self._clock()
            kept = [reading for key, total in self._totals.items() for reading in _readings(key, total, now)]
        readings = {one[:2] + one[3:5]: one for one in (*provided, *kept)}
        metrics = map(self._reported, readings.values())
        return MetricsSnapshot(self._job_name, self._job_id, tuple(sorted(metrics, key=_order)))

    def _add(self, key: _Key, change: Change, now: float) -> None:
        before = self._totals.get(key)
        match change.value:
            case DistributionValue() as more:
                self._totals[key] = before.merged(more) if isinstance(before, DistributionValue) else more
            case MeterIncrement(events=increment, span_s=span):
                self._count(key, change.kind, span).add(increment, now)
            case int(increment) if change.kind is MetricKind.COUNTER:
                self._count(key, change.kind, _rate_span(key)).add(increment, now)
            case int() | float() | str() as value:
                self._totals[key] = value
            case _:
                raise AssertionError(change)

    def _count(self, key: _Key, kind: MetricKind, span_s: float | None) -> _Count:
        total = self._totals.setdefault(key, _Count(kind, None if span_s is None else RateWindow(span_s)))
        assert isinstance(total, _Count)
        return total

    def _reported(self, reading: Reading) -> ReportedMetric:
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
    """Flink gives its own counters of records and bytes a rate."""
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


def _order(metric: ReportedMetric) -> tuple[str, int, str]:
    return metric.operator, metric.subtask, metric.path
