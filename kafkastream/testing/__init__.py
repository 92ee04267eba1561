"""Test kit: a driver that runs jobs in the test's process, an embedded Kafka broker and PostgreSQL, and pytest fixtures.

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

from typing import TYPE_CHECKING

from kafkastream.testing.broker import EmbeddedKafka
from kafkastream.testing.certificates import Certificates
from kafkastream.testing.postgres import EmbeddedPostgres, PostgresDatabase
from kafkastream.testing.records import ConsumedRecord, Record
from kafkastream.testing.security import Security
from kafkastream.testing.topics import KafkaBroker
from kafkastream.testing.waiting import wait_until

if TYPE_CHECKING:
    from kafkastream.testing.driver import (
        DrivenSource,
        JobSnapshot,
        JobTestDriver,
        OperatorState,
        StreamHarness,
        WaitingTimer,
        WrittenRecord,
    )

__all__ = [
    "Certificates",
    "ConsumedRecord",
    "DrivenSource",
    "EmbeddedKafka",
    "EmbeddedPostgres",
    "JobSnapshot",
    "JobTestDriver",
    "KafkaBroker",
    "OperatorState",
    "PostgresDatabase",
    "Record",
    "Security",
    "StreamHarness",
    "WaitingTimer",
    "WrittenRecord",
    "wait_until",
]


def __getattr__(name: str) -> object:
    """Return a name of the test driver, which is imported at its first use: the pytest plugin is loaded in every session."""
    if name in __all__:
        from kafkastream.testing import driver

        return getattr(driver, name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
