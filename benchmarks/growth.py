"""How the cost of a record grows with state, partitions and cores, and what a job's start costs.

::

    python -m benchmarks.growth
    python -m benchmarks.growth --scale 0.01                               # a quick look
    python -m benchmarks.growth --pyflink /path/to/venv/bin/python         # with PyFlink's start

Linux only, on a machine with nothing else to do. With ``--scale 1`` there are 10,000,000 keys.
"""

from __future__ import annotations

import argparse
import random
import shutil
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import closing, contextmanager
from pathlib import Path
from types import MappingProxyType
from typing import Final, NamedTuple

from confluent_kafka import Consumer, KafkaException
from rich.console import Console

from benchmarks import topics
from benchmarks.contenders import KAFKASTREAM, PYFLINK, SPARK, Contender, ContenderProcess, Cost, contenders
from benchmarks.orders import order
from benchmarks.race import plain_exit
from benchmarks.results import Measurement
from benchmarks.serving import COPY, KEYS, LISTS, MAPS, PYTHON, Task
from benchmarks.state_size import size_of_last_version
from kafkastream.testing import EmbeddedKafka, wait_until

__all__ = ["CPU", "FEW_KEYS", "KEYED_STATE", "MANY_KEYS", "RUNS", "Arguments", "Costs", "grown", "measured"]

Costs = Mapping[str, Mapping[str, Mapping[str, float]]]
"""Figures by table, row and column."""

KEYED_STATE: Final = "Keyed state"
_PARTITIONS: Final = "Partitions of the source"
_CORES: Final = "Cores of a standalone cluster"
_START: Final = "Start of a job that copies one record"
FEW_KEYS: Final = "running count, few keys"
MANY_KEYS: Final = "running count, many keys"
CPU: Final = "CPU µs/record"
_RATE: Final = "records/s"
_BYTES: Final = "bytes/key of state"
_KEYS: Final = 10_000_000
_FEW: Final = 10_000
_RECORDS: Final = 1_000_000
_GROWING: Final = 200_000
RUNS: Final = 5

console = Console(width=120, highlight=False)


class Arguments(NamedTuple):
    """Options of the command line."""

    scale: float
    pyflink: str | None


def main(arguments: Arguments) -> None:
    """Measure all, and print the tables."""
    for title, rows in measured(arguments).items():
        console.rule(title)
        for name, figures in rows.items():
            console.print(f"{name:48}", *(f"{value:14,.2f} {column}" for column, value in figures.items()))


def measured(arguments: Arguments) -> Costs:
    """Return the figures of all tables.

    Args:
        arguments: Scale, and PyFlink's Python.

    Raises:
        ContenderFailedError: A job has failed.
        WrongOutputError: A job has not written all records.
    """
    with EmbeddedKafka() as kafka, _folder() as folder:
        keyed = _keyed_state(kafka, folder, arguments.scale)
        partitions = _partitions(kafka, folder, round(_RECORDS * arguments.scale))
        cores = _cores(kafka, folder, round(_RECORDS * arguments.scale))
        return {KEYED_STATE: keyed, _PARTITIONS: partitions, _CORES: cores, _START: _starts(kafka, arguments.pyflink)}


def grown(workload: str, number: int) -> str:
    """Return the name of a run of a job whose state grows."""
    return f"{workload}, run {number} of {RUNS}"


@contextmanager
def _folder() -> Iterator[Path]:
    folder = Path(tempfile.mkdtemp(prefix="kafkastream-growth-"))
    try:
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _keyed_state(kafka: EmbeddedKafka, folder: Path, scale: float) -> dict[str, dict[str, float]]:
    found: dict[str, dict[str, float]] = {}
    records = round(_RECORDS * scale)
    for name, keys in ((FEW_KEYS, _FEW), (MANY_KEYS, round(_KEYS * scale))):
        topic = f"keys-{keys}"
        _create(kafka, topic, f"{topic}-out")
        with _process(folder) as process:
            topics.write(kafka.bootstrap_servers, topic, keys, str)
            _run(kafka, process, KEYS, topic, keys)  # puts all keys into state
            topics.write(kafka.bootstrap_servers, topic, records, _drawn(keys))
            found[name] = _run(kafka, process, KEYS, topic, records)
        _check_counts(kafka, f"{topic}-out")
        if name == MANY_KEYS:
            found[name][_BYTES] = size_of_last_version(folder / f"{topic}-out") / keys
            found["Spark's native aggregate, many keys"] = _native(kafka, folder, topic, keys, records)
        kafka.delete_topic(topic)
    for workload in (LISTS, MAPS):
        costs = _growing(kafka, folder, workload, round(_GROWING * scale))
        for number in (2, RUNS):  # the first run is the warm-up
            found[grown(workload, number)] = costs[number - 1]
    return found


def _check_counts(kafka: EmbeddedKafka, topic: str) -> None:
    """Check that the last record counts its key for the second time at least, as each was in the state before.

    Raises:
        WrongOutputError: It does not.
    """
    with closing(topics.new_consumer(kafka.bootstrap_servers)) as consumer:
        last = topics.last_value(consumer, topic).decode()
    if int(last.split()[1]) < 2:
        raise topics.WrongOutputError(f"the last record of topic {topic}, {last!r}, counts without the state before")


