"""State backends, at PyFlink's path, accepted without effect: state is kept in Spark's RocksDB state stores."""

from __future__ import annotations

import enum
from typing import final

from kafkastream.model.common.argument_checks import checked_methods
from kafkastream.model.common.stand_ins import StandIn

__all__ = [
    "CustomStateBackend",
    "EmbeddedRocksDBStateBackend",
    "HashMapStateBackend",
    "PredefinedOptions",
    "StateBackend",
]


class StateBackend:
    """Base class of state backends."""


@final
class HashMapStateBackend(StateBackend):
    """State backend on Java's heap; without effect."""


class PredefinedOptions(enum.Enum):
    """RocksDB settings for kinds of disks; without effect."""

    DEFAULT = 0
    SPINNING_DISK_OPTIMIZED = 1
    SPINNING_DISK_OPTIMIZED_HIGH_MEM = 2
    FLASH_SSD_OPTIMIZED = 3


@final
@checked_methods
class EmbeddedRocksDBStateBackend(StateBackend):
    """State backend in RocksDB; its settings are returned as they were set, and have no effect.

    Args:
        enable_incremental_checkpointing: Write only what has changed since the last checkpoint.
    """

    def __init__(self, enable_incremental_checkpointing: bool | None = None) -> None:
        self._incremental = bool(enable_incremental_checkpointing)
        self._paths: list[str] = []
        self._predefined = PredefinedOptions.DEFAULT
        self._options: str | None = None
        self._threads = 4

    def is_incremental_checkpoints_enabled(self) -> bool:
        """Return whether incremental checkpoints are enabled; without effect."""
        return self._incremental

    isIncrementalCheckpointsEnabled = is_incremental_checkpoints_enabled

    def set_db_storage_paths(self, *paths: str) -> None:
        """No effect: RocksDB's working directories are in ``spark.local.dir``."""
        self._paths = list(paths)

    setDbStoragePaths = set_db_storage_paths

    def get_db_storage_paths(self) -> list[str]:
        """Return the paths that were set; without effect."""
        return list(self._paths)

    getDbStoragePaths = get_db_storage_paths

    def set_predefined_options(self, options: PredefinedOptions) -> None:
        """No effect: configure RocksDB with ``spark.sql.streaming.stateStore.rocksdb.*``."""
        self._predefined = options

    setPredefinedOptions = set_predefined_options

    def get_predefined_options(self) -> PredefinedOptions:
        """Return the predefined options; without effect."""
        return self._predefined

    getPredefinedOptions = get_predefined_options

    def set_options(self, options_factory_class_name: str) -> None:
        """No effect: configure RocksDB with ``spark.sql.streaming.stateStore.rocksdb.*``."""
        self._options = options_factory_class_name

    setOptions = set_options

    def get_options(self) -> str | None:
        """Return the name of the options factory class; without effect."""
        return self._options

    getOptions = get_options

    def set_number_of_transfer_threads(self, number_of_transfering_threads: int) -> None:
        """No effect: Spark transfers the state."""
        self._threads = number_of_transfering_threads

    setNumberOfTransferThreads = set_number_of_transfer_threads

    def get_number_of_transfer_threads(self) -> int:
        """Return the number of transfer threads; without effect."""
        return self._threads

    getNumberOfTransferThreads = get_number_of_transfer_threads


class CustomStateBackend(
    StandIn,
    instead="Leave the state backend out: state is kept in Spark's state stores, configured by spark.sql.streaming.stateStore.*.",
):
    """Wrapper of a Java state backend."""
