"""The Kafka sink as the user means it, with Flink's defaults and rules."""

from __future__ import annotations

import enum
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Mapping
from typing import Any, Generic, NoReturn, final

import attrs
from typing_extensions import Self, TypeVar

from kafkastream.errors import DefinitionError, UnsupportedFeatureError
from kafkastream.spec.formats import SerializationSchema
from kafkastream.spec.properties import property_text
from kafkastream.spec.record import Headers
from kafkastream.spec.values import FrozenMap, redacted

__all__ = [
    "DeliveryGuarantee",
    "ExpiredMarker",
    "HeaderProvider",
    "KafkaRecordSerializationSchema",
    "KafkaRecordSerializationSchemaBuilder",
    "KafkaSink",
    "KafkaSinkBuilder",
    "TopicSelector",
]

IN = TypeVar("IN", default=Any)
IN_contra = TypeVar("IN_contra", contravariant=True, default=Any)
T = TypeVar("T")

ON_EXPIRED_MARKER = "on.expired.marker"
MAX_PREFIX_BYTES = 64_000  # KafkaSinkBuilder.MAXIMUM_PREFIX_BYTES


class DeliveryGuarantee(enum.Enum):
    """What a sink promises when something fails.

    NONE may lose and repeat records, AT_LEAST_ONCE may repeat, EXACTLY_ONCE does neither for ``read_committed`` readers.
    """

    EXACTLY_ONCE = "exactly-once"
    AT_LEAST_ONCE = "at-least-once"
    NONE = "none"


class ExpiredMarker(enum.Enum):
    """What an EXACTLY_ONCE sink does when nobody knows whether a micro-batch was written (``on.expired.marker``).

    Its progress is kept on the brokers for ``offsets.retention.minutes`` (a week by default) after a job has stopped.
    """

    FAIL = "fail"
    REPLAY = "replay"
    SKIP = "skip"


class TopicSelector(ABC, Generic[IN_contra]):
    """Chooses the topic of each element (PyFlink: ``KafkaTopicSelector``)."""

    @abstractmethod
    def apply(self, data: IN_contra) -> str:
        """Return the name of the topic that ``data`` goes to; always the same for the same element."""


class HeaderProvider(ABC, Generic[IN_contra]):
    """Chooses the headers of each element's record."""

    @abstractmethod
    def get_headers(self, element: IN_contra) -> Headers:
        """Return pairs of name and bytes."""


@final
@attrs.frozen(kw_only=True)
class KafkaRecordSerializationSchema(Generic[IN_contra]):
    """How an element becomes a Kafka record: topic, key, value and headers, each made of the whole element.

    The record's timestamp is the element's event time, as in Flink.

    Example:
        >>> from kafkastream.spec.formats import SimpleStringSchema
        >>> schema = (
        ...     KafkaRecordSerializationSchema.builder()
        ...     .set_topic("out")
        ...     .set_value_serialization_schema(SimpleStringSchema())
        ...     .build()
        ... )
        >>> schema.topic
        'out'
    """

    topic: str | None = None
    topic_selector: TopicSelector[IN_contra] | Callable[[IN_contra], str] | None = None
    key_schema: SerializationSchema[IN_contra] | None = None
    value_schema: SerializationSchema[IN_contra] | None = None
    header_provider: HeaderProvider[IN_contra] | None = None

    def __attrs_post_init__(self) -> None:
        problems = []
        if self.value_schema is None:
            problems.append("No value serializer is configured")
        if self.topic is None and self.topic_selector is None:
            problems.append("No topic selector is configured")
        if problems:
            raise DefinitionError("; ".join(problems), where="KafkaRecordSerializationSchema")

    @staticmethod
    def builder() -> KafkaRecordSerializationSchemaBuilder[Any]:
        """Begin to define how records are made."""
        return KafkaRecordSerializationSchemaBuilder()

    def topic_of(self, element: IN_contra) -> str:
        """The topic that ``element`` goes to."""
        if self.topic is not None:
            return self.topic
        selector = self.topic_selector
        if isinstance(selector, TopicSelector):
            return selector.apply(element)
        assert selector is not None
        return selector(element)


