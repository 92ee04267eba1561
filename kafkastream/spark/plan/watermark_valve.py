"""Combines the watermarks and the idleness of inputs, as Flink's sources, inputs and operators do."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import NamedTuple, final

import attrs

from kafkastream.model.common.watermark_strategy import MIN_WATERMARK

__all__ = ["Channels", "InputStatus", "StatusWatermarkValve", "combined_status", "lowest_or_highest"]


class InputStatus(NamedTuple):
    """Watermark of an input, and whether it is idle: an idle input does not hold back the others."""

    watermark: int
    is_idle: bool = False


Channels = Mapping[tuple[int, str], InputStatus]
"""Status of each subtask that leaves a node, by the node's number and the subtask."""


def lowest_or_highest(statuses: Collection[InputStatus]) -> int:
    """Return the lowest watermark of the active inputs, or the highest of all if every input is idle."""
    active = [status.watermark for status in statuses if not status.is_idle]
    return min(active) if active else max((status.watermark for status in statuses), default=MIN_WATERMARK)


def combined_status(statuses: Collection[InputStatus], reached: int) -> InputStatus:
    """Combine the partitions of a source's subtask, or the inputs of an operator, as Flink's ``CombinedWatermarkStatus``.

    An input that is active again holds back the others, also if it is behind the watermark that was ``reached``.
    """
    is_idle = all(status.is_idle for status in statuses)
    return InputStatus(max(lowest_or_highest(statuses), reached), is_idle)


@attrs.define
class _Channel:
    watermark: int = MIN_WATERMARK
    is_idle: bool = False
    is_aligned: bool = True


@final
@attrs.define
class StatusWatermarkValve:
    """Combines the subtasks that an input of an operator reads, as Flink's class of this name.

    It differs from ``combined_status`` in two ways. A subtask that is active again, but behind the watermark, does not hold
    back the others until it has caught up. When the last subtask becomes idle, the watermark goes to the highest only if
    that subtask was at the watermark.
    https://github.com/apache/flink/blob/release-2.2.1/flink-runtime/src/main/java/org/apache/flink/streaming/runtime/watermarkstatus/StatusWatermarkValve.java

    Attributes:
        watermark: Last watermark of the input; it never decreases.
    """

    watermark: int = MIN_WATERMARK
    _channels: dict[tuple[int, str], _Channel] = attrs.field(factory=dict, init=False)

    def update(self, statuses: Channels) -> InputStatus:
        """Update the valve by the current status of each subtask, and return that of the input."""
        self._channels = {subtask: self._channels.get(subtask) or _Channel() for subtask in statuses}
        for subtask, status in statuses.items():
            channel = self._channels[subtask]
            # Flink's outputs leave idleness with a higher watermark only (WatermarkToDataOutput.emitWatermark).
            if status.watermark > channel.watermark:
                channel.watermark, channel.is_idle = status.watermark, False
                channel.is_aligned = channel.is_aligned or channel.watermark >= self.watermark
        self._advance()
        for subtask, status in statuses.items():
            if status.is_idle and not self._channels[subtask].is_idle:
                self._mark_idle(self._channels[subtask])
        return InputStatus(self.watermark, all(channel.is_idle for channel in self._channels.values()))

    def _advance(self) -> None:
        aligned = [channel.watermark for channel in self._channels.values() if channel.is_aligned]
        self.watermark = max(self.watermark, min(aligned, default=MIN_WATERMARK))

    def _mark_idle(self, channel: _Channel) -> None:
        channel.is_idle, channel.is_aligned = True, False
        if channel.watermark != self.watermark:
            return
        channels = self._channels.values()
        if all(channel.is_idle for channel in channels):
            self.watermark = max(channel.watermark for channel in channels)
        else:
            self._advance()
