"""Metrics: what functions register, what a job's snapshot holds; ``pyflink.metrics`` becomes ``kafkastream.metrics``."""

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
