"""The topics behind a catalog."""

from __future__ import annotations

from collections.abc import Mapping

from kafkastream.sql.kafka_catalog.catalog import Topics

__all__ = ["connected"]


def connected(properties: Mapping[str, str]) -> Topics:
    """The topics of a cluster, with Kafka's client, which is imported now.

    Args:
        properties: Java client properties.

    Raises:
        DefinitionError: Kafka's client refuses a property.
        UnsupportedFeatureError: The security that is asked for cannot be had outside of Java.
    """
    from kafkastream.kafka.topics import ClusterTopics

    return ClusterTopics(properties)
