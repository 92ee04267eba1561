"""Whether a curve rises: by Theil and Sen's slope, which a few outliers do not move, and by how sure it is.

The slope is the median of the slopes of all pairs of points; Sen's interval around it follows from Kendall's test.
A curve counts as rising when the whole interval lies above zero and the slope matters in practice.
"""

from __future__ import annotations

import math
import statistics
from collections import Counter
from collections.abc import Sequence
from itertools import combinations
from typing import Final, TypeAlias, final

import attrs

__all__ = ["Points", "Tolerance", "Trend", "trend"]

Points: TypeAlias = Sequence[tuple[float, float]]
"""Seconds and values."""

_SURE: Final = statistics.NormalDist().inv_cdf(0.999)
_HOUR_S: Final = 3600
_FEWEST: Final = 8


@final
@attrs.frozen
class Tolerance:
    """How much a curve may rise before it matters; it must exceed both to be a leak.

    Args:
        share: Of its level, by the hour.
        amount: Over all the time that was watched, so that a short run does not blow up a wobble.
    """

    share: float
    amount: float


@final
@attrs.frozen
class Trend:
    """How a curve goes.

    Args:
        level: The median.
        per_hour: The slope.
        at_least: The lower end of its interval; nothing can be said without one.
        seconds: How long it was watched.
    """

    level: float
    per_hour: float
    at_least: float | None
    seconds: float

    def rises(self, tolerance: Tolerance) -> bool:
        """Whether it rises for sure, and so much that it matters."""
        growth = self.per_hour * self.seconds / _HOUR_S
        is_sure = self.at_least is not None and self.at_least > 0
        return is_sure and self.per_hour > tolerance.share * self.level and growth > tolerance.amount


def trend(points: Points) -> Trend:
    """The trend of a curve; at least one point is needed."""
    values = [value for _, value in points]
    slopes = sorted((b - a) / (t - s) * _HOUR_S for (s, a), (t, b) in combinations(points, 2))
    seconds = points[-1][0] - points[0][0]
    per_hour = statistics.median(slopes) if slopes else 0.0
    at_least = _lower_end(slopes, values) if len(points) >= _FEWEST else None
    return Trend(statistics.median(values), per_hour, at_least, seconds)


def _lower_end(slopes: Sequence[float], values: Sequence[float]) -> float:
    """The lower end of Sen's interval: so many slopes from the median as Kendall's statistic may be off by chance."""
    rank = (len(slopes) - _SURE * math.sqrt(_kendall_variance(values))) / 2
    return slopes[max(0, math.floor(rank))]


def _kendall_variance(values: Sequence[float]) -> float:
    """The variance of Kendall's statistic where there is no trend; equal values make it smaller."""
    ties = Counter(values).values()
    return (_spread(len(values)) - sum(map(_spread, ties))) / 18


def _spread(count: int) -> int:
    return count * (count - 1) * (2 * count + 5)
