"""How long it takes from a record's writing until a reader of committed records sees its copy.

::

    python benchmarks/visibility.py
    python benchmarks/visibility.py --pyflink /path/to/venv/bin/python      # with PyFlink

Every contender copies strings, for as long as it is measured, with a checkpoint interval of 1 s. Records come in
steadily, at one rate after the other, each with its time of writing as its value. Contenders take turns, each in a process of
its own; what comes in the first two minutes, in which the JVM still compiles, does not count, and neither do the first
seconds of a further rate. Linux only, on a machine with nothing else to do.
"""

from __future__ import annotations

import argparse
import itertools
import math
import statistics
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
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
    warm_up: float
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
    rates = [int(rate) for rate in arguments.rates.split(",")]
    results: dict[int, dict[str, list[float]]] = {rate: {one.name: [] for one in contenders} for rate in rates}
    with EmbeddedKafka() as kafka:
        for number, contender in itertools.product(range(1, arguments.rounds + 1), contenders):
            source, target = (f"{which}-{next(numbers)}" for which in ("in", "out"))
            topics.create(kafka, source)
            topics.create(kafka, target)
            with ContenderProcess(contender) as process, _clients(kafka.bootstrap_servers, target) as (writer, reader):
                process.run(Task(VISIBILITY, kafka.bootstrap_servers, source, target, 0))
                warm_up = arguments.warm_up
                for rate in rates:
                    found = list(_delays(writer, reader, source, rate, warm_up, arguments.seconds))
                    results[rate][contender.name] += found
                    median = statistics.median(found)
                    console.print(f"{rate:5,}/s round {number} {contender.name:42} median {median:8.1f} ms")
                    warm_up = arguments.seconds
    return dict(results)


def spread(delays: Sequence[float]) -> dict[str, float]:
    """Return the median, two percentiles and the maximum of delays."""
    of_hundred = statistics.quantiles(delays, n=100)
    return {"50 %": of_hundred[49], "90 %": of_hundred[89], "99 %": of_hundred[98], "most": max(delays)}


@contextmanager
def _clients(servers: str, target: str) -> Iterator[tuple[Producer, Consumer]]:
    """The producer of the records, and the consumer of their copies."""
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
    with closing(consumer):
        yield producer, consumer
        producer.flush()


def _delays(
    producer: Producer, consumer: Consumer, source: str, per_second: int, warm_up: float, seconds: float
) -> Iterator[float]:
    """The time in ms that each record took, of those that come through after the warm-up."""
    first, written, began = time.monotonic(), 0, math.inf
    while time.monotonic() - began < warm_up + seconds:
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
                if time.monotonic() - began > warm_up:
                    yield (time.time() - float(message.value() or b"")) * 1000


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
    parser.add_argument("--warm-up", type=float, default=120, help="seconds that do not count (%(default)s)")
    parser.add_argument("--rounds", type=int, default=2, help="how often each has its turn (%(default)s)")
    parser.add_argument("--rates", default="200,5000", help="records per second (%(default)s)")
    parser.add_argument("--only", default="", help="measure the contenders with this in their name")
    parser.add_argument("--pyflink", metavar="PYTHON", help="the Python of a virtual environment that has PyFlink")
    return Arguments(**vars(parser.parse_args()))


if __name__ == "__main__":
    with plain_exit():
        main(_arguments())
