"""Running streaming queries: ids, the number of records in progress, and the offset reader of Kafka sources."""

from __future__ import annotations

import json
import socket
from collections.abc import Callable
from contextlib import suppress
from typing import Any, ClassVar, Final, Protocol, final

from py4j.protocol import Py4JError
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql.streaming.listener import StreamingQueryProgress
from pyspark.sql.streaming.query import StreamingQuery
from pyspark.sql.utils import ForeachBatchFunction

from kafkastream.spark.internals.jvm import java_session

__all__ = [
    "BatchCallback",
    "OffsetReader",
    "StreamingQueryProgress",
    "copy_query_listeners",
    "forget_query_listeners",
    "progress_after",
    "query_id",
    "records_at_work",
    "replace_offset_reader",
    "sources_of",
]

_QUERY_ID: Final = "sql.streaming.queryId"
_READER_FIELD: Final = "kafkaOffsetReader"
_LISTENERS_FIELD: Final = "listenerBus"


def copy_query_listeners(session: SparkSession, other: SparkSession) -> None:
    """Let the query listeners of a session hear of another session's queries, too.

    Spark tells a listener only of the queries of the session that it was added to:
    https://github.com/apache/spark/blob/v4.2.1/sql/core/src/main/scala/org/apache/spark/sql/execution/streaming/runtime/StreamingQueryListenerBus.scala.
    Listeners that ``spark.sql.streaming.streamingQueryListeners`` names are in every session already.
    """
    streams = java_session(other).streams()
    configured = {listener.getClass().getName() for listener in streams.listListeners()}
    for listener in java_session(session).streams().listListeners():
        if listener.getClass().getName() not in configured:
            streams.addListener(listener)


def forget_query_listeners(session: SparkSession) -> None:
    """Remove the listeners of a session's queries from Spark's context, which otherwise has them until it stops.

    The manager of a session's queries adds them, in a field that is not public:
    https://github.com/apache/spark/blob/v4.2.1/sql/core/src/main/scala/org/apache/spark/sql/classic/StreamingQueryManager.scala
    """
    streams = java_session(session).streams()
    field = streams.getClass().getDeclaredField(_LISTENERS_FIELD)
    field.setAccessible(True)
    java_session(session).sparkContext().listenerBus().removeListener(field.get(streams))


@final
class BatchCallback:
    """Function of each micro-batch of a query (``foreachBatch``), until the query has ended and ``release`` is called.

    py4j keeps a function until Java no longer has the query, and Java keeps the query until Python no longer has its
    objects, which the function may lead to: neither side would ever let go. py4j also keeps a connection, with a thread,
    for each Java thread that has called a function; Spark runs each query in a thread of its own.
    https://github.com/py4j/py4j/blob/0.10.9.9/py4j-python/src/py4j/clientserver.py

    Args:
        session: Spark session of the query.
        function: Takes a micro-batch and its number.
    """

    def __init__(self, session: SparkSession, function: Callable[[DataFrame, int], object]) -> None:
        self._gateway: Any = session.sparkContext._gateway
        self._function: Callable[[DataFrame, int], object] | None = function
        self._connection: Any = None
        self._session: SparkSession | None = None

    def __call__(self, frame: DataFrame, batch: int) -> None:
        """Give a micro-batch to the function."""
        self._connection = self._gateway._gateway_client.get_thread_connection()
        self._session = frame.sparkSession
        if self._function is not None:
            self._function(frame, batch)

    def release(self) -> None:
        """Let go of the function, of the error that it has raised, and of the connection."""
        session, self._session, self._function = self._session, None, None
        if session is not None:  # Spark runs each query in a copy of its session
            forget_query_listeners(session)
        pool = self._gateway.gateway_property.pool
        with pool.lock:
            handlers = list(pool.dict.values())
        for handler in handlers:
            if isinstance(handler, ForeachBatchFunction) and handler.func is self:
                handler.error = None  # type: ignore[assignment]  # its traceback has the variables of all callers
        connection, self._connection = self._connection, None
        if connection is not None and connection.socket is not None:
            with suppress(OSError):  # Java has closed it
                connection.socket.shutdown(socket.SHUT_RDWR)  # the thread that reads from it then closes it


