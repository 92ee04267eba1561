"""Time to live (TTL) of keyed state."""

from __future__ import annotations

import enum
from collections.abc import Callable
from typing import Any, Final, final

import attrs

from kafkastream.errors import DefinitionError
from kafkastream.model.common.argument_checks import checked_methods
from kafkastream.model.common.stand_ins import StandIn
from kafkastream.model.common.time import Duration, Time, millis_of

__all__ = ["ABSENT", "Life", "StateTtlConfig"]

ABSENT: Final = object()
"""Value read from content that has expired; None may be content."""


@final
@checked_methods
@attrs.frozen(kw_only=True)
class StateTtlConfig:
    """Time to live (TTL) of a state: content that was not written (or read) for that long expires.

    Same as in Flink: measured in processing time, for each entry of a map and each element of a list on its own.
    Differs from Flink: there is one way of cleaning up. Expired content is removed when it is accessed; besides, each
    micro-batch looks through one page of keys (16 KiB), whether they are accessed again or not.

    Example:
        >>> config = StateTtlConfig.new_builder(Time.days(1)).update_ttl_on_read_and_write().build()
        >>> config.get_update_type().name, config.get_ttl().to_milliseconds()
        ('OnReadAndWrite', 86400000)
    """

    class UpdateType(enum.Enum):
        """Accesses that renew the time to live."""

        Disabled = 0
        OnCreateAndWrite = 1
        OnReadAndWrite = 2

    class StateVisibility(enum.Enum):
        """Visibility of expired content that is not removed yet."""

        ReturnExpiredIfNotCleanedUp = 0
        NeverReturnExpired = 1

    class TtlTimeCharacteristic(enum.Enum):
        """Clock that the time to live is measured with."""

        ProcessingTime = 0

    class CleanupStrategies(
        StandIn, instead="State is cleaned up in one way; disable_cleanup_in_background turns it off."
    ):
        """Flink's configuration of cleaning up."""

    ttl_ms: int
    update_type: UpdateType = UpdateType.OnCreateAndWrite
    visibility: StateVisibility = StateVisibility.NeverReturnExpired
    cleans_in_background: bool = True

    @staticmethod
    def new_builder(ttl: Time | Duration) -> StateTtlConfig.Builder:
        """Return a builder of a configuration.

        Args:
            ttl: Time to live, measured in processing time.

        Raises:
            DefinitionError: ``ttl`` is not positive.
        """
        return StateTtlConfig.Builder(ttl)

    newBuilder = new_builder

    def get_update_type(self) -> UpdateType:
        """Return the accesses that renew the time to live."""
        return self.update_type

    getUpdateType = get_update_type

    def get_state_visibility(self) -> StateVisibility:
        """Return whether expired content that is not yet removed may be read."""
        return self.visibility

    getStateVisibility = get_state_visibility

    def get_ttl(self) -> Time:
        """Return the time to live."""
        return Time.milliseconds(self.ttl_ms)

    getTtl = get_ttl

    def get_cleanup_strategies(self) -> CleanupStrategies:
        """Refused: there is one way of cleaning up.

        Raises:
            UnsupportedFeatureError: Always.
        """
        return StateTtlConfig.CleanupStrategies()

    getCleanupStrategies = get_cleanup_strategies

    def get_ttl_time_characteristic(self) -> TtlTimeCharacteristic:
        """Return ``ProcessingTime``, the only clock."""
        return StateTtlConfig.TtlTimeCharacteristic.ProcessingTime

    getTtlTimeCharacteristic = get_ttl_time_characteristic

    def is_enabled(self) -> bool:
        """Return whether the state expires at all."""
        return self.update_type is not StateTtlConfig.UpdateType.Disabled

    isEnabled = is_enabled

    @final
    @checked_methods
    class Builder:
        """Builder of a ``StateTtlConfig``; each setter returns the builder."""

        def __init__(self, ttl: Time | Duration) -> None:
            self._ttl_ms = _millis(ttl)
            self._update_type = StateTtlConfig.UpdateType.OnCreateAndWrite
            self._visibility = StateTtlConfig.StateVisibility.NeverReturnExpired
            self._cleans_in_background = True

        def set_update_type(self, update_type: StateTtlConfig.UpdateType) -> StateTtlConfig.Builder:
            """Set the accesses that renew the time to live; ``OnCreateAndWrite`` by default.

            Args:
                update_type: ``OnCreateAndWrite``, ``OnReadAndWrite``, or ``Disabled`` for state that does not expire.
            """
            self._update_type = update_type
            return self

        setUpdateType = set_update_type

        def update_ttl_on_create_and_write(self) -> StateTtlConfig.Builder:
            """Renew the time to live on writes only, which is the default."""
            return self.set_update_type(StateTtlConfig.UpdateType.OnCreateAndWrite)

        updateTtlOnCreateAndWrite = update_ttl_on_create_and_write

        def update_ttl_on_read_and_write(self) -> StateTtlConfig.Builder:
            """Renew the time to live on reads, too."""
            return self.set_update_type(StateTtlConfig.UpdateType.OnReadAndWrite)

        updateTtlOnReadAndWrite = update_ttl_on_read_and_write

        def set_state_visibility(self, state_visibility: StateTtlConfig.StateVisibility) -> StateTtlConfig.Builder:
            """Set whether expired content that is not yet removed may be read; ``NeverReturnExpired`` by default.

            Args:
                state_visibility: ``NeverReturnExpired`` or ``ReturnExpiredIfNotCleanedUp``.
            """
            self._visibility = state_visibility
            return self

        setStateVisibility = set_state_visibility

        def return_expired_if_not_cleaned_up(self) -> StateTtlConfig.Builder:
            """Let reads return expired content until it is removed."""
            return self.set_state_visibility(StateTtlConfig.StateVisibility.ReturnExpiredIfNotCleanedUp)

        returnExpiredIfNotCleanedUp = return_expired_if_not_cleaned_up

        def never_return_expired(self) -> StateTtlConfig.Builder:
            """Never let reads return expired content, which is the default."""
            return self.set_state_visibility(StateTtlConfig.StateVisibility.NeverReturnExpired)

        neverReturnExpired = never_return_expired

        def set_ttl_time_characteristic(
            self, ttl_time_characteristic: StateTtlConfig.TtlTimeCharacteristic
        ) -> StateTtlConfig.Builder:
            """Accept the only clock there is, processing time.

            Args:
                ttl_time_characteristic: ``ProcessingTime``.
            """
            return self

        setTtlTimeCharacteristic = set_ttl_time_characteristic

        def use_processing_time(self) -> StateTtlConfig.Builder:
            """Accept the only clock there is, processing time."""
            return self

        useProcessingTime = use_processing_time

        def cleanup_full_snapshot(self) -> StateTtlConfig.Builder:
            """Accept, without effect: there is one way of cleaning up."""
            return self

        cleanupFullSnapshot = cleanup_full_snapshot

        def cleanup_incrementally(
            self, cleanup_size: int, run_cleanup_for_every_record: bool
        ) -> StateTtlConfig.Builder:
            """Accept, without effect: there is one way of cleaning up."""
            return self

        cleanupIncrementally = cleanup_incrementally

        def cleanup_in_rocksdb_compact_filter(
            self, query_time_after_num_entries: int, periodic_compaction_time: Time | Duration | None = None
        ) -> StateTtlConfig.Builder:
            """Accept, without effect: there is one way of cleaning up."""
            return self

        cleanupInRocksdbCompactFilter = cleanup_in_rocksdb_compact_filter

        def disable_cleanup_in_background(self) -> StateTtlConfig.Builder:
            """Remove expired content only when it is accessed."""
            self._cleans_in_background = False
            return self

        disableCleanupInBackground = disable_cleanup_in_background

        def set_ttl(self, ttl: Time | Duration) -> StateTtlConfig.Builder:
            """Set the time to live, measured in processing time.

            Args:
                ttl: Time since the last access that renews it.

            Raises:
                DefinitionError: ``ttl`` is not positive.
            """
            self._ttl_ms = _millis(ttl)
            return self

        setTtl = set_ttl

        def build(self) -> StateTtlConfig:
            """Return the configuration."""
            return StateTtlConfig(
                ttl_ms=self._ttl_ms,
                update_type=self._update_type,
                visibility=self._visibility,
                cleans_in_background=self._cleans_in_background,
            )


