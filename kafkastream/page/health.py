"""Health of a job in one sentence, for whoever opens its page at night."""

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
_GROWN: Final = 1.25
_FEW: Final = 1_000
"""A lag that has not grown by as many records is not worth a warning."""
_SLOW: Final = 5
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
    """Return the health of a job: the first finding, from the worst to the best."""
    over = _of_status(state)
    if over is not None:
        return over
    for find in _WARNINGS:
        text = find(state)
        if text is not None:
            return Health(HealthLevel.WARN, text)
    return Health(HealthLevel.OK, _well(state))


def _of_status(state: JobState) -> Health | None:
    """Return the health of a job that does not simply run."""
    records = 0 if state.standing is None else state.standing.records
    last = state.history.failures[-1] if state.history.failures else None
    match state.status:
        case JobStatus.FAILED | JobStatus.FAILING:
            return Health(HealthLevel.BAD, _reason(last))
        case JobStatus.RESTARTING:
            wait = "" if last is None or last.wait_ms is None else f" {duration_text(last.wait_ms / 1000)} after"
            return Health(HealthLevel.WARN, f"Starts again{wait}: {_reason(last)}")
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


def _reason(failure: Failure | None) -> str:
    lines = [] if failure is None else [line for line in failure.text.splitlines() if line.strip()]
    return lines[0] if lines else "the job has failed."


def _restarts(state: JobState) -> str | None:
    recent = [one for one in state.history.failures if state.now_ms - one.at_ms <= _RESTARTS_MS]
    if not recent:
        return None
    times = "once" if len(recent) == 1 else f"{len(recent)} times"
    return f"Was restarted {times} in the last 10 minutes, last by: {_reason(recent[-1])}"


def _slow_batch(state: JobState) -> str | None:
    """Find a micro-batch that takes much longer than those before it."""
    batches = state.history.batches
    if not batches or not state.standing or not state.standing.lag:
        return None
    usual = _median([batch.duration_ms for batch in batches])
    silent = state.now_ms - _ended(batches[-1])
    if silent < max(_SLOW_MS, _SLOW * usual):
        return None
    since, usually = duration_text(silent / 1000), duration_text(usual / 1000)
    return f"No micro-batch has ended for {since}, and they usually take {usually}; the Spark UI shows its tasks."


def _growing_lag(state: JobState) -> str | None:
    known = [one for one in state.history.samples if one.lag is not None and _is_recent(one, state)]
    if len(known) < 2 or known[-1].at_ms - known[0].at_ms < _SETTLED_MS:
        return None
    third = max(len(known) // 3, 1)
    before, after = (_lowest(part) for part in (known[:third], known[-third:]))
    if after < before * _GROWN or after - before < _FEW:
        return None
    span = duration_text((known[-1].at_ms - known[0].at_ms) / 1000)
    return f"Falls behind: in {span}, the lag has grown from {before:,} to {after:,} records."


def _lowest(samples: Iterable[Sample]) -> int:
    """Return the lowest lag, since the lag goes up and down with each micro-batch."""
    return min(one.lag for one in samples if one.lag is not None)


def _is_recent(one: Sample, state: JobState) -> bool:
    return state.now_ms - one.at_ms <= _LOOK_BACK_MS


def _silent_partition(state: JobState) -> str | None:
    """Find a partition without records that holds back the watermark of its source."""
    for source in dict.fromkeys(one.node for one in state.partitions):
        own = [one for one in state.partitions if one.node == source]
        silent = [one for one in own if one.watermark_ms is None and not one.is_idle]
        if silent and len(silent) < len(own) and any(one.watermark_ms is not None for one in own):
            return (
                f"The watermark waits for {_named(silent)}, which {'has' if len(silent) == 1 else 'have'} had no records; "
                "with_idleness on the watermark strategy continues without."
            )
    return None


def _named(partitions: Sequence[PartitionStanding]) -> str:
    first = f"partition {partitions[0].topic}-{partitions[0].partition}"
    return first if len(partitions) == 1 else f"{first} and {len(partitions) - 1} more"


def _well(state: JobState) -> str:
    standing = state.standing
    if standing is None or not state.history.batches:
        return "Runs; no micro-batch has ended yet."
    if standing.left is not None:
        return f"Reads its bounded input: {standing.left:,} records are left."
    if not standing.lag:
        return "Keeps up: no record waits."
    return f"Keeps up: {standing.lag:,} record{'s wait' if standing.lag > 1 else ' waits'}."


def _ended(batch: CompletedBatch) -> int:
    return batch.began_ms + batch.duration_ms


def _median(numbers: Iterable[int]) -> int:
    ordered = sorted(numbers)
    return ordered[len(ordered) // 2]


_WARNINGS: Final[tuple[Callable[[JobState], str | None], ...]] = (
    _restarts,
    _slow_batch,
    _growing_lag,
    _silent_partition,
)
