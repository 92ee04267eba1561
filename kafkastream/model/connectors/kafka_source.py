"""The Kafka source as the user means it, with Flink's defaults and rules."""

from __future__ import annotations

import enum
from collections.abc import Collection, Iterable, Mapping
from typing import TYPE_CHECKING, Any, final

import attrs
from typing_extensions import TypeVar

from kafkastream.errors import DefinitionError, UnsupportedFeatureError
from kafkastream.model.common.endpoints import Source
from kafkastream.model.common.immutable import FrozenMap
from kafkastream.model.common.types import TypeInformation
from kafkastream.model.connectors.client_properties import dead_letter_problems
from kafkastream.model.connectors.kafka_source_properties import (
    AUTO_COMMIT_INTERVAL,
    CHECK_DUPLICATED_GROUP,
    DISCOVERY_INTERVAL,
    SPARK_PREFIX,
    is_true,
    property_problems,
)
from kafkastream.model.connectors.offsets_initializers import EarliestOffsets, OffsetsInitializer
from kafkastream.model.connectors.record_deserialization import KafkaRecordDeserializationSchema
from kafkastream.model.connectors.subscription import (
    KafkaSubscriber,
    PartitionSet,
    Subscription,
    TopicList,
)
from kafkastream.secret_masking import redacted

if TYPE_CHECKING:
    from kafkastream.model.connectors.kafka_source_builder import KafkaSourceBuilder

__all__ = ["Boundedness", "KafkaSource", "commit_interval_ms"]

OUT = TypeVar("OUT", default=Any)
T = TypeVar("T")


class Boundedness(enum.Enum):
    """Boundedness of a source: it ends by itself, or continues for ever."""

    BOUNDED = "BOUNDED"
    CONTINUOUS_UNBOUNDED = "CONTINUOUS_UNBOUNDED"


@final
@attrs.frozen(kw_only=True)
class KafkaSource(Source[OUT]):
    """Kafka source: reads records of topics from starting offsets on, for ever or up to stopping offsets.

    Same as in Flink: defaults and rules. Differs from Flink: an error lists all problems of a definition at once.

    Raises:
        DefinitionError: A required part is missing, or parts contradict each other.
        UnsupportedFeatureError: A subscriber of your own is to discover partitions while the job runs.

    Example:
        >>> from kafkastream.common import SimpleStringSchema
        >>> source = (
        ...     KafkaSource.builder()
        ...     .set_bootstrap_servers("localhost:9092")
        ...     .set_topics("orders")
        ...     .set_group_id("readers")
        ...     .set_value_only_deserializer(SimpleStringSchema())
        ...     .build()
        ... )
        >>> source.consumer_properties["auto.offset.reset"]
        'earliest'
    """

    subscription: Subscription | None = None
    deserializer: KafkaRecordDeserializationSchema[OUT] | None = None
    starting_offsets: OffsetsInitializer = attrs.field(factory=OffsetsInitializer.earliest)
    stopping_offsets: OffsetsInitializer | None = None
    boundedness: Boundedness = Boundedness.CONTINUOUS_UNBOUNDED
    dead_letter_topic: str | None = None
    properties: FrozenMap[str, str] = attrs.field(default=FrozenMap(), converter=FrozenMap[str, str], repr=redacted)

    def __attrs_post_init__(self) -> None:
        problems = tuple(_problems(self))
        if problems:
            raise DefinitionError("; ".join(problems), where="KafkaSource", now="See KafkaSource.builder().")
        if isinstance(self.subscription, KafkaSubscriber) and self.discovers_partitions:
            raise UnsupportedFeatureError(
                f"a {type(self.subscription).__name__} cannot discover partitions while the job runs",
                where="KafkaSource",
                now=f'It is called only at the start: disable discovery, set_property("{DISCOVERY_INTERVAL}", "-1").',
            )

    @staticmethod
    def builder() -> KafkaSourceBuilder[Any]:
        """Return a builder of a source."""
        from kafkastream.model.connectors.kafka_source_builder import KafkaSourceBuilder

        return KafkaSourceBuilder()

    @property
    def bootstrap_servers(self) -> str:
        """Comma-separated ``host:port``."""
        return self.properties["bootstrap.servers"]

    @property
    def group_id(self) -> str | None:
        """The consumer group, if any."""
        return self.properties.get("group.id")

    @property
    def consumer_properties(self) -> FrozenMap[str, str]:
        """All client properties: the user's, over Flink's defaults, under what Flink overrides."""
        defaults = {
            "enable.auto.commit": "false",
            "commit.offsets.on.checkpoint": "true" if self.group_id else "false",
            "register.consumer.metrics": "true",
        }
        if self.group_id:
            defaults["client.id.prefix"] = self.group_id
        overrides = {"auto.offset.reset": self.starting_offsets.get_auto_offset_reset_strategy().name.lower()}
        if self.boundedness is Boundedness.BOUNDED:
            overrides[DISCOVERY_INTERVAL] = "-1"
        own = {key: value for key, value in self.properties.items() if not key.startswith(SPARK_PREFIX)}
        return FrozenMap({**defaults, **own, **overrides})

    @property
    def reads_committed(self) -> bool:
        """True if records of open and aborted transactions are left out (``isolation.level``)."""
        return self.properties.get("isolation.level") == "read_committed"

    @property
    def fails_on_data_loss(self) -> bool:
        """True if the job fails if records were deleted before they were read."""
        return self.spark_options.get("failOnDataLoss", "true").lower() != "false"

    @property
    def spark_options(self) -> Mapping[str, str]:
        """Options for Spark's Kafka source, by Spark's names: such as properties given as ``spark.maxOffsetsPerTrigger``."""
        given = self.properties.items()
        return {key.removeprefix(SPARK_PREFIX): value for key, value in given if key.startswith(SPARK_PREFIX)}

    @property
    def discovers_partitions(self) -> bool:
        """True if partitions that appear while the job runs are read; not if the source stops or discovery is off."""
        return self.stopping_offsets is None and int(self.consumer_properties.get(DISCOVERY_INTERVAL, "300000")) > 0

    @property
    def checks_duplicated_group(self) -> bool:
        """True if the job fails to start when other consumers are members of its group."""
        return is_true(self.properties.get(CHECK_DUPLICATED_GROUP, "false"))

    @property
    def registers_consumer_metrics(self) -> bool:
        """True if the metrics of Kafka's consumer are registered."""
        return is_true(self.consumer_properties["register.consumer.metrics"])

    def get_boundedness(self) -> Boundedness:
        """Return BOUNDED if the source ends by itself."""
        return self.boundedness

    getBoundedness = get_boundedness

    def get_produced_type(self) -> TypeInformation[OUT] | None:
        """Return the type of the elements, which the schema declares."""
        return self.deserializer.get_produced_type() if self.deserializer else None

    getProducedType = get_produced_type


