"""A broker, a job in processes of its own, and a feed, with all that can be measured of them."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Mapping
from contextlib import ExitStack
from pathlib import Path
from types import TracebackType
from typing import Final, final

from typing_extensions import Self

from benchmarks import process_tree
from kafkastream.testing import EmbeddedKafka, wait_until
from tests.soak import processes
from tests.soak.brokers import Broker
from tests.soak.feed import Feed
from tests.soak.folder import Folder
from tests.soak.jobs import JOBS
from tests.soak.model import PARTITIONS
from tests.soak.results import TOPICS, Findings, Results

__all__ = ["JobEndedError", "Soak"]

_HERE: Final = Path(__file__).parent
_START_S: Final = 300.0
_PATIENCE_S: Final = 60.0
_DRIVER_MEMORY: Final = "1g"
"""Spark's own default, so that the heap has an end within the hour."""
_SUBMIT: Final = "--conf spark.sql.streaming.minBatchesToRetain=25 pyspark-shell"
"""Spark keeps 100 micro-batches unless told otherwise, which a soak of five minutes does not fill in its warm-up."""


class JobEndedError(Exception):
    """The job has ended by itself; with the end of its log."""


@final
class Soak:
    """The job at work, from entering to leaving.

    Args:
        out: A folder for the job's log.
        job: Which of the jobs.
        leak: Whether its workers are to leak descriptors.
    """

    def __init__(self, out: Path, job: str, *, leak: bool) -> None:
        self._log = out / "job.log"
        self._folder = out / "checkpoints"
        self._name = job
        self._work = JOBS[job]
        self._leak = leak
        self._parts = ExitStack()

    def __enter__(self) -> Self:
        with ExitStack() as parts:
            kafka = parts.enter_context(EmbeddedKafka())
            for topic in ("orders", "payments", *TOPICS):
                kafka.create_topic(topic, PARTITIONS)
            self._servers = kafka.bootstrap_servers
            self._job = self._started(parts)
            self._broker = parts.enter_context(Broker(self._servers, self._work.groups))
            self._checkpoint = Folder(self._folder)
            self._feed = parts.enter_context(Feed(self._servers))
            self._parts = parts.pop_all()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self._parts.close()

    def wait_until_at_work(self) -> None:
        """Wait for the first micro-batch of each query."""
        queries = self._work.queries
        wait_until(lambda: self.is_running() and self._checkpoint.queries_at_work() == queries, _START_S, "the job")

    def is_running(self) -> bool:
        """Whether the job runs; it is not to end by itself.

        Raises:
            JobEndedError: It has ended.
        """
        if self._job.poll() is not None:
            raise JobEndedError(self._log.read_text()[-3000:])
        return True

    def look(self) -> Mapping[str, float]:
        """Everything, as it is now; descriptors before the collection, which might close some."""
        return {
            **processes.held(self._job.pid),
            **processes.heap(self._job.pid),
            **self._checkpoint.look(),
            **self._broker.look(),
            "orders": self._feed.orders,
        }

    def results(self) -> Findings:
        """Feed no more, wait until the job has written everything, and compare."""
        self._feed.stop()
        orders = self._feed.orders
        lines = self._work.lines(orders, self._feed.first_ms)
        with Results(self._servers) as results:
            return results.compare(lines, self._work.totals(orders), _PATIENCE_S)

    def _started(self, parts: ExitStack) -> subprocess.Popen[bytes]:
        command = [sys.executable, str(_HERE / "job.py"), self._servers, self._folder.absolute().as_uri(), self._name]
        options = f"-XX:NativeMemoryTracking=summary {os.environ.get('SPARK_SUBMIT_OPTS', '')}"
        own = {
            "PYTHONPATH": str(_HERE.parent.parent),
            "PYSPARK_PYTHON": sys.executable,
            "SPARK_DRIVER_MEMORY": _DRIVER_MEMORY,
            "SPARK_SUBMIT_OPTS": options,
            "PYSPARK_SUBMIT_ARGS": _SUBMIT,
        }
        log = parts.enter_context(self._log.open("wb"))
        job = subprocess.Popen(
            [*command, *(["leak"] if self._leak else [])],
            stdout=log,
            stderr=log,
            start_new_session=True,  # Ctrl-C is for the harness
            env={**os.environ, **own},
        )
        parts.callback(job.wait)
        parts.callback(lambda: process_tree.kill(process_tree.tree(job.pid)))
        return job
