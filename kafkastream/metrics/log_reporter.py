"""Reporter that logs a job's metrics, like Flink's ``Slf4jReporter``."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable, Iterator
from typing import final

from kafkastream.metrics.shown_text import number_text, one_line
from kafkastream.metrics.snapshot import MetricsSnapshot
from kafkastream.metrics.values import DistributionValue, MeterValue, MetricKind, MetricValue

__all__ = ["LogReporter", "report_text"]

log = logging.getLogger("kafkastream.metrics")


@final
class LogReporter:
    """Logs all metrics at level INFO, at each interval and when the job has ended.

    Args:
        read: Returns the metrics.
        interval_s: Time between two reports in s.
    """

    def __init__(self, read: Callable[[], MetricsSnapshot], interval_s: float) -> None:
        self._read = read
        self._interval_s = interval_s
        self._ended = threading.Event()
        self._thread = threading.Thread(target=self._run, name="kafkastream-metrics-log", daemon=True)
        self._thread.start()

    def stop(self) -> None:
        """Log the metrics for the last time, and stop."""
        self._ended.set()
        self._thread.join()
        self._report()

    def _run(self) -> None:
        while not self._ended.wait(self._interval_s):
            self._report()

    def _report(self) -> None:
        log.info("%s", report_text(self._read()))


def report_text(snapshot: MetricsSnapshot) -> str:
    """Return all metrics as text, one a line, grouped by kind.

    Example:
        >>> print(report_text(MetricsSnapshot("copy")))
        metrics of job 'copy': 0
    """
    return "\n".join(_report_lines(snapshot))


def _report_lines(snapshot: MetricsSnapshot) -> Iterator[str]:
    yield f"metrics of job {snapshot.job_name!r}: {len(snapshot.metrics)}"
    for kind in MetricKind:
        metrics = [metric for metric in snapshot.metrics if metric.kind is kind]
        if metrics:
            yield f"-- {kind.value}s"
        for metric in metrics:
            yield f"{one_line(metric.identifier)}: {_value_text(metric.value)}"


def _value_text(value: MetricValue) -> str:
    match value:
        case MeterValue(count=count, rate=rate):
            return f"{number_text(rate, 'g')}/s, count={number_text(count)}"
        case DistributionValue(count=count):
            least, most = number_text(value.min), number_text(value.max)
            return f"count={number_text(count)}, min={least}, max={most}, mean={number_text(value.mean, 'g')}"
        case str():
            return one_line(value)
        case _:
            return number_text(value)
