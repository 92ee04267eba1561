"""The connectors of Flink 1.x, for jobs that still use them: they build a ``KafkaSource``, a ``KafkaSink``."""

from __future__ import annotations

import enum
import time
from collections.abc import Iterable, Mapping
from typing import Any, Final, Generic, final

from typing_extensions import Self, TypeVar

from kafkastream.errors import DefinitionError, UnsupportedFeatureError
from kafkastream.model.common.argument_checks import checked_methods
from kafkastream.model.common.endpoints import SinkFunction, SourceFunction
from kafkastream.model.common.types import TypeInformation
from kafkastream.model.common.watermark_strategy import WatermarkStrategy
from kafkastream.model.connectors.client_properties import property_texts
from kafkastream.model.connectors.kafka_sink import DeliveryGuarantee, KafkaSink
from kafkastream.model.connectors.kafka_source import KafkaSource
from kafkastream.model.connectors.kafka_source_properties import DISCOVERY_INTERVAL
from kafkastream.model.connectors.offsets_initializers import OffsetResetStrategy, OffsetsInitializer
from kafkastream.model.connectors.partitioners import KafkaPartitioner
from kafkastream.model.connectors.record_builders import BuiltRecordSerializationSchema
from kafkastream.model.connectors.record_deserialization import KafkaRecordDeserializationSchema
from kafkastream.model.connectors.subscription import TopicPartition
from kafkastream.model.formats import DeserializationSchema, SerializationSchema

__all__ = ["FlinkKafkaConsumer", "FlinkKafkaProducer", "Semantic"]

OUT = TypeVar("OUT")
IN_contra = TypeVar("IN_contra", contravariant=True, default=Any)

_DISCOVERY = "flink.partition-discovery.interval-millis"
_DISABLE_METRICS = "flink.disable-metrics"