class OffsetReader(Protocol):
    """Answers a Kafka source's questions for offsets; py4j wants the name of the interface.

    https://github.com/apache/spark/blob/v4.2.1/connector/kafka-0-10-sql/src/main/scala/org/apache/spark/sql/kafka010/KafkaOffsetReader.scala
    """

    class Java:
        """The interface, for py4j."""

        implements: ClassVar = ["org.apache.spark.sql.kafka010.KafkaOffsetReader"]

    def fetchLatestOffsets(self, known: Any) -> Any:
        """Return the end of each partition, as Scala's map.

        Args:
            known: Scala's ``Option`` of the query's current offsets.
        """


def query_id(session: SparkSession) -> str | None:
    """Return the lasting id of the query whose micro-batch this thread runs; None outside of one.

    Spark passes it in a local property:
    https://github.com/apache/spark/blob/v4.2.1/sql/core/src/main/scala/org/apache/spark/sql/execution/streaming/runtime/StreamExecution.scala,
    ``QUERY_ID_KEY``.
    """
    return session.sparkContext.getLocalProperty(_QUERY_ID)


def sources_of(query: StreamingQuery) -> list[Any]:
    """Return the JVM's sources of a query, in the order of its plan; there are none before its first micro-batch."""
    execution: Any = query
    return _items(execution._jsq.streamingQuery().sources())


def replace_offset_reader(source: Any, make: Callable[[Any], OffsetReader]) -> None:
    """Replace the offset reader of a Kafka source.

    https://github.com/apache/spark/blob/v4.2.1/connector/kafka-0-10-sql/src/main/scala/org/apache/spark/sql/kafka010/KafkaMicroBatchStream.scala
    has it in a field that is not public.

    Args:
        source: One of ``sources_of`` a query.
        make: Makes the new reader of the old one.
    """
    field = source.getClass().getDeclaredField(_READER_FIELD)
    field.setAccessible(True)
    field.set(source, make(field.get(source)))


def progress_after(query: StreamingQuery, after: str) -> list[StreamingQueryProgress]:
    """Return the reports of progress that Spark made after a time, the oldest first.

    ``recentProgress`` would fetch and parse all that Spark keeps, a hundred by default.

    Args:
        query: Query.
        after: Timestamp of a report.
    """
    execution: Any = query
    kept = execution._jsq.recentProgress()
    found: list[StreamingQueryProgress] = []
    for place in reversed(range(len(kept))):
        one = StreamingQueryProgress.fromJson(json.loads(kept[place].json()))
        if one["timestamp"] <= after:
            break
        found.append(one)
    return found[::-1]


def records_at_work(query: StreamingQuery) -> int:
    """Return the number of records that the tasks of a query's running micro-batch have read so far.

    Spark has no public interface for it but that of the web pages, which are for people and may be switched off:
    https://github.com/apache/spark/blob/v4.2.1/core/src/main/scala/org/apache/spark/status/AppStatusStore.scala
    """
    execution: Any = query
    group = str(query.runId)
    try:
        context = execution._jsq.sparkSession().sparkContext()
        store = context.statusStore()
        jobs = [store.job(number) for number in context.statusTracker().getActiveJobIds()]
        stages = {stage for job in jobs if _is_of(job, group) for stage in _items(job.stageIds())}
        return sum(store.lastStageAttempt(stage).inputRecords() for stage in stages)
    except Py4JError:  # the job has just ended, and Spark no longer keeps it
        return 0


def _is_of(job: Any, group: str) -> bool:
    own = job.jobGroup()
    return bool(own.isDefined()) and own.get() == group


def _items(sequence: Any) -> list[Any]:
    """Return the items of a sequence of Scala's."""
    return [sequence.apply(place) for place in range(sequence.size())]
