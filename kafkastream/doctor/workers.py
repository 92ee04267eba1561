"""Checks of Spark's workers, by a small Spark job that asks them."""

from __future__ import annotations

import platform
import socket
from collections.abc import Iterable, Iterator
from functools import partial
from importlib.metadata import PackageNotFoundError, version
from typing import NamedTuple

from kafkastream.doctor.finding import Finding, examined
from kafkastream.spark.session.session import spark_session
from kafkastream.spark.session.translate_errors import translated

__all__ = ["worker_findings"]

_PACKAGES = ("kafkastream", "pyspark", "pyarrow", "pandas", "protobuf", "confluent-kafka")


class _Worker(NamedTuple):
    """A worker's host, Python and packages."""

    host: str
    python: str
    packages: tuple[tuple[str, str], ...]


def worker_findings() -> Iterator[Finding]:
    """Start Spark, and ask its workers for their Python and packages."""
    asked: list[_Worker] = []
    yield examined("Spark starts", lambda: _started(asked))
    ours = _Worker("", platform.python_version(), _versions())
    for worker in sorted(set(asked)):
        yield examined(f"worker on {worker.host}", partial(_compared, worker, ours))


def _started(asked: list[_Worker]) -> str:
    session = spark_session()
    context = session.sparkContext
    tasks = context.defaultParallelism
    try:
        asked += context.parallelize(range(tasks), tasks).mapPartitions(_answer).collect()
    except Exception as error:  # noqa: BLE001 - Spark's error, translated
        raise translated(error, "doctor", "") from None
    return f"{context.master}, {tasks} task{'s' if tasks > 1 else ''} at a time, {context.uiWebUrl or 'no web UI'}"


def _answer(_: Iterable[int]) -> Iterator[_Worker]:
    yield _Worker(socket.gethostname(), platform.python_version(), _versions())


def _versions() -> tuple[tuple[str, str], ...]:
    def one(package: str) -> str:
        try:
            return version(package)
        except PackageNotFoundError:
            return "missing"

    return tuple((package, one(package)) for package in _PACKAGES)


def _compared(worker: _Worker, ours: _Worker) -> str | Finding:
    others = [
        f"{name} {theirs} (the driver has {own})"
        for (name, theirs), (_, own) in zip(worker.packages, ours.packages, strict=True)
        if theirs != own
    ]
    if others:
        now = "Install the driver's versions there, or send its environment: kafkastream pack."
        return Finding.wrong(f"worker on {worker.host}", ", ".join(others), now)
    return f"Python {worker.python}, " + ", ".join(f"{name} {number}" for name, number in worker.packages)
