"""What the driver asks the brokers: which partitions exist, and which offsets they hold."""

from __future__ import annotations

import time
from collections.abc import Collection, Iterable, Mapping
from typing import Any

from confluent_kafka import KafkaException
from confluent_kafka import TopicPartition as ClientPartition
from confluent_kafka.admin import AdminClient
from confluent_kafka.admin._config import ConfigResource
from confluent_kafka.admin._listoffsets import OffsetSpec
from confluent_kafka.admin._resource import ResourceType

from kafkastream.errors import BrokerUnreachableError, KafkaError, UnknownTopicError, UnsupportedFeatureError
from kafkastream.kafka.configuration import refused_properties
from kafkastream.kafka.properties import client_properties, whole_number
from kafkastream.kafka.refusals import Refusals
from kafkastream.spec.offsets import EarliestOffsets, LatestOffsets, OffsetsInitializer
from kafkastream.spec.subscription import PartitionSet, Subscription, TopicList, TopicPartition

__all__ = ["Cluster"]

REQUEST_TIMEOUT_MS = "20000"
"""How long the driver waits for an answer before it gives up on the brokers, unless ``default.api.timeout.ms`` says."""


_FIRST_TRY_S = 0.5
_NO_ANSWER = {"_TRANSPORT", "_TIMED_OUT", "_ALL_BROKERS_DOWN", "_RESOLVE"}


class Cluster:
    """The brokers behind ``bootstrap.servers``, asked through one admin client.

    Args:
        properties: Java client properties.

    Raises:
        DefinitionError: Kafka's client refuses a property.
        UnsupportedFeatureError: The security that is asked for cannot be had outside of Java.
    """

    def __init__(self, properties: Mapping[str, str]) -> None:
        self._servers = properties["bootstrap.servers"]
        timeout = "default.api.timeout.ms"
        self._timeout_s = whole_number(timeout, properties.get(timeout, REQUEST_TIMEOUT_MS)) / 1000
        self._refusals = Refusals(f"bootstrap.servers {self._servers}")
        with refused_properties(f"bootstrap.servers {self._servers}"):
            settings: dict[str, Any] = {**client_properties(properties), "log_level": 0, "error_cb": self._refusals}
            self._admin = AdminClient(settings)

    def partitions(self, subscription: Subscription) -> frozenset[TopicPartition]:
        """The partitions that a subscription means now.

        Raises:
            UnknownTopicError: A topic or partition that it names does not exist.
            BrokerUnreachableError: No broker answered in time.
        """
        existing = self._existing()
        match subscription:
            case TopicList(topics=topics):
                self._must_exist("topic", topics, existing)
                return frozenset(partition for topic in topics for partition in _partitions(topic, existing))
            case PartitionSet(partitions=partitions):
                known = {partition for topic in existing for partition in _partitions(topic, existing)}
                self._must_exist("partition", map(str, partitions), set(map(str, known)))
                return partitions
            case _:
                raise UnsupportedFeatureError(
                    "the topics of a pattern are found by Spark", now="Give topics or partitions by name."
                )

    def offsets(
        self, initializer: OffsetsInitializer, partitions: Collection[TopicPartition]
    ) -> dict[TopicPartition, int]:
        """The offset that an initializer means for each partition.

        Raises:
            UnsupportedFeatureError: The initializer is neither earliest nor latest.
        """
        match initializer:
            case EarliestOffsets():
                return self._listed(OffsetSpec.earliest(), partitions)
            case LatestOffsets():
                return self._listed(OffsetSpec.latest(), partitions)
            case _:
                raise UnsupportedFeatureError(f"{initializer} is not resolved yet", now="earliest() and latest() work.")

    def reach(self) -> None:
        """Make sure that a broker answers.

        Raises:
            BrokerUnreachableError: None did in time.
            AuthenticationError: They refuse the credentials.
        """
        self._existing()

    def log_append_time(self, topic: str) -> bool:
        """Whether the broker replaces the timestamp of every record in ``topic``; no for a topic that does not exist."""
        self.reach()
        resource = ConfigResource(ResourceType.TOPIC, topic)
        answer = self._admin.describe_configs([resource], request_timeout=self._timeout_s)[resource]
        try:
            return bool(answer.result()["message.timestamp.type"].value == "LogAppendTime")
        except KafkaException as error:
            if error.args[0].name() == "UNKNOWN_TOPIC_OR_PART":
                return False
            raise self._translated(error) from None

    def _existing(self) -> dict[str, int]:
        """The topics there are; asked in tries that grow longer, so that a refusal is heard of between two of them."""
        deadline, patience = time.monotonic() + self._timeout_s, _FIRST_TRY_S
        while True:
            try:
                topics = self._admin.list_topics(timeout=min(patience, max(0.0, deadline - time.monotonic()))).topics
                return {name: len(topic.partitions) for name, topic in topics.items()}
            except KafkaException as error:
                self._admin.poll(0)
                self._refusals.check()
                if error.args[0].name() not in _NO_ANSWER or time.monotonic() > deadline:
                    raise self._translated(error) from None
                patience *= 2

    def _listed(self, spec: OffsetSpec, partitions: Collection[TopicPartition]) -> dict[TopicPartition, int]:
        asked = {ClientPartition(p.topic, p.partition): spec for p in partitions}
        if not asked:
            return {}
        answers = self._admin.list_offsets(asked, request_timeout=self._timeout_s)
        return {TopicPartition(p.topic, p.partition): self._answer(f).offset for p, f in answers.items()}

    def _answer(self, future: Any) -> Any:
        try:
            return future.result()
        except KafkaException as error:
            raise self._translated(error) from None

    def _must_exist(self, what: str, wanted: Iterable[str], existing: Collection[str]) -> None:
        missing = sorted(set(wanted) - set(existing))
        if missing:
            raise UnknownTopicError(
                f"{what} {', '.join(missing)} does not exist on the Kafka brokers",
                where=f"bootstrap.servers {self._servers}",
                now="Create it, or check its name and the servers.",
            )

    def _translated(self, error: KafkaException) -> KafkaError:
        reason = error.args[0]
        if reason.name() in _NO_ANSWER:
            last = f"; the last that was heard: {self._refusals.last}" if self._refusals.last else ""
            return BrokerUnreachableError(
                f"no Kafka broker answered within {self._timeout_s:g} s{last}",
                where=f"bootstrap.servers {self._servers}",
                now="Check that the address is right, that security.protocol is its listener's, and that the brokers "
                "run and can be reached from here.",
            )
        return KafkaError(reason.str(), where=f"bootstrap.servers {self._servers}")


def _partitions(topic: str, existing: Mapping[str, int]) -> Iterable[TopicPartition]:
    return (TopicPartition(topic, partition) for partition in range(existing[topic]))
