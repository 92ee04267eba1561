"""The samples of a soak for eyes: a table with sparklines, rows of Markdown, a picture.

::

    python -m tests.soak.report build/soak/samples.jsonl
    python -m tests.soak.report build/soak/samples.jsonl --markdown --picture docs/soak.svg
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Final

from rich.console import Console
from rich.table import Table

from tests.soak.samples import read
from tests.soak.trend import Points
from tests.soak.verdict import WARM_UP, Verdict, verdicts

__all__ = ["markdown", "picture", "table"]

_BARS: Final = "▁▂▃▄▅▆▇█"
_BARS_OF_A_CURVE: Final = 24
_PANELS: Final = (
    ("Descriptors", ("driver descriptors", "jvm descriptors", "workers descriptors")),
    ("Sockets and threads", ("jvm sockets", "workers sockets", "jvm threads", "workers threads")),
    ("RSS, MiB", ("driver RSS", "jvm RSS", "workers RSS")),
    ("JVM's memory, MiB", ("jvm heap after GC", "jvm metaspace", "jvm RSS beside the heap")),
    ("Checkpoint, files", ("checkpoint files",)),
    ("Checkpoint, MiB", ("checkpoint MiB",)),
    ("Broker", ("groups", "transactional ids")),
    ("Micro-batch, seconds", ("micro-batch seconds",)),
)


def table(found: Sequence[Verdict]) -> Table:
    """All judged curves."""
    shown = Table(title=f"After a warm-up of {WARM_UP:.0%}", title_justify="left")
    for heading in ("what", "curve", "first", "median", "last", "per hour", "surely", ""):
        shown.add_column(heading, justify="left" if heading in {"what", "curve", ""} else "right")
    for one in found:
        style = "red" if one.rises else None
        shown.add_row(one.name, _sparkline(one.points), *_figures(one), "RISES" if one.rises else "", style=style)
    return shown


def markdown(found: Sequence[Verdict]) -> str:
    """The same as rows of a Markdown table."""
    heading = ("| What | First | Median | Last | Per hour | Surely at least | |", "|---|---:|---:|---:|---:|---:|---|")
    rows = (f"| {one.name} | {' | '.join(_figures(one))} | {'rises' if one.rises else 'flat'} |" for one in found)
    return "\n".join((*heading, *rows))


def picture(found: Sequence[Verdict], path: Path) -> None:
    """Draw the curves."""
    import matplotlib as mpl

    mpl.use("svg")
    from matplotlib import pyplot

    by_name = {one.name: one for one in found}
    figure, places = pyplot.subplots(4, 2, figsize=(10, 11), layout="constrained")
    for place, (title, names) in zip(places.flat, _PANELS, strict=True):
        for one in (by_name[name] for name in names if name in by_name):
            minutes = [seconds / 60 for seconds, _ in one.points]
            place.plot(minutes, [value for _, value in one.points], label=one.name)
            place.axvspan(0, WARM_UP * minutes[-1], color="0.95")
        place.set_title(title, fontsize="medium")
        place.set_ylim(bottom=0)
        place.set_xlabel("minutes", fontsize="small")
        if place.lines:
            place.legend(fontsize="small")
    figure.savefig(path, metadata={"Date": None})
    pyplot.close(figure)


def _figures(one: Verdict) -> Iterator[str]:
    at_least = "?" if one.trend.at_least is None else f"{one.trend.at_least:+,.1f}"
    values = (one.points[0][1], one.trend.level, one.points[-1][1])
    yield from (f"{value:,.{0 if value == int(value) else 1}f}" for value in values)
    yield from (f"{one.trend.per_hour:+,.1f}", at_least)


def _sparkline(points: Points) -> str:
    """The curve in a few bars, from its least to its greatest value."""
    step = max(1, len(points) // _BARS_OF_A_CURVE)
    values = [value for _, value in points][::step]
    least, span = min(values), max(values) - min(values)
    return "".join(_BARS[int((value - least) / span * (len(_BARS) - 1)) if span else 0] for value in values)


def main() -> None:
    """Print what the command line asks for."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("samples", type=Path, help="the file of a soak")
    parser.add_argument("--markdown", action="store_true", help="rows of Markdown instead of a table")
    parser.add_argument("--picture", type=Path, help="draw the curves into this file, too")
    given = parser.parse_args()
    found = verdicts(read(given.samples))
    if given.picture:
        picture(found, given.picture)
    if given.markdown:
        Console(width=200, soft_wrap=True, highlight=False).print(markdown(found), markup=False)
    else:
        Console().print(table(found))


if __name__ == "__main__":
    main()
