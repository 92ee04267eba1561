"""Checkpointing options under Flink's keys; interval and directory take effect, others are accepted without effect."""

from __future__ import annotations

from typing import Any, Final

from kafkastream.options.option import Option
from kafkastream.options.parsers import boolean, choice, integer, millis_of_duration, text

__all__ = [
    "ACCEPT_CHANGED_OPERATORS",
    "ALIGNED_TIMEOUT",
    "ALLOW_CODE",
    "CHANGELOG",
    "CHECKPOINT_DIR",
    "CHECKPOINT_INTERVAL",
    "CHECKPOINT_MODE",
    "CHECKPOINT_OPTIONS",
    "CHECKPOINT_RETENTION",
    "CHECKPOINT_STORAGE",
    "CHECKPOINT_TIMEOUT",
    "FORCED_UNALIGNED",
    "IGNORE_UNCLAIMED_STATE",
    "INCREMENTAL",
    "MAX_CONCURRENT_CHECKPOINTS",
    "MIN_PAUSE",
    "SAVEPOINT_DIR",
    "SNAPSHOT_COMPRESSION",
    "STATE_BACKEND",
    "TOLERABLE_FAILED_CHECKPOINTS",
    "UNALIGNED",
]

_CHECKPOINTING: Final = "execution.checkpointing"

CHECKPOINT_INTERVAL: Final = Option[int | None](
    key=f"{_CHECKPOINTING}.interval",
    parse=millis_of_duration,
    default=None,
    doc="Interval of checkpoints; in ms unless it has a unit.",
)
CHECKPOINT_DIR: Final = Option[str | None](
    key=f"{_CHECKPOINTING}.dir",
    parse=text,
    default=None,
    doc="Checkpoint directory: a path or URL that the driver and all workers can write to.",
    deprecated_keys=("state.checkpoints.dir", "state.backend.fs.checkpointdir"),
)
CHECKPOINT_MODE: Final = Option[str](
    key=f"{_CHECKPOINTING}.mode",
    parse=choice("EXACTLY_ONCE", "AT_LEAST_ONCE"),
    default="EXACTLY_ONCE",
    doc="Guarantee of checkpoints for the job's state.",
)
CHECKPOINT_TIMEOUT: Final = Option[int](
    key=f"{_CHECKPOINTING}.timeout",
    parse=millis_of_duration,
    default=600_000,
    doc="Timeout of a checkpoint; in ms unless it has a unit.",
)
MIN_PAUSE: Final = Option[int](
    key=f"{_CHECKPOINTING}.min-pause",
    parse=millis_of_duration,
    default=0,
    doc="Minimum pause between two checkpoints; in ms unless it has a unit.",
)
MAX_CONCURRENT_CHECKPOINTS: Final = Option[int](
    key=f"{_CHECKPOINTING}.max-concurrent-checkpoints",
    parse=integer,
    default=1,
    doc="Maximum number of concurrent checkpoints.",
)
TOLERABLE_FAILED_CHECKPOINTS: Final = Option[int](
    key=f"{_CHECKPOINTING}.tolerable-failed-checkpoints",
    parse=integer,
    default=0,
    doc="Tolerable number of consecutive checkpoint failures.",
)
CHECKPOINT_RETENTION: Final = Option[str](
    key=f"{_CHECKPOINTING}.externalized-checkpoint-retention",
    parse=choice("DELETE_ON_CANCELLATION", "RETAIN_ON_CANCELLATION", "NO_EXTERNALIZED_CHECKPOINTS"),
    default="NO_EXTERNALIZED_CHECKPOINTS",
    doc="Retention of the last checkpoint when the job is cancelled.",
)
CHECKPOINT_STORAGE: Final = Option[str | None](
    key=f"{_CHECKPOINTING}.storage",
    parse=text,
    default=None,
    doc="Checkpoint storage: memory, or the checkpoint directory.",
    deprecated_keys=("state.checkpoint-storage",),
)
SAVEPOINT_DIR: Final = Option[str | None](
    key=f"{_CHECKPOINTING}.savepoint-dir",
    parse=text,
    default=None,
    doc="Savepoint directory.",
    deprecated_keys=("state.savepoints.dir",),
)
ALIGNED_TIMEOUT: Final = Option[int](
    key=f"{_CHECKPOINTING}.aligned-checkpoint-timeout",
    parse=millis_of_duration,
    default=0,
    doc="Time after which an aligned checkpoint continues unaligned; in ms unless it has a unit.",
    deprecated_keys=(f"{_CHECKPOINTING}.alignment-timeout",),
)
ALLOW_CODE: Final = Option[bool](
    key="kafkastream.state.allow-code",
    parse=boolean,
    default=False,
    doc="Lets state and keys hold functions, classes that a function defines, and objects that a library's function makes. "
    "Whoever can write to the checkpoint directory can then run code in the executors.",
)
IGNORE_UNCLAIMED_STATE: Final = Option[bool](
    key="execution.state-recovery.ignore-unclaimed-state",
    parse=boolean,
    default=False,
    doc="Whether state of operators that the program no longer has may be skipped; it is then dropped permanently.",
    deprecated_keys=("execution.savepoint.ignore-unclaimed-state",),
)
ACCEPT_CHANGED_OPERATORS: Final = Option[bool](
    key="kafkastream.state-recovery.accept-changed-operators",
    parse=boolean,
    default=False,
    doc="Whether an operator may be restored although its state depends on something that has changed: the query "
    "below it, or the type of its keys.",
)
STATE_BACKEND: Final = Option[str](
    key="state.backend.type",
    parse=text,
    default="hashmap",
    doc="State backend.",
    deprecated_keys=("state.backend",),
)


def _switch(key: str, doc: str, *older: str) -> Option[bool]:
    return Option(key=key, parse=boolean, default=False, doc=doc, deprecated_keys=older)


UNALIGNED: Final = _switch(
    f"{_CHECKPOINTING}.unaligned.enabled",
    "Whether checkpoints are unaligned.",
    f"{_CHECKPOINTING}.unaligned",
)
FORCED_UNALIGNED: Final = _switch(f"{_CHECKPOINTING}.unaligned.forced", "Whether unaligned checkpoints are forced.")
INCREMENTAL: Final = _switch(
    f"{_CHECKPOINTING}.incremental", "Whether checkpoints are incremental.", "state.backend.incremental"
)
SNAPSHOT_COMPRESSION: Final = _switch(
    f"{_CHECKPOINTING}.snapshot-compression", "Whether state snapshots are compressed."
)
CHANGELOG: Final = _switch(
    "state.changelog.enabled", "Whether the changelog state backend is enabled.", "state.backend.changelog.enabled"
)

CHECKPOINT_OPTIONS: Final[tuple[Option[Any], ...]] = (
    CHECKPOINT_INTERVAL,
    CHECKPOINT_DIR,
    CHECKPOINT_MODE,
    CHECKPOINT_TIMEOUT,
    MIN_PAUSE,
    MAX_CONCURRENT_CHECKPOINTS,
    TOLERABLE_FAILED_CHECKPOINTS,
    CHECKPOINT_RETENTION,
    CHECKPOINT_STORAGE,
    SAVEPOINT_DIR,
    ALIGNED_TIMEOUT,
    ALLOW_CODE,
    IGNORE_UNCLAIMED_STATE,
    ACCEPT_CHANGED_OPERATORS,
    STATE_BACKEND,
    UNALIGNED,
    FORCED_UNALIGNED,
    INCREMENTAL,
    SNAPSHOT_COMPRESSION,
    CHANGELOG,
)