def _native(kafka: EmbeddedKafka, folder: Path, topic: str, keys: int, records: int) -> dict[str, float]:
    checkpoints = folder / "native"
    contender = Contender(SPARK, (sys.executable, "-m", "benchmarks.spark_keys_job", str(checkpoints)))
    with ContenderProcess(contender) as process:
        cost = process.run(Task(KEYS, kafka.bootstrap_servers, topic, topic, keys + records))
    return {**_figures(cost, keys + records), _BYTES: size_of_last_version(checkpoints / topic) / keys}


def _growing(kafka: EmbeddedKafka, folder: Path, workload: str, records: int) -> list[dict[str, float]]:
    """Return the cost of each run of a job, whose state grows by as many records in each."""
    _create(kafka, workload, f"{workload}-out")
    found = []
    with _process(folder) as process:
        for number in range(RUNS):
            topics.write(kafka.bootstrap_servers, workload, records, _from(number * records))
            found.append(_run(kafka, process, workload, workload, records))
    kafka.delete_topic(workload)
    return found


def _partitions(kafka: EmbeddedKafka, folder: Path, records: int) -> dict[str, dict[str, float]]:
    found: dict[str, dict[str, float]] = {}
    with _process(folder) as process:
        for partitions in (1, 1, 16, 128):  # the first is the warm-up
            topic = f"partitions-{partitions}-{len(found)}"
            topics.create(kafka, topic, partitions=partitions)
            _create(kafka, f"{topic}-out")
            topics.write(kafka.bootstrap_servers, topic, records, str, partitions)
            found[f"{partitions}"] = _run(kafka, process, COPY, topic, records)
            kafka.delete_topic(topic)
    return found


def _cores(kafka: EmbeddedKafka, folder: Path, records: int) -> dict[str, dict[str, float]]:
    """Return the cost on Spark's standalone cluster, with a worker for each core."""
    topic = "cores"
    found: dict[str, dict[str, float]] = {}
    _create(kafka, topic)
    topics.write(kafka.bootstrap_servers, topic, records, str)
    for cores in (1, 2, 4):
        submit = f"--master local-cluster[{cores},1,1024] pyspark-shell"
        with _process(folder, {"PYSPARK_SUBMIT_ARGS": submit}) as process:
            for number in range(2):  # the first is the warm-up
                target = f"{topic}-{cores}-{number}"
                _create(kafka, target)
                found[f"{cores}"] = _run(kafka, process, COPY, topic, records, target)
    return found


def _starts(kafka: EmbeddedKafka, pyflink: str | None) -> dict[str, dict[str, float]]:
    """Return the cost of a process that copies one record and ends."""
    topics.create(kafka, "start")
    topics.write(kafka.bootstrap_servers, "start", 1, order)
    found: dict[str, dict[str, float]] = {}
    for contender in contenders(PYTHON, pyflink):
        if contender.name in {KAFKASTREAM, SPARK, PYFLINK}:
            topics.create(kafka, f"start-{len(found)}")
            began = time.monotonic()
            with ContenderProcess(contender) as process:
                cost = process.run(Task(PYTHON, kafka.bootstrap_servers, "start", f"start-{len(found)}", 1))
            found[contender.name] = {"CPU s": cost.cpu_s, "s": time.monotonic() - began}
    return found


@contextmanager
def _process(folder: Path, variables: Mapping[str, str] = MappingProxyType({})) -> Iterator[ContenderProcess]:
    command = (sys.executable, "-m", "benchmarks.growth_job", str(folder))
    with ContenderProcess(Contender(KAFKASTREAM, command, variables=variables)) as process:
        yield process


def _run(
    kafka: EmbeddedKafka, process: ContenderProcess, workload: str, topic: str, records: int, target: str | None = None
) -> dict[str, float]:
    """Run a job over what is new in a topic, check the number of records that it writes, and return its figures."""
    out = target or f"{topic}-out"
    with closing(topics.new_consumer(kafka.bootstrap_servers)) as consumer:
        wait_until(lambda: _has_leaders(consumer, out), 30, f"topic {out}")
        before = topics.count(consumer, out)
        cost = process.run(Task(workload, kafka.bootstrap_servers, topic, out, records))
        topics.check_count(consumer, out, before + records)
    figures = _figures(cost, records)
    console.print(f"{workload:8} {topic:24} {records:12,} records {figures[CPU]:8.2f} µs/record")
    return figures


def _figures(cost: Cost, records: int) -> dict[str, float]:
    return dict(zip((CPU, _RATE), Measurement.of(cost, records), strict=True))


def _has_leaders(consumer: Consumer, topic: str) -> bool:
    """Return whether the partitions of a new topic can be used."""
    try:
        topics.count(consumer, topic)
    except KafkaException:
        return False
    return True


def _create(kafka: EmbeddedKafka, *names: str) -> None:
    for name in names:
        topics.create(kafka, name)


def _drawn(keys: int) -> Callable[[int], str]:
    return lambda _: str(random.randrange(keys))


def _from(first: int) -> Callable[[int], str]:
    return lambda number: str(first + number)


def _arguments() -> Arguments:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--scale", type=float, default=1, help="share of the records and keys (%(default)s)")
    parser.add_argument("--pyflink", metavar="PYTHON", help="the Python of a virtual environment that has PyFlink")
    return Arguments(**vars(parser.parse_args()))


if __name__ == "__main__":
    with plain_exit():
        main(_arguments())
