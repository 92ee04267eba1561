"""How long state lives."""

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
"""What is seen of content that has expired; None may be content."""


@final
@checked_methods
@attrs.frozen(kw_only=True)
class StateTtlConfig:
    """How long state lives: what was not written (or read) for that long counts as forgotten.

    Same as in Flink: by processing time, for each entry of a map and each element of a list on its own.
    Differs from Flink: the strategies of cleaning up are one. What has expired is removed when it is asked for; and each
    micro-batch looks through one page of keys (16 KiB), whether they are seen again or not.

    Example:
        >>> config = StateTtlConfig.new_builder(Time.days(1)).update_ttl_on_read_and_write().build()
        >>> config.get_update_type().name, config.get_ttl().to_milliseconds()
        ('OnReadAndWrite', 86400000)
    """

    class UpdateType(enum.Enum):
        """What makes state live on."""

        Disabled = 0
        OnCreateAndWrite = 1
        OnReadAndWrite = 2

    class StateVisibility(enum.Enum):
        """Whether what has expired may still be seen."""

        ReturnExpiredIfNotCleanedUp = 0
        NeverReturnExpired = 1

    class TtlTimeCharacteristic(enum.Enum):
        """Which clock counts."""

        ProcessingTime = 0

    class CleanupStrategies(
        StandIn, instead="State is cleaned up in one way; disable_cleanup_in_background turns it off."
    ):
        """How state is cleaned up."""

    ttl_ms: int
    update_type: UpdateType = UpdateType.OnCreateAndWrite
    visibility: StateVisibility = StateVisibility.NeverReturnExpired
    cleans_in_background: bool = True

    @staticmethod
    def new_builder(ttl: Time | Duration) -> StateTtlConfig.Builder:
        """Begin a configuration: state lives for ``ttl``.

        Raises:
            DefinitionError: It is not a positive length of time.
        """
        return StateTtlConfig.Builder(ttl)

    newBuilder = new_builder

    def get_update_type(self) -> UpdateType:
        """What makes state live on."""
        return self.update_type

    getUpdateType = get_update_type

    def get_state_visibility(self) -> StateVisibility:
        """Whether what has expired may still be seen."""
        return self.visibility

    getStateVisibility = get_state_visibility

    def get_ttl(self) -> Time:
        """How long state lives."""
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
        """Processing time, always."""
        return StateTtlConfig.TtlTimeCharacteristic.ProcessingTime

    getTtlTimeCharacteristic = get_ttl_time_characteristic

    def is_enabled(self) -> bool:
        """Whether state expires at all."""
        return self.update_type is not StateTtlConfig.UpdateType.Disabled

    isEnabled = is_enabled

    @final
    @checked_methods
    class Builder:
        """Collects the settings of a ``StateTtlConfig``; each setter returns the builder."""

        def __init__(self, ttl: Time | Duration) -> None:
            self._ttl_ms = _millis(ttl)
            self._update_type = StateTtlConfig.UpdateType.OnCreateAndWrite
            self._visibility = StateTtlConfig.StateVisibility.NeverReturnExpired
            self._cleans_in_background = True

        def set_update_type(self, update_type: StateTtlConfig.UpdateType) -> StateTtlConfig.Builder:
            """What makes state live on."""
            self._update_type = update_type
            return self

        setUpdateType = set_update_type

        def update_ttl_on_create_and_write(self) -> StateTtlConfig.Builder:
            """Writing makes state live on: the default."""
            return self.set_update_type(StateTtlConfig.UpdateType.OnCreateAndWrite)

        updateTtlOnCreateAndWrite = update_ttl_on_create_and_write

        def update_ttl_on_read_and_write(self) -> StateTtlConfig.Builder:
            """Reading, too, makes state live on."""
            return self.set_update_type(StateTtlConfig.UpdateType.OnReadAndWrite)

        updateTtlOnReadAndWrite = update_ttl_on_read_and_write

        def set_state_visibility(self, state_visibility: StateTtlConfig.StateVisibility) -> StateTtlConfig.Builder:
            """Whether what has expired may still be seen."""
            self._visibility = state_visibility
            return self

        setStateVisibility = set_state_visibility

        def return_expired_if_not_cleaned_up(self) -> StateTtlConfig.Builder:
            """What has expired may be seen until it is removed."""
            return self.set_state_visibility(StateTtlConfig.StateVisibility.ReturnExpiredIfNotCleanedUp)

        returnExpiredIfNotCleanedUp = return_expired_if_not_cleaned_up

        def never_return_expired(self) -> StateTtlConfig.Builder:
            """What has expired is never seen: the default."""
            return self.set_state_visibility(StateTtlConfig.StateVisibility.NeverReturnExpired)

        neverReturnExpired = never_return_expired

        def set_ttl_time_characteristic(
            self, ttl_time_characteristic: StateTtlConfig.TtlTimeCharacteristic
        ) -> StateTtlConfig.Builder:
            """Accepted: there is only one."""
            return self

        setTtlTimeCharacteristic = set_ttl_time_characteristic

        def use_processing_time(self) -> StateTtlConfig.Builder:
            """Accepted: it is always processing time."""
            return self

        useProcessingTime = use_processing_time

        def cleanup_full_snapshot(self) -> StateTtlConfig.Builder:
            """Accepted, without effect."""
            return self

        cleanupFullSnapshot = cleanup_full_snapshot

        def cleanup_incrementally(
            self, cleanup_size: int, run_cleanup_for_every_record: bool
        ) -> StateTtlConfig.Builder:
            """Accepted, without effect."""
            return self

        cleanupIncrementally = cleanup_incrementally

        def cleanup_in_rocksdb_compact_filter(
            self, query_time_after_num_entries: int, periodic_compaction_time: Time | Duration | None = None
        ) -> StateTtlConfig.Builder:
            """Accepted, without effect."""
            return self

        cleanupInRocksdbCompactFilter = cleanup_in_rocksdb_compact_filter

        def disable_cleanup_in_background(self) -> StateTtlConfig.Builder:
            """Remove what has expired only when it is asked for."""
            self._cleans_in_background = False
            return self

        disableCleanupInBackground = disable_cleanup_in_background

        def set_ttl(self, ttl: Time | Duration) -> StateTtlConfig.Builder:
            """How long state lives.

            Raises:
                DefinitionError: It is not a positive length of time.
            """
            self._ttl_ms = _millis(ttl)
            return self

        setTtl = set_ttl

        def build(self) -> StateTtlConfig:
            """The configuration."""
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
    """How long content lives: kept as (value, when it was last used, in ms).

    Args:
        config: What the user has chosen.
        clock: The time in ms.
    """

    config: StateTtlConfig
    clock: Callable[[], int]

    def begun(self, value: Any) -> tuple[Any, int]:
        """What is kept of a value that is written now."""
        return value, self.clock()

    def read(self, kept: tuple[Any, int]) -> tuple[Any, tuple[Any, int] | None]:
        """What is seen of what was kept, ``ABSENT`` for nothing, and what is kept from now on, None for nothing."""
        value, now = kept[0], self.clock()
        if not self._is_over(kept, now):
            renews = self.config.update_type is StateTtlConfig.UpdateType.OnReadAndWrite
            return value, (value, now) if renews else kept
        shown = self.config.visibility is StateTtlConfig.StateVisibility.ReturnExpiredIfNotCleanedUp
        return value if shown else ABSENT, None

    def left_of(self, content: Any) -> Any:
        """A state's content, one value, a list or a map, without what has expired: itself, less, or None for nothing."""
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
