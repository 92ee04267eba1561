"""Runs graphs in this process, by the test driver.

    python -m tests.differential.mutation.in_process MINUTES

compares random graphs with the reference for so long.
"""

from __future__ import annotations

import itertools
import random
import sys
import time

from kafkastream.datastream import StreamExecutionEnvironment
from kafkastream.model.graph.job_graph import CollectSink
from kafkastream.testing import JobTestDriver
from tests.differential.mutation.graphs import INPUT, Engine, Graph, build, graph, reference


def lines_of(made: Graph) -> list[str]:
    """Return what the test driver gives for a graph."""
    engine, env = Engine("kafkastream"), StreamExecutionEnvironment.get_execution_environment().set_parallelism(1)
    for stream in build(engine, env.from_collection(INPUT, engine.types.INT()), made):
        stream._end("Collect", CollectSink())
    with JobTestDriver.of(env) as driver:
        return sorted(driver.sink("Collect"))


def _fuzz(minutes: float) -> None:
    """Compare graphs until the time is over, or one differs."""
    seeds, end = itertools.count(random.SystemRandom().randrange(10**6, 10**12)), time.monotonic() + 60 * minutes
    number = 0
    while time.monotonic() < end:
        made = graph(next(seeds))
        if lines_of(made) != reference(made):
            raise SystemExit(f"after {number} graphs, this one gives something else than the reference: {made}")
        number += 1
        if number % 500 == 0:
            sys.stdout.write(f"{number} graphs give what the reference gives\n")
            sys.stdout.flush()
    sys.stdout.write(f"{number} graphs, all as the reference\n")


if __name__ == "__main__":
    _fuzz(float(sys.argv[1]))
