"""Where a source begins and stops, as values; what they mean on a broker is resolved when the job starts."""

from __future__ import annotations

import enum
from collections.abc import Mapping
from typing import final

import attrs

from kafkastream.errors import DefinitionError
from kafkastream.spec.subscription import TopicPartition
from kafkastream.spec.values import FrozenMap

__all__ = [
    "CommittedOffsets",
    "EarliestOffsets",
    "LatestOffsets",
    "OffsetResetStrategy",
    "OffsetsInitializer",
    "SpecifiedOffsets",
    "TimestampOffsets",
]


class OffsetResetStrategy(enum.Enum):
    """What to do when an offset is missing or out of range (PyFlink: ``KafkaOffsetResetStrategy``)."""

    LATEST = 0
    EARLIEST = 1
    NONE = 2


class OffsetsInitializer:
    """Where a source begins or stops (PyFlink: ``KafkaOffsetsInitializer``).

    Example:
        >>> OffsetsInitializer.timestamp(1_700_000_000_000)
        TimestampOffsets(timestamp_ms=1700000000000)
    """

    __slots__ = ()

    @property
    def reset_strategy(self) -> OffsetResetStrategy:
        """What Flink writes to ``auto.offset.reset``."""
        raise NotImplementedError

    def needs_group_for(self) -> str | None:
        """Why a ``group.id`` is needed, or None."""
        return None

    @staticmethod
    def earliest() -> EarliestOffsets:
        """The beginning of every partition."""
        return EarliestOffsets()

    @staticmethod
    def latest() -> LatestOffsets:
        """The end of every partition as it is when the job starts."""
        return LatestOffsets()

    @staticmethod
    def timestamp(timestamp: int) -> TimestampOffsets:
        """The first record whose timestamp is at or after ``timestamp`` (ms); none such: the end."""
        return TimestampOffsets(timestamp)

    @staticmethod
    def offsets(
        offsets: Mapping[TopicPartition, int],
        offset_reset_strategy: OffsetResetStrategy = OffsetResetStrategy.EARLIEST,
    ) -> SpecifiedOffsets:
        """An offset per partition; a partition not named begins at the group's committed offset, else resets."""
        return SpecifiedOffsets(offsets, offset_reset_strategy)

    @staticmethod
    def committed_offsets(
        offset_reset_strategy: OffsetResetStrategy = OffsetResetStrategy.NONE,
    ) -> CommittedOffsets:
        """What the consumer group has committed; a partition without: the strategy, where NONE fails."""
        return CommittedOffsets(offset_reset_strategy)

    committedOffsets = committed_offsets


@final
@attrs.frozen
class EarliestOffsets(OffsetsInitializer):
    """The beginning of every partition."""

    @property
    def reset_strategy(self) -> OffsetResetStrategy:
        """EARLIEST."""
        return OffsetResetStrategy.EARLIEST


@final
@attrs.frozen
class LatestOffsets(OffsetsInitializer):
    """The end of every partition."""

    @property
    def reset_strategy(self) -> OffsetResetStrategy:
        """LATEST."""
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

    @property
    def reset_strategy(self) -> OffsetResetStrategy:
        """LATEST."""
        return OffsetResetStrategy.LATEST


@final
@attrs.frozen
class CommittedOffsets(OffsetsInitializer):
    """What the consumer group has committed."""

    strategy: OffsetResetStrategy = OffsetResetStrategy.NONE

    @property
    def reset_strategy(self) -> OffsetResetStrategy:
        """As given."""
        return self.strategy

    def needs_group_for(self) -> str:
        """Always."""
        return "using committed offset for offsets initializer"


COMMITTED_MARKER = -3  # KafkaPartitionSplit.COMMITTED_OFFSET
_MARKERS = (-1, -2, COMMITTED_MARKER)


def _valid_offsets(_: object, __: object, offsets: FrozenMap[TopicPartition, int]) -> None:
    bad = {str(partition): offset for partition, offset in offsets.items() if offset < 0 and offset not in _MARKERS}
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

    @property
    def reset_strategy(self) -> OffsetResetStrategy:
        """As given."""
        return self.strategy

    def needs_group_for(self) -> str | None:
        """Only when a partition is to begin at its committed offset."""
        for partition, offset in self.offsets_by_partition.items():
            if offset == COMMITTED_MARKER:
                return f"because partition {partition} is initialized with committed offset"
        return None
