"""Initializers of starting and stopping offsets, and their resolution on the brokers."""

from __future__ import annotations

import enum
from abc import ABC, abstractmethod
from collections.abc import Collection, Mapping
from typing import Protocol, final

import attrs

from kafkastream.errors import DefinitionError, UnknownOffsetsError
from kafkastream.model.common.argument_checks import checked
from kafkastream.model.common.immutable import FrozenMap
from kafkastream.model.connectors.subscription import TopicPartition

__all__ = [
    "CommittedOffsets",
    "EarliestOffsets",
    "LatestOffsets",
    "OffsetResetStrategy",
    "Offsets",
    "OffsetsInitializer",
    "PartitionOffsetsRetriever",
    "SpecifiedOffsets",
    "TimestampOffsets",
    "starting_offsets",
    "stopping_offsets",
]

Offsets = Mapping[TopicPartition, int]


class OffsetResetStrategy(enum.Enum):
    """Strategy for an offset that is missing or out of range (PyFlink: ``KafkaOffsetResetStrategy``)."""

    LATEST = 0
    EARLIEST = 1
    NONE = 2


class PartitionOffsetsRetriever(Protocol):
    """Questions that an initializer may ask the brokers; each answer holds the partitions for which there is one."""

    def committed_offsets(self, partitions: Collection[TopicPartition]) -> Offsets:
        """Return the offsets that the source's consumer group has committed.

        Args:
            partitions: Partitions to ask for.
        """

    def beginning_offsets(self, partitions: Collection[TopicPartition]) -> Offsets:
        """Return the first offsets that the brokers still hold.

        Args:
            partitions: Partitions to ask for.
        """

    def end_offsets(self, partitions: Collection[TopicPartition]) -> Offsets:
        """Return the offsets of the next records to be written.

        Args:
            partitions: Partitions to ask for.
        """

    def offsets_for_times(self, timestamps_to_search: Mapping[TopicPartition, int]) -> Offsets:
        """Return the first records at or after a time.

        Args:
            timestamps_to_search: Milliseconds since 1970 for each partition.
        """


class OffsetsInitializer(ABC):
    """Initializer of starting or stopping offsets (PyFlink: ``KafkaOffsetsInitializer``); subclass it for a rule of your own.

    Example:
        >>> OffsetsInitializer.timestamp(1_700_000_000_000)
        TimestampOffsets(timestamp_ms=1700000000000)
    """

    __slots__ = ()

    @abstractmethod
    def get_partition_offsets(
        self, partitions: Collection[TopicPartition], partition_offsets_retriever: PartitionOffsetsRetriever
    ) -> Offsets:
        """Return the offset of each partition, worked out once, on the driver, when the job first starts.

        Args:
            partitions: Partitions that the source reads.
            partition_offsets_retriever: Looks up offsets on the brokers.

        Returns:
            Offset by partition. A partition that is left out begins at its committed offset, else where the reset
            strategy says; -1 means the end, -2 the beginning, -3 the committed offset.
        """

    @abstractmethod
    def get_auto_offset_reset_strategy(self) -> OffsetResetStrategy:
        """Return the strategy for a starting offset that is out of range: Flink writes it to ``auto.offset.reset``."""

    def as_stopping(self) -> OffsetsInitializer:
        """Return the initializer for stopping offsets; itself for most."""
        return self

    def needs_group_for(self) -> str | None:
        """Reason why a ``group.id`` is needed, or None."""
        return None

    @staticmethod
    def earliest() -> EarliestOffsets:
        """Return an initializer of the first offset of every partition."""
        return EarliestOffsets()

    @staticmethod
    def latest() -> LatestOffsets:
        """Return an initializer of the end of every partition, as it is when the job starts."""
        return LatestOffsets()

    @staticmethod
    @checked
    def timestamp(timestamp: int) -> TimestampOffsets:
        """Return an initializer of the first records at or after a time; the end of a partition that has none.

        Args:
            timestamp: Milliseconds since 1970, compared with the records' timestamps.
        """
        return TimestampOffsets(timestamp)

    @staticmethod
    @checked
    def offsets(
        offsets: Mapping[TopicPartition, int],
        offset_reset_strategy: OffsetResetStrategy = OffsetResetStrategy.EARLIEST,
    ) -> SpecifiedOffsets:
        """Return an initializer of given offsets; a partition that is not named begins at the group's committed offset.

        Args:
            offsets: Offset of the first record of each partition.
            offset_reset_strategy: Strategy for a partition without either; EARLIEST by default.
        """
        return SpecifiedOffsets(offsets, offset_reset_strategy)

    @staticmethod
    @checked
    def committed_offsets(
        offset_reset_strategy: OffsetResetStrategy = OffsetResetStrategy.NONE,
    ) -> CommittedOffsets:
        """Return an initializer of the group's committed offsets; a partition without one follows the strategy, where NONE fails.

        Args:
            offset_reset_strategy: Strategy for a partition without a committed offset.
        """
        return CommittedOffsets(offset_reset_strategy)

    committedOffsets = committed_offsets


