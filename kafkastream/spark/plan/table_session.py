"""The session that a query of SQL runs in: one of its own, with Flink's rules."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from pyspark.sql import SparkSession

__all__ = ["table_session"]

_SETTINGS: Final[Mapping[str, str]] = {
    "spark.sql.ansi.enabled": "true",  # a cast that fails fails the job
    "spark.sql.caseSensitive": "true",
    "spark.sql.streaming.stopActiveRunOnRestart": "false",
    "spark.sql.timeType.enabled": "true",
    "spark.sql.execution.arrow.maxRecordsPerBatch": "10000",
}


def table_session(session: SparkSession, time_zone: str) -> SparkSession:
    """A session beside the given one, whose settings stay as they are.

    Args:
        session: The program's.
        time_zone: Flink's ``table.local-time-zone``, by which TIMESTAMP_LTZ is shown and read.
    """
    own = session.newSession()
    for key, value in {**_SETTINGS, "spark.sql.session.timeZone": time_zone}.items():
        own.conf.set(key, value)
    return own
