"""``KafkaBroker``: create topics, produce and consume records on a running broker."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

from kafkastream.errors import KafkaError
from kafkastream.model.common.immutable import FrozenMap
from kafkastream.testing.reading import Isolation, read_topic
from kafkastream.testing.records import ConsumedRecord, Record
from kafkastream.testing.waiting import wait_until
from kafkastream.testing.writing import write_records

if TYPE_CHECKING:
    from concurrent.futures import Future

    from confluent_kafka.admin import AdminClient

__all__ = ["KafkaBroker"]

_REQUEST_S = 30.0
_SCRAM_ITERATIONS = 4096


class KafkaBroker:
    """Running Kafka broker; ``EmbeddedKafka`` is one that is started here.

    Args:
        bootstrap_servers: Addresses ``host:port``, separated by commas.
        properties: Further Java client properties, such as ``security.protocol``.
    """

    def __init__(self, bootstrap_servers: str, properties: Mapping[str, str] | None = None) -> None:
        self._bootstrap_servers = bootstrap_servers
        self._properties = FrozenMap(properties or {})

    @property
    def bootstrap_servers(self) -> str:
        """Value of the client property ``bootstrap.servers``."""
        return self._bootstrap_servers

    @property
    def client_properties(self) -> FrozenMap[str, str]:
        """Properties for sources and sinks to connect: ``bootstrap.servers`` and security settings."""
        return FrozenMap({"bootstrap.servers": self.bootstrap_servers, **self._properties})

    def create_topic(self, name: str, partitions: int = 1, config: Mapping[str, str] | None = None) -> None:
        """Create a topic and wait until it can be used.

        Args:
            name: Name of the topic.
            partitions: Number of partitions.
            config: Topic settings, such as ``cleanup.policy``.

        Raises:
            KafkaError: The broker refused, for example because the topic exists.
        """
        from confluent_kafka.admin import NewTopic

        topic = NewTopic(name, num_partitions=partitions, config=dict(config or {}))
        admin = self._admin()
        futures = admin.create_topics([topic], operation_timeout=_REQUEST_S)
        _settle(futures, f"topic {name!r} was not created")
        _await_partitions(admin, name, partitions)

    def delete_topic(self, name: str) -> None:
        """Delete the topic ``name`` and wait until it is gone.

        Raises:
            KafkaError: The broker refused, for example because the topic does not exist.
        """
        admin = self._admin()
        futures = admin.delete_topics([name], operation_timeout=_REQUEST_S)
        _settle(futures, f"topic {name!r} was not deleted")
        _await_partitions(admin, name, 0)

    def add_partitions(self, topic: str, total: int) -> None:
        """Increase the number of a topic's partitions and wait until they can be used.

        Args:
            topic: Name of the topic.
            total: Number of partitions afterwards.

        Raises:
            KafkaError: The broker refused, for example because the topic has at least as many.
        """
        from confluent_kafka.admin import NewPartitions

        admin = self._admin()
        futures = admin.create_partitions([NewPartitions(topic, total)], operation_timeout=_REQUEST_S)
        _settle(futures, f"topic {topic!r} got no more partitions")
        _await_partitions(admin, topic, total)

    def produce(
        self, topic: str, records: Iterable[Record | str | bytes], *, timeout_s: float = 30.0
    ) -> tuple[tuple[int, int], ...]:
        """Produce records in order, and wait until the broker has acknowledged them.

        Args:
            topic: Topic to write to.
            records: Records, or only their values.
            timeout_s: Delivery timeout of a record in s.

        Returns:
            Partition and offset of each record.

        Raises:
            DeliveryError: A record could not be delivered.
        """
        return write_records(self._client(), topic, records, timeout_s)

    def consume(
        self,
        topic: str,
        *,
        count: int | None = None,
        isolation: Isolation = "read_committed",
        timeout_s: float = 30.0,
    ) -> list[ConsumedRecord]:
        """Consume a topic from its start to its current end, without a consumer group.

        Args:
            topic: Topic to read.
            count: Number of records to wait for; None for those that exist now.
            isolation: ``read_committed`` stops at the first open transaction and skips aborted ones.
            timeout_s: Time limit in s.

        Returns:
            Records ordered by partition and offset.

        Raises:
            UnknownTopicError: The topic does not exist.
            TimeoutError: Fewer records than ``count`` arrived, or the broker was too slow.
        """
        return read_topic(self._client(), topic, count or 0, isolation, timeout_s)

    def _admin(self) -> AdminClient:
        from confluent_kafka.admin import AdminClient

        return AdminClient({**self._client(), "log_level": 0})

    def _admit(self, users: Mapping[str, str]) -> None:
        """Register users for SCRAM."""
        from confluent_kafka.admin import (
            ScramCredentialInfo,
            ScramMechanism,
            UserScramCredentialAlteration,
            UserScramCredentialUpsertion,
        )

        admin = self._admin()
        # One request per mechanism, since a request may alter a user once only:
        # https://cwiki.apache.org/confluence/display/KAFKA/KIP-554%3A+Add+Broker-side+SCRAM+Config+API
        for kind in (ScramMechanism.SCRAM_SHA_256, ScramMechanism.SCRAM_SHA_512):
            credential = ScramCredentialInfo(kind, _SCRAM_ITERATIONS)
            wanted: list[UserScramCredentialAlteration] = [
                UserScramCredentialUpsertion(name, credential, text.encode()) for name, text in users.items()
            ]
            for future in admin.alter_user_scram_credentials(wanted).values():
                future.result()

    def _client(self) -> dict[str, str]:
        """Return the librdkafka properties of the kit's own clients."""
        from kafkastream.kafka.properties import client_properties

        return client_properties(self.client_properties)


def _await_partitions(admin: AdminClient, topic: str, count: int) -> None:
    what = f"{count} partitions of topic {topic!r}"
    wait_until(lambda: _led_partitions(admin, topic) == count, _REQUEST_S, what)


def _led_partitions(admin: AdminClient, topic: str) -> int:
    """Return the number of partitions that have a leader."""
    known = admin.list_topics(timeout=_REQUEST_S).topics.get(topic)
    return sum(partition.leader >= 0 for partition in known.partitions.values()) if known else 0


def _settle(futures: Mapping[str, Future[Any]], failure: str) -> None:
    from confluent_kafka import KafkaException

    (future,) = futures.values()
    try:
        future.result()
    except KafkaException as error:
        raise KafkaError(f"{failure}: {error.args[0].str()}") from error
