"""What becomes of jobs that are still there when their program ends."""

from __future__ import annotations

import subprocess
import sys
import textwrap
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from kafkastream.common import RestartStrategies
from kafkastream.errors import JobError
from kafkastream.model.graph.job_graph import JobGraph
from kafkastream.model.job.job_result import JobID, JobStatus
from kafkastream.spark.job.job_metrics import JobMetrics
from kafkastream.spark.job.program_end import StartedJobs
from kafkastream.spark.job.query_runner import QueryRunner
from kafkastream.spark.job.restarts import Restarts
from kafkastream.spark.job.running_job import Job
from kafkastream.spark.job.running_query import RunningQuery
from kafkastream.testing import wait_until

ROOT = Path(__file__).parents[3]


class Work:
    """A part of a job that does something before it ends."""

    checkpoints = "/checkpoints"

    def __init__(self, work: Callable[[QueryRunner], None]) -> None:
        self.work = work

    def start(self, run: QueryRunner) -> RunningQuery | None:
        self.work(run)
        return None

    def close(self) -> None:
        pass

    def again(self) -> Work:
        return self


def endless(run: QueryRunner) -> None:
    while True:
        run.check_not_stopping()
        time.sleep(0.01)


def told(run: QueryRunner) -> None:
    try:
        endless(run)
    finally:
        sys.stdout.write("stopped\n")


def failing(_: QueryRunner) -> None:
    raise JobError("no more")


def brief(_: QueryRunner) -> None:
    time.sleep(0.3)


def begun(jobs: StartedJobs, name: str, work: Callable[[QueryRunner], None], *, collects: bool = False) -> Job:
    identity = JobID()
    metrics = JobMetrics(JobGraph(()), name, identity, lambda: 0)
    restarts = Restarts(RestartStrategies.no_restart())
    job = Job(identity, name, "broker:9092", [Work(work)], restarts, metrics, lambda: None)
    jobs.add(job, collects=collects)
    return job


PROGRAM = """
import logging, sys, threading, time
from tests.unit.spark.test_program_end import begun, brief, endless, failing, told
from kafkastream.spark.job.program_end import STARTED

def ended(job):
    while not job.finished.done():
        time.sleep(0.01)
    return job
"""


def run(program: str) -> subprocess.CompletedProcess[str]:
    text = PROGRAM + textwrap.dedent(program)
    command = [sys.executable, "-c", text]
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=60, check=False)


def test_jobs_that_nobody_waits_for_are_named_and_stopped() -> None:
    done = run(
        """
        begun(STARTED, "endless", told)
        begun(STARTED, "cancelled", endless).cancel()
        begun(STARTED, "waited for", brief).wait()
        ended(begun(STARTED, "ended", brief))
        begun(STARTED, "collected", endless, collects=True)
        ended(begun(STARTED, "failed", failing))
        asked = ended(begun(STARTED, "asked", failing))
        asked.finished.exception()
        """
    )
    assert (done.returncode, done.stdout) == (0, "stopped\n")
    stopped, wait, run_it, failed = done.stderr.splitlines()
    assert stopped.startswith("job 'endless' is stopped before its end, after the running micro-batch")
    assert ".wait()" in wait
    assert ".get_job_execution_result().result()" in wait
    assert "kafkastream run" in run_it
    assert failed == "job 'failed' has failed: [job-failed] no more"


def test_a_thread_of_the_program_may_wait_after_the_main_one_has_ended() -> None:
    done = run(
        """
        job = begun(STARTED, "brief", brief)
        def wait():
            threading.main_thread().join()
            ended(job)
            print(job.wait() and job.status().name)
        threading.Thread(target=wait).start()
        """
    )
    assert (done.returncode, done.stdout, done.stderr) == (0, "FINISHED\n", "")


def test_a_program_that_fails_tells_its_error_first() -> None:
    done = run('begun(STARTED, "endless", endless)\nraise ValueError("mine")')
    assert done.returncode == 1
    assert done.stderr.index("ValueError: mine") < done.stderr.index("job 'endless' is stopped before its end")


def test_guards_do_not_wait_for_each_other() -> None:
    program = (
        "from kafkastream.spark.job.program_end import StartedJobs\nfor _ in 'ab':\n    StartedJobs()._begin_guard()"
    )
    assert subprocess.run([sys.executable, "-c", program], cwd=ROOT, timeout=60, check=False).returncode == 0


def test_failure_that_nobody_asks_for_is_logged_when_it_happens(caplog: pytest.LogCaptureFixture) -> None:
    jobs = StartedJobs()
    begun(jobs, "orders", failing)
    wait_until(lambda: caplog.messages == ["job 'orders' has failed: [job-failed] no more"], 10, "the message")
    jobs.stop()
    assert len(caplog.messages) == 1


@pytest.mark.parametrize("code", [0, None])
def test_jobs_are_awaited_also_when_the_program_leaves_by_exit(code: int | None) -> None:
    jobs, of_program = StartedJobs(), []
    before = begun(jobs, "before", failing)

    def program() -> None:
        of_program.append(begun(jobs, "brief", brief))
        of_program.append(begun(jobs, "cancelled", endless))
        of_program[-1].cancel()
        of_program.append(begun(jobs, "collected", endless, collects=True))
        sys.exit(code)

    with jobs.awaited():
        program()
    assert [job.status().name for job in of_program] == ["FINISHED", "CANCELED", "RUNNING"]
    assert not before.is_settled
    jobs.stop()
    assert of_program[-1].status() is JobStatus.CANCELED


def test_a_job_that_fails_stops_the_others_and_is_the_error() -> None:
    jobs, others = StartedJobs(), []

    def program() -> None:
        with jobs.awaited():
            others.append(begun(jobs, "other", endless))
            begun(jobs, "failing", failing)

    with pytest.raises(JobError, match="no more"):
        program()
    (other,) = others
    assert other.status() is JobStatus.CANCELED


def test_a_program_that_fails_is_not_waited_for() -> None:
    jobs, begun_jobs = StartedJobs(), []

    def program() -> None:
        with jobs.awaited():
            begun_jobs.append(begun(jobs, "endless", endless))
            sys.exit("no such order")

    with pytest.raises(SystemExit):
        program()
    (job,) = begun_jobs
    assert job.status() is JobStatus.RUNNING
    jobs.stop()
    assert job.status() is JobStatus.CANCELED
