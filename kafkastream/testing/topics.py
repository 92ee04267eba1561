"""A Kafka broker as tests use it: topics, records in, records out."""

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
    """A broker that runs somewhere; ``EmbeddedKafka`` is one that runs here.

    Args:
        bootstrap_servers: Its address, ``host:port``; several are separated by commas.
        properties: What else its clients need, such as ``security.protocol``, by the names of Java's client.
    """

    def __init__(self, bootstrap_servers: str, properties: Mapping[str, str] | None = None) -> None:
        self._bootstrap_servers = bootstrap_servers
        self._properties = FrozenMap(properties or {})

    @property
    def bootstrap_servers(self) -> str:
        """What clients take as ``bootstrap.servers``."""
        return self._bootstrap_servers

    @property
    def client_properties(self) -> FrozenMap[str, str]:
        """What sources and sinks take as properties to reach it: ``bootstrap.servers``, and all that security needs."""
        return FrozenMap({"bootstrap.servers": self.bootstrap_servers, **self._properties})

    def create_topic(self, name: str, partitions: int = 1, config: Mapping[str, str] | None = None) -> None:
        """Create a topic and wait until it can be used.

        Args:
            name: Its name.
            partitions: How many partitions it has.
            config: The topic's settings, such as ``cleanup.policy``.

        Raises:
            KafkaError: The broker refused, for example since the topic exists.
        """
        from confluent_kafka.cimpl import NewTopic

        topic = NewTopic(name, num_partitions=partitions, config=dict(config or {}))
        admin = self._admin()
        futures = admin.create_topics([topic], operation_timeout=_REQUEST_S)
        _settle(futures, f"topic {name!r} was not created")
        _await_partitions(admin, name, partitions)

    def delete_topic(self, name: str) -> None:
        """Delete a topic and wait until it is gone.

        Raises:
            KafkaError: The broker refused, for example since there is no such topic.
        """
        admin = self._admin()
        futures = admin.delete_topics([name], operation_timeout=_REQUEST_S)
        _settle(futures, f"topic {name!r} was not deleted")
        _await_partitions(admin, name, 0)

    def add_partitions(self, topic: str, total: int) -> None:
        """Give a topic more partitions and wait until they can be used.

        Args:
            topic: Its name.
            total: How many partitions it has afterwards.

        Raises:
            KafkaError: The broker refused, for example since the topic has as many already.
        """
        from confluent_kafka.cimpl import NewPartitions

        admin = self._admin()
        futures = admin.create_partitions([NewPartitions(topic, total)], operation_timeout=_REQUEST_S)
        _settle(futures, f"topic {topic!r} got no more partitions")
        _await_partitions(admin, topic, total)

    def produce(
        self, topic: str, records: Iterable[Record | str | bytes], *, timeout_s: float = 30.0
    ) -> tuple[tuple[int, int], ...]:
        """Write records in their order, and wait until the broker has them.

        Args:
            topic: Where to.
            records: Records, or just their values.
            timeout_s: How long the broker may take for a record, in seconds.

        Returns:
            The partition and the offset of each record.

        Raises:
            DeliveryError: A record did not get there.
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
        """Read a topic from its start to its end of the moment; no consumer group knows of it.

        Args:
            topic: What to read.
            count: Wait until there are at least so many records; None takes what is there.
            isolation: ``read_committed`` ends at the first open transaction and leaves aborted ones out.
            timeout_s: How long it may take, in seconds.

        Returns:
            The records in the order of partition and offset.

        Raises:
            UnknownTopicError: There is no such topic.
            TimeoutError: There were too few records, or the broker was too slow.
        """
        return read_topic(self._client(), topic, count or 0, isolation, timeout_s)

    def _admin(self) -> AdminClient:
        from confluent_kafka.admin import AdminClient

        return AdminClient({**self._client(), "log_level": 0})

    def _admit(self, users: Mapping[str, str]) -> None:
        """Let users log in with SCRAM."""
        from confluent_kafka.admin._scram import (
            ScramCredentialInfo,
            ScramMechanism,
            UserScramCredentialAlteration,
            UserScramCredentialUpsertion,
        )

        admin = self._admin()
        for kind in (
            ScramMechanism.SCRAM_SHA_256,
            ScramMechanism.SCRAM_SHA_512,
        ):  # Kafka takes one per user and request
            credential = ScramCredentialInfo(kind, _SCRAM_ITERATIONS)
            wanted: list[UserScramCredentialAlteration] = [
                UserScramCredentialUpsertion(name, credential, text.encode()) for name, text in users.items()
            ]
            for future in admin.alter_user_scram_credentials(wanted).values():
                future.result()

    def _client(self) -> dict[str, str]:
        """The properties of the kit's own clients, by librdkafka's names."""
        from kafkastream.kafka.properties import client_properties

        return client_properties(self.client_properties)


def _await_partitions(admin: AdminClient, topic: str, count: int) -> None:
    what = f"{count} partitions of topic {topic!r}"
    wait_until(lambda: _led_partitions(admin, topic) == count, _REQUEST_S, what)


def _led_partitions(admin: AdminClient, topic: str) -> int:
    """How many partitions can be read and written now."""
    known = admin.list_topics(timeout=_REQUEST_S).topics.get(topic)
    return sum(partition.leader >= 0 for partition in known.partitions.values()) if known else 0


def _settle(futures: Mapping[str, Future[Any]], failure: str) -> None:
    from confluent_kafka import KafkaException

    (future,) = futures.values()
    try:
        future.result()
    except KafkaException as error:
        raise KafkaError(f"{failure}: {error.args[0].str()}") from error
