"""Spark session of a SQL query: one of its own, with Flink's SQL semantics."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from pyspark.sql import SparkSession

__all__ = ["table_session"]

_SETTINGS: Final[Mapping[str, str]] = {
    "spark.sql.ansi.enabled": "true",  # a failing cast fails the job
    "spark.sql.caseSensitive": "true",
    "spark.sql.streaming.stopActiveRunOnRestart": "false",
    "spark.sql.timeType.enabled": "true",
    "spark.sql.execution.arrow.maxRecordsPerBatch": "10000",
}


def table_session(session: SparkSession, time_zone: str) -> SparkSession:
    """Return a new session for a query; the program's session keeps its settings.

    Args:
        session: Spark session of the program.
        time_zone: Flink's ``table.local-time-zone``, for TIMESTAMP_LTZ as text.
    """
    own = session.newSession()
    for key, value in {**_SETTINGS, "spark.sql.session.timeZone": time_zone}.items():
        own.conf.set(key, value)
    return own