@final
@attrs.frozen
class EarliestOffsets(OffsetsInitializer):
    """The beginning of every partition."""

    def get_partition_offsets(
        self, partitions: Collection[TopicPartition], partition_offsets_retriever: PartitionOffsetsRetriever
    ) -> Offsets:
        """Return the first offsets."""
        return partition_offsets_retriever.beginning_offsets(partitions)

    def get_auto_offset_reset_strategy(self) -> OffsetResetStrategy:
        """Return EARLIEST."""
        return OffsetResetStrategy.EARLIEST


@final
@attrs.frozen
class LatestOffsets(OffsetsInitializer):
    """The end of every partition."""

    def get_partition_offsets(
        self, partitions: Collection[TopicPartition], partition_offsets_retriever: PartitionOffsetsRetriever
    ) -> Offsets:
        """Return the offsets of the records to come."""
        return partition_offsets_retriever.end_offsets(partitions)

    def get_auto_offset_reset_strategy(self) -> OffsetResetStrategy:
        """Return LATEST."""
        return OffsetResetStrategy.LATEST


def _not_negative(_: object, __: object, timestamp_ms: int) -> None:
    if timestamp_ms < 0:
        raise DefinitionError(
            f"the offsets timestamp {timestamp_ms} is negative", now="Give milliseconds since 1970-01-01 UTC."
        )


@final
@attrs.frozen
class TimestampOffsets(OffsetsInitializer):
    """The first record at or after a time, in ms since the epoch."""

    timestamp_ms: int = attrs.field(validator=_not_negative)

    def get_partition_offsets(
        self, partitions: Collection[TopicPartition], partition_offsets_retriever: PartitionOffsetsRetriever
    ) -> Offsets:
        """Return the found offsets; without one, the end as of before the search, so that nothing is skipped."""
        ends = partition_offsets_retriever.end_offsets(partitions)
        found = partition_offsets_retriever.offsets_for_times(dict.fromkeys(partitions, self.timestamp_ms))
        return {**ends, **found}

    def get_auto_offset_reset_strategy(self) -> OffsetResetStrategy:
        """Return LATEST."""
        return OffsetResetStrategy.LATEST


@final
@attrs.frozen
class CommittedOffsets(OffsetsInitializer):
    """Offsets that the consumer group has committed."""

    strategy: OffsetResetStrategy = OffsetResetStrategy.NONE

    def get_partition_offsets(
        self, partitions: Collection[TopicPartition], partition_offsets_retriever: PartitionOffsetsRetriever
    ) -> Offsets:
        """Return the committed offsets, or for partitions without one, the reset strategy's."""
        committed = partition_offsets_retriever.committed_offsets(partitions)
        missing = [partition for partition in partitions if partition not in committed]
        return {**committed, **_reset(self.strategy, missing, partition_offsets_retriever)}

    def get_auto_offset_reset_strategy(self) -> OffsetResetStrategy:
        """Return the given strategy."""
        return self.strategy

    def as_stopping(self) -> CommittedOffsets:
        """A partition without a committed offset has no place to stop, whatever the strategy."""
        return CommittedOffsets(OffsetResetStrategy.NONE)

    def needs_group_for(self) -> str:
        """Always."""
        return "using committed offset for offsets initializer"


# KafkaPartitionSplit.java at
# https://github.com/apache/flink-connector-kafka/tree/v4.0.1/flink-connector-kafka/src/main/java/org/apache/flink/connector/kafka/source/split
LATEST_MARKER, EARLIEST_MARKER, COMMITTED_MARKER = -1, -2, -3


def _valid_offsets(_: object, __: object, offsets: FrozenMap[TopicPartition, int]) -> None:
    bad = {str(partition): offset for partition, offset in offsets.items() if offset < COMMITTED_MARKER}
    if bad:
        raise DefinitionError(
            f"Invalid starting offset {bad}", now="Offsets are 0 or more; -1 is the end, -2 the start, -3 committed."
        )


