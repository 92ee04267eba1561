"""What Flink SQL costs: kafkastream beside Spark SQL written by hand on Spark's own connector, and Flink SQL itself.

::

    python benchmarks/sql.py
    python benchmarks/sql.py --records 50000 --only sql-filter            # a quick look
    python benchmarks/sql.py --pyflink /path/to/venv/bin/python           # with PyFlink

Linux only, on a machine with nothing else to do. It measures as ``benchmarks/throughput.py`` does.

There are three workloads, on JSON records of 9,973 customers: ``sql-filter`` keeps half of the records, and three of their
six fields; ``sql-windows`` writes the count of each customer and minute of the records' own time; ``sql-hops`` writes sum, average, least
and greatest price and the count, of each customer and minute, every 20 seconds.
"""

from __future__ import annotations

from typing import Final

from benchmarks import race
from benchmarks.contenders import Contender
from benchmarks.counts import check_counts
from benchmarks.serving import SQL_FILTER, SQL_HOPS, SQL_WINDOWS, Task
from benchmarks.topics import check_output

_TITLES = {
    SQL_FILTER: "SQL: half of the records, three of six fields, JSON to JSON",
    SQL_WINDOWS: "SQL: the count of each customer in tumbling windows of a minute",
    SQL_HOPS: "SQL: sum, average, minimum and maximum of each customer in windows of a minute, every 20 seconds",
}
_NOTES = ("Spark's native aggregate never writes the last windows, which no later record's time closes.",)


def check(task: Task, contender: Contender) -> None:
    """Look at what a contender has written.

    Raises:
        WrongOutputError: It is not what it should be.
    """
    (check_output if task.workload == SQL_FILTER else check_counts)(task, contender)


RACES: Final = race.Races(_TITLES, 1_000_000, check, _NOTES)


if __name__ == "__main__":
    race.main(RACES, __doc__)
