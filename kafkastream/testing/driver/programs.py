"""Programs whose job a test drives: an environment, a function, or a script."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from types import ModuleType

from kafkastream.alias import alias_pyflink_unless_installed
from kafkastream.datastream import StreamExecutionEnvironment
from kafkastream.datastream.handing_over import JobHandedOver, handing_over
from kafkastream.errors import ArgumentError, DefinitionError, UnsupportedFeatureError
from kafkastream.model.graph.job_graph import (
    JobGraph,
    KeyedNode,
    OperatorNode,
    SideOutputNode,
    SinkNode,
    SourceNode,
    UnionNode,
)
from kafkastream.model.job.job_result import JobSettings
from kafkastream.sql.plan.query_node import QueryNode, StreamNode

__all__ = ["check_needs_no_spark", "has_queries", "job_of", "main_module"]

_MAIN = "__main__"
_DRIVEN = (SourceNode, OperatorNode, KeyedNode, SideOutputNode, UnionNode, SinkNode, QueryNode, StreamNode)
"""Classes of the nodes that run without Spark."""


def job_of(program: StreamExecutionEnvironment | Callable[..., object], *args: object) -> tuple[JobGraph, JobSettings]:
    """Return the job of an environment, or the one that a function executes first.

    Args:
        program: The environment or function.
        args: Arguments of the function.

    Raises:
        DefinitionError: The function executes no job.
    """
    if isinstance(program, StreamExecutionEnvironment):
        if args:
            raise ArgumentError("an environment takes no arguments", now="Pass the function that builds it instead.")
        return program._graph().with_discarding_sinks(), program._settings(None)
    try:
        with handing_over():
            program(*args)
    except JobHandedOver as job:
        return job.graph, job.settings
    raise DefinitionError(
        "the program has ended without executing a job", where=repr(program), now="Call execute at its end."
    )


def check_needs_no_spark(graph: JobGraph) -> None:
    """Check that a graph runs without Spark.

    Raises:
        UnsupportedFeatureError: It is a pipeline.
    """
    for node in graph.nodes:
        if not isinstance(node, _DRIVEN):
            raise UnsupportedFeatureError(
                "a test driver runs no YAML pipelines: their formats are Spark's",
                where=f"operator {node.name!r}",
                now="Run the pipeline on Spark, with the broker of kafkastream.testing.",
            )


def has_queries(graph: JobGraph) -> bool:
    """Return whether a graph has queries of SQL or the Table API."""
    return any(isinstance(node, QueryNode) for node in graph.nodes)


@contextmanager
def main_module(script: Path, args: Sequence[object]) -> Iterator[Callable[[], object]]:
    """Let a script be the main module within a ``with`` block, and yield the function that runs it.

    It stays the main module as long as its job is driven, so that elements of its classes can be pickled.
    """
    if script.suffix == ".sql":
        from kafkastream.table.session.script import run_script

        yield lambda: run_script(script.read_text(encoding="utf-8"))
        return
    if script.suffix in {".yaml", ".yml"}:
        raise UnsupportedFeatureError(
            f"a test driver runs programs of Python and SQL, not {script.suffix} files",
            where=str(script),
            now="Test it with Spark: kafkastream pipeline, and the broker of kafkastream.testing.",
        )
    module, before = ModuleType(_MAIN), (sys.modules[_MAIN], sys.argv, list(sys.path))
    module.__file__ = str(script)
    code = compile(script.read_bytes(), str(script), "exec")
    alias_pyflink_unless_installed()
    sys.modules[_MAIN], sys.argv = module, [str(script), *map(str, args)]
    sys.path.insert(0, str(script.resolve().parent))
    try:
        yield lambda: exec(code, module.__dict__)  # noqa: S102 - the program under test
    finally:
        sys.modules[_MAIN], sys.argv, sys.path[:] = before
