"""Settings of Spark sessions: those that a query starts with, and those of the sessions of SQL queries."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from threading import RLock
from typing import Final

from pyspark.sql import SparkSession

__all__ = ["NAMED_SOURCES", "own_settings", "settings", "table_session"]

NAMED_SOURCES: Final[Mapping[str, str]] = {
    "spark.sql.streaming.queryEvolution.enableSourceEvolution": "true",
    "spark.sql.streaming.offsetLog.formatVersion": "2",
}
"""Lets a query identify its sources by name (https://issues.apache.org/jira/browse/SPARK-54423)."""
_OF_TABLES: Final[Mapping[str, str]] = {
    "spark.sql.ansi.enabled": "true",  # a failing cast fails the job
    "spark.sql.caseSensitive": "true",
    "spark.sql.streaming.stopActiveRunOnRestart": "false",
    "spark.sql.legacy.codingErrorAction": "true",  # characters that an encoding lacks are replaced
    "spark.sql.timeType.enabled": "true",
    "spark.sql.variant.allowDuplicateKeys": "true",  # the last counts
    "spark.sql.execution.arrow.maxRecordsPerBatch": "10000",
}

_lock = RLock()  # all jobs of a program share the session


@contextmanager
def settings(session: SparkSession, wanted: Mapping[str, str]) -> Iterator[None]:
    """Set options of the program's session while a query starts, which keeps them; one thread at a time."""
    with _lock, own_settings(session, wanted):
        yield


@contextmanager
def own_settings(session: SparkSession, wanted: Mapping[str, str]) -> Iterator[None]:
    """Set options of a query's own session within a ``with`` block; no other thread uses that session."""
    before = {key: session.conf.get(key, None) for key in wanted}
    for key, value in wanted.items():
        session.conf.set(key, value)
    try:
        yield
    finally:
        for key, was in before.items():
            if was is None:
                session.conf.unset(key)
            else:
                session.conf.set(key, was)


def table_session(session: SparkSession, time_zone: str) -> SparkSession:
    """Return a new session for a query, with Flink's SQL semantics; the program's session keeps its settings.

    Args:
        session: Spark session of the program.
        time_zone: Flink's ``table.local-time-zone``, for TIMESTAMP_LTZ as text.
    """
    own = session.newSession()
    for key, value in {**_OF_TABLES, "spark.sql.session.timeZone": time_zone}.items():
        own.conf.set(key, value)
    return own
