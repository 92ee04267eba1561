"""Health of a job in one sentence, for whoever opens its page when something is wrong."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from enum import Enum
from typing import Final, final

import attrs

from kafkastream.metrics.history import CompletedBatch, Failure, PartitionStanding, Sample
from kafkastream.metrics.standing import duration_text
from kafkastream.model.job.job_result import JobStatus
from kafkastream.page.job_state import JobState

__all__ = ["Health", "HealthLevel", "health_of"]

_LOOK_BACK_MS: Final = 300_000
_RESTARTS_MS: Final = 600_000
_SETTLED_MS: Final = 60_000
_LAG_GROWTH_FACTOR: Final = 1.25
_LEAST_LAG_GROWTH: Final = 1_000
"""Least growth of the lag, in records, that is worth a warning."""
_SLOW_FACTOR: Final = 5
_SLOW_MS: Final = 60_000


class HealthLevel(Enum):
    """Level of a job's health."""

    OK = "ok"
    WARN = "warn"
    BAD = "bad"
    OVER = "over"


@final
@attrs.frozen
class Health:
    """Health of a job: its level, and a sentence."""

    level: HealthLevel
    text: str


def health_of(state: JobState) -> Health:
    """Return the health of a job: its status if it does not run, else the first warning that applies."""
    ended = _status_health(state)
    if ended is not None:
        return ended
    for find in _WARNINGS:
        text = find(state)
        if text is not None:
            return Health(HealthLevel.WARN, text)
    return Health(HealthLevel.OK, _running_text(state))


def _status_health(state: JobState) -> Health | None:
    """Return the health by the job's status; None if the job runs."""
    records = 0 if state.standing is None else state.standing.records
    last = state.history.failures[-1] if state.history.failures else None
    match state.status:
        case JobStatus.FAILED | JobStatus.FAILING:
            return Health(HealthLevel.BAD, _failure_reason(last))
        case JobStatus.RESTARTING:
            wait = "" if last is None or last.wait_ms is None else f" {duration_text(last.wait_ms / 1000)} after"
            return Health(HealthLevel.WARN, f"Starts again{wait}: {_failure_reason(last)}")
        case JobStatus.FINISHED:
            return Health(HealthLevel.OVER, f"Has read all of its input: {records:,} records.")
        case JobStatus.CANCELLING:
            return Health(HealthLevel.OVER, "Stops after the running micro-batch.")
        case JobStatus.CANCELED:
            return Health(HealthLevel.OVER, f"Was stopped after {records:,} records.")
        case JobStatus.INITIALIZING | JobStatus.CREATED:
            return Health(HealthLevel.OVER, "The query starts.")
        case _:
            return None


def _failure_reason(failure: Failure | None) -> str:
    lines = [] if failure is None else [line for line in failure.text.splitlines() if line.strip()]
    return lines[0] if lines else "the job has failed."


def _restart_warning(state: JobState) -> str | None:
    recent = [failure for failure in state.history.failures if state.now_ms - failure.at_ms <= _RESTARTS_MS]
    if not recent:
        return None
    times = "once" if len(recent) == 1 else f"{len(recent)} times"
    return f"Was restarted {times} in the last 10 minutes, last by: {_failure_reason(recent[-1])}"


def _slow_batch_warning(state: JobState) -> str | None:
    """Warn of a micro-batch that takes much longer than the earlier ones."""
    batches = state.history.batches
    if not batches or not state.standing or not state.standing.lag:
        return None
    usual = _median([batch.duration_ms for batch in batches])
    silent = state.now_ms - _ended_ms(batches[-1])
    if silent < max(_SLOW_MS, _SLOW_FACTOR * usual):
        return None
    since, usually = duration_text(silent / 1000), duration_text(usual / 1000)
    return f"No micro-batch has ended for {since}, and they usually take {usually}; the Spark UI shows its tasks."


def _lag_warning(state: JobState) -> str | None:
    samples = [sample for sample in state.history.samples if sample.lag is not None and _is_recent(sample, state)]
    if len(samples) < 2 or samples[-1].at_ms - samples[0].at_ms < _SETTLED_MS:
        return None
    third = max(len(samples) // 3, 1)
    earlier, later = (_lowest_lag(part) for part in (samples[:third], samples[-third:]))
    if later < earlier * _LAG_GROWTH_FACTOR or later - earlier < _LEAST_LAG_GROWTH:
        return None
    span = duration_text((samples[-1].at_ms - samples[0].at_ms) / 1000)
    return f"Falls behind: in {span}, the lag has grown from {earlier:,} to {later:,} records."


def _lowest_lag(samples: Iterable[Sample]) -> int:
    """Return the lowest lag: within each micro-batch the lag rises and falls."""
    return min(sample.lag for sample in samples if sample.lag is not None)


def _is_recent(sample: Sample, state: JobState) -> bool:
    return state.now_ms - sample.at_ms <= _LOOK_BACK_MS


def _silent_partition_warning(state: JobState) -> str | None:
    """Warn of a partition without records that holds back its source's watermark."""
    for source in dict.fromkeys(partition.node for partition in state.partitions):
        partitions = [partition for partition in state.partitions if partition.node == source]
        silent = [partition for partition in partitions if partition.watermark_ms is None and not partition.is_idle]
        if (
            silent
            and len(silent) < len(partitions)
            and any(partition.watermark_ms is not None for partition in partitions)
        ):
            return (
                f"The watermark waits for {_partition_names(silent)}, which {'has' if len(silent) == 1 else 'have'} had no records; "
                "with_idleness on the watermark strategy continues without."
            )
    return None


def _partition_names(partitions: Sequence[PartitionStanding]) -> str:
    first = f"partition {partitions[0].topic}-{partitions[0].partition}"
    return first if len(partitions) == 1 else f"{first} and {len(partitions) - 1} more"


def _running_text(state: JobState) -> str:
    standing = state.standing
    if standing is None or not state.history.batches:
        return "Runs; no micro-batch has ended yet."
    if standing.left is not None:
        return f"Reads its bounded input: {standing.left:,} records are left."
    if not standing.lag:
        return "Keeps up: no record waits."
    return f"Keeps up: {standing.lag:,} record{'s wait' if standing.lag > 1 else ' waits'}."


def _ended_ms(batch: CompletedBatch) -> int:
    return batch.began_ms + batch.duration_ms


def _median(numbers: Iterable[int]) -> int:
    ordered = sorted(numbers)
    return ordered[len(ordered) // 2]


_WARNINGS: Final[tuple[Callable[[JobState], str | None], ...]] = (
    _restart_warning,
    _slow_batch_warning,
    _lag_warning,
    _silent_partition_warning,
)
