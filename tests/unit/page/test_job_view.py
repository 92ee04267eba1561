from __future__ import annotations

import attrs
import pytest

from kafkastream.metrics.history import CompletedBatch, History, Sample
from kafkastream.metrics.standing import Standing
from kafkastream.model.job.job_result import JobStatus
from kafkastream.page.health import Health, HealthLevel, health_of
from kafkastream.page.job_view import job_view
from kafkastream.page.page_data import job_document
from tests.unit.page import jobs

VIEW = job_view(jobs.facts(), jobs.state())


def test_each_operator_has_its_numbers() -> None:
    source, reduce, sink = VIEW.vertices
    assert (source.kind, source.endpoint, source.parallelism) == ("source", "topic orders", 2)
    assert (source.records_in, source.records_out, source.out_per_second) == (None, 900, 15.0)
    assert (source.lag, source.idle) == (100, 1)
    assert (reduce.kind, reduce.operator, reduce.records_in) == ("operator", "largest", 900)
    assert (sink.kind, sink.endpoint, sink.records_in) == ("sink", "print", None)
    assert {one.watermark_ms for one in VIEW.vertices} == {jobs.NOW - 6_000}


def test_the_rate_of_a_young_job_is_that_of_its_life() -> None:
    young = jobs.state(
        now_ms=jobs.BEGAN + 7_000, reached_ms={JobStatus.CREATED: jobs.BEGAN, JobStatus.RUNNING: jobs.BEGAN + 1_000}
    )
    assert job_view(jobs.facts(), young).per_second == 150.0


def test_ids_are_those_of_flink_and_stay() -> None:
    ids = [one.id for one in VIEW.vertices]
    assert all(len(one) == 32 and int(one, 16) for one in ids)
    assert len(set(ids)) == 3
    assert ids == [one.id for one in job_view(jobs.facts(), jobs.state()).vertices]


def test_edges_are_those_of_the_execution_plan() -> None:
    ids = [one.id for one in VIEW.vertices]
    assert [(one.start, one.end, one.ship_strategy) for one in VIEW.edges] == [
        (ids[0], ids[1], "HASH"),
        (ids[1], ids[2], "FORWARD"),
    ]


def test_secrets_are_masked_wherever_they_stand() -> None:
    shown = {(one.of, one.key): one.value for one in VIEW.settings}
    assert shown["job", "my.password"] == "***"
    assert shown["job parameters", "api-key"] == "***"
    assert shown["job parameters", "region"] == "eu"
    assert shown["Source: orders", "sasl.jaas.config"] == "***"
    assert shown["Source: orders", "group.id"] == "counters"
    assert "hidden" not in str(job_document(VIEW))


def test_a_job_that_has_ended_stands_still() -> None:
    view = job_view(jobs.facts(), jobs.state(JobStatus.FINISHED))
    assert (view.ended_ms, view.duration_ms) == (jobs.BEGAN + 2_000, 2_000)
    assert job_document(view)["is_over"] is True


def samples(*lags: int) -> tuple[Sample, ...]:
    return tuple(Sample(jobs.NOW - 10_000 * (len(lags) - place), 0, lag) for place, lag in enumerate(lags))


BUSY = History((jobs.BATCH,), 1, (), ())
LONG_AGO = attrs.evolve(jobs.BATCH, began_ms=jobs.NOW - 200_000)


@pytest.mark.parametrize(
    ("changes", "expected"),
    [
        pytest.param({"history": BUSY}, Health(HealthLevel.OK, "Keeps up: 100 records wait."), id="well"),
        pytest.param(
            {"history": BUSY, "standing": Standing(records=9)},
            Health(HealthLevel.OK, "Keeps up: no record waits."),
            id="idle",
        ),
        pytest.param(
            {"history": BUSY, "standing": Standing(records=9, left=3)},
            Health(HealthLevel.OK, "Reads its bounded input: 3 records are left."),
            id="bounded",
        ),
        pytest.param(
            {"history": attrs.evolve(BUSY, samples=samples(0, 10, 2_000, 4_000, 6_000, 9_000, 9_100, 9_200))},
            Health(HealthLevel.WARN, "Falls behind: in 1 min 10 s, the lag has grown from 0 to 9,100 records."),
            id="behind",
        ),
        pytest.param(
            {"history": attrs.evolve(BUSY, samples=samples(9_000, 0, 9_000, 0, 9_000, 0, 9_000, 0))},
            Health(HealthLevel.OK, "Keeps up: 100 records wait."),
            id="up and down",
        ),
        pytest.param(
            {"history": attrs.evolve(BUSY, failures=(attrs.evolve(jobs.FAILURE, at_ms=jobs.NOW - 5_000),))},
            Health(HealthLevel.WARN, "Was restarted once in the last 10 minutes, last by: [user-function] no"),
            id="restarted",
        ),
        pytest.param(
            {"history": attrs.evolve(BUSY, batches=(LONG_AGO,))},
            Health(
                HealthLevel.WARN,
                "No micro-batch has ended for 3 min 19 s, and they usually take 1 s; the Spark UI shows its tasks.",
            ),
            id="slow",
        ),
        pytest.param(
            {"history": BUSY, "partitions": (jobs.partition(0), jobs.partition(1, watermark=None))},
            Health(
                HealthLevel.WARN,
                "The watermark waits for partition orders-1, which has had no records; with_idleness on the watermark "
                "strategy continues without.",
            ),
            id="silent partition",
        ),
    ],
)
def test_the_health_of_a_running_job_is_the_worst_finding(changes: dict[str, object], expected: Health) -> None:
    assert health_of(jobs.state(**changes)) == expected  # type: ignore[arg-type]  # each has its own type


@pytest.mark.parametrize(
    ("status", "expected"),
    [
        (JobStatus.FAILED, Health(HealthLevel.BAD, "[user-function] no")),
        (JobStatus.RESTARTING, Health(HealthLevel.WARN, "Starts again 0 s after: [user-function] no")),
        (JobStatus.FINISHED, Health(HealthLevel.OVER, "Has read all of its input: 900 records.")),
        (JobStatus.CANCELLING, Health(HealthLevel.OVER, "Stops after the running micro-batch.")),
        (JobStatus.CANCELED, Health(HealthLevel.OVER, "Was stopped after 900 records.")),
        (JobStatus.CREATED, Health(HealthLevel.OVER, "The query starts.")),
    ],
)
def test_the_health_of_other_jobs_is_their_status(status: JobStatus, expected: Health) -> None:
    assert health_of(jobs.state(status)) == expected


def test_phases_of_a_micro_batch_reach_the_page() -> None:
    batch = job_document(VIEW)["batches"][0]
    assert (batch["phases_ms"]["addBatch"], batch["commit_ms"], batch["duration_ms"]) == (700, 100, 1_000)
    assert set(attrs.fields_dict(CompletedBatch)) < set(batch)
