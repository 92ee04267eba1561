"""How a Kafka record becomes elements."""

from __future__ import annotations

import enum
from abc import ABC, abstractmethod
from collections.abc import Iterable
from typing import Generic, TypeVar, final

import attrs

from kafkastream.errors import DefinitionError
from kafkastream.spec.formats import DeserializationSchema
from kafkastream.spec.types import TypeInformation

__all__ = ["ConsumerRecord", "Headers", "KafkaRecordDeserializationSchema", "TimestampType", "ValueOnlySchema"]

OUT = TypeVar("OUT")
T = TypeVar("T")

Headers = tuple[tuple[str, bytes | None], ...]


class TimestampType(enum.Enum):
    """Who set a record's timestamp."""

    CREATE_TIME = 0
    LOG_APPEND_TIME = 1


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
    """Makes elements of a whole Kafka record: key, value, headers, position and time.

    Differs from Java: ``deserialize`` yields the elements where Java collects them.

    Example:
        >>> class KeyAndValue(KafkaRecordDeserializationSchema[tuple[bytes | None, bytes | None]]):
        ...     def deserialize(self, record: ConsumerRecord):
        ...         yield record.key, record.value
        >>> list(KeyAndValue().deserialize(ConsumerRecord(topic="t", partition=0, offset=0, timestamp=0, value=b"v")))
        [(None, b'v')]
    """

    @abstractmethod
    def deserialize(self, record: ConsumerRecord) -> Iterable[OUT]:
        """Yield, or return, any number of elements; an exception fails the job with the record's position."""

    def get_produced_type(self) -> TypeInformation[OUT] | None:
        """The type of the elements; None when it is not known."""
        return None

    @staticmethod
    def value_only(schema: DeserializationSchema[T]) -> ValueOnlySchema[T]:
        """Look at nothing but the record's value."""
        return ValueOnlySchema(schema)

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
    """A schema of the record's value; key, headers, position and time are not looked at."""

    schema: DeserializationSchema[OUT] = attrs.field(validator=_is_schema)

    def deserialize(self, record: ConsumerRecord) -> Iterable[OUT]:
        """The element of the record's value; none when the schema returns None."""
        if record.value is None:
            raise ValueError("the record's value is null (a tombstone)")
        element = self.schema.deserialize(record.value)
        return () if element is None else (element,)

    def get_produced_type(self) -> TypeInformation[OUT] | None:
        """What the value's schema says."""
        return self.schema.get_produced_type()
