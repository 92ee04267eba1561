"""What was measured, and the table that shows it."""

from __future__ import annotations

import statistics
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from rich import box
from rich.table import Table

from benchmarks.contenders import AT_LEAST_ONCE, BARE_STATE, NATIVE, PYFLINK, SPARK, Cost

__all__ = ["Measurement", "ratios", "result_table"]


_PEERS = ((SPARK,), (BARE_STATE, NATIVE), (PYFLINK,), (AT_LEAST_ONCE,))
"""Whom the others are compared with: of each group the first that takes part."""


class Measurement(NamedTuple):
    """A contender's run of one round."""

    cpu_us: float
    """CPU time per record, of the whole process tree."""

    records_per_s: float

    @staticmethod
    def of(cost: Cost, records: int) -> Measurement:
        """Return the measurement of a run that took so many records."""
        return Measurement(cost.cpu_s / records * 1e6, records / cost.wall_s)


def result_table(title: str | None, results: Mapping[str, Sequence[Measurement]], others: Sequence[str] = ()) -> Table:
    """Table of the medians of all rounds; ratios above 1 are cheaper than the peer.

    Args:
        title: Title of the table, if any.
        results: Measurements of each contender, by its name.
        others: Contenders of other checkouts, which are peers, too.
    """
    named = [next(filter(results.__contains__, group)) for group in _PEERS if not results.keys().isdisjoint(group)]
    peers = [*others, *named]
    table = Table(title=title, box=box.MARKDOWN, title_justify="left", title_style="bold")
    table.add_column("contender")
    for column in ("records/s", "CPU µs/record", *(f"vs {peer.partition(' @ ')[2] or peer}" for peer in peers)):
        table.add_column(column, justify="right")
    by_speed = results.get(AT_LEAST_ONCE)
    if by_speed is not None:
        table.add_column(f"records/s vs {AT_LEAST_ONCE}", justify="right")
    for name, rounds in results.items():
        speeds = [] if by_speed is None else [_spread(_speedratios(rounds, by_speed))]
        table.add_row(name, *_cells(rounds, [results[peer] for peer in peers]), *speeds)
    return table


def _speedratios(rounds: Sequence[Measurement], peer: Sequence[Measurement]) -> list[float]:
    return [own.records_per_s / other.records_per_s for own, other in zip(rounds, peer, strict=True)]


def _cells(rounds: Sequence[Measurement], peers: Sequence[Sequence[Measurement]]) -> list[str]:
    speed = statistics.median(one.records_per_s for one in rounds)
    return [f"{speed:,.0f}", _spread([one.cpu_us for one in rounds]), *(_spread(ratios(rounds, p)) for p in peers)]


def ratios(rounds: Sequence[Measurement], peer: Sequence[Measurement]) -> list[float]:
    """Return a peer's CPU time by that of a contender, round by round."""
    return [other.cpu_us / own.cpu_us for own, other in zip(rounds, peer, strict=True)]


def _spread(values: Sequence[float]) -> str:
    return f"{statistics.median(values):.2f} ({min(values):.2f}-{max(values):.2f})"
