"""Which curves must not rise, and whether they do."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from fnmatch import fnmatchcase
from typing import Final, final

import attrs

from tests.soak.samples import Sample, curves
from tests.soak.trend import Points, Tolerance, Trend, trend

__all__ = ["Verdict", "verdicts"]

WARM_UP: Final = 1 / 3
"""The share of a run that does not count."""

TOLERANCES: Final[Mapping[str, Tolerance]] = {
    "* processes": Tolerance(share=0.05, amount=3),
    "* descriptors": Tolerance(share=0.05, amount=15),
    "* sockets": Tolerance(share=0.05, amount=15),
    "* threads": Tolerance(share=0.05, amount=15),
    "* RSS": Tolerance(share=0.05, amount=30),
    "jvm heap after GC": Tolerance(share=0.05, amount=10),
    "jvm metaspace": Tolerance(share=0.05, amount=10),
    "jvm tracked": Tolerance(share=0.05, amount=30),
    "checkpoint files": Tolerance(share=0.05, amount=100),
    "checkpoint MiB": Tolerance(share=0.05, amount=2),
    "groups": Tolerance(share=0.05, amount=2),
    "transactional ids": Tolerance(share=0.05, amount=2),
    "lag of *": Tolerance(share=0.5, amount=2000),
    "micro-batch seconds": Tolerance(share=0.2, amount=0.5),
}
"""By pattern of the curve's name; curves without one are shown, not judged."""


@final
@attrs.frozen
class Verdict:
    """A curve that is judged.

    Args:
        name: Of the curve.
        points: All of it, with the warm-up.
        trend: How it goes after the warm-up.
        rises: Whether it rises for sure, and so much that it matters.
    """

    name: str
    points: Points
    trend: Trend
    rises: bool


def verdicts(samples: Sequence[Sample]) -> Sequence[Verdict]:
    """A verdict on each curve that has a tolerance and values after the warm-up."""
    counts_from_s = samples[-1].seconds * WARM_UP if samples else 0.0
    return list(_verdicts(samples, counts_from_s))


def _verdicts(samples: Sequence[Sample], counts_from_s: float) -> Iterator[Verdict]:
    for name, points in curves(samples).items():
        tolerance, counted = _tolerance(name), [point for point in points if point[0] >= counts_from_s]
        if tolerance is not None and counted:
            found = trend(counted)
            yield Verdict(name, points, found, found.rises(tolerance))


def _tolerance(name: str) -> Tolerance | None:
    return next((tolerance for pattern, tolerance in TOLERANCES.items() if fnmatchcase(name, pattern)), None)
