"""A race: all contenders in turn, round by round, and the tables of what it took them."""

from __future__ import annotations

import argparse
import itertools
import os
import signal
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import NamedTuple

from rich.console import Console
from rich.table import Table

from benchmarks import topics
from benchmarks.contenders import (
    Contender,
    ContenderFailedError,
    ContenderProcess,
    beside,
    contenders,
    name_at,
    own_contenders,
)
from benchmarks.results import Measurement, result_table
from benchmarks.serving import SINK_PROPERTIES, Task
from kafkastream.testing import EmbeddedKafka

__all__ = ["Arguments", "Check", "Fill", "arguments_of", "main"]

Check = Callable[[Task, Contender], None]
"""Looks at what a contender has written; raises ``WrongOutputError``."""
Fill = Callable[[str, str, int], None]
"""Writes so many records to a topic of a broker."""

_INPUT = "orders"

console = Console(width=120, highlight=False)


class Arguments(NamedTuple):
    """What the command line asks for."""

    records: int
    rounds: int
    pyflink: str | None
    workloads: Sequence[str]
    beside: Sequence[Path]


def arguments_of(description: str | None, workloads: Sequence[str], records: int) -> Arguments:
    """Read the command line; ``records`` is how many there are unless it says else."""
    parser = argparse.ArgumentParser(description=description, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--records", type=int, default=records, help="how many (%(default)s)")
    parser.add_argument("--rounds", type=int, default=3, help="how many count, after the warm-up (%(default)s)")
    parser.add_argument("--pyflink", metavar="PYTHON", help="the Python of a virtual environment that has PyFlink")
    parser.add_argument("--only", choices=workloads, help="one workload instead of all")
    parser.add_argument(
        "--beside",
        metavar="FOLDER",
        type=lambda folder: Path(folder).resolve(strict=True),
        action="append",
        default=[],
        help="only kafkastream, beside that of another checkout; may be repeated",
    )
    given = parser.parse_args()
    chosen = [given.only] if given.only else workloads
    return Arguments(given.records, given.rounds, given.pyflink, chosen, given.beside)


def main(
    arguments: Arguments, titles: Mapping[str, str], check: Check, notes: Sequence[str] = (), fill: Fill = topics.fill
) -> None:
    """Measure all, and print a table for each workload; exit when a contender fails."""
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(128 + signal.SIGTERM))
    try:
        _measure(arguments, titles, check, notes, fill)
    except (ContenderFailedError, topics.WrongOutputError) as error:
        sys.exit(str(error))


def _measure(arguments: Arguments, titles: Mapping[str, str], check: Check, notes: Sequence[str], fill: Fill) -> None:
    _introduce(arguments)
    with EmbeddedKafka() as kafka:
        topics.create(kafka, _INPUT)
        fill(kafka.bootstrap_servers, _INPUT, arguments.records)
        tables = [
            table
            for workload in arguments.workloads
            for table in _tables(titles[workload], _Race(kafka, workload, arguments, check).run(), arguments.beside)
        ]
    console.print(*tables, sep="\n")
    console.print(
        "Medians of the rounds (least-most). vs a peer: its CPU time per record / this one's; above 1 is cheaper.",
        *notes,
        sep="\n",
    )


def _tables(title: str, results: Mapping[str, Sequence[Measurement]], folders: Sequence[Path]) -> Iterator[Table]:
    """Table of a workload, or of each contender of this checkout if others run beside it."""
    if not folders:
        yield result_table(title, results)
        return
    own = [name for name in results if " @ " not in name]
    for name in own:
        others = [name_at(name, folder) for folder in folders]
        yield result_table(title, {one: results[one] for one in (name, *others)}, others)


class _Race:
    """One workload, done by all contenders in turn."""

    def __init__(self, kafka: EmbeddedKafka, workload: str, arguments: Arguments, check: Check) -> None:
        self._kafka = kafka
        self._workload = workload
        self._records = arguments.records
        self._rounds = arguments.rounds
        self._check = check
        self._contenders = (
            beside(own_contenders(workload), arguments.beside)
            if arguments.beside
            else contenders(workload, arguments.pyflink)
        )
        self._numbers = itertools.count(1)

    def run(self) -> dict[str, list[Measurement]]:
        """The measurements of each contender, by its name; the warm-up is left out."""
        results: dict[str, list[Measurement]] = {contender.name: [] for contender in self._contenders}
        with ExitStack() as stack:
            running = [(contender, stack.enter_context(ContenderProcess(contender))) for contender in self._contenders]
            for contender, process in running:
                self._measured("warm-up", contender, process)
            for number in range(1, self._rounds + 1):
                for contender, process in running:
                    results[contender.name].append(self._measured(f"round {number}", contender, process))
        return results

    def _measured(self, when: str, contender: Contender, process: ContenderProcess) -> Measurement:
        topic = f"{self._workload}-{next(self._numbers)}"
        topics.create(self._kafka, topic, contender.topic_config)
        task = Task(self._workload, self._kafka.bootstrap_servers, _INPUT, topic, self._records)
        cost = process.run(task)
        self._check(task, contender)
        self._kafka.delete_topic(topic)
        measurement = Measurement(cost.cpu_s / self._records * 1e6, self._records / cost.wall_s)
        self._tell(when, contender, measurement)
        return measurement

    def _tell(self, when: str, contender: Contender, measured: Measurement) -> None:
        numbers = f"{measured.cpu_us:8.2f} µs/record {measured.records_per_s:12,.0f} records/s"
        console.print(f"{self._workload:13} {when:8} {contender.name:38} {numbers}")


def _introduce(arguments: Arguments) -> None:
    settings = ", ".join(f"{key}={value}" for key, value in SINK_PROPERTIES.items())
    console.print(
        f"{arguments.records:,} records in {topics.PARTITIONS} partitions, one warm-up and {arguments.rounds} rounds, "
        f"on {os.cpu_count()} cores. At least once unless named otherwise; every producer: {settings}."
    )
    if arguments.pyflink is None:
        console.print("Without PyFlink: see docs/benchmarks.md for how to install it, then add --pyflink PYTHON.")
