"""Runs graphs in this process: the engine's own tasks, with their state in memory, without Spark.

    python -m tests.differential.mutation.in_process MINUTES

compares random graphs with the reference for so long.
"""

from __future__ import annotations

import itertools
import pickle
import random
import sys
import time
from collections.abc import Iterable
from typing import Any

from kafkastream.datastream import StreamExecutionEnvironment
from kafkastream.model.graph.chaining import Serialization
from kafkastream.model.graph.job_graph import CollectionSource, CollectSink, JobGraph
from kafkastream.spark.exchange.shuffle_messages import Message, OperatorInput
from kafkastream.spark.internals.pickles import dumps
from kafkastream.spark.plan.chain_compiler import ChainCompiler
from kafkastream.spark.worker.batches import Batch
from kafkastream.spark.worker.chained_operators import TaskScope
from kafkastream.spark.worker.reports import Report, ReportKind
from kafkastream.spark.worker.worker_cache import JobAttempt
from tests.differential.mutation.graphs import INPUT, Engine, Graph, build, graph, reference
from tests.unit.operators.memory import Memory

_RUN = JobAttempt("in-process")


def lines_of(made: Graph) -> list[str]:
    """Return what the engine gives for a graph."""
    engine, env = Engine("kafkastream"), StreamExecutionEnvironment.get_execution_environment().set_parallelism(1)
    for stream in build(engine, env.from_collection(INPUT, engine.types.INT()), made):
        stream._end("Collect", CollectSink())
    return sorted(collected(env._graph()))


def collected(job: JobGraph) -> list[Any]:
    """Return the elements that the sinks of a job collect, from one micro-batch."""
    compiler = ChainCompiler(job, _RUN, ends=True, labels=(0,), serialization=Serialization.of(job, 1))
    (source,) = job.sources
    assert isinstance(source.source, CollectionSource)
    assert isinstance(source.source.elements, tuple)
    values = [pickle.loads(pickle.dumps(element)) for element in source.source.elements]
    task = pickle.loads(dumps(compiler.source_task(source)))
    task.open(_RUN.context(0, 1))
    task.chain.begin(TaskScope("source"))
    task.chain.push(Batch(values, [None] * len(values), range(len(values))), str)
    elements: list[Any] = []
    messages: dict[int, list[Message]] = {}
    _sort(task.chain.finish(), elements, messages)
    for level in job.levels():
        for node in level:
            keyed = pickle.loads(dumps(compiler.keyed_task(node)))
            keyed.open(_RUN.context(0, 1))
            arrived = OperatorInput.of(messages.pop(node.id, ()), None)
            _sort(keyed.run(Memory(), TaskScope(f"keyed-{node.id}"), arrived), elements, messages)
    assert not messages
    return elements


def _sort(reports: Iterable[Report], elements: list[Any], messages: dict[int, list[Message]]) -> None:
    """Sort reports: collected elements, and messages to keyed operators; both are pickled, as on their way."""
    for report in reports:
        sent: Any = pickle.loads(report.payload())
        if report.kind is ReportKind.ELEMENTS:
            elements += sent
        elif report.kind is ReportKind.EXCHANGE:
            messages.setdefault(report.node, []).append(sent)


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
