"""Aims of the benchmarks, each of which the report compares with its measured figure."""

from __future__ import annotations

import statistics
from collections.abc import Callable
from typing import Final

import attrs

from benchmarks.contenders import AT_LEAST_ONCE, EXACTLY_ONCE, KAFKASTREAM, NATIVE, PROMPT, PROMPT_SQL, PYFLINK, SPARK
from benchmarks.growth import CPU, FEW_KEYS, KEYED_STATE, MANY_KEYS, RUNS, grown
from benchmarks.results import ratios
from benchmarks.runs import Run
from benchmarks.serving import (
    KEYED,
    LISTS,
    MAPS,
    PASS_THROUGH,
    PYTHON,
    RUNNING_COUNT,
    SQL_FILTER,
    SQL_HOPS,
    SQL_WINDOWS,
)

__all__ = ["AIMS", "Aim"]

Figure = Callable[[Run], float | None]
"""Takes a figure from a run; None if the run lacks it."""


@attrs.frozen
class Aim:
    """Aim for one figure.

    Args:
        text: Description of the figure.
        figure: Takes it from a run.
        wanted: Bound of the figure.
        unit: Unit of the figure.
    """

    text: str
    figure: Figure
    wanted: float
    unit: str

    @property
    def is_ratio(self) -> bool:
        """Whether the figure is to be as great as wanted, since it is a peer's cost by ours; others are to be as small."""
        return self.unit == "x"

    def is_met(self, found: float) -> bool:
        """Whether a figure reaches the aim."""
        return found >= self.wanted if self.is_ratio else found <= self.wanted


def _cheaper(workload: str, peer: str, own: str = KAFKASTREAM) -> Figure:
    """Return the figure of how many times the CPU time of a contender is contained in that of a peer."""

    def figure(run: Run) -> float | None:
        results = run.races.get(workload, {})
        if own not in results or peer not in results:
            return None
        return statistics.median(ratios(results[own], results[peer]))

    return figure


def _cost(table: str, name: str, column: str = CPU) -> Figure:
    return lambda run: run.costs.get(table, {}).get(name, {}).get(column)


def _times(table: str, name: str, base: str, column: str = CPU) -> Figure:
    """Return the figure of how many times another figure a figure is."""

    def figure(run: Run) -> float | None:
        one, other = _cost(table, name, column)(run), _cost(table, base, column)(run)
        return one / other if one and other else None

    return figure


def _delay(contender: str, percentile: str, rate: int) -> Figure:
    return lambda run: run.delays.get(rate, {}).get(contender, {}).get(percentile)


def _visible_as_soon(own: str, peer: str, rate: int) -> Figure:
    """Return the figure of how many times the median delay of a contender is contained in that of a peer."""

    def figure(run: Run) -> float | None:
        one, other = (_delay(name, "50 %", rate)(run) for name in (own, peer))
        return other / one if one and other else None

    return figure


def _aims_of_latency(rate: int) -> tuple[Aim, ...]:
    prompt = f"{PROMPT}, {AT_LEAST_ONCE}"
    return (
        Aim(f"Latency mode, {rate:,} records/s, median", _delay(prompt, "50 %", rate), 10, "ms"),
        Aim(f"Latency mode, {rate:,} records/s, 99 %", _delay(prompt, "99 %", rate), 100, "ms"),
        Aim(
            f"Latency mode, {rate:,} records/s, EXACTLY_ONCE, median",
            _delay(f"{PROMPT}, {EXACTLY_ONCE}", "50 %", rate),
            150,
            "ms",
        ),
        Aim(f"SQL in latency mode, {rate:,} records/s, median", _delay(PROMPT_SQL, "50 %", rate), 10, "ms"),
    )


AIMS: Final = (
    *_aims_of_latency(200),
    *_aims_of_latency(5000),
    Aim(
        "Latency mode at full load, compared with micro-batches",
        _cheaper(PASS_THROUGH, KAFKASTREAM, PROMPT),
        0.83,
        "x",
    ),
    Aim("Copy in latency mode, compared with PyFlink", _cheaper(PASS_THROUGH, PYFLINK, PROMPT), 1, "x"),
    Aim("Copy in latency mode, compared with plain Spark", _cheaper(PASS_THROUGH, SPARK, PROMPT), 1.3, "x"),
    Aim("Per-record Python in latency mode, compared with PyFlink", _cheaper(PYTHON, PYFLINK, PROMPT), 5, "x"),
    Aim("Micro-batches, 200 records/s, median", _delay(f"{KAFKASTREAM}, {AT_LEAST_ONCE}", "50 %", 200), 150, "ms"),
    Aim(
        "Micro-batches with keyed state, 200 records/s, median",
        _delay(f"{KAFKASTREAM}, {KEYED}, {AT_LEAST_ONCE}", "50 %", 200),
        300,
        "ms",
    ),
    Aim(
        "Micro-batches, 200 records/s, EXACTLY_ONCE, compared with PyFlink",
        _visible_as_soon(f"{KAFKASTREAM}, {EXACTLY_ONCE}", f"{PYFLINK}, {EXACTLY_ONCE}", 200),
        1,
        "x",
    ),
    Aim("Running count by key, compared with PyFlink", _cheaper(RUNNING_COUNT, PYFLINK), 5, "x"),
    Aim("Cost per record of many keys by that of few", _times(KEYED_STATE, MANY_KEYS, FEW_KEYS), 1.5, "times"),
    *(
        Aim(
            f"Cost per record of {one} that grow, last run by second",
            _times(KEYED_STATE, grown(one, RUNS), grown(one, 2)),
            1.1,
            "times",
        )
        for one in (LISTS, MAPS)
    ),
    Aim("SQL filter, compared with plain Spark", _cheaper(SQL_FILTER, SPARK), 1, "x"),
    Aim("SQL, tumbling count, compared with Spark's native aggregate", _cheaper(SQL_WINDOWS, NATIVE), 1, "x"),
    Aim("SQL, tumbling count, compared with Flink SQL", _cheaper(SQL_WINDOWS, PYFLINK), 0.8, "x"),
    Aim("SQL, sliding aggregates, compared with Spark's native aggregate", _cheaper(SQL_HOPS, NATIVE), 1, "x"),
    Aim("SQL, sliding aggregates, compared with Flink SQL", _cheaper(SQL_HOPS, PYFLINK), 0.8, "x"),
)
"""Aims in the order of the report. A ratio is a peer's CPU time, or delay, by that of kafkastream."""
