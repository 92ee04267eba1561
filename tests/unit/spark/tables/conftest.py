"""A session as jobs of SQL have it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


@pytest.fixture(scope="session")
def session(spark: SparkSession) -> SparkSession:
    """With a zone of its own, which is Flink's ``table.local-time-zone``."""
    from kafkastream.spark.session.query_settings import job_session

    return job_session(spark, "Europe/Berlin")