@final
@checked_methods
class FlinkKafkaConsumer(SourceFunction, Generic[OUT]):
    """The Kafka source of Flink 1.x, for ``env.add_source``; new jobs use ``KafkaSource``.

    As in Flink: it begins at the group's offsets by default, and for partitions without one by
    ``auto.offset.reset`` (``latest`` if not set); it discovers new partitions only if
    ``flink.partition-discovery.interval-millis`` is set; offsets are committed with checkpoints, or without them by
    ``enable.auto.commit``, which is true if not set.
    Differs from Flink: ``flink.poll-timeout`` has no effect, since Spark reads.

    Args:
        topics: One topic or several.
        deserialization_schema: Schema of the records' values, or of whole records.
        properties: Kafka's consumer properties by their Java names; ``bootstrap.servers`` is required.

    Raises:
        DefinitionError: When the job is built: a property is missing or wrong.

    Example:
        >>> from kafkastream.common import SimpleStringSchema
        >>> consumer = FlinkKafkaConsumer(
        ...     "orders", SimpleStringSchema(), {"bootstrap.servers": "k:9092", "group.id": "g"}
        ... )
        >>> consumer.set_start_from_earliest().to_source().starting_offsets
        EarliestOffsets()
    """

    def __init__(
        self,
        topics: str | Iterable[str],
        deserialization_schema: DeserializationSchema[OUT] | KafkaRecordDeserializationSchema[OUT],
        properties: Mapping[str, str],
    ) -> None:
        self._topics = (topics,) if isinstance(topics, str) else tuple(topics)
        self._schema = deserialization_schema
        self._properties = property_texts(properties)
        self._start: OffsetsInitializer | None = None
        self._commits = True
        self._watermarks: WatermarkStrategy[Any] = WatermarkStrategy.no_watermarks()

    def set_start_from_earliest(self) -> Self:
        """Begin at the beginning, whatever the group has committed."""
        return self._begin(OffsetsInitializer.earliest())

    setStartFromEarliest = set_start_from_earliest

    def set_start_from_latest(self) -> Self:
        """Begin at the end, whatever the group has committed."""
        return self._begin(OffsetsInitializer.latest())

    setStartFromLatest = set_start_from_latest

    def set_start_from_timestamp(self, startup_offsets_timestamp: int) -> Self:
        """Begin at the first record at or after a time; at the end of a partition that has none.

        Args:
            startup_offsets_timestamp: Milliseconds since 1970.

        Raises:
            DefinitionError: The time is negative or still to come.
        """
        now = round(time.time() * 1000)
        if startup_offsets_timestamp > now:
            raise DefinitionError(
                f"Startup time[{startup_offsets_timestamp}] must be before current time[{now}]",
                where="FlinkKafkaConsumer.set_start_from_timestamp",
                now="Give milliseconds since 1970-01-01 UTC.",
            )
        return self._begin(OffsetsInitializer.timestamp(startup_offsets_timestamp))

    setStartFromTimestamp = set_start_from_timestamp

    def set_start_from_group_offsets(self) -> Self:
        """Begin at the group's committed offsets, which is the default."""
        self._start = None
        return self

    setStartFromGroupOffsets = set_start_from_group_offsets

    def set_start_from_specific_offsets(self, specific_startup_offsets: Mapping[TopicPartition, int]) -> Self:
        """Begin at an offset per partition; other partitions begin at the group's committed offset. PyFlink lacks it.

        Args:
            specific_startup_offsets: Offset of the first record to read, by topic and partition.
        """
        return self._begin(OffsetsInitializer.offsets(specific_startup_offsets, self._reset_strategy()))

    setStartFromSpecificOffsets = set_start_from_specific_offsets

    def set_commit_offsets_on_checkpoints(self, commit_on_checkpoints: bool) -> Self:
        """Set whether offsets are committed to the group with checkpoints; they are, by default.

        Args:
            commit_on_checkpoints: Commit offsets; True without this call.
        """
        self._commits = commit_on_checkpoints
        return self

    setCommitOffsetsOnCheckpoints = set_commit_offsets_on_checkpoints

    def assign_timestamps_and_watermarks(self, watermark_strategy: WatermarkStrategy[Any]) -> Self:
        """Give records their event times and watermarks in the source. PyFlink lacks it.

        Args:
            watermark_strategy: Strategy, applied to each partition; no watermarks by default.
        """
        self._watermarks = watermark_strategy
        return self

    assignTimestampsAndWatermarks = assign_timestamps_and_watermarks

    def get_produced_type(self) -> TypeInformation[OUT] | None:
        """Return the type of the elements, which the schema declares."""
        return self._schema.get_produced_type()

    getProducedType = get_produced_type

    @property
    def watermarks(self) -> WatermarkStrategy[Any]:
        """Strategy given to ``assign_timestamps_and_watermarks``."""
        return self._watermarks

    def to_source(self) -> KafkaSource[OUT]:
        """Return the ``KafkaSource`` that reads the same.

        Raises:
            DefinitionError: A property is missing or wrong.
        """
        builder = KafkaSource.builder().set_topics(*self._topics).set_properties(self._source_properties())
        builder.set_starting_offsets(self._start or OffsetsInitializer.committed_offsets(self._reset_strategy()))
        if isinstance(self._schema, KafkaRecordDeserializationSchema):
            return builder.set_deserializer(self._schema).build()
        return builder.set_value_only_deserializer(self._schema).build()

    toSource = to_source

    def _begin(self, initializer: OffsetsInitializer) -> Self:
        self._start = initializer
        return self

    def _source_properties(self) -> dict[str, str]:
        given = {key: value for key, value in self._properties.items() if not key.startswith("flink.")}
        metrics = "false" if self._properties.get(_DISABLE_METRICS, "").lower() == "true" else "true"
        commits = {
            "enable.auto.commit": self._properties.get("enable.auto.commit", "true"),
            "commit.offsets.on.checkpoint": str(self._commits).lower(),
        }
        return {
            "register.consumer.metrics": metrics,
            DISCOVERY_INTERVAL: self._properties.get(_DISCOVERY, "-1"),
            **given,
            **(commits if given.get("group.id") else {}),
        }

    def _reset_strategy(self) -> OffsetResetStrategy:
        name = self._properties.get("auto.offset.reset", "latest")
        try:
            return OffsetResetStrategy[name.upper()]
        except KeyError:
            raise DefinitionError(
                f"Property auto.offset.reset = {name!r} is not one of earliest, latest, none",
                where="FlinkKafkaConsumer",
            ) from None


