"""A job with state keeps no more descriptors open the longer it runs."""

from __future__ import annotations

from statistics import median
from typing import TYPE_CHECKING

from kafkastream.testing import KafkaBroker
from tests.smoke.jobs import keyed_rounds

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

BEFORE, BETWEEN, WINDOW = 4, 8, 3


def test_descriptors_of_a_keyed_job_do_not_become_more(spark: SparkSession, kafka: KafkaBroker, topic: str) -> None:
    counts = list(keyed_rounds(kafka.bootstrap_servers, topic, BEFORE + WINDOW + BETWEEN + WINDOW))
    early, late = median(counts[BEFORE : BEFORE + WINDOW]), median(counts[-WINDOW:])
    # A descriptor that is left behind by each micro-batch, as by SPARK-58932 for each task, makes a difference of 11.
    assert late - early < BETWEEN / 2, counts
