"""Catalog with the topics of a cluster as tables."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from typing import Protocol, final

from kafkastream.model.common.immutable import FrozenMap
from kafkastream.model.connectors.topic_sample import TopicSample
from kafkastream.sql.connectors.kafka_options import PROPERTIES
from kafkastream.sql.connectors.kafka_properties import consumer_properties
from kafkastream.sql.kafka_catalog.inference import inferred_table
from kafkastream.sql.kafka_catalog.options import CatalogOptions, catalog_settings
from kafkastream.sql.syntax.statements import CreateCatalog
from kafkastream.sql.table import TableDefinition

__all__ = ["KafkaJsonCatalog", "Topics"]


class Topics(Protocol):
    """Topics of a cluster."""

    def names(self) -> Collection[str]:
        """Return the names of the topics.

        Raises:
            KafkaError: The brokers do not answer, or refuse.
        """
        ...

    def sample(self, topic: str, most: int) -> TopicSample:
        """Read a topic's newest messages.

        Args:
            topic: Name of the topic.
            most: Maximum number of messages.

        Raises:
            KafkaError: The brokers do not answer, or refuse.
        """
        ...


@final
class KafkaJsonCatalog:
    """Catalog with a table for each topic; it connects to the brokers at the first request for a table.

    Inferred tables are cached for the lifetime of the catalog.

    Args:
        statement: Statement that creates it.
        connect: Returns the topics of a cluster, given consumer properties.

    Raises:
        DefinitionError: Options are missing, unknown, or contradict each other.
        UnsupportedFeatureError: The catalog's type or the format of messages is not supported.
    """

    def __init__(self, statement: CreateCatalog, connect: Callable[[Mapping[str, str]], Topics]) -> None:
        options = CatalogOptions.of(statement)
        self.statement = statement
        self._settings = catalog_settings(options)
        self._properties = consumer_properties(options, default_group=None)
        self._connect = connect
        self._connected: Topics | None = None
        self._tables: dict[str, TableDefinition] = {}

    @property
    def database(self) -> str:
        """Return the name of its one database."""
        return self._settings.default_database

    def names(self) -> tuple[str, ...]:
        """Return the names of its tables: all topics but Kafka's internal ones.

        Raises:
            KafkaError: The brokers do not answer, or refuse.
        """
        return tuple(self._topics.names())

    def find(self, name: str) -> TableDefinition | None:
        """Return a table; None if there is no such topic.

        Raises:
            DefinitionError: The topic's newest messages have no columns.
            KafkaError: The brokers do not answer, or refuse.
        """
        if name not in self._tables:
            if name not in self._topics.names():
                return None
            self._tables[name] = self._inferred(name)
        return self._tables[name]

    def _inferred(self, topic: str) -> TableDefinition:
        sample = self._topics.sample(topic, self._settings.max_fetch_records)
        # Unresolved, so that a table does not expose secrets that they refer to.
        properties = {key: value for key, value in self.statement.options.items() if key.startswith(PROPERTIES.prefix)}
        name = (self.statement.name[-1], self.database, topic)
        return inferred_table(name, sample, self._settings, FrozenMap(properties))

    @property
    def _topics(self) -> Topics:
        if self._connected is None:
            self._connected = self._connect(self._properties)
        return self._connected
