"""Test kit: an embedded Kafka broker, topics and records, an embedded PostgreSQL, and pytest fixtures.

::

    from kafkastream.testing import EmbeddedKafka, Record

    with EmbeddedKafka() as kafka:
        kafka.create_topic("orders", partitions=2)
        kafka.produce("orders", [Record("an order", key="ann", headers=[("from", "shop")]), Record(None, key="ann")])
        first, tombstone = kafka.consume("orders")
        assert (first.value, tombstone.value) == (b"an order", None)

The pytest fixtures ``kafka``, ``topic``, ``new_topic``, ``postgres`` and ``postgres_database`` are available once
kafkastream is installed.
"""

from __future__ import annotations

from kafkastream.testing.broker import EmbeddedKafka
from kafkastream.testing.certificates import Certificates
from kafkastream.testing.postgres import EmbeddedPostgres, PostgresDatabase
from kafkastream.testing.records import ConsumedRecord, Record
from kafkastream.testing.security import Security
from kafkastream.testing.topics import KafkaBroker
from kafkastream.testing.waiting import wait_until

__all__ = [
    "Certificates",
    "ConsumedRecord",
    "EmbeddedKafka",
    "EmbeddedPostgres",
    "KafkaBroker",
    "PostgresDatabase",
    "Record",
    "Security",
    "wait_until",
]
