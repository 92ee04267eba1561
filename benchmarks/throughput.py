"""How fast records go from topic to topic: kafkastream beside plain Spark, PyFlink and a bare librdkafka loop.

::

    python benchmarks/throughput.py
    python benchmarks/throughput.py --records 50000 --only passthrough      # a quick look
    python benchmarks/throughput.py --pyflink /path/to/venv/bin/python      # with PyFlink

Linux only, on a machine with nothing else to do. PyFlink wants a virtual environment of its own, with Python 3.11,
and its Kafka connector beside its own jars; ``docs/benchmarks.md`` has the commands.

There are four workloads: ``passthrough`` copies strings, ``python`` runs ``json.loads``, changes a field and runs
``json.dumps``, ``json-rows`` decodes rows by a schema, keeps half of them by a Python function, and encodes them,
``guarantees`` copies strings with each of the three. The topics have 4 partitions on an embedded broker, whose own work
is not counted. Every contender is a process that stays: it is warmed up by one run that does not count, then the contenders take turns, round by round.
CPU time is that of the contender's whole process tree: the driver, its JVM, its Python workers. Times depend on the
machine and on the hour; what counts is the ratio of two contenders in the same round.
"""

from __future__ import annotations

import argparse
import itertools
import os
import signal
import sys
from collections.abc import Sequence
from contextlib import ExitStack
from typing import NamedTuple

from rich.console import Console

from benchmarks import topics
from benchmarks.contenders import Contender, ContenderFailedError, ContenderProcess, contenders
from benchmarks.results import Measurement, result_table
from benchmarks.serving import GUARANTEES, JSON_ROWS, PASS_THROUGH, PYTHON, SINK_PROPERTIES, WORKLOADS, Task
from kafkastream.testing import EmbeddedKafka

_INPUT = "orders"
_TITLES = {
    PASS_THROUGH: "Pass-through of strings",
    PYTHON: "Per-record Python: json.loads, a change, json.dumps",
    GUARANTEES: "Guarantees: strings copied through Python, with a checkpoint interval of 1 s",
    JSON_ROWS: "JSON rows: decoded, half of them kept by a Python function, encoded",
}

console = Console(width=120, highlight=False)


class Arguments(NamedTuple):
    """What the command line asks for."""

    records: int
    rounds: int
    pyflink: str | None
    workloads: Sequence[str]


def main(arguments: Arguments) -> None:
    """Measure all and print the tables."""
    _introduce(arguments)
    with EmbeddedKafka() as kafka:
        topics.create(kafka, _INPUT)
        topics.fill(kafka.bootstrap_servers, _INPUT, arguments.records)
        tables = [
            result_table(_TITLES[workload], _Race(kafka, workload, arguments).run()) for workload in arguments.workloads
        ]
    console.print(*tables, sep="\n")
    console.print(
        "Medians of the rounds (least-most). vs a peer: its CPU time per record / this one's; above 1 is cheaper."
    )


class _Race:
    """One workload, done by all contenders in turn."""

    def __init__(self, kafka: EmbeddedKafka, workload: str, arguments: Arguments) -> None:
        self._kafka = kafka
        self._workload = workload
        self._records = arguments.records
        self._rounds = arguments.rounds
        self._contenders = contenders(workload, arguments.pyflink)
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
        topic, servers = f"{self._workload}-{next(self._numbers)}", self._kafka.bootstrap_servers
        topics.create(self._kafka, topic, contender.topic_config)
        cost = process.run(Task(self._workload, servers, _INPUT, topic, self._records))
        topics.check_output(servers, topic, self._records, self._workload, keeps_time=contender.keeps_time)
        self._kafka.delete_topic(topic)
        measurement = Measurement(cost.cpu_s / self._records * 1e6, self._records / cost.wall_s)
        self._tell(when, contender, measurement)
        return measurement

    def _tell(self, when: str, contender: Contender, measured: Measurement) -> None:
        numbers = f"{measured.cpu_us:8.2f} µs/record {measured.records_per_s:12,.0f} records/s"
        console.print(f"{self._workload:12} {when:8} {contender.name:38} {numbers}")


def _introduce(arguments: Arguments) -> None:
    settings = ", ".join(f"{key}={value}" for key, value in SINK_PROPERTIES.items())
    console.print(
        f"{arguments.records:,} records in {topics.PARTITIONS} partitions, one warm-up and {arguments.rounds} rounds, "
        f"on {os.cpu_count()} cores. At least once unless named otherwise; every producer: {settings}."
    )
    if arguments.pyflink is None:
        console.print("Without PyFlink: see docs/benchmarks.md for how to install it, then add --pyflink PYTHON.")


def _arguments() -> Arguments:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--records", type=int, default=2_000_000, help="how many (%(default)s)")
    parser.add_argument("--rounds", type=int, default=3, help="how many count, after the warm-up (%(default)s)")
    parser.add_argument("--pyflink", metavar="PYTHON", help="the Python of a virtual environment that has PyFlink")
    parser.add_argument("--only", choices=WORKLOADS, help="one workload instead of all")
    given = parser.parse_args()
    return Arguments(given.records, given.rounds, given.pyflink, [given.only] if given.only else WORKLOADS)


if __name__ == "__main__":
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(128 + signal.SIGTERM))
    try:
        main(_arguments())
    except (ContenderFailedError, topics.WrongOutputError) as error:
        sys.exit(str(error))
