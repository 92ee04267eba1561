"""Checkpointing options under Flink's keys; interval and directory take effect, others are accepted without effect."""

from __future__ import annotations

from typing import Any, Final

from kafkastream.options.option import Option
from kafkastream.options.parsers import boolean, choice, integer, millis_of_duration, text

__all__ = [
    "ACCEPT_CHANGED_OPERATORS",
    "ALIGNED_TIMEOUT",
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
    doc="How often the job is checkpointed, in ms unless it has a unit; where it is kept, the checkpoint directory says.",
)
CHECKPOINT_DIR: Final = Option[str | None](
    key=f"{_CHECKPOINTING}.dir",
    parse=text,
    default=None,
    doc="Where checkpoints are kept: a path or URL that the driver and the workers reach.",
    deprecated_keys=("state.checkpoints.dir",),
)
CHECKPOINT_MODE: Final = Option[str](
    key=f"{_CHECKPOINTING}.mode",
    parse=choice("EXACTLY_ONCE", "AT_LEAST_ONCE"),
    default="EXACTLY_ONCE",
    doc="What a checkpoint promises for the job's state.",
)
CHECKPOINT_TIMEOUT: Final = Option[int](
    key=f"{_CHECKPOINTING}.timeout",
    parse=millis_of_duration,
    default=600_000,
    doc="How long a checkpoint may take; in ms unless it has a unit.",
)
MIN_PAUSE: Final = Option[int](
    key=f"{_CHECKPOINTING}.min-pause",
    parse=millis_of_duration,
    default=0,
    doc="The least time between two checkpoints; in ms unless it has a unit.",
)
MAX_CONCURRENT_CHECKPOINTS: Final = Option[int](
    key=f"{_CHECKPOINTING}.max-concurrent-checkpoints",
    parse=integer,
    default=1,
    doc="How many checkpoints may be taken at the same time.",
)
TOLERABLE_FAILED_CHECKPOINTS: Final = Option[int](
    key=f"{_CHECKPOINTING}.tolerable-failed-checkpoints",
    parse=integer,
    default=0,
    doc="How many checkpoints may fail, one after the other.",
)
CHECKPOINT_RETENTION: Final = Option[str](
    key=f"{_CHECKPOINTING}.externalized-checkpoint-retention",
    parse=choice("DELETE_ON_CANCELLATION", "RETAIN_ON_CANCELLATION", "NO_EXTERNALIZED_CHECKPOINTS"),
    default="NO_EXTERNALIZED_CHECKPOINTS",
    doc="What becomes of the last checkpoint when the job is cancelled.",
)
CHECKPOINT_STORAGE: Final = Option[str | None](
    key=f"{_CHECKPOINTING}.storage",
    parse=text,
    default=None,
    doc="Whether checkpoints are kept in memory or in the checkpoint directory.",
    deprecated_keys=("state.checkpoint-storage",),
)
SAVEPOINT_DIR: Final = Option[str | None](
    key=f"{_CHECKPOINTING}.savepoint-dir",
    parse=text,
    default=None,
    doc="Where savepoints are kept.",
    deprecated_keys=("state.savepoints.dir",),
)
ALIGNED_TIMEOUT: Final = Option[int](
    key=f"{_CHECKPOINTING}.aligned-checkpoint-timeout",
    parse=millis_of_duration,
    default=0,
    doc="When a checkpoint goes on unaligned; in ms unless it has a unit.",
    deprecated_keys=(f"{_CHECKPOINTING}.alignment-timeout",),
)
IGNORE_UNCLAIMED_STATE: Final = Option[bool](
    key="execution.state-recovery.ignore-unclaimed-state",
    parse=boolean,
    default=False,
    doc="Whether the checkpoint may hold state of operators that the program has no more: it is dropped then, for good.",
    deprecated_keys=("execution.savepoint.ignore-unclaimed-state",),
)
ACCEPT_CHANGED_OPERATORS: Final = Option[bool](
    key="kafkastream.state-recovery.accept-changed-operators",
    parse=boolean,
    default=False,
    doc="Whether an operator may go on with its state though what the state depends on has changed: "
    "the query below it, or the type of its keys.",
)
STATE_BACKEND: Final = Option[str](
    key="state.backend.type",
    parse=text,
    default="hashmap",
    doc="Where state is while the job runs.",
    deprecated_keys=("state.backend",),
)


def _switch(key: str, doc: str, *older: str) -> Option[bool]:
    return Option(key=key, parse=boolean, default=False, doc=doc, deprecated_keys=older)


UNALIGNED: Final = _switch(
    f"{_CHECKPOINTING}.unaligned.enabled",
    "Whether a checkpoint overtakes elements on their way.",
    f"{_CHECKPOINTING}.unaligned",
)
FORCED_UNALIGNED: Final = _switch(f"{_CHECKPOINTING}.unaligned.forced", "Whether it does so in spite of everything.")
INCREMENTAL: Final = _switch(
    f"{_CHECKPOINTING}.incremental", "Whether a checkpoint holds what has changed only.", "state.backend.incremental"
)
SNAPSHOT_COMPRESSION: Final = _switch(f"{_CHECKPOINTING}.snapshot-compression", "Whether state is compressed.")
CHANGELOG: Final = _switch(
    "state.changelog.enabled", "Whether changes of state are written as they happen.", "state.backend.changelog.enabled"
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
    IGNORE_UNCLAIMED_STATE,
    ACCEPT_CHANGED_OPERATORS,
    STATE_BACKEND,
    UNALIGNED,
    FORCED_UNALIGNED,
    INCREMENTAL,
    SNAPSHOT_COMPRESSION,
    CHANGELOG,
)
