"""Checks before a job starts on a cluster: executors have this package, and reach the checkpoint directory."""

from __future__ import annotations

import socket
import uuid
from collections.abc import Iterable, Iterator, Sequence
from functools import partial
from importlib.metadata import version
from pathlib import Path
from typing import final

import attrs
from pyspark.sql import SparkSession

from kafkastream.errors import DefinitionError, SetupError, WorkerDependencyError
from kafkastream.model.graph.job_graph import JobGraph
from kafkastream.model.job.job_result import JobSettings
from kafkastream.spark.internals.jvm import file_system, java_path
from kafkastream.spark.job.start_warnings import checkpoint_needs
from kafkastream.spark.session.checkpoint_files import Files
from kafkastream.spark.session.master import is_cluster
from kafkastream.spark.session.translate_errors import translated

__all__ = ["Answer", "check_answers", "check_cluster", "checkpointed"]

_PACKAGE = "kafkastream"
_TOKEN = "driver"  # noqa: S105 - the name of a file
_LOCATION = "spark.sql.streaming.checkpointLocation"


def checkpointed(session: SparkSession, settings: JobSettings) -> JobSettings:
    """Return the settings, with Spark's configured checkpoint directory if the program names none."""
    return attrs.evolve(settings, checkpoint_dir=settings.checkpoint_dir or session.conf.get(_LOCATION, None))


def check_cluster(session: SparkSession, parts: Sequence[JobGraph], settings: JobSettings) -> None:
    """Check on a cluster that executors can run the job and keep its state.

    Raises:
        DefinitionError: The job has state or guarantees, and no checkpoint directory.
        SetupError: An executor does not reach the checkpoint directory.
        WorkerDependencyError: The executors' Python lacks this package, or has another version of it.
    """
    master = str(session.sparkContext.master)
    if not is_cluster(master):
        return
    needs = list(dict.fromkeys(need for part in parts for need in checkpoint_needs(part)))
    if needs and settings.checkpoint_dir is None:
        raise DefinitionError(
            f"a job with {' and '.join(needs)} has no checkpoint directory; on a cluster that would be a temporary one on "
            "the driver's disk, which executors do not reach and which is lost with the driver",
            where=f"job {settings.name!r}, master {master}",
            now="Name a directory that the driver and all executors reach, such as hdfs://…, s3a://… or a mounted share: "
            f"in the program execution.checkpointing.dir, or outside of it --conf {_LOCATION}=….",
        )
    _check_executors(session, settings)


@final
@attrs.frozen
class Answer:
    """Answer of an executor to the checks.

    Args:
        host: Host that it runs on.
        version: Version of this package there.
        problem: Why it cannot use the checkpoint directory; empty if it can.
    """

    host: str
    version: str
    problem: str


def _check_executors(session: SparkSession, settings: JobSettings) -> None:
    folder = _local_folder(session, settings.checkpoint_dir)
    files = None if folder is None else Files(session, f"{folder}/.kafkastream-probe-{uuid.uuid4().hex}")
    try:
        if files is not None:
            files.replace(_TOKEN, _TOKEN)
        answers = _asked(session, None if files is None else files.root)
    except Exception as error:  # noqa: BLE001 - any error of Spark, translated
        raise translated(error, settings.name, "") from None
    finally:
        if files is not None:
            files.delete("")
    check_answers(answers, f"job {settings.name!r}", settings.checkpoint_dir or "")


def check_answers(answers: Iterable[Answer], job: str, directory: str) -> None:
    """Check that all executors have this package in the driver's version and reach the checkpoint directory.

    Raises:
        WorkerDependencyError: One has another version.
        SetupError: One does not reach the directory.
    """
    ours = version(_PACKAGE)
    for answer in answers:
        if answer.version != ours:
            raise WorkerDependencyError(
                f"the executor on {answer.host} has kafkastream {answer.version}, the driver {ours}",
                where=job,
                now="Install one version on both sides, or ship the driver's: kafkastream pack.",
            )
        if answer.problem:
            raise SetupError(
                f"the executor on {answer.host} does not reach the checkpoint directory: {answer.problem}",
                where=f"{job}, {directory}",
                now="Executors keep state there: give a directory that is the same one on all machines, "
                "such as hdfs://…, s3a://… or a mounted share, and that Spark's user may write to there.",
            )


def _local_folder(session: SparkSession, directory: str | None) -> str | None:
    """Return the absolute path of a directory that is local by its URL; None for other file systems."""
    if directory is None:
        return None
    path = java_path(session, directory)
    system = file_system(session, path)
    return str(system.makeQualified(path).toUri().getPath()) if system.getScheme() == "file" else None


def _asked(session: SparkSession, folder: str | None) -> list[Answer]:
    """Ask the executors, by as many tasks as there are cores, so that each gets at least one.

    On a cluster that has just started, executors still register while the first are asked.
    """
    context, answers, tasks = session.sparkContext, list[Answer](), 0
    while context.defaultParallelism > tasks:
        tasks = context.defaultParallelism
        answers += context.parallelize(range(tasks), tasks).mapPartitions(partial(_answer, folder)).collect()
    return answers


def _answer(folder: str | None, _: Iterable[int]) -> Iterator[Answer]:
    """Answer on an executor: it reads a file that the driver has written, and writes one next to it."""
    problem = ""
    try:
        if folder is not None:
            Path(folder, _TOKEN).read_bytes()
            Path(folder, f"executor-{uuid.uuid4().hex}").touch()
    except OSError as error:
        problem = f"{error.strerror}: {error.filename}"
    yield Answer(socket.gethostname(), version(_PACKAGE), problem)
