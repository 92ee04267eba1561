"""What keys and windows cost: kafkastream beside a bare ``transformWithStateInPandas``, Spark's aggregates and PyFlink.

::

    python benchmarks/stateful.py
    python benchmarks/stateful.py --records 50000 --only windows            # a quick look
    python benchmarks/stateful.py --pyflink /path/to/venv/bin/python        # with PyFlink

Linux only, on a machine with nothing else to do. It measures as ``benchmarks/throughput.py`` does.

There are three workloads, on JSON records of 9,973 customers: ``running-count`` writes, for each record, its customer's
count so far; ``micro-batches`` does it in micro-batches of 50,000 records, and in all the ways in which Spark gives
Python state; ``windows`` writes the count of each customer and minute of the records' own time.
"""

from __future__ import annotations

from typing import Final

from benchmarks import race
from benchmarks.counts import check_counts
from benchmarks.serving import MICRO_BATCH_RECORDS, MICRO_BATCHES, RUNNING_COUNT, WINDOWS

_TITLES = {
    RUNNING_COUNT: "Running count by key: for each record, its key's count so far",
    MICRO_BATCHES: f"The same in micro-batches of {MICRO_BATCH_RECORDS:,} records",
    WINDOWS: "Tumbling windows of a minute: the count of each key and window",
}
_NOTES = (
    "Spark's native aggregate parses JSON in the JVM and runs no Python. Of a running count it writes only the last of",
    "each key and micro-batch; of windows it never writes the last ones, which no later record's time closes.",
)

RACES: Final = race.Races(_TITLES, 1_000_000, check_counts, _NOTES)


if __name__ == "__main__":
    race.main(RACES, __doc__)
