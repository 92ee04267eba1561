"""Random graphs give on the test driver what they give on Spark, micro-batch by micro-batch.

``make fuzz MINUTES=60``, or ``python -m tests.differential.replay 60``, runs others for as long as one likes.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.differential.replay.job import Job
from tests.differential.replay.replay import Replay

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

    from kafkastream.testing import KafkaBroker

pytestmark = pytest.mark.timeout(400)


def test_a_job_gives_on_the_driver_what_it_gives_on_spark(
    kafka: KafkaBroker, spark: SparkSession, tmp_path: Path
) -> None:
    replay = Replay(Job.of(1, graphs=10, steps=3), kafka, spark, tmp_path)
    assert replay.run() == []
    assert replay.batches >= 4


@pytest.mark.nightly
@pytest.mark.parametrize("seed", range(2, 12))
def test_random_jobs_give_on_the_driver_what_they_give_on_spark(
    seed: int, kafka: KafkaBroker, spark: SparkSession, tmp_path: Path
) -> None:
    replay = Replay(Job.of(seed, graphs=30), kafka, spark, tmp_path)
    assert replay.run() == []
