"""Deserialization schemas: a Kafka record becomes elements."""

from __future__ import annotations

import enum
from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping
from typing import Any, Final, Generic, TypeVar, cast, final, overload

import attrs

from kafkastream.errors import DefinitionError
from kafkastream.model.common.argument_checks import checked
from kafkastream.model.common.immutable import FrozenMap
from kafkastream.model.common.types import TypeInformation
from kafkastream.model.formats import DeserializationSchema, InitializationContext
from kafkastream.model.formats.json_nodes import json_parser
from kafkastream.model.formats.kafka_deserializers import KafkaDeserializer, kafka_deserializer

__all__ = [
    "ConsumerRecord",
    "Headers",
    "JSONKeyValueDeserializationSchema",
    "KafkaDeserializerSchema",
    "KafkaRecordDeserializationSchema",
    "TimestampType",
    "ValueOnlySchema",
]

OUT = TypeVar("OUT")
T = TypeVar("T")

_VALUE_COLUMNS: Final = ("topic", "partition", "offset", "timestamp", "value")

Headers = tuple[tuple[str, bytes | None], ...]


class TimestampType(enum.Enum):
    """Origin of a record's timestamp."""

    CREATE_TIME = 0
    LOG_APPEND_TIME = 1

    @property
    def label(self) -> str:
        """Name in metadata columns, as Kafka's clients have it: ``CreateTime`` or ``LogAppendTime``."""
        return self.name.title().replace("_", "")


@final
@attrs.frozen(kw_only=True)
class ConsumerRecord:
    """A record as Kafka holds it.

    Differs from Java: fields, not methods; ``leader_epoch`` is always None, since Spark's source does not read it.
    """

    topic: str
    partition: int
    offset: int
    timestamp: int
    timestamp_type: TimestampType = TimestampType.CREATE_TIME
    key: bytes | None = None
    value: bytes | None = None
    headers: Headers = ()
    leader_epoch: None = None


class KafkaRecordDeserializationSchema(ABC, Generic[OUT]):
    """Deserializes whole Kafka records: key, value, headers, position and time.

    Differs from Java: ``deserialize`` yields the elements where Java collects them.

    Example:
        >>> class KeyAndValue(KafkaRecordDeserializationSchema[tuple[bytes | None, bytes | None]]):
        ...     def deserialize(self, record: ConsumerRecord):
        ...         yield record.key, record.value
        >>> list(KeyAndValue().deserialize(ConsumerRecord(topic="t", partition=0, offset=0, timestamp=0, value=b"v")))
        [(None, b'v')]
    """

    @property
    def _columns(self) -> tuple[str, ...]:
        """Columns of Spark's Kafka source that ``deserialize`` needs."""
        return (*_VALUE_COLUMNS, "key", "headers", "timestampType")

    def open(self, context: InitializationContext) -> None:
        """Prepare, once per Python worker and subtask, before the first record: open connections, load schemas.

        Args:
            context: Context of the schema, which holds nothing yet.
        """

    @abstractmethod
    def deserialize(self, record: ConsumerRecord) -> Iterable[OUT]:
        """Yield, or return, any number of elements; an exception fails the job with the record's position.

        Args:
            record: Record with key, value and headers as bytes, position, and timestamp in ms; the value of a tombstone
                is None.
        """

    def get_produced_type(self) -> TypeInformation[OUT] | None:
        """Return the type of the elements; None when it is not known."""
        return None

    @overload
    @staticmethod
    @checked
    def value_only(schema: DeserializationSchema[T]) -> ValueOnlySchema[T]: ...
    @overload
    @staticmethod
    @checked
    def value_only(schema: str, config: Mapping[str, str] | None = None) -> KafkaDeserializerSchema: ...
    @staticmethod
    @checked
    def value_only(
        schema: DeserializationSchema[T] | str, config: Mapping[str, str] | None = None
    ) -> ValueOnlySchema[T] | KafkaDeserializerSchema:
        """Deserialize only the record's value.

        Args:
            schema: Schema of the value, or the name of a deserializer class of Kafka's Java client.
            config: Settings of such a deserializer.

        Raises:
            DefinitionError: It is neither a schema nor a name.
            UnsupportedFeatureError: The class is not available.

        Example:
            >>> KafkaRecordDeserializationSchema.value_only("org.apache.kafka.common.serialization.LongDeserializer")
            KafkaDeserializerSchema(class_name='org.apache.kafka.common.serialization.LongDeserializer', config=FrozenMap({}))
        """
        return KafkaDeserializerSchema(schema, config or {}) if isinstance(schema, str) else ValueOnlySchema(schema)

    valueOnly = value_only


