"""How a driver's program starts on the tests' cluster, with this environment shipped to the executors."""

from __future__ import annotations

import os
import shlex
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

from tests.cluster.spark_cluster import SparkCluster
from tests.jvm import options, short_lived

__all__ = ["driver_variables", "packed", "submit_options"]

_ONLY_TO_DEVELOP = (
    *("ast-serialize", "execnet", "grimp", "hatchling", "hypothesis", "import-linter", "librt", "mypy", "pandas-stubs"),
    *("pygments", "pytest", "pytest-timeout", "pytest-xdist", "ruff"),
)


def packed(directory: Path) -> Path:
    """The archive of this environment that ``kafkastream pack`` writes."""
    archive = directory / "env.tar.gz"
    without = [argument for name in _ONLY_TO_DEVELOP for argument in ("--without", name)]
    subprocess.run([sys.executable, "-m", "kafkastream", "pack", "-o", str(archive), *without], check=True)
    return archive


def submit_options(archive: Path | None) -> list[str]:
    """Return options of ``spark-submit``: the environment, if it is shipped, and executors that fit on the tests' workers."""
    workers = "spark.python.daemon.module=kafkastream.spark.daemon"  # which are there at once, also on a busy machine
    jvms = f"spark.executor.extraJavaOptions={' '.join(options())}"
    shipped = () if archive is None else ("--archives", f"{archive}#env")
    return [*shipped, "--executor-memory", "512m", "--conf", workers, "--conf", jvms]


def driver_variables(cluster: SparkCluster, archive: Path | None, *more: str) -> Mapping[str, str]:
    """Return the environment in which ``python job.py`` runs on the cluster, as do ``kafkastream run`` and pytest."""
    return {
        **os.environ,
        **short_lived(),
        "MASTER": cluster.url,
        "SPARK_LOCAL_IP": "127.0.0.1",
        "PYSPARK_PYTHON": sys.executable if archive is None else "./env/bin/python",
        "PYSPARK_DRIVER_PYTHON": sys.executable,
        "PYSPARK_SUBMIT_ARGS": shlex.join([*submit_options(archive), *more, "pyspark-shell"]),
        "PATH": os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]]),
    }
