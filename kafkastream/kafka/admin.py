"""Cluster metadata and offsets, requested by the driver."""

from __future__ import annotations

import time
from collections.abc import Callable, Collection, Iterable, Mapping
from typing import Any, TypeVar

from confluent_kafka import IsolationLevel, KafkaException
from confluent_kafka import TopicPartition as ClientPartition
from confluent_kafka.admin import AdminClient, ClusterMetadata, ConfigResource, OffsetSpec, ResourceType
from typing_extensions import assert_never

from kafkastream.errors import BrokerUnreachableError, KafkaError, UnknownTopicError
from kafkastream.kafka.configuration import translate_refused_property
from kafkastream.kafka.groups import GroupConsumer
from kafkastream.kafka.properties import client_properties, request_timeout_s
from kafkastream.kafka.refusals import Refusals
from kafkastream.model.connectors.subscription import (
    INTERNAL_TOPICS,
    KafkaSubscriber,
    PartitionSet,
    Subscription,
    TopicList,
    TopicPartition,
    TopicPattern,
)

__all__ = ["Cluster"]

_FIRST_TRY_S = 0.5
_LONGEST_TRY_S = 4.0
"""Longest call in seconds. Python handles signals between calls only: the C client does not return for them."""
_TRANSIENT_ERRORS = {
    "COORDINATOR_LOAD_IN_PROGRESS",
    "COORDINATOR_NOT_AVAILABLE",
    "FENCED_LEADER_EPOCH",
    "LEADER_NOT_AVAILABLE",
    "NOT_COORDINATOR",
    "NOT_LEADER_FOR_PARTITION",
    "UNKNOWN_LEADER_EPOCH",
}
"""Transient errors: just after a topic is created, or while the leader or the group's coordinator changes."""
_UNREACHABLE_ERRORS = {"_TRANSPORT", "_TIMED_OUT", "_ALL_BROKERS_DOWN", "_RESOLVE"}
_DENIED_ERRORS = {"CLUSTER_AUTHORIZATION_FAILED", "TOPIC_AUTHORIZATION_FAILED", "UNKNOWN_TOPIC_OR_PART"}

T = TypeVar("T")


