"""The Kafka sink as the user means it, with Flink's defaults and rules."""

from __future__ import annotations

import enum
from collections.abc import Iterable, Mapping
from typing import Any, ClassVar, Generic, final

import attrs
from typing_extensions import Self, TypeVar

from kafkastream.errors import DefinitionError
from kafkastream.model.common.argument_checks import checked_methods
from kafkastream.model.common.endpoints import Sink
from kafkastream.model.common.immutable import FrozenMap
from kafkastream.model.connectors.client_properties import ClientBuilder, dead_letter_problems
from kafkastream.model.connectors.record_builders import BuiltRecordSerializationSchema
from kafkastream.model.connectors.record_serialization import KafkaRecordSerializationSchema
from kafkastream.secret_masking import redacted

__all__ = [
    "DeliveryGuarantee",
    "ExpiredMarker",
    "KafkaSink",
    "KafkaSinkBuilder",
    "TransactionNamingStrategy",
]

IN = TypeVar("IN", default=Any)
IN_contra = TypeVar("IN_contra", contravariant=True, default=Any)
T = TypeVar("T")

ON_EXPIRED_MARKER = "on.expired.marker"
# MAXIMUM_PREFIX_BYTES in KafkaSinkBuilder.java at
# https://github.com/apache/flink-connector-kafka/tree/v4.0.1/flink-connector-kafka/src/main/java/org/apache/flink/connector/kafka/sink
MAX_PREFIX_BYTES = 64_000


class DeliveryGuarantee(enum.Enum):
    """Delivery guarantee of a sink after a failure.

    NONE may lose and repeat records, AT_LEAST_ONCE may repeat, EXACTLY_ONCE does neither for ``read_committed`` readers.
    """

    EXACTLY_ONCE = "exactly-once"
    AT_LEAST_ONCE = "at-least-once"
    NONE = "none"


class ExpiredMarker(enum.Enum):
    """Reaction of an EXACTLY_ONCE sink when the brokers have no record any more of whether a micro-batch was written (``on.expired.marker``).

    Its progress is kept on the brokers for ``offsets.retention.minutes`` (a week by default) after a job has stopped.
    """

    FAIL = "fail"
    REPLAY = "replay"
    SKIP = "skip"


class TransactionNamingStrategy(enum.Enum):
    """Flink's ways to name the transactions of an EXACTLY_ONCE sink, accepted so that ported jobs run.

    Differs from Flink: it has no effect. Transactions here are named ``<prefix>-<query>-<sink>-<source partition>``,
    the same names for as long as the checkpoint lives: there is nothing to probe for, as with INCREMENTING, and nothing
    to list, as with POOLING. So every start ends at once what an earlier one has left open.
    """

    INCREMENTING = "incrementing"
    POOLING = "pooling"


def _is_record_schema(_: object, __: object, serializer: Any) -> None:
    if not isinstance(serializer, KafkaRecordSerializationSchema | None):
        raise DefinitionError(
            f"{serializer!r} is not a KafkaRecordSerializationSchema",
            where="KafkaSink, record serializer",
            now="Build one with KafkaRecordSerializationSchema.builder(); do not forget build().",
        )


def _is_guarantee(_: object, __: object, guarantee: Any) -> None:
    if not isinstance(guarantee, DeliveryGuarantee):
        raise DefinitionError(
            f"{guarantee!r} is not a DeliveryGuarantee",
            where="KafkaSink, delivery guarantee",
            now=f"Give one of {', '.join(map(str, DeliveryGuarantee))}.",
        )


