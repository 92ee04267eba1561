"""pytest fixtures: a broker and a PostgreSQL server per session, a topic and a database per test.

With ``KAFKASTREAM_TEST_BOOTSTRAP_SERVERS`` set, tests use that broker instead of an embedded one.
If no broker can be started, since Java or the jars are missing, or no PostgreSQL, since its package is not installed,
tests that need one are skipped; with ``CI`` set they fail instead.
"""

from __future__ import annotations

import os
import re
import uuid
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, NoReturn, Protocol

import pytest

from kafkastream.errors import JarsUnavailableError, JavaNotFoundError, SetupError

if TYPE_CHECKING:
    from kafkastream.testing.broker import EmbeddedKafka
    from kafkastream.testing.postgres import EmbeddedPostgres, PostgresDatabase
    from kafkastream.testing.topics import KafkaBroker

__all__ = ["NewTopic", "kafka", "new_topic", "postgres", "postgres_database", "secured_kafka", "topic"]


class NewTopic(Protocol):
    """Function that creates a topic with a unique name, and returns the name."""

    def __call__(self, partitions: int = 1, config: Mapping[str, str] | None = None) -> str:
        """Create a topic and wait until it can be used.

        Args:
            partitions: Number of partitions.
            config: Topic settings, such as ``cleanup.policy``.
        """
        ...


@pytest.fixture(scope="session")
def kafka() -> Iterator[KafkaBroker]:
    """Kafka broker, shared by all tests of the session."""
    from kafkastream.testing.broker import EmbeddedKafka
    from kafkastream.testing.topics import KafkaBroker

    if servers := os.environ.get("KAFKASTREAM_TEST_BOOTSTRAP_SERVERS"):
        yield KafkaBroker(servers)
        return
    with _started(EmbeddedKafka()) as broker:
        yield broker


@pytest.fixture(scope="session")
def secured_kafka() -> Iterator[EmbeddedKafka]:
    """Kafka broker with secured listeners, shared by all tests of the session: ``secured_kafka.listener(…)``."""
    from kafkastream.testing.broker import EmbeddedKafka
    from kafkastream.testing.security import Security

    with _started(EmbeddedKafka(security=Security())) as broker:
        yield broker


@pytest.fixture
def new_topic(kafka: KafkaBroker, request: pytest.FixtureRequest) -> Iterator[NewTopic]:
    """Function that creates topics, ``new_topic(partitions=4)``, which are deleted after the test."""
    names: list[str] = []

    def create(partitions: int = 1, config: Mapping[str, str] | None = None) -> str:
        name = _own_name(request.node.name)
        kafka.create_topic(name, partitions, config)
        names.append(name)
        return name

    yield create
    for name in names:
        kafka.delete_topic(name)


@pytest.fixture
def topic(new_topic: NewTopic) -> str:
    """Name of a new topic with one partition."""
    return new_topic()


@pytest.fixture(scope="session")
def postgres() -> Iterator[EmbeddedPostgres]:
    """PostgreSQL server, shared by all tests of the session."""
    from kafkastream.testing.postgres import EmbeddedPostgres, find_program

    try:
        find_program()
    except SetupError as error:
        _not_there("PostgreSQL", error)
    with EmbeddedPostgres() as server:
        yield server


@pytest.fixture
def postgres_database(postgres: EmbeddedPostgres, request: pytest.FixtureRequest) -> PostgresDatabase:
    """Empty database for this test."""
    return postgres.create_database(_own_name(request.node.name)[-63:])


def _started(broker: EmbeddedKafka) -> EmbeddedKafka:
    try:
        return broker.start()
    except (JavaNotFoundError, JarsUnavailableError) as error:
        _not_there("Kafka broker", error)


def _own_name(test: str) -> str:
    return f"{re.sub('[^A-Za-z0-9_-]+', '-', test)[:200]}-{uuid.uuid4().hex[:8]}"


def _not_there(what: str, error: SetupError) -> NoReturn:
    if os.environ.get("CI"):
        pytest.fail(f"no {what} for the tests: {error}", pytrace=False)
    pytest.skip(f"no {what} for the tests: {error}")