@final
@checked_methods
class FlinkKafkaProducer(SinkFunction, Generic[IN_contra]):
    """The Kafka sink of Flink 1.x, for ``stream.add_sink``; new jobs use ``KafkaSink``.

    As in Flink: AT_LEAST_ONCE by default, records get the time of writing as their timestamp, no key, and
    any partition.
    Differs from Flink: with EXACTLY_ONCE, transactions are named after the topic, ``FlinkKafkaProducer-<topic>``, unless
    there is a prefix, where Flink takes the task's name; ``transaction.timeout.ms`` is not raised to an hour, since no
    transaction has to outlive a failure; and there is no pool of producers to run out of.

    Args:
        topic: Topic of all records.
        serialization_schema: Schema of the records' values.
        producer_config: Kafka's producer properties by their Java names; ``bootstrap.servers`` is required.
        kafka_producer_pool_size: Has no effect. A ``Semantic`` in its place is taken as the semantic.
        semantic: Delivery guarantee.
        partitioner: Chooses partitions, as in Java; without one, Kafka's own partitioning, as in PyFlink.

    Raises:
        DefinitionError: ``bootstrap.servers`` or a schema is missing, or the pool is empty.

    Example:
        >>> from kafkastream.common import SimpleStringSchema
        >>> producer = FlinkKafkaProducer("out", SimpleStringSchema(), {"bootstrap.servers": "k:9092"})
        >>> producer.to_sink().delivery_guarantee.name
        'AT_LEAST_ONCE'
    """

    class Semantic(enum.Enum):
        """Delivery guarantee of the producer, as the ``DeliveryGuarantee`` of the same name."""

        EXACTLY_ONCE = 0
        AT_LEAST_ONCE = 1
        NONE = 2

    DEFAULT_KAFKA_PRODUCERS_POOL_SIZE: Final = 5
    SAFE_SCALE_DOWN_FACTOR: Final = 5

    def __init__(
        self,
        topic: str,
        serialization_schema: SerializationSchema[IN_contra],
        producer_config: Mapping[str, str],
        kafka_producer_pool_size: int | Semantic = DEFAULT_KAFKA_PRODUCERS_POOL_SIZE,
        semantic: Semantic = Semantic.AT_LEAST_ONCE,
        partitioner: KafkaPartitioner[IN_contra] | None = None,
    ) -> None:
        self._topic = topic
        self._schema = serialization_schema
        self._properties = property_texts(producer_config)
        self._semantic, pool_size = semantic, kafka_producer_pool_size
        if isinstance(pool_size, Semantic):
            self._semantic, pool_size = pool_size, self.DEFAULT_KAFKA_PRODUCERS_POOL_SIZE
        self._partitioner = partitioner
        self._prefix = f"FlinkKafkaProducer-{topic}"
        self._writes_timestamps = False
        self._flushes = True
        _check_producer(serialization_schema, self._properties, pool_size)

    def set_write_timestamp_to_kafka(self, write_timestamp_to_kafka: bool) -> Self:
        """Set whether a record's timestamp is the element's event time; by default, it is the time of writing.

        Args:
            write_timestamp_to_kafka: Write the event time.
        """
        self._writes_timestamps = write_timestamp_to_kafka
        return self

    setWriteTimestampToKafka = set_write_timestamp_to_kafka

    def set_log_failures_only(self, log_failures_only: bool) -> Self:
        """Refuse to only log a record that cannot be written.

        Args:
            log_failures_only: False, the default: such a record fails the job.

        Raises:
            UnsupportedFeatureError: With True.
        """
        if log_failures_only:
            raise UnsupportedFeatureError(
                "failures cannot be only logged",
                where="FlinkKafkaProducer.set_log_failures_only",
                now="Leave it out: a record that cannot be written fails the job, after delivery.timeout.ms.",
            )
        return self

    setLogFailuresOnly = set_log_failures_only

    def set_flush_on_checkpoint(self, flush_on_checkpoint: bool) -> Self:
        """Set whether a checkpoint waits for pending records; without it, AT_LEAST_ONCE guarantees no more than NONE.

        Differs from PyFlink: there it raises for this producer, since Java's has no such method.

        Args:
            flush_on_checkpoint: Wait for pending records; True without this call.
        """
        self._flushes = flush_on_checkpoint
        return self

    setFlushOnCheckpoint = set_flush_on_checkpoint

    def set_transactional_id_prefix(self, transactional_id_prefix: str) -> Self:
        """Set the beginning of transactional ids, as ``KafkaSinkBuilder.set_transactional_id_prefix``. PyFlink lacks it."""
        self._prefix = transactional_id_prefix
        return self

    setTransactionalIdPrefix = set_transactional_id_prefix

    def ignore_failures_after_transaction_timeout(self) -> Self:
        """Has no effect: a restart commits no transaction of an earlier run, so none can have timed out."""
        return self

    ignoreFailuresAfterTransactionTimeout = ignore_failures_after_transaction_timeout

    def to_sink(self) -> KafkaSink[IN_contra]:
        """Return the ``KafkaSink`` that writes the same.

        Raises:
            DefinitionError: A property or the prefix is wrong.
        """
        records = BuiltRecordSerializationSchema(
            topic=self._topic,
            value_schema=self._schema,
            partitioner=self._partitioner,
            writes_timestamps=self._writes_timestamps,
        )
        return KafkaSink(
            record_serializer=records,
            delivery_guarantee=self._guarantee(),
            transactional_id_prefix=self._prefix,
            properties={key: value for key, value in self._properties.items() if not key.startswith("flink.")},
        )

    toSink = to_sink

    def _guarantee(self) -> DeliveryGuarantee:
        guarantee = DeliveryGuarantee[self._semantic.name]
        unflushed = guarantee is DeliveryGuarantee.AT_LEAST_ONCE and not self._flushes
        return DeliveryGuarantee.NONE if unflushed else guarantee


Semantic = FlinkKafkaProducer.Semantic


def _check_producer(schema: object, properties: Mapping[str, str], pool_size: int) -> None:
    problems = []
    if not isinstance(schema, SerializationSchema):
        problems.append(f"{schema!r} is not a SerializationSchema")
    if not properties.get("bootstrap.servers"):
        problems.append("bootstrap.servers must be supplied in the producer config properties")
    if pool_size <= 0:
        problems.append("kafkaProducersPoolSize must be non empty")
    if problems:
        raise DefinitionError(
            "; ".join(problems), where="FlinkKafkaProducer", now="See its docstring, or use KafkaSink."
        )
