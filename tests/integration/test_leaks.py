"""What a job takes in the driver is given back when it ends, fails, is cancelled, or does not start, in each mode."""

from __future__ import annotations

import atexit
import gc
import threading
from collections import deque
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import psutil
import pytest

from kafkastream.common import Configuration, RestartStrategies, Types, WatermarkStrategy
from kafkastream.datastream import DataStream, StreamExecutionEnvironment
from kafkastream.errors import KafkastreamError, UserFunctionError
from kafkastream.spark.job.running_job import Job
from kafkastream.spark.session import late_cleanup
from kafkastream.testing import wait_until
from kafkastream.testing.pytest_plugin import NewTopic

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

    from tests.integration.conftest import Parts

SLACK = 3
"""Less than the number of jobs of a round: what comes and goes by chance, such as a thread of py4j."""
PATIENCE_S = 60


class Round:
    """Jobs that end in different ways."""

    def __init__(self, parts: Parts, topic: str, out: str) -> None:
        self.parts = parts
        self.topic = topic
        self.out = out

    def run(self) -> None:
        self._stream(in_latency=True).map(str.upper, Types.STRING()).sink_to(self.parts.sink(self.out))
        self.env.execute("copied")
        for in_latency in (True, False):
            self._stream(in_latency=in_latency).map(_fail, Types.STRING()).sink_to(self.parts.sink(self.out))
            with pytest.raises(UserFunctionError):
                self.env.execute("fails")
        self._stream().key_by(str.upper, Types.STRING()).reduce(_fail_twice).sink_to(self.parts.sink(self.out))
        with pytest.raises(KafkastreamError):
            self.env.execute("keyed")
        self._stream("no-such-topic").print()
        with pytest.raises(KafkastreamError):
            self.env.execute("does not start")
        self._stream(ends=False).map(str.upper, Types.STRING()).sink_to(self.parts.sink(self.out))
        written = len(self.parts.values(self.out))
        client = self.env.execute_async("cancelled")
        wait_until(lambda: len(self.parts.values(self.out)) > written, PATIENCE_S, "the first records")
        client.cancel().result(PATIENCE_S)

    def _stream(self, topic: str = "", *, in_latency: bool = False, ends: bool = True) -> DataStream:
        self.env = StreamExecutionEnvironment.get_execution_environment()
        self.env.configure(Configuration().set_string("kafkastream.latency.epoch", "1 s"))
        self.env.set_parallelism(1).set_restart_strategy(RestartStrategies.no_restart())
        if in_latency:
            self.env.set_buffer_timeout(0)
        source = (self.parts.bounded if ends else self.parts.endless)(topic or self.topic)
        return self.env.from_source(source, WatermarkStrategy.no_watermarks(), "in")


def _fail(value: str) -> str:
    raise ValueError(value)


def _fail_twice(one: str, other: str) -> str:
    raise ValueError(one + other)


@pytest.mark.timeout(300)
def test_nothing_of_a_job_is_left(
    spark: SparkSession, parts: Parts, new_topic: NewTopic, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    monkeypatch.setattr(late_cleanup, "DELAY_S", 0.0)
    monkeypatch.setattr(late_cleanup, "_due", deque())  # that of earlier tests' jobs is not due yet
    topic, out = new_topic(1), new_topic(1)
    parts.kafka.produce(topic, ["a", "a"])
    jobs, context = Round(parts, topic, out), _context(spark)
    measures: dict[str, Callable[[], int]] = {
        "threads": threading.active_count,
        "descriptors": lambda: psutil.Process().num_fds(),
        "functions at exit": partial(getattr(atexit, "_ncallbacks")),  # noqa: B009 - undocumented
        "listeners of Spark": lambda: int(context._jsc.sc().listenerBus().listeners().size()),
        "callbacks of py4j": lambda: len(context._gateway.gateway_property.pool),
        "jobs": lambda: sum(isinstance(one, Job) for one in gc.get_objects()),
    }
    jobs.run()
    _collect_garbage(spark)
    before = {name: measure() for name, measure in measures.items()}
    for _ in range(2):
        jobs.run()
    for name, measure in measures.items():
        wait_until(partial(_is_at_most, spark, measure, before[name] + SLACK), PATIENCE_S, f"as few {name} as before")
    assert list(tmp_path.iterdir()) == []


def _is_at_most(spark: SparkSession, measure: Callable[[], int], most: int) -> bool:
    _collect_garbage(spark)
    return measure() <= most


def _collect_garbage(spark: SparkSession) -> None:
    """Collect Python's garbage and Java's, each of which may free some of the other."""
    gc.collect()
    _context(spark)._jvm.System.gc()


def _context(spark: SparkSession) -> Any:
    return spark.sparkContext
