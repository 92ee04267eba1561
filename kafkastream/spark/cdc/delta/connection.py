"""Delta Lake in a running Spark session, without Delta's session extension and catalog."""

from __future__ import annotations

import logging
import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Final, final

from py4j.protocol import Py4JError, Py4JJavaError
from pyspark.errors import PySparkException
from pyspark.sql import SparkSession

from kafkastream.cdc.sinks import SinkError
from kafkastream.secret_masking import shown_text
from kafkastream.spark.internals import texts
from kafkastream.spark.internals.conditions import error_conditions, raised_text
from kafkastream.spark.internals.jvm import keep_session_active
from kafkastream.spark.session.jars import delta_jars
from kafkastream.spark.session.session import add_jars
from kafkastream.spark.session.translate_errors import error_text

__all__ = ["ConcurrentChangeError", "active", "insisting", "prepared", "translated_delta_errors"]

log = logging.getLogger("kafkastream")

_CLASS: Final = "io.delta.tables.DeltaTable"
_CHECK: Final = "spark.databricks.delta.requiredSparkConfsCheck.enabled"
"""Setting of a check that refuses sessions without Delta's extension; only SQL statements need the extension."""
_TIME_TRAVEL: Final = "spark.databricks.delta.timeTravel.resolveOnIdentifier.enabled"
"""Setting by which Delta takes the path ``orders@v1`` for version 1 of ``orders``; here it is a table of that name.

https://github.com/delta-io/delta/blob/v4.0.0/spark/src/main/scala/org/apache/spark/sql/delta/sources/DeltaSQLConf.scala
"""
_PARTITIONS: Final = "spark.databricks.delta.snapshotPartitions"
_ATTEMPTS: Final = 5

_CONCURRENT: Final = re.compile(
    r"DELTA_CONCURRENT|DELTA_METADATA_CHANGED|DELTA_SCHEMA_CHANGE_SINCE|DELTA_PROTOCOL_CHANGED"
)
_LONGEST: Final = 8_000
_UNWRITABLE: Final = re.compile(r"\[DELTA_CANNOT_CREATE_LOG_PATH\] ([^\n]*)")
_DELTA: Final = re.compile(r"\[DELTA_[A-Z_.]*\] ([^\n]*)")


@final
class ConcurrentChangeError(SinkError):
    """Another job changed the table concurrently; nothing was written."""


def prepared(session: SparkSession) -> SparkSession:
    """Return the session, able to read and write Delta Lake tables.

    Raises:
        ConnectorMissingError: Spark's driver cannot take further jars.
        JarsUnavailableError: Delta's jars could not be downloaded.
    """
    add_jars(session, _CLASS, delta_jars, "Delta Lake", "--delta")
    session.conf.set(_CHECK, "false")
    session.conf.set(_TIME_TRAVEL, "false")
    if session.conf.get(_PARTITIONS, None) is None:  # Delta's default of 50 takes seconds on few cores
        session.conf.set(_PARTITIONS, str(min(50, session.sparkContext.defaultParallelism)))
    return session


@contextmanager
def active(session: SparkSession) -> Iterator[None]:
    """Make a session the thread's active one within a ``with`` block: Delta reads its settings from there."""
    with keep_session_active(session):
        yield


@contextmanager
def translated_delta_errors(where: str) -> Iterator[None]:
    """Translate errors of Delta and of file systems into a ``SinkError`` with the table's path.

    Raises:
        SinkError: The table cannot be written.
    """
    try:
        yield
    except (Py4JError, PySparkException) as error:
        found = _refusal(error, where)
        if found is None:
            raise
        raise found from None


def insisting(write: Callable[[], None]) -> None:
    """Write to a table; retry if another job has changed it concurrently.

    Args:
        write: Writes in one transaction, based on the current version of the table.

    Raises:
        SinkError: The table cannot be written, or other jobs changed it during every attempt.
    """
    for _ in range(_ATTEMPTS - 1):
        try:
            return write()
        except ConcurrentChangeError as error:
            log.info("written again: %s", error)
    return write()


def _refusal(error: Exception, where: str) -> SinkError | None:
    text = error_text(error)
    if isinstance(error, Py4JJavaError):
        text = f"{text}\n{shown_text(str(error.java_exception.getMessage()), _LONGEST)}"
    raised = raised_text(error)
    if raised is not None:
        return SinkError(raised, where=where)
    if any(map(_CONCURRENT.match, error_conditions(error))) or re.search(texts.DELTA_CONCURRENT_CLASSES, text):
        return ConcurrentChangeError(
            "another job has changed the table at the same moment",
            where=where,
            now="Let one job write to a table; the next start, or a restart strategy, writes the remaining changes.",
        )
    if found := _UNWRITABLE.search(text) or re.search(texts.STORAGE, text):
        return SinkError(
            f"the table's files cannot be read or written: {re.sub(r'^.*?Exception: ', '', found[1].strip())}",
            where=where,
            now="The path must be there and writable for the driver and the workers.",
        )
    if found := _DELTA.search(text):
        return SinkError(f"Delta Lake refuses: {found[1].split('SQLSTATE')[0].strip()}", where=where)
    return None
