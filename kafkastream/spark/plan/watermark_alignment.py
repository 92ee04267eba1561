"""Lets partitions of Spark's Kafka sources wait for others: watermark alignment, for which Spark has no option.

A source of Spark's asks its offset reader how far each partition can be read. Here another one takes its place: it hands
every question on, and of a partition that is to wait it says that there is nothing new.
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
"""Tells the partitions that are to wait, by the node of their source."""


def align(session: SparkSession, query_id: str, sources: Sequence[int], waiting: Waiting) -> None:
    """From now on, let the partitions wait that ``waiting`` tells; to be called in a micro-batch of the query.

    Where Spark is not built as this expects, the log says so, and none waits.

    Args:
        session: Where the query was started.
        query_id: The query.
        sources: The nodes of its Kafka sources, in the order of its plan.
        waiting: Is asked whenever Spark looks for new records.
    """
    try:
        query: Any = session.streams.get(query_id)
        for stream, source in zip(sources_of(query), sources, strict=False):  # behind them, the control stream
            replace_offset_reader(stream, partial(_AligningReader, stream, partial(_of_source, waiting, source)))
    except Exception as error:  # noqa: BLE001 - the insides of another Spark may be missing in any way
        log.warning("watermark alignment has no effect: this Spark lets no partition wait: %s", _told(error))


def _of_source(waiting: Waiting, source: int) -> frozenset[TopicPartition]:
    return waiting().get(source, frozenset())


@final
class _AligningReader(OffsetReader):
    """Hands questions on to a source's offset reader, and holds back the partitions that wait."""

    def __init__(self, stream: Any, waiting: Callable[[], frozenset[TopicPartition]], reader: Any) -> None:
        self._stream = stream
        self._waiting = waiting
        self._reader = reader

    def fetchLatestOffsets(self, known: Any) -> Any:
        """Return the end of each partition; of one that waits, the offset that it has come to."""
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
    """Call a method of Java's.

    An exception is told in one line that begins as py4j's own errors do. Spark knows by that text how a stopped query
    ends, and its regular expression overflows on a text with a whole Java stack in it.
    """
    try:
        return method(*arguments)
    except Py4JJavaError as error:
        raise RuntimeError(
            f"py4j.protocol.Py4JJavaError: An error occurred while calling Spark: {_told(error)}"
        ) from None


def _told(error: Exception) -> str:
    return str(error.java_exception.toString() if isinstance(error, Py4JJavaError) else error)
