"""Settings of a Spark session for the time in which a query is made: the query keeps what it began with."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from threading import RLock
from typing import Final

from pyspark.sql import SparkSession

__all__ = ["NAMED_SOURCES", "settings"]

NAMED_SOURCES: Final[Mapping[str, str]] = {
    "spark.sql.streaming.queryEvolution.enableSourceEvolution": "true",
    "spark.sql.streaming.offsetLog.formatVersion": "2",
}
"""Lets a query know its sources by name (https://issues.apache.org/jira/browse/SPARK-54423)."""

_lock = RLock()  # two jobs of one program share the session


@contextmanager
def settings(session: SparkSession, wanted: Mapping[str, str]) -> Iterator[None]:
    """Have these settings for a while; other threads that want theirs wait."""
    with _lock:
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
