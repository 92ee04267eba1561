"""Reporter that serves a job's metrics to Prometheus, under the names of Flink's ``PrometheusReporter``."""

from __future__ import annotations

import logging
import math
import re
from collections.abc import Callable, Iterator
from typing import NamedTuple, final

from prometheus_client import CollectorRegistry, make_asgi_app
from prometheus_client.metrics_core import Metric
from prometheus_client.registry import Collector

from kafkastream.metrics.reporters import PrometheusReporterSettings
from kafkastream.metrics.shown_text import one_line
from kafkastream.metrics.snapshot import MetricsSnapshot, ReportedMetric
from kafkastream.metrics.values import DistributionValue, MeterValue, MetricValue
from kafkastream.options.metrics import ReporterOptions
from kafkastream.web.asgi import Application
from kafkastream.web.http_server import HttpServer, bound_socket
from kafkastream.web.local_host import LocalHostOnly, is_loopback

__all__ = ["PrometheusReporter", "families"]

log = logging.getLogger("kafkastream")

_SCOPE = "taskmanager_job_task_operator"
_JOB_SCOPE = "jobmanager_job"
_INVALID_CHARACTER = re.compile(r"[^a-zA-Z0-9:_]")


@final
class PrometheusReporter:
    """HTTP server of the current metrics, for Prometheus to scrape.

    Args:
        settings: Name, address and ports of the reporter.
        read: Returns the metrics.
        default_address: Address at which it listens if the settings have none.

    Raises:
        SetupError: All ports are in use, or the address is none of this machine.
    """

    def __init__(
        self, settings: PrometheusReporterSettings, read: Callable[[], MetricsSnapshot], default_address: str
    ) -> None:
        registry = CollectorRegistry()
        registry.register(_MetricsCollector(read, filtered=settings.filter_label_values))
        app: Application = make_asgi_app(registry)
        address = settings.bind_address or default_address
        options = ReporterOptions(settings.name)
        listener = bound_socket(
            address,
            settings.ports,
            f"the metric reporter {settings.name!r}",
            options.bind_address.key,
            options.port.key,
        )
        self.port = int(listener.getsockname()[1])
        self._server = HttpServer(
            LocalHostOnly(app) if is_loopback(address) else app, listener, "kafkastream-prometheus"
        )
        log.info("metric reporter %r serves Prometheus on port %d of %s", settings.name, self.port, address)

    def stop(self) -> None:
        """Stop the server and free its port."""
        self._server.stop()


@final
class _MetricsCollector(Collector):
    """Collector that reads the metrics at each scrape."""

    def __init__(self, read: Callable[[], MetricsSnapshot], *, filtered: bool) -> None:
        self._read = read
        self._filtered = filtered

    def collect(self) -> Iterator[Metric]:
        yield from families(self._read(), filtered=self._filtered)

    def describe(self) -> Iterator[Metric]:
        """Yield nothing: names exist only once tasks have reported metrics."""
        return iter(())


def families(snapshot: MetricsSnapshot, *, filtered: bool = True) -> Iterator[Metric]:
    """Yield all metrics under the names of Flink's reporter.

    Labels are job, operator, subtask and the variables of groups.

    As in Flink, counters, gauges and meters (their rate) are Prometheus gauges, and gauges with text are left out.
    Differs from Flink: a distribution is a summary with count and sum, and gauges of its minimum and maximum.

    Args:
        snapshot: Metrics.
        filtered: Replace characters in label values that are not allowed in names.
    """
    metrics_by_family: dict[str, Metric] = {}
    series: set[tuple[str, tuple[tuple[str, str], ...]]] = set()
    for metric in snapshot.metrics:
        label = _replace_invalid_characters if filtered else one_line
        labels = {key: label(value) for key, value in _labels(metric, snapshot).items()}
        scope = "_".join(
            [
                _SCOPE if metric.operator else _JOB_SCOPE,
                *(_replace_invalid_characters(group.name) for group in metric.groups),
            ]
        )
        for sample in _samples(metric.value):
            name = f"flink_{scope}_{_replace_invalid_characters(metric.name)}"
            key = (name + sample.suffix, tuple(labels.items()))
            if key in series:  # another metric whose name differs only in characters that Prometheus does not allow
                continue
            series.add(key)
            family = name + sample.family
            doc = f"{one_line(metric.name)} (scope: {scope})"
            metrics_by_family.setdefault(family, Metric(family, doc, sample.kind)).add_sample(
                key[0], labels, sample.value
            )
    yield from metrics_by_family.values()


class _Sample(NamedTuple):
    """Value of a metric with its labels."""

    kind: str
    value: float
    suffix: str = ""
    family: str = ""


def _samples(value: MetricValue) -> Iterator[_Sample]:
    match value:
        case DistributionValue():
            yield _Sample("summary", _to_float(value.count), "_count")
            yield _Sample("summary", _to_float(value.sum), "_sum")
            yield _Sample("gauge", _to_float(value.min), "_min", "_min")
            yield _Sample("gauge", _to_float(value.max), "_max", "_max")
        case MeterValue():
            yield _Sample("gauge", _to_float(value.rate))
        case int() | float():
            yield _Sample("gauge", _to_float(value))
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
        **{_label_name(group.name): group.value for group in metric.groups if group.value is not None},
    }


def _to_float(value: float) -> float:
    """Convert a number to the text format's 64-bit floats: https://prometheus.io/docs/instrumenting/exposition_formats/."""
    try:
        return float(value)
    except OverflowError:
        return math.inf if value > 0 else -math.inf


def _label_name(text: str) -> str:
    """Return a valid label name: without colons, and without two leading underscores, which Prometheus reserves.

    https://prometheus.io/docs/concepts/data_model/#metric-names-and-labels
    """
    name = _replace_invalid_characters(text).replace(":", "_")
    return re.sub(r"^_{2,}|^(?=\d|$)", "_", name)


def _replace_invalid_characters(text: str) -> str:
    return _INVALID_CHARACTER.sub("_", text)
