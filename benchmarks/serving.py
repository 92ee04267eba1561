"""A contender's side of the benchmark: a process that runs one task per line of its standard input.

Only the standard library is imported here, since PyFlink's Python runs it, too.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from typing import NamedTuple, TextIO

__all__ = [
    "COPY",
    "DONE",
    "GUARANTEES",
    "JSON_ROWS",
    "KEYED",
    "KEYS",
    "LATENCY",
    "LISTS",
    "MAPS",
    "MICRO_BATCHES",
    "MICRO_BATCH_RECORDS",
    "NEXMARK",
    "PASS_THROUGH",
    "PIPELINES",
    "PYTHON",
    "RUNNING_COUNT",
    "SINK_PROPERTIES",
    "SQL_FILTER",
    "SQL_HOPS",
    "SQL_WINDOWS",
    "VISIBILITY",
    "WINDOWS",
    "Task",
    "serve",
]

PASS_THROUGH = "passthrough"
PYTHON = "python"
JSON_ROWS = "json-rows"
GUARANTEES = "guarantees"
VISIBILITY = "visibility"
RUNNING_COUNT = "running-count"
LATENCY = "latency mode"
KEYED = "keyed"
MICRO_BATCHES = "micro-batches"
MICRO_BATCH_RECORDS = 50_000
WINDOWS = "windows"
PIPELINES = "pipelines"
SQL_FILTER = "sql-filter"
SQL_WINDOWS = "sql-windows"
SQL_HOPS = "sql-hops"
KEYS = "keys"
LISTS = "lists"
MAPS = "maps"
COPY = "copy"
NEXMARK = tuple(f"q{number}" for number in range(23) if number not in {6, 12, 13})

DONE = "done\n"

SINK_PROPERTIES = {
    "acks": "all",
    "enable.idempotence": "true",
    "linger.ms": "20",
    "batch.size": "131072",
    "compression.type": "none",
}
"""What every contender's producer is told; the names are the same in Java's client and in librdkafka."""


class Task(NamedTuple):
    """One run: all records of a topic go to another topic."""

    workload: str
    bootstrap_servers: str
    topic_in: str
    topic_out: str
    records: int

    def to_line(self) -> str:
        """The task as a line of text."""
        return json.dumps(self._asdict()) + "\n"

    @staticmethod
    def of_line(line: str) -> Task:
        """The task that ``to_line`` wrote."""
        return Task(**json.loads(line))


def serve(run: Callable[[Task], None]) -> None:
    """Run the tasks that come in, and answer each when it has ended."""
    tasks, answers = _taken_over_streams()
    for line in tasks:
        run(Task.of_line(line))
        answers.write(DONE)
        answers.flush()


def _taken_over_streams() -> tuple[TextIO, TextIO]:
    """Standard input and output for us alone: what engines and JVMs print goes to standard error."""
    tasks, answers = os.fdopen(os.dup(0)), os.fdopen(os.dup(1), "w")
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, 0)
    os.close(nothing)
    os.dup2(2, 1)
    return tasks, answers