def _millis(ttl: Time | Duration) -> int:
    millis = millis_of("a time to live", ttl)
    if millis <= 0:
        raise DefinitionError(f"TTL is expected to be positive, not {millis} ms", where="StateTtlConfig")
    return millis


@final
@attrs.frozen
class Life:
    """Time to live of a state at work: content is kept as (value, time of last use in ms).

    Args:
        config: The user's configuration.
        clock: Returns the time in ms.
    """

    config: StateTtlConfig
    clock: Callable[[], int]

    def begun(self, value: Any) -> tuple[Any, int]:
        """Return the stored form of a value that is written now."""
        return value, self.clock()

    def read(self, kept: tuple[Any, int]) -> tuple[Any, tuple[Any, int] | None]:
        """Return the value that is read, or ``ABSENT``, and the value that stays stored, or None."""
        value, now = kept[0], self.clock()
        if not self._is_over(kept, now):
            renews = self.config.update_type is StateTtlConfig.UpdateType.OnReadAndWrite
            return value, (value, now) if renews else kept
        shown = self.config.visibility is StateTtlConfig.StateVisibility.ReturnExpiredIfNotCleanedUp
        return value if shown else ABSENT, None

    def left_of(self, content: Any) -> Any:
        """Return a state's content (a value, list or map) without its expired entries: unchanged, smaller, or None if
        nothing is left.
        """
        now = self.clock()
        match content:
            case list():
                left: Any = [kept for kept in content if not self._is_over(kept, now)]
            case dict():
                left = {key: kept for key, kept in content.items() if not self._is_over(kept, now)}
            case _:
                return None if self._is_over(content, now) else content
        return content if len(left) == len(content) else left or None

    def _is_over(self, kept: tuple[Any, int], now: int) -> bool:
        return kept[1] + self.config.ttl_ms <= now
