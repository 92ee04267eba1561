"""Operations that the brokers allow a client on topics, consumer groups and transactions."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, final

from confluent_kafka import KafkaException, Producer, TopicCollection
from confluent_kafka.admin import AdminClient

from kafkastream.errors import KafkaError
from kafkastream.kafka.client_log import CLIENT_LOG
from kafkastream.kafka.properties import client_properties, request_timeout_s, transactional_properties

__all__ = ["Permissions"]

_DENIED_ERRORS = frozenset(
    {
        "CLUSTER_AUTHORIZATION_FAILED",
        "GROUP_AUTHORIZATION_FAILED",
        "TOPIC_AUTHORIZATION_FAILED",
        "TRANSACTIONAL_ID_AUTHORIZATION_FAILED",
        "UNKNOWN_TOPIC_OR_PART",  # also for a topic that the client may not see
    }
)


@final
class Permissions:
    """Permissions of a client, as the brokers report them.

    Args:
        properties: Java client properties.
    """

    def __init__(self, properties: Mapping[str, str]) -> None:
        self._properties = properties
        self._servers = properties["bootstrap.servers"]
        self._timeout_s = request_timeout_s(properties)
        self._admin = AdminClient({**client_properties(properties), "log_level": 0}, logger=CLIENT_LOG)

    def on_topic(self, topic: str) -> frozenset[str]:
        """Return the operations on a topic, such as ``READ``; none if the client may not see it.

        Raises:
            KafkaError: The brokers do not answer the question.
        """
        answers = self._admin.describe_topics(
            TopicCollection([topic]), include_authorized_operations=True, request_timeout=self._timeout_s
        )
        return self._allowed_operations(answers[topic])

    def on_group(self, group: str) -> frozenset[str]:
        """Return the operations on a consumer group, such as ``READ``; none if the client may not see it.

        Raises:
            KafkaError: The brokers do not answer the question.
        """
        answers = self._admin.describe_consumer_groups(
            [group], include_authorized_operations=True, request_timeout=self._timeout_s
        )
        return self._allowed_operations(answers[group])

    def writes_transactions(self, transactional_id: str) -> bool:
        """Initialize transactions; return whether the brokers allow it.

        The brokers keep the id, without a transaction, for ``transactional.id.expiration.ms``: a week by default.

        Raises:
            KafkaError: The brokers do not answer.
        """
        properties = transactional_properties(self._properties).producer
        producer = Producer({**properties, "transactional.id": transactional_id, "log_level": 0}, logger=CLIENT_LOG)
        try:
            producer.init_transactions(self._timeout_s)
        except KafkaException as error:
            self._raise_unless_denied(error)
            return False
        return True

    def _allowed_operations(self, answer: Any) -> frozenset[str]:
        try:
            described = answer.result()
        except KafkaException as error:
            self._raise_unless_denied(error)
            return frozenset()
        return frozenset(operation.name for operation in described.authorized_operations or ())

    def _raise_unless_denied(self, error: KafkaException) -> None:
        """Raise an error, unless it says that the brokers deny an operation."""
        reason = error.args[0]
        if reason.name() not in _DENIED_ERRORS:
            raise KafkaError(reason.str(), where=f"bootstrap.servers {self._servers}") from None
