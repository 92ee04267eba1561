"""Streaming queries that run in the sessions of jobs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pyspark.sql import SparkSession
    from pyspark.sql.streaming.query import StreamingQuery

__all__ = ["active_queries"]


def active_queries(spark: SparkSession) -> list[StreamingQuery]:
    """The running queries of all sessions: ``spark.streams.active`` has those of one session, and each job has its own."""
    from pyspark.sql.streaming.query import StreamingQuery

    java: Any = spark
    return [StreamingQuery(query) for query in java._jsparkSession.sharedState().activeStreamingQueries().values()]
