"""Checks that the topics of a job exist."""

from __future__ import annotations

from collections.abc import Iterable

from kafkastream.kafka.admin import Cluster
from kafkastream.kafka.security import has_java_stores
from kafkastream.model.connectors.kafka_source import KafkaSource
from kafkastream.model.connectors.subscription import PartitionSet, TopicList
from kafkastream.model.graph.job_graph import JobGraph

__all__ = ["check_topics"]


def check_topics(graph: JobGraph) -> None:
    """Check that the topics and partitions that sources name exist.

    Skips patterns, since only Java knows what they match, and sources whose key stores only Java can read.

    Raises:
        UnknownTopicError: A topic or partition does not exist.
        BrokerUnreachableError: No broker answered in time.
    """
    for node in graph.sources:
        source = node.source
        if isinstance(source, KafkaSource) and isinstance(source.subscription, (TopicList, PartitionSet)):
            properties = source.consumer_properties
            if not has_java_stores(properties):
                Cluster(properties).partitions(source.subscription, _no_pattern)


def _no_pattern(pattern: str, names: Iterable[str]) -> Iterable[str]:
    raise AssertionError(pattern)
