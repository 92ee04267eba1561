"""Committed offsets of a consumer group, read and written by a consumer that never joins it.

The admin client has requests for both, but if a group's coordinator goes away during the request, librdkafka 2.16 may
abort the whole process (https://github.com/confluentinc/librdkafka/issues/4605). Only ``delete_groups`` has to use it.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from contextlib import suppress
from typing import Any, final

from confluent_kafka import Consumer, KafkaException
from confluent_kafka import TopicPartition as ClientPartition
from confluent_kafka.admin import AdminClient

from kafkastream.errors import KafkaError
from kafkastream.kafka.client_log import CLIENT_LOG
from kafkastream.kafka.configuration import translate_refused_property
from kafkastream.kafka.properties import client_properties
from kafkastream.model.connectors.subscription import TopicPartition

__all__ = ["Group", "GroupConsumer", "delete_groups"]

_DELETE_S = 5.0


@final
class GroupConsumer:
    """Consumer that reads and writes a group's committed offsets without joining the group.

    Args:
        client: Client properties, by librdkafka's names.
        group: Name of the group.
    """

    def __init__(self, client: Mapping[str, Any], group: str) -> None:
        properties = {**client, "group.id": group, "enable.auto.commit": False, "log_level": 0}
        self._consumer = Consumer(properties, logger=CLIENT_LOG)

    def committed(self, partitions: Collection[ClientPartition], timeout_s: float) -> list[ClientPartition]:
        """Return the partitions with the group's committed offsets.

        Raises:
            KafkaException: The brokers did not answer.
        """
        return _raise_partition_errors(self._consumer.committed(list(partitions), timeout=timeout_s))

    def commit(self, partitions: Collection[ClientPartition]) -> None:
        """Commit the partitions' offsets, and wait for the response, however long the brokers are away.

        Raises:
            KafkaException: The group refuses them.
        """
        _raise_partition_errors(self._consumer.commit(offsets=list(partitions), asynchronous=False) or [])

    def metadata(self) -> Any:
        """Return the group's metadata, which a transaction needs to commit offsets."""
        return self._consumer.consumer_group_metadata()

    def close(self) -> None:
        """Close the connections."""
        self._consumer.close()


def _raise_partition_errors(partitions: list[ClientPartition]) -> list[ClientPartition]:
    for partition in partitions:
        if partition.error is not None:
            raise KafkaException(partition.error)
    return partitions


@final
class Group:
    """Consumer group of a source, for commits.

    Args:
        properties: Java client properties of the source, which name the group.
    """

    def __init__(self, properties: Mapping[str, str]) -> None:
        self._where = f"group {properties['group.id']}, bootstrap.servers {properties['bootstrap.servers']}"
        with translate_refused_property(self._where):
            self._consumer = GroupConsumer(client_properties(properties), properties["group.id"])

    def commit(self, offsets: Mapping[TopicPartition, int]) -> None:
        """Commit the next offsets to read, and wait for the response, however long the brokers are away.

        Raises:
            KafkaError: The group refuses them, e.g. because it has live members.
        """
        try:
            self._consumer.commit([ClientPartition(p.topic, p.partition, offset) for p, offset in offsets.items()])
        except KafkaException as error:
            raise KafkaError(error.args[0].str(), where=self._where) from None

    def close(self) -> None:
        """Close the connections."""
        self._consumer.close()


def delete_groups(client: Mapping[str, Any], prefix: str) -> None:
    """Delete the groups with a prefix; groups that the brokers do not let the client delete expire.

    Args:
        client: Client properties, by librdkafka's names.
        prefix: Beginning of the groups' names.
    """
    admin = AdminClient({**client, "log_level": 0}, logger=CLIENT_LOG)
    with suppress(KafkaException):
        listed = admin.list_consumer_groups(request_timeout=_DELETE_S).result()
        names = [group.group_id for group in listed.valid if group.group_id.startswith(prefix)]
        answers = admin.delete_consumer_groups(names, request_timeout=_DELETE_S) if names else {}
        for answer in answers.values():
            answer.exception()
