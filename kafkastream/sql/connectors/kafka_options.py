"""Options of the connectors ``kafka`` and ``upsert-kafka``."""

from __future__ import annotations

import enum
from typing import Any, Final, NamedTuple, final

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
    "BOUNDED",
    "BOUNDED_MODE",
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
    "STARTUP",
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
    "ScanEnd",
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
    """Treatment of the key's fields in the value."""

    ALL = "ALL"
    EXCEPT_KEY = "EXCEPT_KEY"


@final
class ScanEnd(NamedTuple):
    """Options of the position where a source starts, or stops.

    Attributes:
        name: Word for the position in errors.
        mode: Option with the kind of the position.
        offsets: Option with offsets, for a position of that kind.
        timestamp: Option with a time, for a position of that kind.
    """

    name: str
    mode: Option[Any]
    offsets: Option[str | None]
    timestamp: Option[int | None]

    @property
    def options(self) -> tuple[Option[Any], ...]:
        """All the options."""
        return (self.mode, self.offsets, self.timestamp)


TOPIC: Final = Option[tuple[str, ...]](
    key="topic",
    parse=list_of(text),
    default=(),
    doc=(
        "Topics, separated by `;`. A sink with several topics needs a column `topic STRING METADATA`, "
        "which has the topic of each row."
    ),
)
TOPIC_PATTERN: Final = Option[str | None](
    key="topic-pattern",
    parse=text,
    default=None,
    doc="Java regular expression for the whole names of the topics to read; alternative to `topic`.",
)
PROPERTIES: Final = OptionFamily(
    prefix="properties.",
    doc=(
        "Properties of Kafka's clients, by their Java names after `properties.`. `key.deserializer`, "
        "`value.deserializer`, `key.serializer` and `value.serializer` have no effect, since the formats "
        "do their work."
    ),
)
BOOTSTRAP_SERVERS: Final = Option[str | None](
    key="properties.bootstrap.servers",
    parse=text,
    default=None,
    doc="Bootstrap brokers: `host:port`, separated by `,`.",
)
GROUP_ID: Final = Option[str | None](
    key="properties.group.id",
    parse=text,
    default=None,
    doc="Consumer group of a source; by default, `KafkaSource-<catalog>.<database>.<table>`.",
)
FORMAT: Final = Option[str | None](
    key="format",
    parse=text,
    default=None,
    doc="Format of values; this or `value.format` is required.",
)
VALUE_FORMAT: Final = Option[str | None](
    key="value.format",
    parse=text,
    default=None,
    doc="Format of values; takes precedence over `format`.",
)
KEY_FORMAT: Final = Option[str | None](
    key="key.format",
    parse=text,
    default=None,
    doc="Format of keys; requires `key.fields`. By default, keys are not read, and written as null.",
)
KEY_FIELDS: Final = Option[tuple[str, ...]](
    key="key.fields",
    parse=list_of(text),
    default=(),
    doc="Columns of the key, in order, separated by `;`.",
)
KEY_FIELDS_PREFIX: Final = Option[str](
    key="key.fields-prefix",
    parse=text,
    default="",
    doc=(
        "Prefix of the key's columns, which the fields of the key itself do not have. Requires "
        "`value.fields-include` to be `EXCEPT_KEY`."
    ),
)
VALUE_FIELDS_INCLUDE: Final = Option[FieldsInclude](
    key="value.fields-include",
    parse=enum_member(FieldsInclude),
    default=FieldsInclude.ALL,
    doc="Columns of the value: `ALL`, or all but the key's, `EXCEPT_KEY`.",
)
VALUE_FIELDS_PREFIX: Final = Option[str](
    key="value.fields-prefix",
    parse=text,
    default="",
    doc=(
        "Prefix of the value's columns, which the fields of the value itself do not have. From Alibaba "
        "Cloud; Flink lacks it."
    ),
)
STARTUP_MODE: Final = Option[StartupMode](
    key="scan.startup.mode",
    parse=enum_member(StartupMode),
    default=StartupMode.GROUP_OFFSETS,
    doc=(
        "Starting position without a checkpoint: `earliest-offset`, `latest-offset`, `group-offsets`, "
        "`timestamp` or `specific-offsets`. With `group-offsets`, a partition without a committed offset "
        "starts according to `properties.auto.offset.reset`; without that property the job fails."
    ),
)
STARTUP_OFFSETS: Final = Option[str | None](
    key="scan.startup.specific-offsets",
    parse=text,
    default=None,
    doc="Starting offsets with `specific-offsets`: `partition:0,offset:42;partition:1,offset:300`.",
)
STARTUP_TIMESTAMP: Final = Option[int | None](
    key="scan.startup.timestamp-millis",
    parse=integer,
    default=None,
    doc="Starting time with `timestamp`, in ms since 1970-01-01 UTC.",
)
BOUNDED_MODE: Final = Option[BoundedMode](
    key="scan.bounded.mode",
    parse=enum_member(BoundedMode),
    default=BoundedMode.UNBOUNDED,
    doc=("End of the source: `unbounded`, `latest-offset`, `group-offsets`, `timestamp` or `specific-offsets`."),
)
BOUNDED_OFFSETS: Final = Option[str | None](
    key="scan.bounded.specific-offsets",
    parse=text,
    default=None,
    doc=("Stopping offsets with `specific-offsets`: `partition:0,offset:42`; the record at the offset is not read."),
)
BOUNDED_TIMESTAMP: Final = Option[int | None](
    key="scan.bounded.timestamp-millis",
    parse=integer,
    default=None,
    doc="Stopping time with `timestamp`, in ms since 1970-01-01 UTC.",
)
STARTUP: Final = ScanEnd("startup", STARTUP_MODE, STARTUP_OFFSETS, STARTUP_TIMESTAMP)
BOUNDED: Final = ScanEnd("bounded", BOUNDED_MODE, BOUNDED_OFFSETS, BOUNDED_TIMESTAMP)
DISCOVERY_INTERVAL: Final = Option[int](
    key="scan.topic-partition-discovery.interval",
    parse=millis_or_never,
    default=300_000,
    doc=(
        "Interval of looking for new topics and partitions in Flink; 0 or less for never. Here, any "
        "other value means with every micro-batch."
    ),
)
HEADER_FILTER: Final = Option[HeaderFilter | None](
    key="scan.header-filter",
    parse=header_filter,
    default=None,
    doc=(
        "Condition on headers by which records are read: `key:value`, negated with `!`, joined with `&` "
        "and `|`, from left to right. From Alibaba Cloud; Flink lacks it."
    ),
)
CHECK_DUPLICATED_GROUP: Final = Option[bool](
    key="scan.check.duplicated.group.id",
    parse=boolean,
    default=False,
    doc="Whether the job fails if its consumer group already has members. From Alibaba Cloud; Flink lacks it.",
)
PARTITIONER: Final = Option[str](
    key="sink.partitioner",
    parse=text,
    default="default",
    doc=(
        "Choice of the partition: `default` and `round-robin` (Kafka's own partitioner), `fixed` (one "
        "partition per subtask), or `module:name`, a `KafkaPartitioner` in Python where Flink takes a "
        "Java class."
    ),
)
DELIVERY_GUARANTEE: Final = Option[DeliveryGuarantee](
    key="sink.delivery-guarantee",
    parse=enum_member(DeliveryGuarantee),
    default=DeliveryGuarantee.AT_LEAST_ONCE,
    doc="Delivery guarantee of the sink: `none`, `at-least-once` or `exactly-once`.",
)
SEMANTIC: Final = Option[DeliveryGuarantee | None](
    key="sink.semantic",
    parse=enum_member(DeliveryGuarantee),
    default=None,
    doc="Older name of `sink.delivery-guarantee`; takes precedence over it.",
)
TRANSACTIONAL_ID_PREFIX: Final = Option[str | None](
    key="sink.transactional-id-prefix",
    parse=text,
    default=None,
    doc="Prefix of the names of the sink's transactions, unique per sink; required for `exactly-once`.",
)
TRANSACTION_NAMING_STRATEGY: Final = Option[TransactionNamingStrategy](
    key="sink.transaction-naming-strategy",
    parse=enum_member(TransactionNamingStrategy),
    default=TransactionNamingStrategy.INCREMENTING,
    doc="Numbering of transactions in Flink: `incrementing` or `pooling`. No effect.",
)
BUFFER_FLUSH_MAX_ROWS: Final = Option[int](
    key="sink.buffer-flush.max-rows",
    parse=integer,
    default=0,
    doc=(
        "Number of changes that Flink buffers, to write only the last of each key; requires the "
        "interval, too. No effect: changes become visible when their micro-batch ends."
    ),
)
BUFFER_FLUSH_INTERVAL: Final = Option[int](
    key="sink.buffer-flush.interval",
    parse=millis_of_duration,
    default=0,
    doc=(
        "Time for which Flink buffers changes, in ms unless it has a unit; requires the number of rows, "
        "too. No effect: changes become visible when their micro-batch ends."
    ),
)
