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

_HEAP: Final = "jvm tracked: Java Heap"
_WITH_HEAP: Final = ("jvm RSS", "jvm tracked")
"""Curves that hold the JVM's heap, which may grow up to its limit: they are shown, and what is beside the heap is judged."""

TOLERANCES: Final[Mapping[str, Tolerance]] = {
    "* processes": Tolerance(share=0.05, amount=3),
    "* descriptors": Tolerance(share=0.05, amount=15),
    "* sockets": Tolerance(share=0.05, amount=15),
    "* threads": Tolerance(share=0.05, amount=15),
    "* RSS": Tolerance(share=0.05, amount=30),
    "jvm heap after GC": Tolerance(share=0.05, amount=10),
    "jvm metaspace": Tolerance(share=0.05, amount=10),
    "* beside the heap": Tolerance(share=0.05, amount=30),
    "checkpoint files": Tolerance(share=0.05, amount=100),
    "checkpoint MiB": Tolerance(share=0.05, amount=2),
    "groups": Tolerance(share=0.05, amount=2),
    "transactional ids": Tolerance(share=0.05, amount=2),
    "lag of *": Tolerance(share=0.5, amount=2000),
    "micro-batch seconds": Tolerance(share=0.2, amount=0.5),
}
"""By pattern of the curve's name, the first that fits."""


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
    """Judge each curve that has a tolerance and values after the warm-up."""
    counts_from_s = samples[-1].seconds * WARM_UP if samples else 0.0
    return list(_verdicts(samples, counts_from_s))


def _verdicts(samples: Sequence[Sample], counts_from_s: float) -> Iterator[Verdict]:
    for name, points in _curves(samples).items():
        tolerance = None if name in _WITH_HEAP else _tolerance(name)
        counted = [point for point in points if point[0] >= counts_from_s]
        if counted and (tolerance is not None or name in _WITH_HEAP):
            found = trend(counted)
            yield Verdict(name, points, found, tolerance is not None and found.rises(tolerance))


def _tolerance(name: str) -> Tolerance | None:
    return next((tolerance for pattern, tolerance in TOLERANCES.items() if fnmatchcase(name, pattern)), None)


def _curves(samples: Sequence[Sample]) -> Mapping[str, Points]:
    measured = curves(samples)
    heap = dict(measured.get(_HEAP, ()))
    beside = {
        f"{name} beside the heap": [(second, value - heap[second]) for second, value in measured[name]]
        for name in _WITH_HEAP
        if heap and name in measured
    }
    return {**measured, **beside}
