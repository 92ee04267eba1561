"""How fast a YAML pipeline takes changes from topic to topic: 1, 10 and 100 tables, and one whose schema changes.

::

    python -m benchmarks.pipelines
    python -m benchmarks.pipelines --records 100000 --rounds 1      # a quick look

Beside them stands the same work for one table by hand, in plain Spark, which knows the schema and parses nothing else.
All write Debezium JSON with the primary key as the records' key. The rest is as for ``benchmarks/throughput.py``.
"""

from __future__ import annotations

import argparse
import sys
from contextlib import ExitStack, closing

from rich.console import Console

from benchmarks import topics
from benchmarks.change_events import CHANGING, event
from benchmarks.contenders import SPARK, Contender, ContenderProcess
from benchmarks.race import Measured
from benchmarks.results import Measurement, result_table
from benchmarks.serving import PIPELINES, Task
from kafkastream.testing import EmbeddedKafka

_ONE = "events-1"
_INPUTS = (_ONE, "events-10", "events-100", CHANGING)
_CONSOLE = Console(width=120, highlight=False)


def contenders() -> dict[str, Contender]:
    """Return who takes part."""
    own = {
        "kafkastream, 1 table": _ONE,
        "kafkastream, 10 tables": "events-10",
        "kafkastream, 100 tables": "events-100",
        "kafkastream, 10 columns are added on the way": CHANGING,
    }
    python = sys.executable
    by_hand = Contender(SPARK, (python, "-m", "benchmarks.spark_events_job", _ONE), keeps_time=False)
    jobs = {name: Contender(name, (python, "-m", "benchmarks.pipeline_job", topic)) for name, topic in own.items()}
    return {SPARK: by_hand, **jobs}


def main() -> None:
    """Measure all, and print a table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--records", type=int, default=1_000_000, help="how many (%(default)s)")
    parser.add_argument("--rounds", type=int, default=3, help="how many count, after the warm-up (%(default)s)")
    given = parser.parse_args()
    _CONSOLE.print(result_table(f"Pipelines, {given.records:,} changes", measured(given.records, given.rounds)))


def measured(records: int, rounds: int) -> Measured:
    """Return the measurements of all rounds, by contender.

    Args:
        records: Number of changes.
        rounds: Number of rounds after the warm-up.
    """
    results: dict[str, list[Measurement]] = {name: [] for name in contenders()}
    with EmbeddedKafka() as kafka, ExitStack() as stack:
        for topic in _INPUTS:
            topics.create(kafka, topic)
            _fill(kafka, topic, records)
        running = [(one, stack.enter_context(ContenderProcess(one))) for one in contenders().values()]
        for number in range(rounds + 1):
            for one, process in running:
                found = _measured(kafka, one, process, records, number)
                if number:
                    results[one.name].append(found)
    return results


def _fill(kafka: EmbeddedKafka, topic: str, records: int) -> None:
    _CONSOLE.print(f"writing {records:,} changes to {topic}")
    topics.fill(kafka.bootstrap_servers, topic, records, lambda number: event(topic, number, records))


def _measured(
    kafka: EmbeddedKafka, one: Contender, process: ContenderProcess, records: int, number: int
) -> Measurement:
    topic = f"out-{number}-{len(one.name)}"
    topics.create(kafka, topic)
    cost = process.run(Task(PIPELINES, kafka.bootstrap_servers, "", topic, records))
    with closing(topics.new_consumer(kafka.bootstrap_servers)) as consumer:
        topics.check_count(consumer, topic, records)
    kafka.delete_topic(topic)
    measured = Measurement.of(cost, records)
    when = f"round {number}" if number else "warm-up"
    _CONSOLE.print(f"{when:8} {one.name:46} {measured.cpu_us:8.2f} µs/record {measured.records_per_s:12,.0f} records/s")
    return measured


if __name__ == "__main__":
    main()
