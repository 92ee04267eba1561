"""Sink ``kafka``: changes of tables as Kafka messages."""

from __future__ import annotations

import enum
import re
from collections.abc import Mapping
from typing import Any, ClassVar, Final, final

import attrs

from kafkastream.cdc.patterns import TablePattern
from kafkastream.cdc.spec.section import TYPE, SectionOptions, SectionType
from kafkastream.cdc.spec.sink import PipelineSink
from kafkastream.cdc.tables import TableId
from kafkastream.errors import DefinitionError
from kafkastream.model.common.immutable import FrozenMap
from kafkastream.model.connectors.kafka_sink import KafkaSink, KafkaSinkBuilder
from kafkastream.model.connectors.record_serialization import MessagesAsEncoded, ProducerRecord
from kafkastream.model.connectors.subscription import INTERNAL_TOPICS
from kafkastream.options.option import Option
from kafkastream.options.parsers import boolean, enum_member, map_of, text
from kafkastream.sql.connectors import kafka_options
from kafkastream.sql.connectors.kafka_tables import sink_spec
from kafkastream.sql.option_group import OptionGroup
from kafkastream.sql.settings import options_of, read_settings, setting

__all__ = [
    "KAFKA_SINK",
    "KafkaPipelineSink",
    "KeyFormat",
    "MessageFormat",
    "PartitionStrategy",
    "TopicMapping",
]


_LONGEST_TOPIC: Final = 249
_TOPIC: Final = re.compile(rf"[a-zA-Z0-9._-]{{1,{_LONGEST_TOPIC}}}")


class MessageFormat(enum.Enum):
    """Format of a change as a message."""

    DEBEZIUM_JSON = "debezium-json"
    CANAL_JSON = "canal-json"


class KeyFormat(enum.Enum):
    """Format of a primary key as the key of a message."""

    JSON = "json"
    CSV = "csv"


class PartitionStrategy(enum.Enum):
    """Choice of a message's partition."""

    ALL_TO_ZERO = "all-to-zero"
    HASH_BY_KEY = "hash-by-key"


@final
@attrs.frozen
class TopicMapping:
    """Topics by patterns of tables: ``sink.tableId-to-topic.mapping``.

    Args:
        rules: Patterns and topics, in order; the first pattern that selects a table counts.

    Example:
        >>> mapping = TopicMapping.parse("db.t1,db.t2:topic1;db.t3:topic2")
        >>> mapping.topic(TableId.parse("db.t2")), mapping.topic(TableId.parse("db.t4"))
        ('topic1', None)
    """

    rules: tuple[tuple[TablePattern, str], ...] = ()

    def __len__(self) -> int:
        return len(self.rules)

    @staticmethod
    def parse(text: str) -> TopicMapping:
        """Parse a text such as ``db.t1,db.t2:topic1;db.t3:topic2``.

        Raises:
            ValueError: The text has another form.
        """
        return TopicMapping(tuple(_rule(part.strip()) for part in text.split(";") if part.strip()))

    def topic(self, table: TableId) -> str | None:
        """Return the topic of a table, or None if no pattern selects it."""
        return next((topic for pattern, topic in self.rules if pattern.selects(table)), None)


def _rule(text: str) -> tuple[TablePattern, str]:
    tables, colon, topic = (part.strip() for part in text.rpartition(":"))
    if not colon or not tables or not topic:
        raise ValueError(f"expected tables:topic, separated by ';', not {text!r}")
    return TablePattern(tables), topic


SINK_TOPIC: Final = Option[str | None](
    key=kafka_options.TOPIC.key,
    parse=text,
    default=None,
    doc="Topic of all tables; by default, each table has the topic of the mapping, or one named after it: `db.table`.",
)
MESSAGE_FORMAT: Final = Option[MessageFormat](
    key=kafka_options.VALUE_FORMAT.key,
    parse=enum_member(MessageFormat),
    default=MessageFormat.DEBEZIUM_JSON,
    doc="Format of the messages: `debezium-json` or `canal-json`.",
)
KEY_FORMAT: Final = Option[KeyFormat](
    key=kafka_options.KEY_FORMAT.key,
    parse=enum_member(KeyFormat),
    default=KeyFormat.JSON,
    doc="Format of the keys, which hold the primary key: `json` or `csv`.",
)
PARTITION_STRATEGY: Final = Option[PartitionStrategy](
    key="partition.strategy",
    parse=enum_member(PartitionStrategy),
    default=PartitionStrategy.ALL_TO_ZERO,
    doc="`all-to-zero`: all messages are written to partition 0. `hash-by-key`: messages with equal primary keys "
    "are written to one partition.",
)
TOPIC_MAPPING: Final = Option[TopicMapping](
    key="sink.tableId-to-topic.mapping",
    parse=TopicMapping.parse,
    default=TopicMapping(),
    doc="Topics of tables: `db.t1,db.t2:topic1;db.t3:topic2`. Unlike with a route, messages keep the names of their "
    "tables.",
)
INCLUDE_SCHEMA: Final = Option[bool](
    key="debezium-json.include-schema.enabled",
    parse=boolean,
    default=False,
    doc='Whether Debezium messages include their schema: `{"schema": …, "payload": …}`.',
)
TABLE_HEADERS: Final = Option[bool](
    key="sink.add-tableId-to-header-enabled",
    parse=boolean,
    default=False,
    doc="Whether messages have the headers `namespace`, `schemaName` and `tableName`.",
)
CUSTOM_HEADERS: Final = Option[Mapping[str, str]](
    key="sink.custom-header",
    parse=lambda value: FrozenMap(map_of(value)),
    default=FrozenMap(),
    doc="Headers of all messages: `key1:value1,key2:value2`.",
)


