"""Progress of a job, and the text of its progress lines."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterable
from datetime import datetime, timezone
from typing import Final, final

import attrs

from kafkastream.metrics.values import RateWindow

__all__ = ["Pace", "Standing", "duration_text", "time_text"]

_RATE_SPAN_S: Final = 60.0
_LAST_MS: Final = 253_402_300_799_999  # of the year 9999


@final
@attrs.frozen(kw_only=True)
class Standing:
    """Progress of a job.

    Args:
        records: Records read since the start, counted by offsets.
        left: Records still to be read; None for unbounded sources.
        lag: Records waiting in the job's topics; None if unknown.
        watermark_ms: Watermark in ms since 1970; None if unknown.
    """

    records: int = 0
    left: int | None = None
    lag: int | None = None
    watermark_ms: int | None = None

    @staticmethod
    def of(parts: Iterable[Standing]) -> Standing | None:
        """Combine the progress of a job's parts; None without any."""
        all_parts = tuple(parts)
        if not all_parts:
            return None
        left = [part.left for part in all_parts if part.left is not None]
        lags = [part.lag for part in all_parts if part.lag is not None]
        watermarks = [part.watermark_ms for part in all_parts if part.watermark_ms is not None]
        return Standing(
            records=sum(part.records for part in all_parts),
            left=sum(left) if len(left) == len(all_parts) else None,
            lag=sum(lags) if lags else None,
            watermark_ms=min(watermarks, default=None),
        )

    def with_more(self, records: int) -> Standing:
        """Return the progress after ``records`` further records."""
        left = None if self.left is None else self.left - min(records, self.left)
        return attrs.evolve(self, records=self.records + records, left=left)


@final
class Pace:
    """Tracks a job's progress and formats a line with rate and remaining time.

    Example:
        >>> now = iter([0.0, 20.0, 20.0])
        >>> pace = Pace("copy", clock=lambda: next(now))
        >>> pace.note(Standing(records=500_000, left=1_500_000))
        >>> pace.text()
        "job 'copy': 500,000 of 2,000,000 records (25 %), 25,000/s, about 1 min left"
    """

    def __init__(self, name: str, clock: Callable[[], float] = time.monotonic) -> None:
        self._name = name
        self._clock = clock
        self._began = clock()
        self._window = RateWindow(_RATE_SPAN_S)
        self._standing: Standing | None = None

    @property
    def elapsed_s(self) -> float:
        """Time since the start of the job in s."""
        return self._clock() - self._began

    def note(self, standing: Standing | None) -> None:
        """Record the current progress. A count lower than before means that records are read again after a restart."""
        if standing is None:
            return
        previous = 0 if self._standing is None else self._standing.records
        self._standing = standing.with_more(max(previous - standing.records, 0))
        self._window.note(self._clock(), self._standing.records)

    def text(self) -> str:
        """Return the progress line."""
        elapsed = self.elapsed_s
        if self._standing is None:
            return f"job {self._name!r}: runs for {duration_text(elapsed)}"
        return f"job {self._name!r}: {', '.join(_progress_parts(self._standing, self._rate(elapsed), elapsed))}"

    def end_text(self, how: str) -> str:
        """Return the last progress line of a job: how it ended, and the number of records read."""
        read = "" if self._standing is None else f": {_count_text(self._standing.records)}"
        return f"job {self._name!r} {how} after {duration_text(self.elapsed_s)}{read}"

    def _rate(self, elapsed: float) -> float:
        span = min(max(elapsed, 1.0), _RATE_SPAN_S)
        return self._window.rate(self._began + elapsed) * _RATE_SPAN_S / span


def _progress_parts(standing: Standing, rate: float, elapsed: float) -> Iterable[str]:
    total = standing.records + (standing.left or 0)
    if standing.left is None:
        yield _count_text(standing.records)
    else:
        share = math.floor(100 * standing.records / total) if total else 100
        yield f"{standing.records:,} of {_count_text(total)} ({share} %)"
    yield f"{rate:,.0f}/s"
    if standing.left and standing.records:
        yield f"about {duration_text(standing.left * elapsed / standing.records)} left"
    if standing.left is None and standing.lag is not None:
        yield f"lag {standing.lag:,}"
    if standing.watermark_ms is not None:
        yield f"watermark {time_text(standing.watermark_ms, 'seconds')}"


def _count_text(records: int) -> str:
    return f"{records:,} record{'' if records == 1 else 's'}"


def duration_text(seconds: float) -> str:
    """Format a duration in its two largest units.

    Args:
        seconds: Duration in s.

    Example:
        >>> duration_text(0.4), duration_text(200), duration_text(3600), duration_text(90_061)
        ('0 s', '3 min 20 s', '1 h', '1 d 1 h')
    """
    remaining, parts = round(seconds), []
    for unit, size in (("d", 86_400), ("h", 3_600), ("min", 60), ("s", 1)):
        count, remaining = divmod(remaining, size)
        parts.append(f"{count} {unit}" if count else "")
    first = next((index for index, text in enumerate(parts) if text), len(parts) - 1)
    return " ".join(filter(None, parts[first : first + 2])) or "0 s"


def time_text(watermark_ms: int | None, precision: str = "milliseconds") -> str:
    """Format a watermark as a time in UTC.

    Args:
        watermark_ms: Watermark in ms since 1970; None if unknown.
        precision: ``timespec`` of ``datetime.isoformat``.

    Example:
        >>> time_text(1_700_000_000_123), time_text(None), time_text(2**63 - 1)
        ('2023-11-14 22:13:20.123+00:00', '-', 'end of input')
    """
    if watermark_ms is None or watermark_ms < 0:
        return "-"
    if watermark_ms > _LAST_MS:
        return "end of input"
    return datetime.fromtimestamp(watermark_ms / 1000, timezone.utc).isoformat(" ", precision)
