"""How long it takes from a record's writing until a reader of committed records sees its copy.

::

    python benchmarks/visibility.py
    python benchmarks/visibility.py --pyflink /path/to/venv/bin/python      # with PyFlink

Every contender copies strings, for as long as it is measured, with a checkpoint interval of 1 s. Records come in
steadily, at several rates, each with its time of writing as its value. Contenders take turns, each in a process of its own; what comes in
the first seconds, in which everything starts, does not count. Linux only, on a machine with nothing else to do.
"""

from __future__ import annotations

import argparse
import itertools
import math
import statistics
import time
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from confluent_kafka import Consumer, Producer
from rich import box
from rich.console import Console
from rich.table import Table

from benchmarks import topics
from benchmarks.contenders import ContenderFailedError, ContenderProcess, watched
from benchmarks.race import plain_exit
from benchmarks.serving import VISIBILITY, Task
from kafkastream.testing import EmbeddedKafka

_TICK_S = 0.001
_START_S = 120.0

__all__ = ["Arguments", "Delays", "measured", "spread"]

console = Console(width=120, highlight=False)


Delays = Mapping[str, Sequence[float]]
"""Times in ms from a record's writing to its reading, by contender."""


class Arguments(NamedTuple):
    """Options of the command line."""

    seconds: float
    rounds: int
    rates: str
    only: str
    pyflink: str | None


def main(arguments: Arguments) -> None:
    """Measure all and print a table for each rate."""
    for rate, delays in measured(arguments).items():
        console.print(_table(delays, rate))


def measured(arguments: Arguments) -> dict[int, Delays]:
    """Return the delays of all contenders, by the records per second.

    Args:
        arguments: Rates, rounds and contenders.

    Raises:
        ContenderFailedError: A contender has ended, or no record comes through.
    """
    contenders = [one for one in watched(arguments.pyflink) if arguments.only in one.name]
    numbers = itertools.count(1)
    results: dict[int, Delays] = {}
    with EmbeddedKafka() as kafka:
        for rate in map(int, arguments.rates.split(",")):
            delays: dict[str, list[float]] = {contender.name: [] for contender in contenders}
            for number, contender in itertools.product(range(1, arguments.rounds + 1), contenders):
                source, target = (f"{which}-{next(numbers)}" for which in ("in", "out"))
                topics.create(kafka, source)
                topics.create(kafka, target)
                with ContenderProcess(contender) as process:
                    process.run(Task(VISIBILITY, kafka.bootstrap_servers, source, target, 0))
                    found = list(_delays(kafka.bootstrap_servers, source, target, arguments.seconds, rate))
                delays[contender.name] += found
                median = statistics.median(found)
                console.print(f"{rate:5,}/s round {number} {contender.name:42} median {median:8.1f} ms")
            results[rate] = delays
    return results


def spread(delays: Sequence[float]) -> dict[str, float]:
    """Return the median, two percentiles and the maximum of delays."""
    of_hundred = statistics.quantiles(delays, n=100)
    return {"50 %": of_hundred[49], "90 %": of_hundred[89], "99 %": of_hundred[98], "most": max(delays)}


def _delays(servers: str, source: str, target: str, seconds: float, per_second: int) -> Iterator[float]:
    """The time in ms that each record took, of those written in the last ``seconds``."""
    producer = Producer({"bootstrap.servers": servers, "linger.ms": 1, "log_level": 0})
    consumer = Consumer(
        {
            "bootstrap.servers": servers,
            "group.id": "eyes",
            "auto.offset.reset": "earliest",
            "isolation.level": "read_committed",
            "fetch.wait.max.ms": 10,
            "log_level": 0,
        }
    )
    consumer.subscribe([target])
    first, written, began = time.monotonic(), 0, math.inf
    while time.monotonic() - began < 2 * seconds:
        now = time.monotonic()
        if began == math.inf and now - first > _START_S:
            raise ContenderFailedError(f"no record has come through in {_START_S:g} s")
        while written < (now - first) * per_second:
            producer.produce(source, str(time.time()))
            written += 1
        producer.poll(0)
        arrived = consumer.poll(_TICK_S)  # consume() would wait until there are as many as it is to return
        for message in [] if arrived is None else [arrived, *consumer.consume(1000, 0)]:
            if message.error() is None:
                began = min(began, time.monotonic())
                if time.monotonic() - began > seconds:  # all before is start and warm-up
                    yield (time.time() - float(message.value() or b"")) * 1000
    producer.flush()
    consumer.close()


def _table(delays: Delays, rate: int) -> Table:
    table = Table(
        title=f"From writing a record to a reader of committed records, ms, at {rate:,} records/s",
        box=box.MARKDOWN,
        title_justify="left",
        title_style="bold",
    )
    table.add_column("contender")
    spreads = {name: spread(found) for name, found in delays.items()}
    for column in next(iter(spreads.values()), ()):
        table.add_column(column, justify="right")
    for name, found in spreads.items():
        table.add_row(name, *(f"{value:,.1f}" for value in found.values()))
    return table


def _arguments() -> Arguments:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seconds", type=float, default=20, help="how long each is measured (%(default)s)")
    parser.add_argument("--rounds", type=int, default=2, help="how often each has its turn (%(default)s)")
    parser.add_argument("--rates", default="200,5000", help="records per second (%(default)s)")
    parser.add_argument("--only", default="", help="measure the contenders with this in their name")
    parser.add_argument("--pyflink", metavar="PYTHON", help="the Python of a virtual environment that has PyFlink")
    return Arguments(**vars(parser.parse_args()))


if __name__ == "__main__":
    with plain_exit():
        main(_arguments())
