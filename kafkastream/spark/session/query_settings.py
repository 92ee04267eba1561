"""Settings of Spark sessions: those of every job, and those that a query starts with."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from threading import RLock
from typing import Final

from pyspark.errors import AnalysisException
from pyspark.sql import SparkSession

from kafkastream.model.common.immutable import FrozenMap
from kafkastream.model.formats.malformed import RecordLimits
from kafkastream.spark.internals.python import set_record_limits
from kafkastream.spark.internals.queries import copy_query_listeners

__all__ = ["NAMED_SOURCES", "PINNED", "job_session", "own_settings", "settings"]

NAMED_SOURCES: Final[Mapping[str, str]] = {
    "spark.sql.streaming.queryEvolution.enableSourceEvolution": "true",
    "spark.sql.streaming.offsetLog.formatVersion": "2",
}
"""Lets a query identify its sources by name (https://issues.apache.org/jira/browse/SPARK-54423)."""
PINNED: Final[Mapping[str, str]] = FrozenMap(
    {
        # How Spark's parser reads the text.
        "spark.sql.variable.substitute": "false",  # Spark replaces ``${name}`` also in literals
        "spark.sql.parser.escapedStringLiterals": "false",  # a backslash in a literal escapes
        "spark.sql.parser.quotedRegexColumnNames": "false",  # else a name in backticks may be a pattern
        "spark.sql.ansi.enforceReservedKeywords": "false",  # ``current_timestamp()`` is a function
        "spark.sql.caseSensitive": "true",
        "spark.sql.functionResolution.sessionOrder": "second",  # a name means Spark's function, then one of the job's own
        "spark.sql.legacy.interval.enabled": "false",  # ``interval '1' day`` has one of the two ANSI types
        "spark.sql.timeType.enabled": "true",
        "spark.sql.timestampType": "TIMESTAMP_LTZ",  # ``timestamp`` in a cast is the type with a time zone
        # What expressions give.
        "spark.sql.ansi.enabled": "true",  # a failing cast fails the job
        "spark.sql.decimalOperations.allowPrecisionLoss": "true",  # results keep Flink's digits before the point
        "spark.sql.json.enablePartialResults": "true",  # a field that does not fit leaves the others
        "spark.sql.legacy.codingErrorAction": "true",  # characters that an encoding lacks are replaced
        "spark.sql.legacy.createEmptyCollectionUsingStringType": "false",  # ``array()`` can be cast
        "spark.sql.legacy.lpadRpadAlwaysReturnString": "false",  # padded bytes are bytes
        "spark.sql.legacy.negativeIndexInArrayInsert": "false",  # -1 inserts at the end
        "spark.sql.legacy.timeParserPolicy": "CORRECTED",  # patterns of times are java.time's
        "spark.sql.variant.allowDuplicateKeys": "true",  # the last counts
        # How queries run.
        "spark.sql.execution.arrow.pyspark.validateSchema.enabled": "false",  # columns that are never NULL pass Python
        "spark.sql.streaming.stopActiveRunOnRestart": "false",  # a second job on a checkpoint is refused, not the first stopped
    }
)
"""Settings that change what a job's text, expressions and files mean: a user's session must not change a job's results.

Found by experiment, with each of Spark's settings flipped: https://github.com/apache/spark/blob/v4.2.1/sql/catalyst/src/main/scala/org/apache/spark/sql/internal/SQLConf.scala.
"""

_DEFAULT_LIMITS: Final = RecordLimits()

_lock = RLock()  # all queries of a job share its session


@contextmanager
def settings(session: SparkSession, wanted: Mapping[str, str]) -> Iterator[None]:
    """Set options of a job's session while a query starts, which keeps them; one thread at a time."""
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


def job_session(session: SparkSession, time_zone: str = "UTC", limits: RecordLimits = _DEFAULT_LIMITS) -> SparkSession:
    """Return a new session for a job: the program's settings and query listeners, and above them those of ``PINNED``.

    The program's own session keeps its settings.

    Args:
        session: Spark session of the program.
        time_zone: Flink's ``table.local-time-zone``, for TIMESTAMP_LTZ as text.
        limits: Limits for records of the job's tasks.
    """
    own = session.newSession()  # starts with the settings of Spark's context, without those set by session.conf.set
    defaults = own.conf.getAll
    wanted = {**session.conf.getAll, **PINNED, "spark.sql.session.timeZone": time_zone}
    for key, value in wanted.items():
        if defaults.get(key) != value:
            # Settings of the context, such as spark.app.name, cannot be set; they are the same for all sessions.
            with suppress(AnalysisException):
                own.conf.set(key, value)
    set_record_limits(own, limits)
    copy_query_listeners(session, own)
    return own
