"""Hands over the job of a program at its ``execute``, instead of starting it: for the test driver."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Final, final

from kafkastream.model.graph.job_graph import JobGraph
from kafkastream.model.job.job_result import JobSettings

__all__ = ["JobHandedOver", "hand_over", "handing_over"]


@final
class JobHandedOver(BaseException):
    """Leaves a program at its ``execute``; no ``except Exception`` of the program catches it."""

    def __init__(self, graph: JobGraph, settings: JobSettings) -> None:
        super().__init__(settings.name)
        self.graph = graph
        self.settings = settings


_IS_ON: Final[ContextVar[bool]] = ContextVar("handing_over", default=False)


@contextmanager
def handing_over() -> Iterator[None]:
    """Let ``hand_over`` raise within a ``with`` block."""
    token = _IS_ON.set(True)
    try:
        yield
    finally:
        _IS_ON.reset(token)


def hand_over(graph: JobGraph, settings: JobSettings) -> None:
    """Hand over a job that is about to start, if a test driver waits for it.

    Args:
        graph: Graph of the job.
        settings: Settings of the job.

    Raises:
        JobHandedOver: One does.
    """
    if _IS_ON.get():
        raise JobHandedOver(graph, settings)
