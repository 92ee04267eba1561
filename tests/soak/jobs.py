"""The jobs that can be soaked, with what each reads and is to write."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType
from typing import Final

import attrs

from tests.soak.model import expected_copies, expected_results, expected_totals

__all__ = ["ALL", "JOBS", "LATENCY", "Job"]

ALL: Final = "all"
LATENCY: Final = "latency"


@attrs.frozen
class Job:
    """A job of ``job.py``.

    Args:
        groups: Topics that each of its consumer groups reads.
        queries: How many queries of Spark it has.
        lines: The lines that it writes for so many orders, of which the first was at a time.
        totals: The last total of each shop for so many orders.
    """

    groups: Mapping[str, Sequence[str]]
    queries: int
    lines: Callable[[int, int], Counter[str]]
    totals: Callable[[int], Mapping[str, tuple[int, int]]]


JOBS: Final[Mapping[str, Job]] = MappingProxyType(
    {
        ALL: Job({"soak": ("orders", "payments"), "soak-sql": ("orders",)}, 2, expected_results, expected_totals),
        LATENCY: Job({"soak": ("orders",)}, 1, lambda orders, _: Counter(expected_copies(orders)), lambda _: {}),
    }
)
"""By the name that ``--job`` takes."""
