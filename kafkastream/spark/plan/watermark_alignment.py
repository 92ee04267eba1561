"""Watermark alignment: pauses partitions of Spark's Kafka sources, for which Spark has no option.

Spark's source asks its offset reader for the end offset of each partition. This module replaces the offset reader: the
new one forwards every call, and reports no new records for a paused partition.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any, final

from py4j.protocol import Py4JJavaError
from pyspark.sql import SparkSession

from kafkastream.model.connectors.subscription import TopicPartition
from kafkastream.spark.checkpoint.source_options import offsets_json
from kafkastream.spark.internals.queries import OffsetReader, replace_offset_reader, sources_of

__all__ = ["align"]

log = logging.getLogger("kafkastream")

Waiting = Callable[[], Mapping[int, frozenset[TopicPartition]]]
"""Returns the paused partitions, by the node of their source."""


def align(session: SparkSession, query_id: str, sources: Sequence[int], waiting: Waiting) -> None:
    """From now on, pause the partitions that ``waiting`` returns; must be called in a micro-batch of the query.

    If Spark's internals are not as expected, a warning is logged and no partition is paused.

    Args:
        session: Spark session in which the query was started.
        query_id: Spark's id of the query.
        sources: Nodes of its Kafka sources, in the order of its plan.
        waiting: Called whenever Spark looks for new records.
    """
    try:
        query: Any = session.streams.get(query_id)
        for stream, source in zip(sources_of(query), sources, strict=False):  # the control stream comes after them
            replace_offset_reader(stream, partial(_AligningReader, stream, partial(_of_source, waiting, source)))
    except Exception as error:  # noqa: BLE001 - the insides of another Spark may be missing in any way
        log.warning("watermark alignment has no effect: this Spark lets no partition wait: %s", _told(error))


def _of_source(waiting: Waiting, source: int) -> frozenset[TopicPartition]:
    return waiting().get(source, frozenset())


@final
class _AligningReader(OffsetReader):
    """Forwards calls to a source's offset reader, and holds back paused partitions."""

    def __init__(self, stream: Any, waiting: Callable[[], frozenset[TopicPartition]], reader: Any) -> None:
        self._stream = stream
        self._waiting = waiting
        self._reader = reader

    def fetchLatestOffsets(self, known: Any) -> Any:
        """Return the end offset of each partition; of a paused one, its current offset."""
        latest = _asked(self._reader.fetchLatestOffsets, known)
        waiting = self._waiting()
        if not waiting or known.isEmpty():
            return latest
        named = self._stream.deserializeOffset(offsets_json(dict.fromkeys(waiting, 0))).partitionToOffsets()
        others = known.get().removedAll(named.keySet())
        return latest.concat(known.get().removedAll(others.keySet()))

    def __getattr__(self, name: str) -> Any:
        return partial(_asked, getattr(self._reader, name))


def _asked(method: Callable[..., Any], *arguments: Any) -> Any:
    """Call a Java method.

    An exception is raised with one line that begins as py4j's own errors do. Spark recognizes the end of a stopped
    query by that text, and its regular expression overflows the stack on a text with a Java stack trace.
    """
    try:
        return method(*arguments)
    except Py4JJavaError as error:
        raise RuntimeError(
            f"py4j.protocol.Py4JJavaError: An error occurred while calling Spark: {_told(error)}"
        ) from None


def _told(error: Exception) -> str:
    return str(error.java_exception.toString() if isinstance(error, Py4JJavaError) else error)
