"""All benchmarks with all contenders of this machine, in turns, and their report in ``docs/benchmarks.md``.

::

    python -m benchmarks.bench --pyflink /path/to/venv/bin/python
    python -m benchmarks.bench --only sql nexmark                          # a part of it
    python -m benchmarks.bench --scale 0.01 --rounds 1 --only sql --look   # a quick look

Linux only, on a machine with nothing else to do, for two to three hours. The run is kept in ``benchmarks/runs`` after each
workload; parts that are measured on one day are one run.
"""

from __future__ import annotations

import argparse
import datetime
import importlib.metadata
import os
import platform
import subprocess
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Final, NamedTuple

import attrs
from rich.console import Console

from benchmarks import growth, nexmark, pipelines, race, report, sql, stateful, throughput, visibility
from benchmarks.runs import Run
from benchmarks.serving import MICRO_BATCHES, PIPELINES

_RACES: Final = {"throughput": throughput.RACES, "stateful": stateful.RACES, "sql": sql.RACES, "nexmark": nexmark.RACES}
_SMALLER: Final = {MICRO_BATCHES: 0.3}
"""Workloads that get this share of the records, since some contenders need minutes for all."""
_PRODUCTS: Final = ("pyspark", "confluent-kafka")

console = Console(width=120, highlight=False)


class Arguments(NamedTuple):
    """Options of the command line."""

    pyflink: str | None
    rounds: int
    scale: float
    only: Sequence[str] | None
    look: bool


Measure = Callable[[Run, Arguments], Iterator[Run]]
"""Measures a part, and yields the run with it after each workload."""


def main(arguments: Arguments) -> None:
    """Measure all parts, keep the run, and write the report."""
    run = _begun(arguments)
    for name, measure in _parts().items():
        if arguments.only is None or name in arguments.only:
            console.rule(name)
            for longer in measure(run, arguments):
                run = longer
                if not arguments.look:
                    run.write()
    console.print(report.text(run))
    if not arguments.look:
        report.write(run)
        console.print(f"[bold]Kept in {run.path.name}; the report is in docs/benchmarks.md.[/bold]")


def _begun(arguments: Arguments) -> Run:
    """Return the run of today, if a part of it is kept, or a new one."""
    today = datetime.datetime.now(datetime.timezone.utc).date().isoformat()
    run = Run(today, _machine(), _versions(arguments.pyflink))
    return Run.read(run.path) if run.path.exists() and not arguments.look else run


def _parts() -> Mapping[str, Measure]:
    races = {name: _race(one) for name, one in _RACES.items()}
    return {**races, PIPELINES: _pipelines, "visibility": _visibility, "growth": _growth}


def _race(races: race.Races) -> Measure:
    def measure(run: Run, arguments: Arguments) -> Iterator[Run]:
        for share in (1.0, *_SMALLER.values()):
            records = round(races.records * arguments.scale * share)
            workloads = [one for one in races.titles if _SMALLER.get(one, 1.0) == share]
            if workloads:
                chosen = race.Arguments(records, arguments.rounds, arguments.pyflink, workloads)
                for workload, found in race.measured(races, chosen):
                    run = _with(run, workload, records, found)
                    yield run

    return measure


def _pipelines(run: Run, arguments: Arguments) -> Iterator[Run]:
    records = round(1_000_000 * arguments.scale)
    yield _with(run, PIPELINES, records, pipelines.measured(records, arguments.rounds))


def _with(run: Run, workload: str, records: int, found: race.Measured) -> Run:
    return attrs.evolve(run, records={**run.records, workload: records}, races={**run.races, workload: dict(found)})


def _visibility(run: Run, arguments: Arguments) -> Iterator[Run]:
    found = visibility.measured(visibility.Arguments(20, 120, 1, "200,5000", "", arguments.pyflink))
    delays = {rate: {name: visibility.spread(one) for name, one in of.items()} for rate, of in found.items()}
    yield attrs.evolve(run, delays=delays)


def _growth(run: Run, arguments: Arguments) -> Iterator[Run]:
    yield attrs.evolve(run, costs=growth.measured(growth.Arguments(arguments.scale, arguments.pyflink)))


def _machine() -> str:
    return f"{os.cpu_count()} cores, {platform.system()}, Python {platform.python_version()}"


def _versions(pyflink: str | None) -> dict[str, str]:
    own = {name: importlib.metadata.version(name) for name in _PRODUCTS}
    return {**own, **({"apache-flink": _flink_version(pyflink)} if pyflink else {})}


def _flink_version(python: str) -> str:
    command = (python, "-c", "from importlib.metadata import version; print(version('apache-flink'))")
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout.strip()


def _arguments() -> Arguments:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--pyflink", metavar="PYTHON", help="the Python of a virtual environment that has PyFlink")
    parser.add_argument("--rounds", type=int, default=3, help="how many count, after the warm-up (%(default)s)")
    parser.add_argument("--scale", type=float, default=0.5, help="share of each benchmark's records (%(default)s)")
    parser.add_argument("--only", nargs="+", choices=_parts(), help="some benchmarks instead of all")
    parser.add_argument("--look", action="store_true", help="only print the report; keep and write nothing")
    return Arguments(**vars(parser.parse_args()))


if __name__ == "__main__":
    with race.plain_exit():
        main(_arguments())
