"""Runs a command whose jobs go to a cluster of their own: ``python -m tests.cluster.on_cluster pytest tests/docs/…``."""

from __future__ import annotations

import subprocess
import sys
import tempfile
from pathlib import Path

from tests.cluster.shipping import driver_variables, packed
from tests.cluster.spark_cluster import SparkCluster

_APPLICATIONS = 2
"""How many run at the same time: the tests' own, and that of a program which a test starts."""
_EXECUTORS = 2


def main(command: list[str]) -> int:
    """Run the command; returns its exit code."""
    with tempfile.TemporaryDirectory(prefix="on-cluster-") as name:
        folder, archive = Path(name, "cluster"), packed(Path(name))
        folder.mkdir()
        with SparkCluster(folder, workers=_APPLICATIONS * _EXECUTORS) as cluster:
            checkpoints = Path(name, "checkpoints").as_uri()
            more = (
                "--total-executor-cores",
                str(_EXECUTORS),
                "--conf",
                f"spark.sql.streaming.checkpointLocation={checkpoints}",
            )
            variables = driver_variables(cluster, archive, *more)
            return subprocess.run(command, env=variables, check=False).returncode


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
