"""A job with state keeps no more descriptors open the longer it runs."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING

from kafkastream.testing import KafkaBroker
from tests.smoke.jobs import keyed_rounds

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

ROUNDS = 12


def test_descriptors_of_a_keyed_job_do_not_become_more(spark: SparkSession, kafka: KafkaBroker, topic: str) -> None:
    counts = list(keyed_rounds(kafka.bootstrap_servers, topic, ROUNDS))
    # A descriptor left behind by each micro-batch, as by SPARK-58932 for each task, makes every count larger than the
    # last; what else happens in this JVM, which is shared with other tests, makes steps up and down.
    assert sum(after <= before for before, after in pairwise(counts)) > 2, counts