@final
class KafkaRecordSerializationSchemaBuilder(Generic[IN]):
    """Collects how a record is made; ``build`` checks it."""

    def __init__(self) -> None:
        self._topic: str | None = None
        self._selector: TopicSelector[Any] | Callable[[Any], str] | None = None
        self._key: SerializationSchema[Any] | None = None
        self._value: SerializationSchema[Any] | None = None
        self._headers: HeaderProvider[Any] | None = None

    def set_topic(self, topic: str) -> Self:
        """Write every element to this topic."""
        self._once("Topic selector", self._topic or self._selector)
        self._topic = topic
        return self

    setTopic = set_topic

    def set_topic_selector(self, topic_selector: TopicSelector[T] | Callable[[T], str]) -> Self:
        """Choose the topic of each element, with a function or a ``TopicSelector``."""
        self._once("Topic selector", self._topic or self._selector)
        if not (isinstance(topic_selector, TopicSelector) or callable(topic_selector)):
            raise TypeError(f"a topic selector is a function or a TopicSelector, not {topic_selector!r}")
        self._selector = topic_selector
        return self

    setTopicSelector = set_topic_selector

    def set_key_serialization_schema(self, key_serialization_schema: SerializationSchema[Any]) -> Self:
        """Make the key of each element; without, keys are null."""
        self._once("Key serializer", self._key)
        self._key = key_serialization_schema
        return self

    setKeySerializationSchema = set_key_serialization_schema

    def set_value_serialization_schema(
        self, value_serialization_schema: SerializationSchema[T]
    ) -> KafkaRecordSerializationSchemaBuilder[T]:
        """Make the value of each element."""
        self._once("Value serializer", self._value)
        self._value = value_serialization_schema
        return self  # type: ignore[return-value]  # the value's schema fixes the element type

    setValueSerializationSchema = set_value_serialization_schema

    def set_header_provider(self, header_provider: HeaderProvider[Any]) -> Self:
        """Make the headers of each element's record."""
        self._headers = header_provider
        return self

    setHeaderProvider = set_header_provider

    def set_partitioner(self, partitioner: object) -> NoReturn:
        """Refused: records go to the partition that Kafka's own partitioner gives."""
        raise UnsupportedFeatureError(
            "a partitioner of one's own cannot be set",
            where=f"KafkaRecordSerializationSchema, partitioner {partitioner!r}",
            now="Set a key: equal keys share a partition, the same as Java's producer would choose.",
        )

    setPartitioner = set_partitioner

    def build(self) -> KafkaRecordSerializationSchema[IN]:
        """The schema, checked.

        Raises:
            DefinitionError: No value serializer, or no topic.
        """
        return KafkaRecordSerializationSchema(
            topic=self._topic,
            topic_selector=self._selector,
            key_schema=self._key,
            value_schema=self._value,
            header_provider=self._headers,
        )

    @staticmethod
    def _once(what: str, current: object) -> None:
        if current:
            raise DefinitionError(f"{what} already set", where="KafkaRecordSerializationSchema.builder()")


@final
@attrs.frozen(kw_only=True)
class KafkaSink(Generic[IN_contra]):
    """A Kafka sink as the user defined it: plain data, ready to run.

    Raises:
        DefinitionError: A required part is missing, or parts contradict each other.

    Example:
        >>> from kafkastream.spec.formats import SimpleStringSchema
        >>> schema = KafkaRecordSerializationSchema.builder().set_topic("out")
        >>> sink = (
        ...     KafkaSink.builder()
        ...     .set_bootstrap_servers("localhost:9092")
        ...     .set_record_serializer(schema.set_value_serialization_schema(SimpleStringSchema()).build())
        ...     .build()
        ... )
        >>> sink.delivery_guarantee.name
        'NONE'
    """

    record_serializer: KafkaRecordSerializationSchema[IN_contra] | None = None
    delivery_guarantee: DeliveryGuarantee = DeliveryGuarantee.NONE
    transactional_id_prefix: str | None = None
    properties: FrozenMap[str, str] = attrs.field(default=FrozenMap(), converter=FrozenMap[str, str], repr=redacted)

    def __attrs_post_init__(self) -> None:
        problems = tuple(_problems(self))
        if problems:
            raise DefinitionError("; ".join(problems), where="KafkaSink", now="See KafkaSink.builder().")

    @staticmethod
    def builder() -> KafkaSinkBuilder[Any]:
        """Begin to define a sink."""
        return KafkaSinkBuilder()

    @property
    def bootstrap_servers(self) -> str:
        """Comma-separated ``host:port``."""
        return self.properties["bootstrap.servers"]

    @property
    def on_expired_marker(self) -> ExpiredMarker:
        """What to do when the brokers have forgotten how far the sink has come; to fail, if the user does not say."""
        return ExpiredMarker(self.properties.get(ON_EXPIRED_MARKER, ExpiredMarker.FAIL.value))


