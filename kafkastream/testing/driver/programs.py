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
from kafkastream.errors import DefinitionError
from kafkastream.model.graph.job_graph import JobGraph
from kafkastream.model.job.job_result import JobSettings

__all__ = ["Program", "job_of", "main_module"]

Program = StreamExecutionEnvironment | Callable[[], object] | str | Path

_MAIN = "__main__"


def job_of(program: StreamExecutionEnvironment | Callable[[], object]) -> tuple[JobGraph, JobSettings]:
    """Return the job of an environment, or the one that a function executes first.

    Raises:
        DefinitionError: The function executes no job.
    """
    if isinstance(program, StreamExecutionEnvironment):
        return program._graph().with_discarding_sinks(), program._settings(None)
    try:
        with handing_over():
            program()
    except JobHandedOver as job:
        return job.graph, job.settings
    raise DefinitionError(
        "the program has ended without executing a job", where=repr(program), now="Call execute at its end."
    )


@contextmanager
def main_module(script: Path, args: Sequence[str]) -> Iterator[Callable[[], object]]:
    """Let a script be the main module within a ``with`` block, and yield the function that runs it.

    It stays the main module as long as its job is driven, so that elements of its classes can be pickled.
    """
    module, before = ModuleType(_MAIN), (sys.modules[_MAIN], sys.argv, list(sys.path))
    module.__file__ = str(script)
    code = compile(script.read_bytes(), str(script), "exec")
    alias_pyflink_unless_installed()
    sys.modules[_MAIN], sys.argv = module, [str(script), *args]
    sys.path.insert(0, str(script.resolve().parent))
    try:
        yield lambda: exec(code, module.__dict__)  # noqa: S102 - the program under test
    finally:
        sys.modules[_MAIN], sys.argv, sys.path[:] = before
