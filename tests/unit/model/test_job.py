from __future__ import annotations

import re
from concurrent.futures import Future

import pytest

from kafkastream.errors import DefinitionError, UnsupportedFeatureError
from kafkastream.metrics import MetricsSnapshot
from kafkastream.metrics.standing import Standing
from kafkastream.model.job.job_result import JobClient, JobExecutionResult, JobID, JobStatus
from kafkastream.model.job.notebook_display import shown_while_awaited


class Running:
    """A job that ran before it began."""

    def __init__(self) -> None:
        self.job_id = JobID()
        self.finished: Future[JobExecutionResult] = Future()

    name = "copy"

    def standing(self) -> Standing | None:
        return Standing(records=1_234, lag=5, watermark_ms=0)

    def status(self) -> JobStatus:
        return JobStatus.RUNNING

    def metrics(self) -> MetricsSnapshot:
        return MetricsSnapshot("running")

    def cancel(self) -> Future[None]:
        cancelled: Future[None] = Future()
        cancelled.set_result(None)
        return cancelled

    def wait(self) -> JobExecutionResult:
        return self.finished.result()


def test_ids_are_32_hexadecimal_digits() -> None:
    one, two = JobID(), JobID()
    assert one != two
    assert re.fullmatch("[0-9a-f]{32}", str(one))


def test_only_three_states_are_the_end() -> None:
    terminal = {status for status in JobStatus if status.is_globally_terminal_state()}
    assert terminal == {JobStatus.FAILED, JobStatus.CANCELED, JobStatus.FINISHED}


def test_results_tell_id_and_runtime_and_have_no_accumulators() -> None:
    result = JobExecutionResult(job_id=JobID("0" * 32), net_runtime_ms=5)
    assert (str(result.get_job_id()), result.get_net_runtime()) == ("0" * 32, 5)
    assert result.is_job_execution_result()
    assert result.get_all_accumulator_results() == {}
    with pytest.raises(DefinitionError, match="no accumulator 'a'"):
        result.get_accumulator_result("a")


def test_a_notebook_shows_the_progress_of_a_job() -> None:
    html = JobClient(Running())._repr_html_()
    assert all(f"<td>{text}</td>" in html for text in ("copy", "RUNNING", "1,234", "5", "1970-01-01 00:00:00+00:00"))


def test_only_a_notebook_shows_a_job_in_place() -> None:
    with pytest.raises(NotImplementedError):
        JobClient(Running())._ipython_display_()


def test_only_a_notebook_shows_a_job_that_is_awaited() -> None:
    def html() -> str:
        pytest.fail("there is no notebook")

    with shown_while_awaited(html, Running().finished):
        pass


def test_clients_answer_with_futures() -> None:
    job = Running()
    client = JobClient(job)
    assert client.get_job_id() == job.job_id
    assert client.get_job_status().result(0) is JobStatus.RUNNING
    assert client.get_metrics().job_name == "running"
    assert client.cancel().result(0) is None
    assert client.get_job_execution_result() is job.finished


def test_savepoints_are_refused() -> None:
    with pytest.raises(UnsupportedFeatureError, match="no savepoints") as raised:
        JobClient(Running()).stop_with_savepoint(advance_to_end_of_event_time=False)
    assert "checkpoint directory" in raised.value.now
