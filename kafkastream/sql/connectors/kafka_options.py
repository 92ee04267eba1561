"""The options of Kafka tables, each declared once."""

from __future__ import annotations

import enum
from typing import Final

from kafkastream.model.connectors.kafka_sink import DeliveryGuarantee, TransactionNamingStrategy
from kafkastream.options.option import Option, OptionFamily
from kafkastream.options.parsers import (
    boolean,
    enum_member,
    integer,
    list_of,
    millis_of_duration,
    millis_or_never,
    text,
)
from kafkastream.sql.connectors.header_filter import HeaderFilter, header_filter

__all__ = [
    "BOOTSTRAP_SERVERS",
    "BOUNDED_MODE",
    "BOUNDED_OFFSETS",
    "BOUNDED_TIMESTAMP",
    "BUFFER_FLUSH_INTERVAL",
    "BUFFER_FLUSH_MAX_ROWS",
    "CHECK_DUPLICATED_GROUP",
    "DELIVERY_GUARANTEE",
    "DISCOVERY_INTERVAL",
    "FORMAT",
    "GROUP_ID",
    "HEADER_FILTER",
    "KEY_FIELDS",
    "KEY_FIELDS_PREFIX",
    "KEY_FORMAT",
    "PARTITIONER",
    "PROPERTIES",
    "SEMANTIC",
    "STARTUP_MODE",
    "STARTUP_OFFSETS",
    "STARTUP_TIMESTAMP",
    "TOPIC",
    "TOPIC_PATTERN",
    "TRANSACTIONAL_ID_PREFIX",
    "TRANSACTION_NAMING_STRATEGY",
    "VALUE_FIELDS_INCLUDE",
    "VALUE_FIELDS_PREFIX",
    "VALUE_FORMAT",
    "BoundedMode",
    "FieldsInclude",
    "StartupMode",
]


class StartupMode(enum.Enum):
    """Starting position of a table without a checkpoint."""

    EARLIEST_OFFSET = "earliest-offset"
    LATEST_OFFSET = "latest-offset"
    GROUP_OFFSETS = "group-offsets"
    TIMESTAMP = "timestamp"
    SPECIFIC_OFFSETS = "specific-offsets"


class BoundedMode(enum.Enum):
    """End of a bounded table."""

    UNBOUNDED = "unbounded"
    LATEST_OFFSET = "latest-offset"
    GROUP_OFFSETS = "group-offsets"
    TIMESTAMP = "timestamp"
    SPECIFIC_OFFSETS = "specific-offsets"


class FieldsInclude(enum.Enum):
    """Whether the fields of the key are also in the value."""

    ALL = "ALL"
    EXCEPT_KEY = "EXCEPT_KEY"


