"""Partitions of a table in files are committed when the watermark, or the clock, has passed them."""

from __future__ import annotations

import pytest

from kafkastream.errors import DefinitionError
from kafkastream.model.common.watermark_strategy import MAX_WATERMARK
from kafkastream.operators.stream.keyed_operators import CallError
from kafkastream.sql.files.partition_commits import PartitionCommit, PartitionTime
from kafkastream.sql.plan.operations import TableOperation
from tests.unit.operators.table.rows_driving import Driven, row

HOUR_MS = 3_600_000
BY_DAY = PartitionTime(columns=("day",))
BY_HOUR = PartitionTime(columns=("day", "hour"), pattern="$day $hour:00:00")


def committing(delay_ms: int, time: PartitionTime | None = BY_HOUR) -> Driven:
    """An operator on rows (value, day, hour)."""
    return Driven(TableOperation(PartitionCommit(delay_ms=delay_ms, time=time), keys=((1, 2),)))


def test_a_partition_is_complete_when_the_watermark_is_later_than_its_time_and_the_delay() -> None:
    driven = committing(HOUR_MS)
    first, second = row("+I", 7, "1970-01-01", 1), row("+I", None, "1970-01-01", 1)
    assert driven.give(first, second) == [first_shown := ("+I", 7, "1970-01-01", 1), ("+I", None, "1970-01-01", 1)]
    driven.checkpoint()
    assert driven.advance(2 * HOUR_MS) == []
    driven.checkpoint()
    assert driven.give(first) == [first_shown]
    assert driven.advance(2 * HOUR_MS + 1) == [("-D", None, "1970-01-01", 1)]
    assert driven.entry() == {}
    assert driven.advance(MAX_WATERMARK) == []


def test_late_rows_commit_again_with_their_micro_batch() -> None:
    driven = committing(0)
    driven.give(row("+I", 1, "1970-01-01", 1))
    driven.advance(HOUR_MS + 1, now=5)
    late = row("+I", 2, "1970-01-01", 1)
    assert driven.give(late, late) == [("+I", 2, "1970-01-01", 1)] * 2
    assert driven.advance(now=5) == [("-D", None, "1970-01-01", 1)]
    assert driven.entry() == {}


def test_the_clock_counts_from_the_first_row() -> None:
    driven = committing(1_000, time=None)
    driven.give(row("+I", 1, "a", 1))
    assert driven.advance(now=600) == []
    driven.checkpoint()
    driven.give(row("+I", 2, "a", 1))
    assert driven.advance(now=1_000) == []
    assert driven.advance(now=1_001) == [("-D", None, "a", 1)]
    driven.give(row("+I", 3, "a", 1))
    assert driven.advance(MAX_WATERMARK) == [("-D", None, "a", 1)]
    assert driven.advance(now=10_000) == []


def test_a_partition_without_a_time_fails() -> None:
    driven = committing(0)
    with pytest.raises(CallError) as caught:
        driven.give(row("+I", 1, None, 1))
    cause = caught.value.__cause__
    assert isinstance(cause, DefinitionError)
    assert cause.what.startswith(
        "the time of partition day=__DEFAULT_PARTITION__/hour=1 cannot be read from '__DEFAULT_PARTITION__ 1:00:00'"
    )


@pytest.mark.parametrize(
    ("time", "values", "ms"),
    [
        (BY_DAY, ("1970-01-02",), 24 * HOUR_MS),
        (BY_DAY, ("1970-1-1 1:0:0.0079",), HOUR_MS + 7),
        (BY_DAY, ("1969-13-01 24:00:00",), 24 * HOUR_MS),
        (PartitionTime(columns=("h",), formatter="yyyyMMddHH"), (1970010103,), 3 * HOUR_MS),
        (PartitionTime(columns=("h",), formatter="yyyy/M/d"), ("1970/1/2",), 24 * HOUR_MS),
        (PartitionTime(columns=("d",), zone="Asia/Shanghai"), ("1970-01-01",), -8 * HOUR_MS),
    ],
    ids=str,
)
def test_times_are_read_as_flink_reads_them(time: PartitionTime, values: tuple[object, ...], ms: int) -> None:
    assert time.of(values) == ms


@pytest.mark.parametrize(
    ("time", "value"),
    [
        (BY_DAY, "1970-01-01 10:00"),
        (BY_DAY, "18262"),
        (PartitionTime(columns=("h",), formatter="yyyyMMdd"), "19701301"),
        (PartitionTime(columns=("h",), formatter="HH:mm"), "10:00"),
    ],
    ids=str,
)
def test_other_texts_are_refused(time: PartitionTime, value: str) -> None:
    with pytest.raises(DefinitionError, match="cannot be read"):
        time.of((value,))