def _is_schema(_: object, __: object, schema: object) -> None:
    if not isinstance(schema, DeserializationSchema):
        raise DefinitionError(
            f"{schema!r} is not a DeserializationSchema",
            where="value-only deserializer",
            now="Pass an instance, such as SimpleStringSchema().",
        )


@final
@attrs.frozen
class ValueOnlySchema(KafkaRecordDeserializationSchema[OUT]):
    """A schema of the record's value; key, headers, position and time are ignored."""

    schema: DeserializationSchema[OUT] = attrs.field(validator=_is_schema)

    @property
    def _columns(self) -> tuple[str, ...]:
        return _VALUE_COLUMNS

    def open(self, context: InitializationContext) -> None:
        """Open the value's schema."""
        self.schema.open(context)

    def deserialize(self, record: ConsumerRecord) -> Iterable[OUT]:
        """Return the element of the record's value; none when the schema returns None."""
        element = self.schema.deserialize(cast("bytes", record.value))  # None for a tombstone, as its docstring says
        return () if element is None else (element,)

    def get_produced_type(self) -> TypeInformation[OUT] | None:
        """Return the type of the value's schema."""
        return self.schema.get_produced_type()


@final
@attrs.frozen
class KafkaDeserializerSchema(KafkaRecordDeserializationSchema[Any]):
    """A deserializer of Kafka's Java client; key, headers, position and time are ignored.

    A tombstone gives the element None, as in Flink.
    Differs from Java: text that is not valid in its encoding fails the job; Java puts U+FFFD in its place.
    """

    class_name: str
    config: FrozenMap[str, str] = attrs.field(default=FrozenMap(), converter=FrozenMap[str, str])

    def __attrs_post_init__(self) -> None:
        _ = self.deserializer

    @property
    def _columns(self) -> tuple[str, ...]:
        return _VALUE_COLUMNS

    @property
    def deserializer(self) -> KafkaDeserializer:
        """Deserializer with the class name."""
        return kafka_deserializer(self.class_name, self.config)

    def deserialize(self, record: ConsumerRecord) -> Iterable[Any]:
        """Return the element of the record's value."""
        return (None if record.value is None else self.deserializer.deserialize(record.value),)

    def get_produced_type(self) -> TypeInformation[Any]:
        """Return the type of the deserializer's results."""
        return self.deserializer.type_info


@final
@attrs.frozen
class JSONKeyValueDeserializationSchema(KafkaRecordDeserializationSchema[dict[str, Any]]):
    """A record's key and value as JSON, in one dictionary.

    It has ``key`` and ``value``, each only where the record has it, and with ``include_metadata`` also ``metadata``: a
    dictionary with ``offset``, ``topic`` and ``partition``.
    Differs from Flink: dictionaries, lists and plain values instead of Jackson's nodes; an empty key or value fails
    the job.

    Example:
        >>> record = ConsumerRecord(topic="t", partition=0, offset=7, timestamp=0, key=b"1", value=b'{"a": [2.5]}')
        >>> list(JSONKeyValueDeserializationSchema(True).deserialize(record))
        [{'key': 1, 'value': {'a': [2.5]}, 'metadata': {'offset': 7, 'topic': 't', 'partition': 0}}]
    """

    include_metadata: bool

    def deserialize(self, record: ConsumerRecord) -> Iterable[dict[str, Any]]:
        """Return the record's dictionary."""
        parts = {"key": record.key, "value": record.value}
        node = {name: _json(name, data) for name, data in parts.items() if data is not None}
        if self.include_metadata:
            node["metadata"] = {"offset": record.offset, "topic": record.topic, "partition": record.partition}
        return (node,)


_parse_json = json_parser(decimals=False)


def _json(name: str, data: bytes) -> Any:
    try:
        return _parse_json(data)
    except ValueError as error:
        raise ValueError(f"the record's {name} is not JSON: {error}") from error