def _problems(sink: KafkaSink[Any]) -> Iterable[str]:
    if not sink.properties.get("bootstrap.servers"):
        yield "Property bootstrap.servers is required but not provided"
    if sink.record_serializer is None:
        yield "recordSerializer is required but not provided"
    choices = {choice.value for choice in ExpiredMarker}
    if sink.properties.get(ON_EXPIRED_MARKER, "fail") not in choices:
        yield f"{ON_EXPIRED_MARKER} is one of {', '.join(sorted(choices))}"
    elif sink.properties.get(ON_EXPIRED_MARKER) == "skip" and (
        sink.record_serializer is not None and sink.record_serializer.topic is None
    ):
        yield f"{ON_EXPIRED_MARKER} = skip needs a sink with one topic"
    prefix = sink.transactional_id_prefix
    if prefix is not None and len(prefix.encode()) > MAX_PREFIX_BYTES:
        yield f"The configured prefix is too long and the resulting transactional ids might exceed {MAX_PREFIX_BYTES} bytes"
    if sink.delivery_guarantee is DeliveryGuarantee.EXACTLY_ONCE and not prefix:
        yield (
            "EXACTLY_ONCE delivery guarantee requires a transactionalIdPrefix to be set to provide unique transaction "
            "names across multiple KafkaSinks writing to the same Kafka cluster"
        )


@final
class KafkaSinkBuilder(Generic[IN]):
    """Collects what a sink is made of; ``build`` checks it. Setters change the builder and return it."""

    def __init__(self) -> None:
        self._serializer: KafkaRecordSerializationSchema[Any] | None = None
        self._guarantee = DeliveryGuarantee.NONE
        self._prefix: str | None = None
        self._properties: dict[str, str] = {}

    def set_bootstrap_servers(self, bootstrap_servers: str) -> Self:
        """The brokers to ask first: comma-separated ``host:port``."""
        return self.set_property("bootstrap.servers", bootstrap_servers)

    setBootstrapServers = set_bootstrap_servers

    def set_record_serializer(self, record_serializer: KafkaRecordSerializationSchema[T]) -> KafkaSinkBuilder[T]:
        """How an element becomes a record."""
        self._serializer = record_serializer
        return self  # type: ignore[return-value]  # the serializer fixes the element type

    setRecordSerializer = set_record_serializer

    def set_delivery_guarantee(self, delivery_guarantee: DeliveryGuarantee) -> Self:
        """What the sink promises when something fails; NONE if not set, as in Flink."""
        self._guarantee = delivery_guarantee
        return self

    setDeliveryGuarantee = set_delivery_guarantee

    def set_transactional_id_prefix(self, transactional_id_prefix: str) -> Self:
        """How the sink's transactions are named; needed for EXACTLY_ONCE, unique per sink and stable over restarts."""
        self._prefix = transactional_id_prefix
        return self

    setTransactionalIdPrefix = set_transactional_id_prefix

    def set_property(self, key: str, value: str) -> Self:
        """Set a property of Kafka's producer by its Java name."""
        self._properties[key] = property_text(key, value)
        return self

    setProperty = set_property

    def set_kafka_producer_config(self, props: Mapping[str, str]) -> Self:
        """Set many producer properties; those set before under the same name are replaced."""
        for key, value in props.items():
            self.set_property(key, value)
        return self

    setKafkaProducerConfig = set_kafka_producer_config

    def build(self) -> KafkaSink[IN]:
        """The sink, checked.

        Raises:
            DefinitionError: With all that is missing or contradictory.
        """
        return KafkaSink(
            record_serializer=self._serializer,
            delivery_guarantee=self._guarantee,
            transactional_id_prefix=self._prefix,
            properties=self._properties,
        )
