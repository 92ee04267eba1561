"""Outputs of a stream: sinks, prints, and elements that the program itself iterates over."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator
from itertools import islice
from typing import Any, Generic, Protocol, final, overload

from typing_extensions import Self, TypeVar

from kafkastream.datastream.operator_handle import OperatorHandle
from kafkastream.errors import DefinitionError
from kafkastream.model.common.argument_checks import checked_methods
from kafkastream.model.common.endpoints import Sink
from kafkastream.model.common.stand_ins import Refused
from kafkastream.model.connectors.file_sink import StreamingFileSink
from kafkastream.model.connectors.jdbc_sink import JdbcSink
from kafkastream.model.connectors.legacy_connectors import FlinkKafkaProducer
from kafkastream.model.graph.job_graph import CollectSink, PrintSink

__all__ = ["CloseableIterator", "DataStreamSink", "StreamOutputs"]

T = TypeVar("T", default=Any)
T_co = TypeVar("T_co", covariant=True)


class CloseableIterator(Protocol[T_co]):
    """Iterator over the elements of a running job; ``close``, or leaving the ``with`` block, cancels the job."""

    def __iter__(self) -> Iterator[T_co]: ...

    def __next__(self) -> T_co: ...

    def next(self) -> T_co:
        """Return the next element, waiting for it.

        Raises:
            StopIteration: The job has ended, and all of its elements are taken.
        """

    def close(self) -> None:
        """Cancel the job; without effect if it has ended."""

    def __enter__(self) -> Self: ...

    def __exit__(self, *_: object) -> None: ...


@final
class DataStreamSink(OperatorHandle):
    """Sink operator at the end of a stream, which can be named and given a uid."""

    _j_data_stream_sink = Refused()


@checked_methods
class StreamOutputs(ABC, Generic[T]):
    """Methods of ``DataStream`` and ``KeyedStream`` that end the stream."""

    @abstractmethod
    def _end(self, name: str, sink: Sink) -> DataStreamSink:
        """Add a sink node to the job graph."""

    def print(self, sink_identifier: str | None = None) -> DataStreamSink:
        """Print each element to standard output, in Flink's form ``identifier:subtask> value``.

        Differs from Flink: lines appear on the terminal of the program, after each micro-batch, also on a cluster.

        Args:
            sink_identifier: Prefix of each line.
        """
        return self._end("Print to Std. Out", PrintSink(sink_identifier or ""))

    def print_to_err(self, sink_identifier: str | None = None) -> DataStreamSink:
        """Print each element to standard error, otherwise like ``print``.

        Args:
            sink_identifier: Prefix of each line.
        """
        return self._end("Print to Std. Err", PrintSink(sink_identifier or "", to_err=True))

    printToErr = print_to_err

    def sink_to(self, sink: Sink[T]) -> DataStreamSink:
        """Write the elements to a sink.

        Args:
            sink: Sink as built by ``KafkaSink.builder()`` or ``FileSink.for_row_format`` and ``for_bulk_format``, or
                a sink of your own (``kafkastream.connect.Sink``).
        """
        return self._end("Writer", sink)

    sinkTo = sink_to

    def add_sink(self, sink_func: FlinkKafkaProducer[T] | JdbcSink | StreamingFileSink) -> DataStreamSink:
        """Write the elements to a sink of Flink 1.x, or to PostgreSQL with ``JdbcSink``.

        Args:
            sink_func: ``FlinkKafkaProducer``, ``JdbcSink.sink(...)`` or ``StreamingFileSink``.

        Raises:
            DefinitionError: A property of the producer is missing or invalid.
        """
        return self._end("Unnamed", sink_func.to_sink())

    addSink = add_sink

    @overload
    def execute_and_collect(
        self, job_execution_name: str | None = None, limit: None = None
    ) -> CloseableIterator[T]: ...

    @overload
    def execute_and_collect(self, job_execution_name: str | None = None, *, limit: int) -> list[T]: ...

    @overload
    def execute_and_collect(self, job_execution_name: str | None, limit: int) -> list[T]: ...

    def execute_and_collect(
        self, job_execution_name: str | None = None, limit: int | None = None
    ) -> CloseableIterator[T] | list[T]:
        """Execute the job and return an iterator over this stream's elements, or a list of the first ``limit``.

        Close the iterator, or use it as a context manager, to cancel a job over unbounded sources.

        Args:
            job_execution_name: Name of the job.
            limit: Number of elements after which the job is cancelled; None for an iterator over all of them.

        Raises:
            DefinitionError: ``limit`` is less than 1.
            KafkastreamError: The job cannot start.
        """
        if limit is not None and limit < 1:
            raise DefinitionError(f"limit {limit} is less than 1", where="execute_and_collect", now="Give 1 or more.")
        elements: CloseableIterator[T] = self._end("Collect", CollectSink())._env._collect(job_execution_name)
        if limit is None:
            return elements
        with elements:
            return list(islice(elements, limit))

    executeAndCollect = execute_and_collect
