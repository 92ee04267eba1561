"""Metrics: ``pyflink.metrics`` becomes ``kafkastream.metrics``.

Functions register counters, gauges, meters and distributions in a ``MetricGroup`` (``groups``) on the workers; tasks
send their changes (``values``) with their results; the driver adds them up (``store``) and publishes
``MetricsSnapshot`` objects to programs and to reporters (``reporters``: log, Prometheus). ``standing`` formats a job's
progress lines.
"""

from __future__ import annotations

from kafkastream.metrics.groups import Counter, Distribution, Gauge, Meter, Metric, MetricGroup
from kafkastream.metrics.snapshot import MetricsSnapshot, ReportedMetric
from kafkastream.metrics.values import DistributionValue, Group, MeterValue, MetricKind

__all__ = [
    "Counter",
    "Distribution",
    "DistributionValue",
    "Gauge",
    "Group",
    "Meter",
    "MeterValue",
    "Metric",
    "MetricGroup",
    "MetricKind",
    "MetricsSnapshot",
    "ReportedMetric",
]
