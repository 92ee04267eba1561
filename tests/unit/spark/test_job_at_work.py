"""A job watches its parts: what fails is started again by the strategy, what waits may be cancelled, the rest goes on."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterable

import pytest

from kafkastream.common import JobStatus, RestartStrategies, RestartStrategyConfiguration
from kafkastream.errors import BrokerUnreachableError, DefinitionError, JobError, SparkLostError, WorkerStartError
from kafkastream.model.graph.job_graph import JobGraph
from kafkastream.model.job.job_result import JobID
from kafkastream.spark.job.job_metrics import JobMetrics
from kafkastream.spark.job.query_runner import QueryRunner
from kafkastream.spark.job.restarts import Restarts
from kafkastream.spark.job.running_job import Job
from kafkastream.spark.job.running_query import RunningQuery
from kafkastream.testing import wait_until

GONE = BrokerUnreachableError("no broker answers")
THREE_TIMES = RestartStrategies.fixed_delay_restart(3, 0)


class Collections:
    """A part that is done when it has started; each start, and each making of it anew, goes as told."""

    def __init__(self, *outcomes: Exception | None, again: Iterable[Exception | None] = ()) -> None:
        self.outcomes = list(outcomes)
        self.remade = list(again)
        self.starts = 0

    checkpoints = "/checkpoints"

    def start(self, run: QueryRunner) -> RunningQuery | None:
        self.starts += 1
        run.check_not_stopping()
        _raise(self.outcomes.pop(0))
        return None

    def close(self) -> None:
        pass

    def again(self) -> Collections:
        _raise(self.remade.pop(0) if self.remade else None)
        return self


def _raise(outcome: Exception | None) -> None:
    if outcome is not None:
        raise outcome


def job_of(
    *parts: Collections, strategy: RestartStrategyConfiguration, at_end: Callable[[], None] = lambda: None
) -> Job:
    restarts, identity = Restarts(strategy), JobID()
    metrics = JobMetrics(JobGraph(()), "job", identity, lambda: restarts.count)
    return Job(identity, "job", "broker:9092", parts, restarts, metrics, at_end)


def test_a_part_that_fails_as_it_starts_is_started_again() -> None:
    part = Collections(JobError("first"), JobError("second"), None)
    result = job_of(part, strategy=THREE_TIMES).wait()
    assert part.starts == 3
    assert dict(result.get_metrics()) == {"job.numRestarts": 2}


def test_brokers_that_are_away_when_it_is_made_anew_count_as_a_failure() -> None:
    part = Collections(GONE, None, again=[GONE, GONE])
    assert job_of(part, strategy=THREE_TIMES).wait().get_metrics()["job.numRestarts"] == 3
    assert part.starts == 2


def test_the_last_error_is_the_jobs() -> None:
    ended: list[str] = []
    job = job_of(Collections(*map(JobError, "abcd")), strategy=THREE_TIMES, at_end=lambda: ended.append("end"))
    with pytest.raises(JobError, match="d"):
        job.wait()
    assert job.status() is JobStatus.FAILED
    assert ended == ["end"]


def test_other_parts_are_left_alone() -> None:
    done, failing = Collections(None), Collections(GONE, None)
    job_of(done, failing, strategy=THREE_TIMES).wait()
    assert (done.starts, failing.starts) == (1, 2)


def test_what_stays_impossible_ends_the_job_at_once() -> None:
    part, behind = Collections(DefinitionError("wrong")), Collections(None)
    with pytest.raises(DefinitionError, match="wrong"):
        job_of(part, behind, strategy=THREE_TIMES).wait()
    assert (part.starts, behind.starts) == (1, 0)


def test_a_job_that_waits_for_its_restart_can_be_cancelled() -> None:
    part = Collections(GONE, None)
    job = job_of(part, strategy=RestartStrategies.fixed_delay_restart(1, 3_600_000))
    wait_until(lambda: job.status() is JobStatus.RESTARTING, 10, "the failure")
    began = time.monotonic()
    job.cancel().result(10)
    assert job.status() is JobStatus.CANCELED
    assert time.monotonic() - began < 60
    assert part.starts == 1


def test_slow_start_of_a_worker_is_tried_again_without_a_strategy(caplog: pytest.LogCaptureFixture) -> None:
    part = Collections(WorkerStartError("too late"), None)
    result = job_of(part, strategy=RestartStrategies.no_restart()).wait()
    assert part.starts == 2
    assert dict(result.get_metrics()) == {"job.numRestarts": 0}
    told = [record.getMessage() for record in caplog.records if record.name == "kafkastream"]
    assert told == ["this machine is busy, and Spark's Python workers start slowly: job 'job' tries again"]


def test_without_a_jvm_nothing_is_tried_again() -> None:
    part = Collections(SparkLostError("killed"))
    with pytest.raises(SparkLostError, match="killed"):
        job_of(part, strategy=THREE_TIMES).wait()
    assert part.starts == 1


def test_a_job_that_asks_brokers_which_are_gone_can_be_cancelled() -> None:
    asked, go_on = threading.Event(), threading.Event()

    class Asking(Collections):
        def again(self) -> Collections:
            asked.set()
            go_on.wait(60)
            return self

    job = job_of(Asking(GONE, None), strategy=THREE_TIMES)
    assert asked.wait(10)
    job.cancel().result(5)
    go_on.set()
    assert job.status() is JobStatus.CANCELED