@final
@attrs.frozen(kw_only=True)
class KafkaPipelineSink(PipelineSink):
    """Sink that writes the changes of tables to topics.

    Args:
        sink: Servers, properties and delivery guarantee of a DataStream ``KafkaSink``.

    The other fields are options, with the same names in a document.

    Raises:
        DefinitionError: Fields contradict each other.
    """

    engine_module: ClassVar[str] = "kafkastream.spark.cdc.appliers"
    sink: KafkaSink[ProducerRecord]
    topic: str | None = setting(SINK_TOPIC)
    message_format: MessageFormat = setting(MESSAGE_FORMAT)
    key_format: KeyFormat = setting(KEY_FORMAT)
    partition_strategy: PartitionStrategy = setting(PARTITION_STRATEGY)
    topic_mapping: TopicMapping = setting(TOPIC_MAPPING)
    includes_schema: bool = setting(INCLUDE_SCHEMA)
    adds_table_headers: bool = setting(TABLE_HEADERS)
    custom_headers: Mapping[str, str] = setting(CUSTOM_HEADERS)

    def __attrs_post_init__(self) -> None:
        if self.includes_schema and self.message_format is not MessageFormat.DEBEZIUM_JSON:
            raise DefinitionError(
                f"'{INCLUDE_SCHEMA.key}' is for '{MESSAGE_FORMAT.key}: {MessageFormat.DEBEZIUM_JSON.value}' only",
                where="Kafka sink of a pipeline",
            )

    @staticmethod
    def of(builder: KafkaSinkBuilder[Any], *, topic: str | None = None, **options: Any) -> KafkaPipelineSink:
        """Create a sink from a builder without a serializer.

        Args:
            builder: Servers, properties and delivery guarantee.
            topic: Topic of all tables; None if each has its own.
            options: Other fields of the class.

        Raises:
            DefinitionError: A setting is missing, or settings contradict each other.

        Example:
            >>> brokers = KafkaSink.builder().set_bootstrap_servers("localhost:9092")
            >>> KafkaPipelineSink.of(brokers, topic_mapping=TopicMapping.parse("db.t1:a")).topic_of(
            ...     TableId.parse("db.t1")
            ... )
            'a'
        """
        sink = builder.set_record_serializer(MessagesAsEncoded(topic)).build()
        return KafkaPipelineSink(sink=sink, topic=topic, **options)

    def topic_of(self, table: TableId) -> str:
        """Return the topic of a table, after routes: the single topic, or the mapping's, or the table's name."""
        return self.topic or self.topic_mapping.topic(table) or str(table)

    def table_problem(self, table: TableId) -> str | None:
        """Return why there can be no topic for a table, or none that a job may write to; None if there can."""
        topic = self.topic_of(table)
        if _compared(topic) in INTERNAL_TOPICS:
            return f"the topic {topic!r} is Kafka's own"
        # https://github.com/apache/kafka/blob/trunk/clients/src/main/java/org/apache/kafka/common/internals/Topic.java
        if topic in (".", "..") or not _TOPIC.fullmatch(topic):
            return f"Kafka can have no topic of the name {topic[:_LONGEST_TOPIC]!r}"
        return None

    def conflict(self, table: TableId, other: TableId) -> str | None:
        """Return why a table's topic cannot be beside another one's: the names differ only in dots and underscores."""
        topic, existing = self.topic_of(table), self.topic_of(other)
        if topic != existing and _compared(topic) == _compared(existing):
            return f"Kafka can have no topic {topic!r} beside {existing!r}"
        return None


def _compared(topic: str) -> str:
    """Return a topic's name as brokers compare it with others, since names of metrics have no dots.

    https://github.com/apache/kafka/blob/trunk/clients/src/main/java/org/apache/kafka/common/internals/Topic.java
    """
    return topic.replace(".", "_")


def _read(options: SectionOptions) -> KafkaPipelineSink:
    settings = read_settings(KafkaPipelineSink, options.get)
    sink = sink_spec(options, MessagesAsEncoded(settings["topic"]), options.get(kafka_options.DELIVERY_GUARANTEE))
    with options.reading():
        return KafkaPipelineSink(sink=sink, **settings)


KAFKA_SINK: Final = SectionType(
    OptionGroup(
        "kafka",
        (
            kafka_options.BOOTSTRAP_SERVERS,
            *options_of(KafkaPipelineSink),
            kafka_options.DELIVERY_GUARANTEE,
            kafka_options.TRANSACTIONAL_ID_PREFIX,
            kafka_options.TRANSACTION_NAMING_STRATEGY,
            kafka_options.PROPERTIES,
        ),
        required=(kafka_options.BOOTSTRAP_SERVERS,),
        common=(TYPE,),
    ),
    _read,
    "Topics of Kafka that get the changes.",
)