@final
@attrs.frozen(kw_only=True)
class KafkaSink(Sink[IN_contra]):
    """Kafka sink: writes elements as records, with one of three delivery guarantees.

    Raises:
        DefinitionError: A required part is missing, or parts contradict each other.

    Example:
        >>> from kafkastream.common import SimpleStringSchema
        >>> from kafkastream.datastream.connectors.kafka import KafkaRecordSerializationSchema
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

    engine_module: ClassVar[str] = "kafkastream.spark.plan.kafka_sink_operator"
    record_serializer: KafkaRecordSerializationSchema[IN_contra] | None = attrs.field(
        default=None, validator=_is_record_schema
    )
    delivery_guarantee: DeliveryGuarantee = attrs.field(default=DeliveryGuarantee.NONE, validator=_is_guarantee)
    transactional_id_prefix: str | None = None
    transaction_naming_strategy: TransactionNamingStrategy = TransactionNamingStrategy.INCREMENTING
    dead_letter_topic: str | None = None
    properties: FrozenMap[str, str] = attrs.field(default=FrozenMap(), converter=FrozenMap[str, str], repr=redacted)

    def __attrs_post_init__(self) -> None:
        problems = tuple(_problems(self))
        if problems:
            raise DefinitionError("; ".join(problems), where="KafkaSink", now="See KafkaSink.builder().")

    @staticmethod
    def builder() -> KafkaSinkBuilder[Any]:
        """Return a builder of a sink."""
        return KafkaSinkBuilder()

    @property
    def bootstrap_servers(self) -> str:
        """Comma-separated ``host:port``."""
        return self.properties["bootstrap.servers"]

    @property
    def target_text(self) -> str:
        """Return the topic, if it is the same for all elements."""
        topic = None if self.record_serializer is None else self.record_serializer.topic
        return "topics by element" if topic is None else f"topic {topic}"

    @property
    def guarantee(self) -> str:
        """Name of the delivery guarantee; empty for NONE."""
        return "" if self.delivery_guarantee is DeliveryGuarantee.NONE else self.delivery_guarantee.name

    @property
    def commits_with_checkpoint(self) -> bool:
        """True if records are written in transactions (``EXACTLY_ONCE``)."""
        return self.delivery_guarantee is DeliveryGuarantee.EXACTLY_ONCE

    @property
    def keeps_records(self) -> bool:
        """True if there is a topic for dead letters."""
        return self.dead_letter_topic is not None

    @property
    def on_expired_marker(self) -> ExpiredMarker:
        """Value of the property ``on.expired.marker``; FAIL if not set."""
        return ExpiredMarker(self.properties.get(ON_EXPIRED_MARKER, ExpiredMarker.FAIL.value))


def _problems(sink: KafkaSink[Any]) -> Iterable[str]:
    if not sink.properties.get("bootstrap.servers"):
        yield "Property bootstrap.servers is required but not provided"
    if sink.record_serializer is None:
        yield "recordSerializer is required but not provided"
    yield from dead_letter_problems(
        sink.dead_letter_topic, [None if sink.record_serializer is None else sink.record_serializer.topic]
    )
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
    if _pools_transactions(sink) and not _exposes_topics(sink.record_serializer):
        yield (
            "For POOLING naming strategy, the recordSerializer needs to expose the target topics: set the attribute "
            "topic of a schema of your own, or leave the strategy out, which has no effect here"
        )


def _pools_transactions(sink: KafkaSink[Any]) -> bool:
    strategy = sink.transaction_naming_strategy
    return sink.delivery_guarantee is DeliveryGuarantee.EXACTLY_ONCE and strategy is TransactionNamingStrategy.POOLING


def _exposes_topics(serializer: KafkaRecordSerializationSchema[Any] | None) -> bool:
    """Return whether a schema would be a KafkaDatasetFacetProvider in Flink, as are all that the builder makes."""
    built = isinstance(serializer, BuiltRecordSerializationSchema)
    return serializer is None or built or serializer.topic is not None


@final
@checked_methods
class KafkaSinkBuilder(ClientBuilder, Generic[IN]):
    """Builder of a ``KafkaSink``; setters change it and return it, and ``build`` checks all settings at once."""

    def __init__(self) -> None:
        super().__init__()
        self._serializer: KafkaRecordSerializationSchema[Any] | None = None
        self._guarantee = DeliveryGuarantee.NONE
        self._prefix: str | None = None
        self._naming = TransactionNamingStrategy.INCREMENTING
        self._dead_letters: str | None = None

    def set_record_serializer(self, record_serializer: KafkaRecordSerializationSchema[T]) -> KafkaSinkBuilder[T]:
        """Set how an element becomes a record: its topic, key, value, headers and timestamp.

        Args:
            record_serializer: Schema as built by ``KafkaRecordSerializationSchema.builder()``, or one of your own.
                It fixes the type of the sink's elements.
        """
        self._serializer = record_serializer
        return self  # type: ignore[return-value]  # the serializer fixes the element type

    setRecordSerializer = set_record_serializer

    def set_delivery_guarantee(self, delivery_guarantee: DeliveryGuarantee) -> Self:
        """Set the delivery guarantee; NONE if not called, as in Flink.

        Args:
            delivery_guarantee: EXACTLY_ONCE also needs ``set_transactional_id_prefix`` and a checkpoint directory that
                outlives the job, and readers with ``isolation.level=read_committed``.

        Raises:
            DefinitionError: The argument is not a ``DeliveryGuarantee``.
        """
        _is_guarantee(None, None, delivery_guarantee)
        self._guarantee = delivery_guarantee
        return self

    setDeliveryGuarantee = set_delivery_guarantee

    def set_transactional_id_prefix(self, transactional_id_prefix: str) -> Self:
        """Set the beginning of the sink's transactional ids; required for EXACTLY_ONCE.

        The prefix must be the same at every start of the job. By it a restarted job finds and ends the transactions
        that the run before has left open, and reads the markers of its progress. With another prefix, open transactions
        would hold back ``read_committed`` readers until ``transaction.timeout.ms`` is over, and output could be
        repeated: a start with a changed prefix is refused. No two sinks that write to the same cluster may share a
        prefix, or each fences the other's producers.

        Args:
            transactional_id_prefix: At most 64,000 bytes of UTF-8, as in Flink.
        """
        self._prefix = transactional_id_prefix
        return self

    setTransactionalIdPrefix = set_transactional_id_prefix

    def set_transaction_naming_strategy(self, transaction_naming_strategy: TransactionNamingStrategy) -> Self:
        """Accept a strategy, which has no effect here: see ``TransactionNamingStrategy``. PyFlink lacks this method.

        Args:
            transaction_naming_strategy: Checked against other settings as in Flink.
        """
        self._naming = transaction_naming_strategy
        return self

    setTransactionNamingStrategy = set_transaction_naming_strategy

    def set_dead_letter_topic(self, topic: str) -> Self:
        """Write dead letters to ``topic`` for elements that cannot be written, and continue; in Flink the job fails.

        It takes an element for which the record's schema raises, a record larger than ``max.request.size`` or than its
        topic allows (``max.message.bytes``; ignored for compressed records), and one whose topic does not
        exist. The dead letter is the source's record as it was read, with headers; after a function on a keyed stream,
        where there is no such record, the element's ``repr``: see "Dead letters" in the documentation. It is written by
        this sink's producer, under its guarantee. The topic must exist, or be created by the brokers.

        Args:
            topic: Topic on the sink's own brokers.
        """
        self._dead_letters = topic
        return self

    setDeadLetterTopic = set_dead_letter_topic

    def set_property(self, key: str, value: str) -> Self:
        """Set a property of Kafka's producer by its Java name.

        As in Flink, ``key.serializer`` and ``value.serializer`` are accepted; here they have no effect, since the
        schemas make the bytes, and the log says so when the job starts.

        Args:
            key: Name as in Kafka's documentation of producers, such as ``linger.ms``.
            value: Text; durations and sizes in the unit that Kafka documents.
        """
        return self._set({key: value})

    setProperty = set_property

    def set_kafka_producer_config(self, props: Mapping[str, str]) -> Self:
        """Set several producer properties; later values replace earlier ones of the same name.

        Args:
            props: Properties by their names, as for ``set_property``.
        """
        return self._set(props)

    setKafkaProducerConfig = set_kafka_producer_config

    def build(self) -> KafkaSink[IN]:
        """Return the sink.

        Raises:
            DefinitionError: Settings are missing, or contradict each other; the message lists all problems.
        """
        return KafkaSink(
            record_serializer=self._serializer,
            delivery_guarantee=self._guarantee,
            transactional_id_prefix=self._prefix,
            transaction_naming_strategy=self._naming,
            dead_letter_topic=self._dead_letters,
            properties=self._properties,
        )
