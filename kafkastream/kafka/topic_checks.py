"""Checks the topics of a job before Spark starts, which takes seconds."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Mapping

from kafkastream.kafka.admin import Cluster
from kafkastream.model.connectors.kafka_source import KafkaSource
from kafkastream.model.connectors.subscription import PartitionSet, TopicList
from kafkastream.model.graph.job_graph import JobGraph

__all__ = ["check_topics"]


def check_topics(graph: JobGraph) -> None:
    """Check that the topics and partitions that sources name exist, unless Spark runs already and soon tells.

    Patterns are left out: only Java knows what they match. So are stores of keys that only Java reads.

    Raises:
        UnknownTopicError: A topic or partition does not exist.
        BrokerUnreachableError: No broker answered in time.
    """
    if _spark_runs():
        return
    for node in graph.sources:
        source = node.source
        if isinstance(source, KafkaSource) and isinstance(source.subscription, (TopicList, PartitionSet)):
            properties = source.consumer_properties
            if not _has_java_stores(properties):
                Cluster(properties).partitions(source.subscription, _no_pattern)


def _spark_runs() -> bool:
    pyspark = sys.modules.get("pyspark")
    return pyspark is not None and pyspark.SparkContext._active_spark_context is not None


def _has_java_stores(properties: Mapping[str, str]) -> bool:
    return any(
        f"ssl.{role}.location" in properties and properties.get(f"ssl.{role}.type", "JKS").upper() != "PEM"
        for role in ("truststore", "keystore")
    )


def _no_pattern(pattern: str, names: Iterable[str]) -> Iterable[str]:
    raise AssertionError(pattern)