TOPIC: Final = Option[tuple[str, ...]](
    key="topic",
    parse=list_of(text),
    default=(),
    doc=(
        "The topics, separated by `;`. A sink has one, or several and a column `topic STRING METADATA` "
        "that says where each row goes."
    ),
)
TOPIC_PATTERN: Final = Option[str | None](
    key="topic-pattern",
    parse=text,
    default=None,
    doc="In place of `topic`: a Java regular expression for the whole names of the topics to read.",
)
PROPERTIES: Final = OptionFamily(
    prefix="properties.",
    doc=(
        "Properties of Kafka's clients by their Java names, with `properties.` before them. No effect have "
        "`key.deserializer`, `value.deserializer`, `key.serializer`, `value.serializer`: the formats do that."
    ),
)
BOOTSTRAP_SERVERS: Final = Option[str | None](
    key="properties.bootstrap.servers",
    parse=text,
    default=None,
    doc="The brokers to ask first: `host:port`, separated by `,`.",
)
GROUP_ID: Final = Option[str | None](
    key="properties.group.id",
    parse=text,
    default=None,
    doc="The consumer group of a source; `KafkaSource-<catalog>.<database>.<table>` if not set.",
)
FORMAT: Final = Option[str | None](
    key="format",
    parse=text,
    default=None,
    doc="The format of values; this or `value.format` must be set.",
)
VALUE_FORMAT: Final = Option[str | None](
    key="value.format",
    parse=text,
    default=None,
    doc="The format of values; when `format` says something else, this counts.",
)
KEY_FORMAT: Final = Option[str | None](
    key="key.format",
    parse=text,
    default=None,
    doc="The format of keys, which needs `key.fields`; without, keys are not read, and written as null.",
)
KEY_FIELDS: Final = Option[tuple[str, ...]](
    key="key.fields",
    parse=list_of(text),
    default=(),
    doc="The columns that are the key, in its order, separated by `;`.",
)
KEY_FIELDS_PREFIX: Final = Option[str](
    key="key.fields-prefix",
    parse=text,
    default="",
    doc="How the names of the key's columns begin; left out within the key. Needs `EXCEPT_KEY`.",
)
VALUE_FIELDS_INCLUDE: Final = Option[FieldsInclude](
    key="value.fields-include",
    parse=enum_member(FieldsInclude),
    default=FieldsInclude.ALL,
    doc="Which columns are in the value: `ALL`, or all `EXCEPT_KEY`.",
)
VALUE_FIELDS_PREFIX: Final = Option[str](
    key="value.fields-prefix",
    parse=text,
    default="",
    doc="How the names of the value's columns begin; left out within the value. Alibaba Cloud's, Flink lacks it.",
)
STARTUP_MODE: Final = Option[StartupMode](
    key="scan.startup.mode",
    parse=enum_member(StartupMode),
    default=StartupMode.GROUP_OFFSETS,
    doc=(
        "Where to begin without a checkpoint: `earliest-offset`, `latest-offset`, `group-offsets` (a partition "
        "without: as `properties.auto.offset.reset` says, else the job fails), `timestamp` or `specific-offsets`."
    ),
)
STARTUP_OFFSETS: Final = Option[str | None](
    key="scan.startup.specific-offsets",
    parse=text,
    default=None,
    doc="Where to begin with `specific-offsets`: `partition:0,offset:42;partition:1,offset:300`.",
)
STARTUP_TIMESTAMP: Final = Option[int | None](
    key="scan.startup.timestamp-millis",
    parse=integer,
    default=None,
    doc="When to begin with `timestamp`: ms since 1970-01-01 UTC.",
)
BOUNDED_MODE: Final = Option[BoundedMode](
    key="scan.bounded.mode",
    parse=enum_member(BoundedMode),
    default=BoundedMode.UNBOUNDED,
    doc="Where to end: `unbounded`, `latest-offset`, `group-offsets`, `timestamp` or `specific-offsets`.",
)
BOUNDED_OFFSETS: Final = Option[str | None](
    key="scan.bounded.specific-offsets",
    parse=text,
    default=None,
    doc="Where to end with `specific-offsets`: `partition:0,offset:42`, which is not read itself.",
)
BOUNDED_TIMESTAMP: Final = Option[int | None](
    key="scan.bounded.timestamp-millis",
    parse=integer,
    default=None,
    doc="When to end with `timestamp`: ms since 1970-01-01 UTC.",
)
DISCOVERY_INTERVAL: Final = Option[int](
    key="scan.topic-partition-discovery.interval",
    parse=millis_or_never,
    default=300_000,
    doc="How often to look for new topics and partitions; 0 or less for never. Here it is done with every micro-batch.",
)
HEADER_FILTER: Final = Option[HeaderFilter | None](
    key="scan.header-filter",
    parse=header_filter,
    default=None,
    doc=(
        "Only records with these headers: `key:value`, `!` before it for not, `&` and `|` between, from left to right. "
        "Alibaba Cloud's, Flink lacks it."
    ),
)
CHECK_DUPLICATED_GROUP: Final = Option[bool](
    key="scan.check.duplicated.group.id",
    parse=boolean,
    default=False,
    doc="Whether the job fails when its group has members already. Alibaba Cloud's, Flink lacks it.",
)
PARTITIONER: Final = Option[str](
    key="sink.partitioner",
    parse=text,
    default="default",
    doc=(
        "Who chooses partitions: `default` and `round-robin` (Kafka's own partitioner), `fixed` (each subtask has its "
        "partition), or `module:name`, a `KafkaPartitioner` in Python where Flink has a Java class."
    ),
)
DELIVERY_GUARANTEE: Final = Option[DeliveryGuarantee](
    key="sink.delivery-guarantee",
    parse=enum_member(DeliveryGuarantee),
    default=DeliveryGuarantee.AT_LEAST_ONCE,
    doc="What the sink promises when something fails: `none`, `at-least-once` or `exactly-once`.",
)
SEMANTIC: Final = Option[DeliveryGuarantee | None](
    key="sink.semantic",
    parse=enum_member(DeliveryGuarantee),
    default=None,
    doc="The older name of `sink.delivery-guarantee`; it counts when both are set.",
)
TRANSACTIONAL_ID_PREFIX: Final = Option[str | None](
    key="sink.transactional-id-prefix",
    parse=text,
    default=None,
    doc="How the sink's transactions are named; needed for `exactly-once`, unique per sink.",
)
TRANSACTION_NAMING_STRATEGY: Final = Option[TransactionNamingStrategy](
    key="sink.transaction-naming-strategy",
    parse=enum_member(TransactionNamingStrategy),
    default=TransactionNamingStrategy.INCREMENTING,
    doc="How Flink numbers transactions: `incrementing` or `pooling`. No effect here.",
)
BUFFER_FLUSH_MAX_ROWS: Final = Option[int](
    key="sink.buffer-flush.max-rows",
    parse=integer,
    default=0,
    doc="How many changes are held back, of which only the last of each key is written; needs the interval, too.",
)
BUFFER_FLUSH_INTERVAL: Final = Option[int](
    key="sink.buffer-flush.interval",
    parse=millis_of_duration,
    default=0,
    doc="How long changes are held back, in ms unless it has a unit; needs the number of rows, too.",
)
