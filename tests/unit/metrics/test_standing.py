"""How far a job has come, in words."""

from __future__ import annotations

import pytest

from kafkastream.metrics.standing import Pace, Standing

WATERMARK_MS = 1_700_000_000_000


class Clock:
    now = 0.0

    def __call__(self) -> float:
        return self.now


def told(*steps: tuple[float, Standing | None]) -> str:
    clock = Clock()
    pace = Pace("copy", clock)
    for at, standing in steps:
        clock.now = at
        pace.note(standing)
    return pace.text()


@pytest.mark.parametrize(
    ("standing", "expected"),
    [
        (Standing(), "0 records, 0/s"),
        (Standing(records=1), "1 record, 0/s"),
        (Standing(records=1_200, lag=30), "1,200 records, 120/s, lag 30"),
        (Standing(records=1_200, lag=0), "1,200 records, 120/s, lag 0"),
        (Standing(records=0, left=0), "0 of 0 records (100 %), 0/s"),
        (Standing(records=0, left=9), "0 of 9 records (0 %), 0/s"),
        (Standing(records=999, left=1), "999 of 1,000 records (99 %), 100/s, about 0 s left"),
        (Standing(records=1_000, left=0, lag=5), "1,000 of 1,000 records (100 %), 100/s"),
        (
            Standing(records=100, left=19_900, watermark_ms=WATERMARK_MS),
            "100 of 20,000 records (0 %), 10/s, about 33 min 10 s left, watermark 2023-11-14 22:13:20+00:00",
        ),
    ],
)
def test_line_after_ten_seconds(standing: Standing, expected: str) -> None:
    assert told((10, standing)) == f"job 'copy': {expected}"


def test_without_a_kafka_source_only_the_time_is_told() -> None:
    assert told((200, None)) == "job 'copy': runs for 3 min 20 s"


def test_rate_is_that_of_the_last_minute() -> None:
    assert "50/s" in told((60, Standing(records=60_000)), (120, Standing(records=63_000)))


def test_count_does_not_go_back_between_a_micro_batch_and_its_commit() -> None:
    line = told((5, Standing(records=800, left=200)), (10, Standing(records=500, left=500)))
    assert line == "job 'copy': 800 of 1,000 records (80 %), 80/s, about 2 s left"


def test_standing_of_several_parts() -> None:
    bounded = Standing(records=10, left=5, watermark_ms=7)
    endless = Standing(records=1, lag=2, watermark_ms=3)
    assert Standing.of([bounded, bounded]) == Standing(records=20, left=10, watermark_ms=7)
    assert Standing.of([bounded, endless]) == Standing(records=11, lag=2, watermark_ms=3)
    assert Standing.of([]) is None


def test_more_records_than_are_left_lie_behind_the_stops() -> None:
    assert Standing(records=10, left=5).with_more(7) == Standing(records=17, left=0)


def test_end_is_told_with_what_was_read() -> None:
    clock = Clock()
    pace = Pace("copy", clock)
    pace.note(Standing(records=2_000_000, left=0))
    clock.now = 11_700
    assert pace.end_text("has finished") == "job 'copy' has finished after 3 h 15 min: 2,000,000 records"
