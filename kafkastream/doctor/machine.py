"""Checks of this machine: Python, Java, Spark and its connector, limits and disks."""

from __future__ import annotations

import json
import os
import platform
import shutil
import socket
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from functools import partial
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Final

import psutil

from kafkastream.doctor.finding import Finding, run_check
from kafkastream.errors import JarsUnavailableError, StorageError
from kafkastream.extras import AVRO, POSTGRES, PROMETHEUS
from kafkastream.spark.session.descriptors import check_descriptor_limit
from kafkastream.spark.session.jars import connector_jars, connector_version, spark_version
from kafkastream.spark.session.java_home import find_java
from kafkastream.spark.session.spark_versions import TESTED, check_spark

__all__ = ["machine_findings"]

_GIB: Final = 1024**3
_LEAST_DISK: Final = 1 * _GIB
_LEAST_MEMORY: Final = 2 * _GIB
_PRINT_VERSIONS: Final = """
import json, platform
from importlib.metadata import version
print(json.dumps([platform.python_version(), version("kafkastream"), version("pyspark")]))
"""
_MIRROR_ADVICE: Final = (
    "Check the network and proxy (JAVA_TOOL_OPTIONS), name a mirror in KAFKASTREAM_IVY_SETTINGS, or copy the folder of "
    "KAFKASTREAM_JARS_DIR from another machine."
)


def machine_findings(checkpoint_dir: str | None = None) -> Iterator[Finding]:
    """Yield a finding for each check of this machine.

    Args:
        checkpoint_dir: Local directory of checkpoints; None to leave it out.
    """
    yield run_check("Python", lambda: f"{platform.python_version()}, {sys.executable}")
    yield run_check("Python of workers", _check_worker_python)
    yield run_check("Java", lambda: f"{_java_version(find_java())}, {find_java()}")
    yield run_check("Spark", _spark_text)
    yield run_check("Kafka connector", _find_connector)
    yield run_check("host name", _check_host_name)
    yield run_check("open files", _check_open_files)
    yield run_check("memory", _check_memory)
    folders = (os.environ.get("SPARK_LOCAL_DIRS") or tempfile.gettempdir()).split(",")
    for folder in folders:
        yield run_check("temporary files", partial(_check_disk, Path(folder)))
    if checkpoint_dir is not None:
        yield run_check("checkpoint directory", partial(_check_checkpoint_directory, checkpoint_dir))
    for extra in (AVRO, POSTGRES, PROMETHEUS):
        yield run_check(f"extra [{extra.name}]", partial(_check_extra, extra.package, extra.name, extra.needed_by))


def _check_worker_python() -> str | Finding:
    """Run the Python that Spark would start for its workers, ``PYSPARK_PYTHON``, and compare its versions."""
    subject, python = "Python of workers", os.environ.get("PYSPARK_PYTHON", sys.executable)
    now = f"Unset PYSPARK_PYTHON, or let it name a Python with this package, such as {sys.executable}."
    try:
        run = subprocess.run([python, "-c", _PRINT_VERSIONS], capture_output=True, text=True, check=False, timeout=60)  # noqa: S603
    except (OSError, subprocess.TimeoutExpired) as error:
        return Finding.wrong(subject, f"{python} does not start: {error}", now)
    if run.returncode:
        return Finding.wrong(subject, f"{python}: {(run.stderr.strip().splitlines() or ['it fails'])[-1]}", now)
    worker_version, package, pyspark = json.loads(run.stdout)
    if worker_version.split(".")[:2] != platform.python_version().split(".")[:2]:
        text = f"{python} is Python {worker_version}, the program's is {platform.python_version()}: Spark needs one minor version"
        return Finding.wrong(subject, text, now)
    if (package, pyspark) != (version("kafkastream"), version("pyspark")):
        return Finding.wrong(subject, f"{python} has kafkastream {package} and pyspark {pyspark}", now)
    return f"{worker_version}, {python}"


def _java_version(java: Path) -> str:
    run = subprocess.run([java, "-version"], capture_output=True, text=True, check=False)  # noqa: S603
    return run.stderr.partition('"')[2].partition('"')[0]


def _spark_text() -> str:
    check_spark(spark_version(), version("pyspark"))
    return f"{spark_version()} (tested: {TESTED}), pyspark {version('pyspark')}"


def _find_connector() -> str | Finding:
    """Find the connector's jars; the first call on a machine downloads them."""
    try:
        jars = connector_jars()
    except JarsUnavailableError as error:
        return Finding.wrong("Kafka connector", error.what, f"{error.now} {_MIRROR_ADVICE}".strip())
    return f"{connector_version()}, {len(jars)} jars in {jars[0].parent}"


def _check_host_name() -> str | Finding:
    name = socket.gethostname()
    try:
        address = socket.gethostbyname(name)
    except OSError as error:
        text = f"{name} has no address: {error}"
        return Finding.wrong("host name", text, f"Add it to /etc/hosts, or set SPARK_LOCAL_IP=127.0.0.1 (not {name}).")
    return f"{name} is {address}"


def _check_open_files() -> str:
    check_descriptor_limit()
    try:
        import resource
    except ImportError:
        return "no limit"
    hard_limit = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    return "no limit" if hard_limit == resource.RLIM_INFINITY else f"at most {hard_limit:,}"


def _check_memory() -> str | Finding:
    free, cores = psutil.virtual_memory().available, os.cpu_count() or 1
    text = f"{free / _GIB:.1f} GiB free, {cores} core{'s' if cores > 1 else ''}"
    if free < _LEAST_MEMORY:
        now = (
            "A small job takes 1 GiB for Spark and 200 MiB for each Python worker: spark.driver.memory sets the first."
        )
        return Finding.note("memory", text, now)
    return text


def _check_disk(folder: Path) -> str | Finding:
    _check_writing(folder)
    free = shutil.disk_usage(folder).free
    text = f"{folder}: {free / _GIB:.1f} GiB free"
    if free < _LEAST_DISK:
        now = "Make room, or name another directory in SPARK_LOCAL_DIRS: shuffles and state need it."
        return Finding.wrong("temporary files", text, now)
    return text


def _check_checkpoint_directory(directory: str) -> str | Finding:
    subject, folder = "checkpoint directory", Path(directory.removeprefix("file://"))
    if "://" in str(folder):
        return Finding.note(subject, f"{directory} is not checked: it is not local", "A job's start tells if it fails.")
    existing = next(parent for parent in (folder, *folder.absolute().parents) if parent.exists())
    _check_writing(existing)
    free = shutil.disk_usage(existing).free
    text = f"{folder}: {free / _GIB:.1f} GiB free{'' if folder.exists() else ', will be made'}"
    if free < _LEAST_DISK:
        return Finding.wrong(
            subject, text, "Make room: a job whose disk is full fails, and continues when there is some."
        )
    return text


def _check_writing(folder: Path) -> None:
    try:
        with tempfile.NamedTemporaryFile(dir=folder, prefix=".kafkastream-doctor-") as file:
            file.write(b"written")
    except OSError as error:
        raise StorageError(
            f"{folder} cannot be written to: {error.strerror}",
            now="Give this user the right to write there, or name another directory.",
        ) from None


def _check_extra(package: str, extra: str, needed_by: str) -> str | Finding:
    try:
        return f"{package} {version(package)}"
    except PackageNotFoundError:
        now = f"Only {needed_by} needs it: pip install 'kafkastream[{extra}]'."
        return Finding.note(f"extra [{extra}]", f"{package} is not installed", now)
