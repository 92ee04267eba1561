"""Reporter that serves a job's metrics to Prometheus, under the names of Flink's ``PrometheusReporter``."""

from __future__ import annotations

import logging
import re
from collections.abc import Callable, Iterator
from threading import Thread
from typing import NamedTuple, final
from wsgiref.simple_server import WSGIServer

from prometheus_client import CollectorRegistry, start_http_server
from prometheus_client.metrics_core import Metric
from prometheus_client.registry import Collector

from kafkastream.errors import SetupError
from kafkastream.metrics.reporters import PrometheusReporterSettings
from kafkastream.metrics.snapshot import MetricsSnapshot, ReportedMetric
from kafkastream.metrics.values import DistributionValue, MeterValue, MetricValue

__all__ = ["PrometheusReporter", "families"]

log = logging.getLogger("kafkastream")

_SCOPE = "taskmanager_job_task_operator"
_JOB_SCOPE = "jobmanager_job"
_NOT_IN_NAMES = re.compile(r"[^a-zA-Z0-9:_]")


@final
class PrometheusReporter:
    """HTTP server of the current metrics, for Prometheus to scrape.

    Args:
        settings: Name and ports of the reporter.
        read: Returns the metrics.

    Raises:
        SetupError: All ports are in use.
    """

    def __init__(self, settings: PrometheusReporterSettings, read: Callable[[], MetricsSnapshot]) -> None:
        self._settings = settings
        self._registry = CollectorRegistry()
        self._registry.register(_Families(read, filtered=settings.filter_label_values))
        self._server, self._thread = self._served()
        self.port = self._server.server_port
        log.info("metric reporter %r serves Prometheus on port %d", settings.name, self.port)

    def stop(self) -> None:
        """Stop the server and free its port."""
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()

    def _served(self) -> tuple[WSGIServer, Thread]:
        for port in self._settings.ports:
            try:
                return start_http_server(port, registry=self._registry)
            except OSError as error:
                log.debug("port %d is not free: %s", port, error)
        first, last = self._settings.ports[0], self._settings.ports[-1]
        raise SetupError(
            f"the metric reporter {self._settings.name!r} found no free port to listen on",
            where=f"port {first}" if first == last else f"ports {first} to {last}",
            now=f"Set metrics.reporter.{self._settings.name}.port to a free one, or to a range like 9250-9260.",
        )


@final
class _Families(Collector):
    """Collector that reads the metrics at each scrape."""

    def __init__(self, read: Callable[[], MetricsSnapshot], *, filtered: bool) -> None:
        self._read = read
        self._filtered = filtered

    def collect(self) -> Iterator[Metric]:
        yield from families(self._read(), filtered=self._filtered)

    def describe(self) -> Iterator[Metric]:
        """Yield nothing: names are known only once metrics exist."""
        return iter(())


def families(snapshot: MetricsSnapshot, *, filtered: bool = True) -> Iterator[Metric]:
    """Yield all metrics under the names of Flink's reporter.

    Labels are job, operator, subtask and the variables of groups.

    As there, counters, gauges and meters (by their rate) are Prometheus gauges; gauges with text are left out.
    Differs from Flink: a distribution is a summary with count and sum, and gauges of its minimum and maximum.

    Args:
        snapshot: Metrics.
        filtered: Replace characters in label values that are not allowed in names.
    """
    found: dict[str, Metric] = {}
    for metric in snapshot.metrics:
        labels = {key: _named(value) if filtered else value for key, value in _labels(metric, snapshot).items()}
        scope = "_".join([_SCOPE if metric.operator else _JOB_SCOPE, *(_named(group.name) for group in metric.groups)])
        for sample in _samples(metric.value):
            name = f"flink_{scope}_{_named(metric.name)}"
            family = name + sample.family
            found.setdefault(family, Metric(family, f"{metric.name} (scope: {scope})", sample.kind)).add_sample(
                name + sample.suffix, labels, sample.value
            )
    yield from found.values()


class _Sample(NamedTuple):
    """Value of a metric with its labels."""

    kind: str
    value: float
    suffix: str = ""
    family: str = ""


def _samples(value: MetricValue) -> Iterator[_Sample]:
    match value:
        case DistributionValue():
            yield _Sample("summary", value.count, "_count")
            yield _Sample("summary", value.sum, "_sum")
            yield _Sample("gauge", value.min, "_min", "_min")
            yield _Sample("gauge", value.max, "_max", "_max")
        case MeterValue():
            yield _Sample("gauge", value.rate)
        case int() | float():
            yield _Sample("gauge", float(value))
        case str():
            return


def _labels(metric: ReportedMetric, snapshot: MetricsSnapshot) -> dict[str, str]:
    job = {"job_id": snapshot.job_id, "job_name": metric.job}
    if not metric.operator:
        return job
    return {
        **job,
        "operator_id": metric.operator_id,
        "operator_name": metric.operator,
        "subtask_index": str(metric.subtask),
        **{_named(group.name): group.value for group in metric.groups if group.value is not None},
    }


def _named(text: str) -> str:
    return _NOT_IN_NAMES.sub("_", text)
