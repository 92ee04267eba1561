"""Races: all contenders of a workload in turn, round by round, and the tables of their measurements."""

from __future__ import annotations

import argparse
import itertools
import os
import signal
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import NamedTuple

import attrs
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

__all__ = ["Arguments", "Check", "Fill", "Measured", "Races", "main", "measured", "plain_exit"]

Measured = Mapping[str, Sequence[Measurement]]
"""Measurements of a workload, round by round, by contender."""
Check = Callable[[Task, Contender], None]
"""Looks at what a contender has written; raises ``WrongOutputError``."""
Fill = Callable[[str, str, int], None]
"""Writes so many records to a topic of a broker."""

_INPUT = "orders"

console = Console(width=120, highlight=False)


@attrs.frozen
class Races:
    """Workloads on the same records.

    Args:
        titles: Titles of the workloads' tables.
        records: Number of records, unless the command line says otherwise.
        check: Looks at what a contender has written.
        notes: Lines below the tables.
        fill: Writes the records.
    """

    titles: Mapping[str, str]
    records: int
    check: Check
    notes: Sequence[str] = ()
    fill: Fill = topics.fill


class Arguments(NamedTuple):
    """Options of the command line."""

    records: int
    rounds: int
    pyflink: str | None
    workloads: Sequence[str]
    beside: Sequence[Path] = ()


def _arguments_of(description: str | None, races: Races) -> Arguments:
    workloads = tuple(races.titles)
    parser = argparse.ArgumentParser(description=description, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--records", type=int, default=races.records, help="how many (%(default)s)")
    parser.add_argument("--rounds", type=int, default=3, help="how many count, after the warm-up (%(default)s)")
    parser.add_argument("--pyflink", metavar="PYTHON", help="the Python of a virtual environment that has PyFlink")
    parser.add_argument("--only", choices=workloads, help="one workload instead of all")
    parser.add_argument(
        "--beside",
        metavar="FOLDER",
        type=lambda folder: Path(folder).resolve(strict=True),
        action="append",
        default=[],
        help="only kafkastream, in turns with that of another checkout; may be repeated",
    )
    given = parser.parse_args()
    chosen = [given.only] if given.only else workloads
    return Arguments(given.records, given.rounds, given.pyflink, chosen, given.beside)


def main(races: Races, description: str | None) -> None:
    """Measure all, and print a table for each workload; exit when a contender fails."""
    arguments = _arguments_of(description, races)
    _introduce(arguments)
    with plain_exit():
        results = list(measured(races, arguments))
    for workload, result in results:
        console.print(*_tables(races.titles[workload], result, arguments.beside), sep="\n")
    console.print(
        "Medians of the rounds (least-most). vs a peer: its CPU time per record / this one's; above 1 is cheaper.",
        *races.notes,
        sep="\n",
    )


@contextmanager
def plain_exit() -> Iterator[None]:
    """Exit with the message of a contender's failure; on SIGTERM, too, only after all that was started has ended."""
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(128 + signal.SIGTERM))
    try:
        yield
    except (ContenderFailedError, topics.WrongOutputError) as error:
        sys.exit(str(error))


def measured(races: Races, arguments: Arguments) -> Iterator[tuple[str, Measured]]:
    """Yield each workload with the measurements of all its rounds.

    Args:
        races: Workloads and their records.
        arguments: Which of them, how many records and rounds, and with whom.

    Raises:
        ContenderFailedError: A contender has ended, or does not end.
        WrongOutputError: The output of a contender is wrong.
    """
    with EmbeddedKafka() as kafka, _Processes() as processes:
        topics.create(kafka, _INPUT)
        races.fill(kafka.bootstrap_servers, _INPUT, arguments.records)
        for one in arguments.workloads:
            yield one, _Race(kafka, one, arguments, races.check, processes).run()


class _Processes(ExitStack):
    """Processes of contenders, each of which runs all workloads that its command is for."""

    def __init__(self) -> None:
        super().__init__()
        self._running: dict[tuple[object, ...], ContenderProcess] = {}

    def of(self, contender: Contender) -> ContenderProcess:
        """Return the process of a contender, which is started if it does not run yet."""
        key = (contender.folder, *contender.command)
        if key not in self._running:
            self._running[key] = self.enter_context(ContenderProcess(contender))
        return self._running[key]


def _tables(title: str, results: Measured, folders: Sequence[Path]) -> Iterator[Table]:
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

    def __init__(
        self, kafka: EmbeddedKafka, workload: str, arguments: Arguments, check: Check, processes: _Processes
    ) -> None:
        self._kafka = kafka
        self._processes = processes
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
        running = [(contender, self._processes.of(contender)) for contender in self._contenders]
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
        measurement = Measurement.of(cost, self._records)
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
