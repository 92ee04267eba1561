"""Range of a partition that a source reads, of the records that a test sends."""

from __future__ import annotations

from typing import final

import attrs

from kafkastream.model.connectors.offsets_initializers import OffsetsInitializer, SpecifiedOffsets, TimestampOffsets
from kafkastream.model.connectors.subscription import TopicPartition

__all__ = ["PartitionRange"]


@final
@attrs.define
class PartitionRange:
    """Range of a partition between a source's starting and stopping offsets.

    Timestamps and offsets are looked up in what the test sends. The earliest, latest and committed offsets are those at
    the start of the job, before the first record.
    """

    _partition: TopicPartition
    _start: OffsetsInitializer
    _stop: OffsetsInitializer | None
    _has_begun: bool = False
    _has_ended: bool = False

    def begin(self) -> None:
        """Include the next record: the job continues from a snapshot, and its starting offsets do not apply."""
        self._has_begun = True

    def includes_next(self, offset: int, timestamp: int) -> bool:
        """Return whether the source reads the partition's next record."""
        self._has_begun = self._has_begun or self._is_reached(self._start, offset, timestamp, otherwise=True)
        self._has_ended = self._has_ended or self._is_reached(self._stop, offset, timestamp, otherwise=False)
        return self._has_begun and not self._has_ended

    def _is_reached(self, position: OffsetsInitializer | None, offset: int, timestamp: int, *, otherwise: bool) -> bool:
        match position:
            case TimestampOffsets(timestamp_ms=time):
                return timestamp >= time
            case SpecifiedOffsets(offsets_by_partition=offsets) if offsets.get(self._partition, -1) >= 0:
                return offset >= offsets[self._partition]
            case _:
                return otherwise
