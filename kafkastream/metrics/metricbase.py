"""Metrics in one module, at PyFlink's path."""

from __future__ import annotations

from kafkastream.metrics.groups import Counter, Distribution, Meter, Metric, MetricGroup

__all__ = [
    "Counter",
    "Distribution",
    "Meter",
    "Metric",
    "MetricGroup",
]
