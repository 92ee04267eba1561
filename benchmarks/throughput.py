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

from typing import Final

from benchmarks import race
from benchmarks.serving import GUARANTEES, JSON_ROWS, PASS_THROUGH, PYTHON
from benchmarks.topics import check_output

_TITLES = {
    PASS_THROUGH: "Pass-through of strings",
    PYTHON: "Per-record Python: json.loads, a change, json.dumps",
    GUARANTEES: "Guarantees: strings copied through Python, with a checkpoint interval of 1 s",
    JSON_ROWS: "JSON rows: decoded, half of them kept by a Python function, encoded",
}

RACES: Final = race.Races(_TITLES, 2_000_000, check_output)


if __name__ == "__main__":
    race.main(RACES, __doc__)
