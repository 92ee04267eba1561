"""Where Flink keeps state while a job runs, at PyFlink's path: taken for ported jobs, without effect.

Here all state is in Spark's RocksDB state stores, and in its checkpoints.
"""

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
    """Where state is kept while a job runs."""


@final
class HashMapStateBackend(StateBackend):
    """Java's heap; has no effect."""


class PredefinedOptions(enum.Enum):
    """For what disks RocksDB is set up; has no effect."""

    DEFAULT = 0
    SPINNING_DISK_OPTIMIZED = 1
    SPINNING_DISK_OPTIMIZED_HIGH_MEM = 2
    FLASH_SSD_OPTIMIZED = 3


@final
@checked_methods
class EmbeddedRocksDBStateBackend(StateBackend):
    """RocksDB in Flink's workers; its settings are given back as they were set, and have no effect.

    Args:
        enable_incremental_checkpointing: Whether a checkpoint holds what has changed only.
    """

    def __init__(self, enable_incremental_checkpointing: bool | None = None) -> None:
        self._incremental = bool(enable_incremental_checkpointing)
        self._paths: list[str] = []
        self._predefined = PredefinedOptions.DEFAULT
        self._options: str | None = None
        self._threads = 4

    def is_incremental_checkpoints_enabled(self) -> bool:
        """As it was set."""
        return self._incremental

    isIncrementalCheckpointsEnabled = is_incremental_checkpoints_enabled

    def set_db_storage_paths(self, *paths: str) -> None:
        """Has no effect: ``spark.local.dir`` says where."""
        self._paths = list(paths)

    setDbStoragePaths = set_db_storage_paths

    def get_db_storage_paths(self) -> list[str]:
        """As they were set."""
        return list(self._paths)

    getDbStoragePaths = get_db_storage_paths

    def set_predefined_options(self, options: PredefinedOptions) -> None:
        """Has no effect."""
        self._predefined = options

    setPredefinedOptions = set_predefined_options

    def get_predefined_options(self) -> PredefinedOptions:
        """As they were set."""
        return self._predefined

    getPredefinedOptions = get_predefined_options

    def set_options(self, options_factory_class_name: str) -> None:
        """Has no effect: ``spark.sql.streaming.stateStore.rocksdb.*`` sets RocksDB up."""
        self._options = options_factory_class_name

    setOptions = set_options

    def get_options(self) -> str | None:
        """As they were set."""
        return self._options

    getOptions = get_options

    def set_number_of_transfer_threads(self, number_of_transfering_threads: int) -> None:
        """Has no effect."""
        self._threads = number_of_transfering_threads

    setNumberOfTransferThreads = set_number_of_transfer_threads

    def get_number_of_transfer_threads(self) -> int:
        """As it was set."""
        return self._threads

    getNumberOfTransferThreads = get_number_of_transfer_threads


class CustomStateBackend(
    StandIn,
    instead="State is in Spark's state stores: leave the state backend out, or set spark.sql.streaming.stateStore.* of Spark.",
):
    """Holds one of Java's state backends."""
