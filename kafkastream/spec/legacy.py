"""The consumer of Flink 1.x, for jobs that still use it: it builds a ``KafkaSource``."""

from __future__ import annotations

import time
from collections.abc import Iterable, Mapping
from typing import Any, Generic, TypeVar, final

from typing_extensions import Self

from kafkastream.errors import DefinitionError
from kafkastream.spec.formats import DeserializationSchema
from kafkastream.spec.offsets import OffsetResetStrategy, OffsetsInitializer
from kafkastream.spec.properties import property_text
from kafkastream.spec.record import KafkaRecordDeserializationSchema
from kafkastream.spec.source import DISCOVERY_INTERVAL, KafkaSource
from kafkastream.spec.subscription import TopicPartition
from kafkastream.spec.watermark import WatermarkStrategy

__all__ = ["FlinkKafkaConsumer"]

OUT = TypeVar("OUT")

_DISCOVERY = "flink.partition-discovery.interval-millis"
_DISABLE_METRICS = "flink.disable-metrics"


@final
class FlinkKafkaConsumer(Generic[OUT]):
    """The Kafka source of Flink 1.x, for ``env.add_source``; new jobs use ``KafkaSource``.

    As in Flink: it begins at the group's offsets unless told otherwise, and where there is none, as
    ``auto.offset.reset`` says (``latest`` if not set); it looks for new partitions only when
    ``flink.partition-discovery.interval-millis`` is set; offsets are committed with checkpoints, or without them by
    ``enable.auto.commit``, which is true if not set.
    Differs from Flink: ``flink.poll-timeout`` has no effect, since Spark reads.

    Args:
        topics: One topic or several.
        deserialization_schema: Of the records' values, or of whole records.
        properties: Kafka's consumer properties by their Java names; ``bootstrap.servers`` is required.

    Raises:
        DefinitionError: When the job is built: a property is missing or wrong.

    Example:
        >>> from kafkastream.spec.formats import SimpleStringSchema
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
        self._properties = {key: property_text(key, value) for key, value in properties.items()}
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
        """Begin at the first record at or after a time in ms; where there is none, at the end.

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
        """Begin at what the group has committed, which is the default."""
        self._start = None
        return self

    setStartFromGroupOffsets = set_start_from_group_offsets

    def set_start_from_specific_offsets(self, specific_startup_offsets: Mapping[TopicPartition, int]) -> Self:
        """Begin at an offset per partition; those not named begin at what the group has committed. PyFlink lacks it."""
        return self._begin(OffsetsInitializer.offsets(specific_startup_offsets, self._reset_strategy()))

    setStartFromSpecificOffsets = set_start_from_specific_offsets

    def set_commit_offsets_on_checkpoints(self, commit_on_checkpoints: bool) -> Self:
        """Whether offsets are committed to the group with checkpoints; they are, by default."""
        self._commits = commit_on_checkpoints
        return self

    setCommitOffsetsOnCheckpoints = set_commit_offsets_on_checkpoints

    def assign_timestamps_and_watermarks(self, watermark_strategy: WatermarkStrategy[Any]) -> Self:
        """Give records their event times and watermarks in the source. PyFlink lacks it."""
        self._watermarks = watermark_strategy
        return self

    assignTimestampsAndWatermarks = assign_timestamps_and_watermarks

    @property
    def watermarks(self) -> WatermarkStrategy[Any]:
        """What ``assign_timestamps_and_watermarks`` was given."""
        return self._watermarks

    def to_source(self) -> KafkaSource[OUT]:
        """The ``KafkaSource`` that reads the same.

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
                f"Property auto.offset.reset = {name!r} is none of earliest, latest, none", where="FlinkKafkaConsumer"
            ) from None