def _problems(source: KafkaSource[Any]) -> Iterable[str]:
    """Yield the errors of Flink's ``KafkaSourceBuilder.sanityCheck``, in its order, and then those of this package alone."""
    properties = source.properties
    if not properties.get("bootstrap.servers"):
        yield "Property bootstrap.servers is required but not provided"
    if source.subscription is None:
        yield "No subscribe mode is specified, should be one of topics, topic pattern and partition set"
    if source.deserializer is None:
        yield "Deserialization schema is required but not provided"
    yield from dead_letter_problems(source.dead_letter_topic, _named_topics(source.subscription))
    if not source.group_id:
        if is_true(properties.get(CHECK_DUPLICATED_GROUP, "false")):
            yield "Property group.id is required when the group is to be checked for other members"
        if "true" in (properties.get("enable.auto.commit"), properties.get("commit.offsets.on.checkpoint")):
            yield "Property group.id is required when offset commit is enabled"
        for initializer in filter(None, (source.starting_offsets, source.stopping_offsets)):
            reason = initializer.needs_group_for()
            if reason:
                yield f"Property group.id is required {'when ' if reason.startswith('using') else ''}{reason}"
    if isinstance(source.stopping_offsets, EarliestOffsets):
        yield "earliest() is not a stopping offset: nothing would be read (Flink: Illegal stopping offset -2)"
    yield from property_problems(properties)


def _named_topics(subscription: Subscription | None) -> Collection[str]:
    match subscription:
        case TopicList(topics=topics):
            return topics
        case PartitionSet(partitions=partitions):
            return {partition.topic for partition in partitions}
        case _:
            return ()


def commit_interval_ms(source: KafkaSource[Any], checkpoint_interval_ms: int | None) -> int | None:
    """Return the interval between two commits to the source's group, in milliseconds; None for no commits.

    Args:
        source: Source with its client properties.
        checkpoint_interval_ms: Checkpoint interval of the job; None if checkpointing is off, when Kafka's auto-commit
            properties apply.
    """
    properties = source.consumer_properties
    if source.group_id is None:
        return None
    if checkpoint_interval_ms is not None:
        return checkpoint_interval_ms if is_true(properties["commit.offsets.on.checkpoint"]) else None
    return int(properties.get(AUTO_COMMIT_INTERVAL, "5000")) if is_true(properties["enable.auto.commit"]) else None