@final
@attrs.frozen
class SpecifiedOffsets(OffsetsInitializer):
    """An offset per partition; -1 is the end, -2 the start, -3 the committed one, as in Flink's splits."""

    offsets_by_partition: FrozenMap[TopicPartition, int] = attrs.field(
        converter=FrozenMap[TopicPartition, int], validator=_valid_offsets
    )
    strategy: OffsetResetStrategy = OffsetResetStrategy.EARLIEST

    def get_partition_offsets(
        self, partitions: Collection[TopicPartition], partition_offsets_retriever: PartitionOffsetsRetriever
    ) -> Offsets:
        """The given offsets; other partitions begin at the group's committed offset, or else where the reset strategy does."""
        rules: dict[int, OffsetsInitializer] = {
            LATEST_MARKER: LatestOffsets(),
            EARLIEST_MARKER: EarliestOffsets(),
            COMMITTED_MARKER: CommittedOffsets(self.strategy),
        }
        wanted = {p: self.offsets_by_partition.get(p, COMMITTED_MARKER) for p in partitions}
        worked_out = {p: offset for p, offset in wanted.items() if offset >= 0}
        for marker, rule in rules.items():
            marked = [p for p, offset in wanted.items() if offset == marker]
            if marked:
                worked_out.update(rule.get_partition_offsets(marked, partition_offsets_retriever))
        return worked_out

    def get_auto_offset_reset_strategy(self) -> OffsetResetStrategy:
        """Return the given strategy."""
        return self.strategy

    def as_stopping(self) -> SpecifiedOffsets:
        """Partitions that are neither named nor committed stop at their end, whatever the strategy."""
        return SpecifiedOffsets(self.offsets_by_partition, OffsetResetStrategy.LATEST)

    def needs_group_for(self) -> str | None:
        """Only when a partition is to begin at its committed offset."""
        for partition, offset in self.offsets_by_partition.items():
            if offset == COMMITTED_MARKER:
                return f"because partition {partition} is initialized with committed offset"
        return None


def starting_offsets(
    initializer: OffsetsInitializer, partitions: Collection[TopicPartition], retriever: PartitionOffsetsRetriever
) -> Offsets:
    """Return the starting offset of each partition; an offset that the broker does not hold (any more) is reset by the strategy.

    Raises:
        UnknownOffsetsError: With the strategy NONE: partitions without an offset, or with one out of range.
    """
    strategy = initializer.get_auto_offset_reset_strategy()
    wanted = _worked_out(initializer, partitions, retriever)
    begins, ends = retriever.beginning_offsets(partitions), retriever.end_offsets(partitions)
    outside = [p for p, offset in wanted.items() if not begins[p] <= offset <= ends[p]]
    return {**wanted, **_reset(strategy, outside, retriever)}


def stopping_offsets(
    initializer: OffsetsInitializer, partitions: Collection[TopicPartition], retriever: PartitionOffsetsRetriever
) -> Offsets:
    """Return the first offset of each partition that is not read.

    Raises:
        UnknownOffsetsError: A partition is to stop at a committed offset that is not there.
    """
    return _worked_out(initializer.as_stopping(), partitions, retriever)


def _worked_out(
    initializer: OffsetsInitializer, partitions: Collection[TopicPartition], retriever: PartitionOffsetsRetriever
) -> Offsets:
    """An offset for each partition, also where a user-defined initializer left one out or returned a marker."""
    offsets = initializer.get_partition_offsets(partitions, retriever)
    if all(offsets.get(partition, COMMITTED_MARKER) >= 0 for partition in partitions):
        return {partition: offsets[partition] for partition in partitions}
    specified = SpecifiedOffsets(offsets, initializer.get_auto_offset_reset_strategy())
    return specified.get_partition_offsets(partitions, retriever)


def _reset(
    strategy: OffsetResetStrategy, partitions: Collection[TopicPartition], retriever: PartitionOffsetsRetriever
) -> Offsets:
    """Return the starting offsets of partitions without a usable offset."""
    if not partitions:
        return {}
    match strategy:
        case OffsetResetStrategy.EARLIEST:
            return retriever.beginning_offsets(partitions)
        case OffsetResetStrategy.LATEST:
            return retriever.end_offsets(partitions)
        case OffsetResetStrategy.NONE:
            raise UnknownOffsetsError(
                f"Cannot find initial offsets for partitions: {', '.join(map(str, sorted(partitions)))}",
                where="offsets with reset strategy NONE: no committed offset, or one that the broker does not hold",
                now="Name an offset for each, or a reset strategy: EARLIEST or LATEST.",
            )
