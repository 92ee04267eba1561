"""The report of a whole run: its part of ``docs/benchmarks.md``, and the charts there.

::

    python -m benchmarks.report                                        # of the newest run that is kept
    python -m benchmarks.report benchmarks/runs/2026-11-26.json
"""

from __future__ import annotations

import io
import math
import statistics
import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Final

from rich import box
from rich.console import Console
from rich.table import Table

from benchmarks import nexmark, sql, stateful, throughput
from benchmarks.aims import AIMS, Aim
from benchmarks.contenders import KAFKASTREAM, PROMPT
from benchmarks.race import Measured
from benchmarks.results import Measurement, ratios, result_table
from benchmarks.runs import Run, latest
from benchmarks.serving import MICRO_BATCHES, NEXMARK, PIPELINES

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["PAGE", "TITLES", "text", "write", "written"]

_DOCS: Final = Path(__file__).parent.parent / "docs"
PAGE: Final = _DOCS / "benchmarks.md"
"""Page with the report."""
_BEGIN: Final = "<!-- The report of the last whole run, written by `make bench`. -->\n"
_END: Final = "<!-- The end of the report. -->\n"
TITLES: Final = {
    **throughput.RACES.titles,
    **stateful.RACES.titles,
    **sql.RACES.titles,
    **nexmark.RACES.titles,
    PIPELINES: "YAML pipelines, Debezium JSON to Debezium JSON",
}
"""Titles of the workloads."""
_USE: Final = 0.6
"""Share of the cores' time that a job may take, so that it catches up after a pause."""
_CHARTS: Final = {"cpu": "benchmarks-cpu.svg", "delays": "benchmarks-delays.svg"}


def text(run: Run) -> str:
    """Return the report of a run as Markdown."""
    return "\n".join(
        (*_introduction(run), *_aims(run), *_delays(run), *_races(run), *_nexmark(run), *_costs(run), *_cores(run))
    )


def written() -> str:
    """Return the report that the page has."""
    return _parts()[1]


def write(run: Run) -> None:
    """Write the report of a run into the page, and draw its charts."""
    before, _, after = _parts()
    PAGE.write_text(f"{before}{text(run)}{after}", encoding="utf-8")
    if _shown(run):
        _draw_cpu(run, _DOCS / _CHARTS["cpu"])
    if run.delays:
        _draw_delays(run, _DOCS / _CHARTS["delays"])


def _parts() -> tuple[str, str, str]:
    before, begin, rest = PAGE.read_text(encoding="utf-8").partition(_BEGIN)
    report, end, after = rest.partition(_END)
    assert begin, f"{PAGE} lacks the comment before the report"
    assert end, f"{PAGE} lacks the comment after the report"
    return before + begin, report, end + after


def _introduction(run: Run) -> Iterator[str]:
    versions = ", ".join(f"{name} {version}" for name, version in run.versions.items())
    yield f"\nMeasured on {run.day} with {run.machine}; {versions}.\n"
    if _shown(run):
        yield f"![CPU time per record of each contender]({_CHARTS['cpu']})\n"
    if run.delays:
        yield f"![Time until a record is visible]({_CHARTS['delays']})\n"


def _aims(run: Run) -> Iterator[str]:
    yield "### Aims\n"
    yield "A figure in x is the peer's CPU time per record, or its delay, divided by that of kafkastream.\n"
    yield "| Figure | Aim | Measured | |"
    yield "|---|---:|---:|---|"
    for aim in AIMS:
        found = aim.figure(run)
        measured = "not measured" if found is None else _figure(aim, found)
        verdict = "" if found is None else "met" if aim.is_met(found) else "**missed**"
        yield f"| {aim.text} | {'≥' if aim.is_ratio else '≤'} {aim.wanted:g} {aim.unit} | {measured} | {verdict} |"
    yield ""


def _figure(aim: Aim, found: float) -> str:
    return f"{found:.2f} {aim.unit}" if aim.is_ratio else f"{found:,.1f} {aim.unit}"


def _delays(run: Run) -> Iterator[str]:
    for rate, contenders in run.delays.items():
        yield f"### Time until a record is visible, {rate:,} records/s\n"
        yield "From writing a record until a reader of committed records sees its copy, in ms.\n"
        columns = next(iter(contenders.values()), {})
        yield f"| contender | {' | '.join(columns)} |"
        yield f"|---|{'---:|' * len(columns)}"
        yield from (
            f"| {name} | {' | '.join(f'{value:,.1f}' for value in found.values())} |"
            for name, found in contenders.items()
        )
        yield ""


def _races(run: Run) -> Iterator[str]:
    for workload, results in _shown(run).items():
        yield f"### {TITLES[workload]}\n"
        yield f"`{workload}`, {run.records[workload]:,} records.\n"
        yield _markdown(result_table(None, results))


