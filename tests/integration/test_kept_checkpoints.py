"""Checkpoints of each format so far, in another place than they were written: jobs go on with them."""

from __future__ import annotations

import tarfile
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from kafkastream.testing import KafkaBroker
from tests.integration import kept_checkpoints, kept_sql
from tests.integration.kept_checkpoints import KeptJobs

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


def archives(jobs: KeptJobs) -> list[Path]:
    return sorted(jobs.folder.iterdir())


@pytest.mark.parametrize("archive", archives(kept_checkpoints.JOBS), ids=lambda path: path.name)
def test_jobs_go_on_with_what_an_earlier_version_kept(
    spark: SparkSession, kafka: KafkaBroker, tmp_path: Path, archive: Path
) -> None:
    go_on(kept_checkpoints.JOBS, kafka, tmp_path, archive)
    assert kept_checkpoints.results(kafka) == kept_checkpoints.RESULTS_OF[1]
    assert kept_checkpoints.totals(kafka) == kept_checkpoints.TOTALS_OF[1]


@pytest.mark.timeout(400)  # eleven queries with state start at once
@pytest.mark.parametrize("archive", archives(kept_sql.JOBS), ids=lambda path: path.name)
def test_operators_of_sql_go_on_with_what_an_earlier_version_kept(
    spark: SparkSession, kafka: KafkaBroker, tmp_path: Path, archive: Path
) -> None:
    go_on(kept_sql.JOBS, kafka, tmp_path, archive)
    assert kept_sql.results(kafka) == kept_sql.SECOND


def go_on(kept: KeptJobs, kafka: KafkaBroker, folder: Path, archive: Path) -> None:
    kept.create_topics(kafka)
    kept.produce(kafka, 0)
    with tarfile.open(archive) as packed:
        packed.extraction_filter = getattr(tarfile, "data_filter", None)  # since Python 3.11.4
        packed.extractall(folder)
    kept.produce(kafka, 1)
    jobs = kept.started(kafka.bootstrap_servers, folder)
    try:
        kept.await_round(kafka, 1)
    finally:
        for job in jobs:
            job.cancel().result()
