"""Checks of Spark's workers, by a small Spark job that asks them."""

from __future__ import annotations

import platform
import socket
from collections.abc import Iterable, Iterator
from functools import partial
from importlib.metadata import PackageNotFoundError, version
from typing import NamedTuple

from kafkastream.doctor.finding import Finding, run_check
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
    workers: list[_Worker] = []
    yield run_check("Spark starts", lambda: _ask_workers(workers))
    ours = _Worker("", platform.python_version(), _package_versions())
    for worker in sorted(set(workers)):
        yield run_check(f"worker on {worker.host}", partial(_compare_versions, worker, ours))


def _ask_workers(workers: list[_Worker]) -> str:
    session = spark_session()
    context = session.sparkContext
    tasks = context.defaultParallelism
    try:
        workers += context.parallelize(range(tasks), tasks).mapPartitions(_describe_worker).collect()
    except Exception as error:  # noqa: BLE001 - Spark's error, translated
        raise translated(error, "doctor", "") from None
    return f"{context.master}, {tasks} task{'s' if tasks > 1 else ''} at a time, {context.uiWebUrl or 'no web UI'}"


def _describe_worker(_: Iterable[int]) -> Iterator[_Worker]:
    yield _Worker(socket.gethostname(), platform.python_version(), _package_versions())


def _package_versions() -> tuple[tuple[str, str], ...]:
    def installed_version(package: str) -> str:
        try:
            return version(package)
        except PackageNotFoundError:
            return "missing"

    return tuple((package, installed_version(package)) for package in _PACKAGES)


def _compare_versions(worker: _Worker, ours: _Worker) -> str | Finding:
    others = [
        f"{name} {worker_version} (the driver has {driver_version})"
        for (name, worker_version), (_, driver_version) in zip(worker.packages, ours.packages, strict=True)
        if worker_version != driver_version
    ]
    if others:
        now = "Install the driver's versions there, or send its environment: kafkastream pack."
        return Finding.wrong(f"worker on {worker.host}", ", ".join(others), now)
    return f"Python {worker.python}, " + ", ".join(f"{name} {number}" for name, number in worker.packages)