class Cluster:
    """Cluster behind ``bootstrap.servers``, with one admin client; a ``PartitionOffsetsRetriever`` for offsets initializers.

    Args:
        properties: Java client properties.

    Raises:
        DefinitionError: Kafka's client refuses a property.
        UnsupportedFeatureError: The security settings work in Java only.
    """

    def __init__(self, properties: Mapping[str, str]) -> None:
        self._servers = properties["bootstrap.servers"]
        self._timeout_s = request_timeout_s(properties)
        self._group = properties.get("group.id")
        reads_committed = properties.get("isolation.level") == "read_committed"
        self._isolation = IsolationLevel.READ_COMMITTED if reads_committed else IsolationLevel.READ_UNCOMMITTED
        self._refusals = Refusals(f"bootstrap.servers {self._servers}")
        with translate_refused_property(f"bootstrap.servers {self._servers}"):
            self._client = client_properties(properties)
            settings: dict[str, Any] = {**self._client, "log_level": 0, "error_cb": self._refusals}
            self._admin = AdminClient(settings)

    def topics(self) -> Mapping[str, int]:
        """Return all topics with their number of partitions; Kafka's internal topics are left out, as in Flink.

        Raises:
            BrokerUnreachableError: No broker answered in time.
            AuthenticationError: The brokers refuse the credentials.
        """
        topics = self._metadata().topics.items()
        return {name: len(topic.partitions) for name, topic in topics if name not in INTERNAL_TOPICS}

    def _metadata(self) -> ClusterMetadata:
        deadline, patience = time.monotonic() + self._timeout_s, _FIRST_TRY_S
        while True:  # with growing timeouts, so that a refused login is noticed between two calls
            try:
                return self._admin.list_topics(timeout=min(patience, max(0.0, deadline - time.monotonic())))
            except KafkaException as error:
                self._admin.poll(0)
                self._refusals.check()
                if error.args[0].name() not in _UNREACHABLE_ERRORS or time.monotonic() > deadline:
                    raise self._translate_error(error) from None
                patience = min(2 * patience, _LONGEST_TRY_S)

    def partitions(
        self, subscription: Subscription, matching: Callable[[str, Iterable[str]], Iterable[str]]
    ) -> frozenset[TopicPartition]:
        """Return the existing partitions of a subscription.

        Args:
            subscription: The subscription.
            matching: Returns the topic names that fully match a Java pattern.

        Raises:
            UnknownTopicError: A topic or partition of the subscription does not exist.
            BrokerUnreachableError: No broker answered in time.
        """
        existing = self.topics()
        match subscription:
            case TopicPattern(pattern=pattern):
                return _all_partitions(matching(pattern, existing), existing)
            case TopicList(topics=topics):
                self._check_exists("topic", topics, existing)
                return _all_partitions(topics, existing)
            case PartitionSet(partitions=partitions):
                self._check_exists(
                    "partition", map(str, partitions), set(map(str, _all_partitions(existing, existing)))
                )
                return partitions
            case KafkaSubscriber():
                return frozenset(subscription.get_subscribed_topic_partitions(self._admin))
            case never:
                assert_never(never)

    def beginning_offsets(self, partitions: Collection[TopicPartition]) -> dict[TopicPartition, int]:
        """Return the first available offset of each partition."""
        return self._list_offsets(dict.fromkeys(partitions, OffsetSpec.earliest()))

    def end_offsets(self, partitions: Collection[TopicPartition]) -> dict[TopicPartition, int]:
        """Return the end offset of each partition, including records of open transactions."""
        return self._list_offsets(dict.fromkeys(partitions, OffsetSpec.latest()))

    def readable_ends(self, partitions: Collection[TopicPartition]) -> dict[TopicPartition, int]:
        """Return the offset up to which the source can read now: with ``read_committed``, the last stable offset."""
        return self._list_offsets(dict.fromkeys(partitions, OffsetSpec.latest()), self._isolation)

    def offsets_for_times(self, timestamps_to_search: Mapping[TopicPartition, int]) -> dict[TopicPartition, int]:
        """Return the offset of the first record at or after a timestamp (ms), for the partitions that have one."""
        specs = {partition: OffsetSpec.for_timestamp(time_ms) for partition, time_ms in timestamps_to_search.items()}
        return {partition: offset for partition, offset in self._list_offsets(specs).items() if offset >= 0}

    def committed_offsets(self, partitions: Collection[TopicPartition]) -> dict[TopicPartition, int]:
        """Return the consumer group's committed offsets, for partitions that have one; empty without a group."""
        if self._group is None or not partitions:
            return {}
        consumer = GroupConsumer(self._client, self._group)
        try:
            client_partitions = [_client_partition(partition) for partition in partitions]
            committed = self._retry_transient(lambda timeout_s: consumer.committed(client_partitions, timeout_s))
        finally:
            consumer.close()
        return {TopicPartition(p.topic, p.partition): p.offset for p in committed if p.offset >= 0}

    def group_members(self) -> int:
        """Return the number of members of the consumer group; 0 without a group.

        Raises:
            KafkaError: The brokers refuse the request, or do not answer.
        """
        if self._group is None:
            return 0
        try:
            described = self._admin.describe_consumer_groups([self._group], request_timeout=self._timeout_s)
            return len(described[self._group].result().members)
        except KafkaException as error:
            raise self._translate_error(error) from None

    def log_append_time(self, topic: str) -> bool:
        """Return whether records of a topic have ``LogAppendTime``; False if the client may not read the setting."""
        return self.topic_setting(topic, "message.timestamp.type") == "LogAppendTime"

    def topic_setting(self, topic: str, name: str) -> str | None:
        """Return a configuration value of a topic; None if there is no such topic, or the client may not read it."""
        self._metadata()  # raises a helpful error if the brokers refuse the client, or do not answer
        return self._describe_setting(ResourceType.TOPIC, topic, name)

    def broker_setting(self, name: str) -> str | None:
        """Return a configuration value of the brokers; None if the client may not read it."""
        return self._describe_setting(ResourceType.BROKER, str(next(iter(self._metadata().brokers))), name)

    def _describe_setting(self, kind: ResourceType, resource_name: str, name: str) -> str | None:
        """Return a setting of a topic or broker; None if it does not exist, has no such setting, or the client may not read it."""
        resource = ConfigResource(kind, resource_name)
        answer = self._admin.describe_configs([resource], request_timeout=self._timeout_s)[resource]
        try:
            setting = answer.result().get(name)
        except KafkaException as error:
            if error.args[0].name() in _DENIED_ERRORS:
                return None
            raise self._translate_error(error) from None
        return None if setting is None else str(setting.value)

    def _list_offsets(
        self, specs: Mapping[TopicPartition, OffsetSpec], isolation: IsolationLevel = IsolationLevel.READ_UNCOMMITTED
    ) -> dict[TopicPartition, int]:
        if not specs:
            return {}

        def list_offsets(timeout_s: float) -> dict[TopicPartition, int]:
            answers = self._admin.list_offsets(
                {_client_partition(partition): spec for partition, spec in specs.items()},
                isolation_level=isolation,
                request_timeout=timeout_s,
            )
            return {TopicPartition(p.topic, p.partition): f.result().offset for p, f in answers.items()}

        return self._retry_transient(list_offsets)

    def _retry_transient(self, ask: Callable[[float], T]) -> T:
        """Call ``ask`` with the remaining seconds, and repeat it while it fails with a transient error."""
        deadline = time.monotonic() + self._timeout_s
        while True:
            try:
                return ask(max(_FIRST_TRY_S, deadline - time.monotonic()))
            except KafkaException as error:
                if error.args[0].name() not in _TRANSIENT_ERRORS or time.monotonic() > deadline:
                    raise self._translate_error(error) from None
                time.sleep(_FIRST_TRY_S)

    def _check_exists(self, noun: str, wanted: Iterable[str], existing: Collection[str]) -> None:
        missing = sorted(set(wanted) - set(existing))
        if missing:
            raise UnknownTopicError(
                f"{noun} {', '.join(missing)} does not exist on the Kafka brokers",
                where=f"bootstrap.servers {self._servers}",
                now="Create it, or check its name and the servers.",
            )

    def _translate_error(self, error: KafkaException) -> KafkaError:
        reason = error.args[0]
        if reason.name() in _UNREACHABLE_ERRORS:
            last = f"; the last that was heard: {self._refusals.last}" if self._refusals.last else ""
            return BrokerUnreachableError(
                f"no Kafka broker answered within {self._timeout_s:g} s{last}",
                where=f"bootstrap.servers {self._servers}",
                now="Check that the address is right, that security.protocol is its listener's, and that the brokers "
                "run and can be reached from here.",
            )
        return KafkaError(reason.str(), where=f"bootstrap.servers {self._servers}")


def _all_partitions(topics: Iterable[str], existing: Mapping[str, int]) -> frozenset[TopicPartition]:
    return frozenset(TopicPartition(topic, partition) for topic in topics for partition in range(existing[topic]))


def _client_partition(partition: TopicPartition) -> ClientPartition:
    return ClientPartition(partition.topic, partition.partition)
