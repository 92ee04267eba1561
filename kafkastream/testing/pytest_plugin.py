"""Fixtures for pytest: a broker per session, a topic per test.

With ``KAFKASTREAM_TEST_BOOTSTRAP_SERVERS`` set, the tests use that broker instead of an embedded one.
Where no broker can be started, for want of Java or of the jars, tests that need one are skipped; they fail when ``CI``
is set.
"""

from __future__ import annotations

import os
import re
import uuid
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, NoReturn, Protocol

import pytest

from kafkastream.errors import JarsUnavailableError, JavaNotFoundError

if TYPE_CHECKING:
    from kafkastream.testing.broker import EmbeddedKafka
    from kafkastream.testing.topics import KafkaBroker

__all__ = ["NewTopic", "kafka", "new_topic", "secured_kafka", "topic"]


class NewTopic(Protocol):
    """Creates a topic with a name of its own; returns the name."""

    def __call__(self, partitions: int = 1, config: Mapping[str, str] | None = None) -> str:
        """Create it and wait until it can be used."""
        ...


@pytest.fixture(scope="session")
def kafka() -> Iterator[KafkaBroker]:
    """A Kafka broker, the same for all tests of the session."""
    from kafkastream.testing.broker import EmbeddedKafka
    from kafkastream.testing.topics import KafkaBroker

    if servers := os.environ.get("KAFKASTREAM_TEST_BOOTSTRAP_SERVERS"):
        yield KafkaBroker(servers)
        return
    with _started(EmbeddedKafka()) as broker:
        yield broker


@pytest.fixture(scope="session")
def secured_kafka() -> Iterator[EmbeddedKafka]:
    """A Kafka broker with secured listeners, the same for all tests of the session: ``secured_kafka.listener(…)``."""
    from kafkastream.testing.broker import EmbeddedKafka
    from kafkastream.testing.security import Security

    with _started(EmbeddedKafka(security=Security())) as broker:
        yield broker


@pytest.fixture
def new_topic(kafka: KafkaBroker, request: pytest.FixtureRequest) -> Iterator[NewTopic]:
    """A function that creates a topic for this test: ``new_topic(partitions=4)``; they go with the test."""
    names: list[str] = []

    def create(partitions: int = 1, config: Mapping[str, str] | None = None) -> str:
        name = _topic_name(request.node.name)
        kafka.create_topic(name, partitions, config)
        names.append(name)
        return name

    yield create
    for name in names:
        kafka.delete_topic(name)


@pytest.fixture
def topic(new_topic: NewTopic) -> str:
    """The name of a fresh topic with one partition."""
    return new_topic()


def _started(broker: EmbeddedKafka) -> EmbeddedKafka:
    try:
        return broker.start()
    except (JavaNotFoundError, JarsUnavailableError) as error:
        _no_broker(error)


def _topic_name(test: str) -> str:
    return f"{re.sub('[^A-Za-z0-9_-]+', '-', test)[:200]}-{uuid.uuid4().hex[:8]}"


def _no_broker(error: JavaNotFoundError | JarsUnavailableError) -> NoReturn:
    if os.environ.get("CI"):
        pytest.fail(f"no Kafka broker for the tests: {error}", pytrace=False)
    pytest.skip(f"no Kafka broker for the tests: {error}")
