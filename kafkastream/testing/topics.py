"""A Kafka broker as tests use it: topics, records in, records out."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

from kafkastream.errors import KafkaError
from kafkastream.testing.reading import Isolation, read_topic
from kafkastream.testing.records import ConsumedRecord, Record
from kafkastream.testing.waiting import wait_until
from kafkastream.testing.writing import write_records

if TYPE_CHECKING:
    from concurrent.futures import Future

    from confluent_kafka.admin import AdminClient

__all__ = ["KafkaBroker"]

_REQUEST_S = 30.0


class KafkaBroker:
    """A broker that runs somewhere; ``EmbeddedKafka`` is one that runs here.

    Args:
        bootstrap_servers: Its address, ``host:port``; several are separated by commas.
    """

    def __init__(self, bootstrap_servers: str) -> None:
        self._bootstrap_servers = bootstrap_servers

    @property
    def bootstrap_servers(self) -> str:
        """What clients take as ``bootstrap.servers``."""
        return self._bootstrap_servers

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
        return write_records(self.bootstrap_servers, topic, records, timeout_s)

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
        return read_topic(self.bootstrap_servers, topic, count or 0, isolation, timeout_s)

    def _admin(self) -> AdminClient:
        from confluent_kafka.admin import AdminClient

        return AdminClient({"bootstrap.servers": self.bootstrap_servers, "log_level": 0})


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
