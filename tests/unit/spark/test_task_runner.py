"""A task opens its operators, runs them, and keeps or drops them; a failure is reported."""

from __future__ import annotations

from collections.abc import Iterator
from uuid import uuid4

import attrs
import pytest

from kafkastream.errors import JobError
from kafkastream.model.functions.runtime_context import RuntimeContext
from kafkastream.spark.worker.reports import Report, ReportKind
from kafkastream.spark.worker.task_runner import TaskRunner
from kafkastream.spark.worker.worker_cache import JobAttempt

LINES = Report(ReportKind.LINES, 7, ["a"])


@attrs.define(eq=False)
class Operators:
    """Operators that note what becomes of them."""

    deeds: list[str]
    reusable: bool = True

    def open(self, context: RuntimeContext) -> None:
        self.deeds.append(f"open {context.subtask} of {context.parallelism}, attempt {context.attempt}")

    def abandon(self) -> None:
        self.deeds.append("abandon")


def runner(deeds: list[str], attempt: JobAttempt, *, reusable: bool = True) -> TaskRunner[Operators]:
    return TaskRunner(attempt, 7, ("test", 7), lambda: Operators(deeds, reusable), 1, 2)


def works(operators: Operators) -> Iterator[Report]:
    operators.deeds.append("work")
    yield LINES


def fails(operators: Operators) -> Iterator[Report]:
    yield LINES
    raise JobError("no")


@pytest.fixture
def attempt() -> JobAttempt:
    return JobAttempt(uuid4().hex)


def test_operators_stay_open_for_the_next_task_of_the_attempt(attempt: JobAttempt) -> None:
    deeds: list[str] = []
    for one in (attempt, attempt, attempt.again()):
        assert [*runner(deeds, one).run(works)] == [LINES]
    assert deeds == ["open 1 of 2, attempt 0", "work", "work", "open 1 of 2, attempt 1", "work"]


def test_operators_that_want_to_be_closed_are_opened_for_each_task(attempt: JobAttempt) -> None:
    deeds: list[str] = []
    for _ in range(2):
        assert [*runner(deeds, attempt, reusable=False).run(works)] == [LINES]
    assert deeds == ["open 1 of 2, attempt 0", "work"] * 2


def test_a_failure_is_reported_when_the_input_is_read_to_its_end(attempt: JobAttempt) -> None:
    deeds: list[str] = []
    rest = iter("abc")
    first, failure = runner(deeds, attempt).run(fails, rest)
    assert first == LINES
    assert (failure.kind, failure.node, str(failure.content)) == (ReportKind.FAILURE, 7, "[job-failed] no")
    assert [*rest] == []
    assert [*runner(deeds, attempt).run(works)] == [LINES]
    assert deeds == ["open 1 of 2, attempt 0", "abandon", "open 1 of 2, attempt 0", "work"]


def test_a_task_that_nobody_reads_on_is_abandoned(attempt: JobAttempt) -> None:
    deeds: list[str] = []
    reports = runner(deeds, attempt).run(works)
    assert next(iter(reports)) == LINES
    assert isinstance(reports, Iterator)
    del reports
    assert deeds == ["open 1 of 2, attempt 0", "work", "abandon"]
