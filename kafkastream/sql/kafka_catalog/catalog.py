"""A cluster's topics as the tables of a catalog."""

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
    """The topics of a cluster."""

    def names(self) -> Collection[str]:
        """Their names.

        Raises:
            KafkaError: The brokers do not answer, or refuse.
        """
        ...

    def sample(self, topic: str, most: int) -> TopicSample:
        """Sample of a topic's newest messages.

        Args:
            topic: Its name.
            most: How many.

        Raises:
            KafkaError: The brokers do not answer, or refuse.
        """
        ...


@final
class KafkaJsonCatalog:
    """A catalog with a table for each topic: the brokers are first asked when a table is asked for.

    What was inferred of a topic stays so, as long as the catalog lives.

    Args:
        statement: What creates it.
        connect: Gives the topics behind the properties of a consumer.

    Raises:
        DefinitionError: Options are missing, unknown, or contradict each other.
        UnsupportedFeatureError: It is a catalog of another kind, or of messages in another format.
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
        """The name of its one database."""
        return self._settings.default_database

    def names(self) -> tuple[str, ...]:
        """The names of its tables, which are all topics but Kafka's own.

        Raises:
            KafkaError: The brokers do not answer, or refuse.
        """
        return tuple(self._topics.names())

    def find(self, name: str) -> TableDefinition | None:
        """A table; None if there is no such topic.

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
        # As they are written, so that a table shows no secret that they refer to.
        properties = {key: value for key, value in self.statement.options.items() if key.startswith(PROPERTIES.prefix)}
        name = (self.statement.name[-1], self.database, topic)
        return inferred_table(name, sample, self._settings, FrozenMap(properties))

    @property
    def _topics(self) -> Topics:
        if self._connected is None:
            self._connected = self._connect(self._properties)
        return self._connected
