"""Spark's own standalone cluster on this machine: a master and workers, each a process, as on machines of their own."""

from __future__ import annotations

import os
import subprocess
import sys
from contextlib import ExitStack
from pathlib import Path
from typing import final

import pyspark
from typing_extensions import Self

from kafkastream.spark.session import child_guard as tether
from kafkastream.spark.session.java_home import find_java
from kafkastream.testing.launch import HOST, free_ports
from kafkastream.testing.waiting import wait_until
from tests.jvm import options

__all__ = ["SPARK_HOME", "SparkCluster"]

SPARK_HOME = Path(pyspark.__file__).parent
_START_S = 60.0
_SMALL_JVM = ("-Xmx256m", "-XX:-UsePerfData")
_CLASS_PATH = os.pathsep.join([str(SPARK_HOME / "conf"), str(SPARK_HOME / "jars" / "*")])
"""Spark's own, for which the archive of classes was written."""


@final
class SparkCluster:
    """A master and its workers, of one core and 1 GiB each, which know nothing of this program's Python.

    They end with the process that started them, also when it is killed.

    Args:
        directory: Where logs and the executors' working directories are.
        workers: The number of workers.
    """

    def __init__(self, directory: Path, *, workers: int = 2) -> None:
        self._directory = directory
        self._count = workers
        self._environment = {
            "PATH": "/usr/bin:/bin",
            "HOME": str(directory),
            "SPARK_HOME": str(SPARK_HOME),
            "SPARK_SCALA_VERSION": "2.13",  # which spark-class says elsewhere
            "SPARK_LOCAL_IP": HOST,
            "SPARK_LOCAL_DIRS": str(directory / "local"),
        }
        self._stack = ExitStack()
        self._workers: list[subprocess.Popen[bytes]] = []
        self.url = f"spark://{HOST}:{free_ports(['master'])['master']}"

    def __enter__(self) -> Self:
        (self._directory / "local").mkdir(parents=True)
        port = self.url.rpartition(":")[2]
        self._start("master", "master.Master", "--host", HOST, "--port", port, "--webui-port", "0")
        wait_until(lambda: "I have been elected leader" in self.log("master"), _START_S, "Spark's master")
        for number in range(self._count):
            self._start_worker(f"worker-{number}")
        for number in range(self._count):
            self._await_worker(f"worker-{number}")
        return self

    def __exit__(self, *error: object) -> None:
        self._stack.close()

    def _start_worker(self, name: str) -> None:
        own = ("--host", HOST, "--webui-port", "0", "--cores", "1", "--memory", "1g")
        work = str(self._directory / name)
        self._workers.append(self._start(name, "worker.Worker", *own, "--work-dir", work, self.url))

    def _await_worker(self, name: str) -> None:
        wait_until(lambda: "Successfully registered with master" in self.log(name), _START_S, f"Spark's {name}")

    def log(self, name: str) -> str:
        """What the master or a worker has logged."""
        return (self._directory / f"{name}.log").read_text(encoding="utf-8", errors="replace")

    def executors(self) -> list[int]:
        """The process ids of the executors' JVMs, in the order of their workers."""
        return [executor for worker in self._workers for jvm in _children(worker.pid) for executor in _children(jvm)]

    def _start(self, name: str, main: str, *arguments: str) -> subprocess.Popen[bytes]:
        java = [str(find_java()), *_SMALL_JVM, *options(), "-cp", _CLASS_PATH]
        command = [*java, f"org.apache.spark.deploy.{main}", *arguments]
        with (self._directory / f"{name}.log").open("wb") as log:
            process = subprocess.Popen(
                [sys.executable, "-I", "-S", str(tether.__file__), *command],
                env=self._environment,
                stdin=subprocess.PIPE,
                stdout=log,
                stderr=log,
                start_new_session=True,  # so that a Ctrl-C in the test is not theirs
            )
        self._stack.callback(_end, process)
        return process


def _end(process: subprocess.Popen[bytes]) -> None:
    assert process.stdin is not None
    process.stdin.close()
    process.wait()


def _children(process: int) -> list[int]:
    found = subprocess.run(["ps", "-o", "pid=", "--ppid", str(process)], capture_output=True, text=True, check=False)
    return [int(pid) for pid in found.stdout.split()]