def _shown(run: Run) -> Mapping[str, Measured]:
    """Return the workloads with a table and a panel of their own; Nexmark's queries share one table."""
    return {name: found for name, found in run.races.items() if name not in NEXMARK}


def _nexmark(run: Run) -> Iterator[str]:
    measured = [name for name in NEXMARK if name in run.races]
    if not measured:
        return
    contenders = list(run.races[measured[0]])
    table = Table(box=box.MARKDOWN)
    table.add_column("query")
    for column in (*(f"{one}, CPU µs/event" for one in contenders), *(f"vs {one}" for one in contenders[1:])):
        table.add_column(column, justify="right")
    for name in measured:
        results = run.races[name]
        own = results[KAFKASTREAM]
        costs = (f"{_median(results[one]):.2f}" for one in contenders)
        peers = (f"{statistics.median(ratios(own, results[one])):.2f}" for one in contenders[1:])
        table.add_row(name, *costs, *peers)
    yield "### Nexmark\n"
    yield f"{run.records[measured[0]]:,} events; medians of the rounds. {' '.join(nexmark.RACES.notes)}\n"
    yield _markdown(table)


def _costs(run: Run) -> Iterator[str]:
    for title, rows in run.costs.items():
        columns = tuple(dict.fromkeys(column for figures in rows.values() for column in figures))
        yield f"### {title}\n"
        yield f"| | {' | '.join(columns)} |"
        yield f"|---|{'---:|' * len(columns)}"
        for name, figures in rows.items():
            cells = (f"{figures[column]:,.2f}" if column in figures else "" for column in columns)
            yield f"| {name} | {' | '.join(cells)} |"
        yield ""


def _cores(run: Run) -> Iterator[str]:
    """Yield how many cores the jobs would occupy, since 1 µs of CPU time per record is one core at 1,000,000 records/s."""
    yield "### Cores for a million records per second, on paper\n"
    yield f"CPU time per record of each workload, and as many cores as it occupies, at {_USE:.0%} of their time.\n"
    yield "| | CPU µs/record | cores |"
    yield "|---|---:|---:|"
    for workload, results in _shown(run).items():
        for name in (KAFKASTREAM, PROMPT):
            if name in results and workload != MICRO_BATCHES:
                cost = _median(results[name])
                yield f"| {TITLES[workload]}{name.removeprefix(KAFKASTREAM)} | {cost:.2f} | {math.ceil(cost / _USE)} |"
    yield ""


def _median(rounds: Sequence[Measurement]) -> float:
    return statistics.median(one.cpu_us for one in rounds)


def _markdown(table: Table) -> str:
    file = io.StringIO()
    Console(file=file, width=400).print(table)
    lines = (line.strip() for line in file.getvalue().splitlines())
    return "\n".join((*filter(None, lines), ""))


def _draw_cpu(run: Run, path: Path) -> None:
    """Draw the CPU time per record: a panel for each workload."""
    panels = {
        f"{TITLES[workload]}, CPU µs per record": {name: _median(rounds) for name, rounds in results.items()}
        for workload, results in _shown(run).items()
    }
    _draw(panels, path)


def _draw_delays(run: Run, path: Path) -> None:
    """Draw the median delays, on a logarithmic scale: a panel for each rate."""
    panels = {
        f"Median time until a record is visible, ms, at {rate:,} records/s": {
            name: found["50 %"] for name, found in contenders.items()
        }
        for rate, contenders in run.delays.items()
    }
    _draw(panels, path, scale="log")


def _draw(panels: Mapping[str, Mapping[str, float]], path: Path, scale: str = "linear") -> None:
    """Draw bars, in a panel for each title."""
    import matplotlib as mpl

    mpl.use("svg")
    from matplotlib import pyplot

    heights = [len(values) for values in panels.values()]
    size = (9, 0.32 * sum(heights) + 0.7 * len(panels))
    figure, places = pyplot.subplots(
        len(panels), 1, figsize=size, layout="constrained", height_ratios=heights, squeeze=False
    )
    for place, (title, values) in zip(places.flat, panels.items(), strict=True):
        _bars(place, values)
        place.set_xscale(scale)
        place.set_title(title, fontsize="medium", loc="left")
    figure.savefig(path, metadata={"Date": None})
    pyplot.close(figure)


def _bars(place: Axes, values: Mapping[str, float]) -> None:
    names = list(values)
    colours = ["C0" if name.startswith(KAFKASTREAM) else "0.6" for name in names]
    bars = place.barh(names, list(values.values()), color=colours)
    place.bar_label(bars, fmt="{:,.2f}".format, padding=3, fontsize="small")
    place.invert_yaxis()
    place.margins(x=0.12)
    place.spines[["top", "right"]].set_visible(False)
    place.tick_params(labelsize="small")


if __name__ == "__main__":
    write(Run.read(Path(sys.argv[1])) if sys.argv[1:] else latest())
