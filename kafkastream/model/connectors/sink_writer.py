"""Sinks of users: what writes on a worker, and what commits on the driver, in the words of Flink's Sink V2."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import Any, ClassVar, Final, Generic, final

import attrs
from typing_extensions import TypeVar

from kafkastream.model.common import endpoints
from kafkastream.model.connectors.dead_letter_topics import DeadLetter
from kafkastream.model.connectors.kafka_sink import KafkaSink
from kafkastream.model.functions.async_retries import AsyncRetryStrategy
from kafkastream.model.functions.runtime_context import RuntimeContext

__all__ = [
    "Committer",
    "CommitterInitContext",
    "CommittingSinkWriter",
    "RetriableError",
    "Sink",
    "SinkWriter",
    "SupportsCommitter",
    "WriteContext",
]

IN_contra = TypeVar("IN_contra", contravariant=True, default=Any)
COMM = TypeVar("COMM", default=Any)
COMM_co = TypeVar("COMM_co", covariant=True, default=Any)
COMM_contra = TypeVar("COMM_contra", contravariant=True, default=Any)


class RetriableError(Exception):
    """Failure that a later attempt may not have; raised by a writer or a committer, which is then called again."""


def _is_retriable(error: Exception) -> bool:
    return isinstance(error, (RetriableError, ConnectionError, TimeoutError))


_RETRIES: Final = AsyncRetryStrategy[Any].exponential_backoff(10, 100, 10_000, 2.0, None, _is_retriable)
"""Ten retries in 43 seconds; after that, the job's restart strategy decides."""


class WriteContext:
    """Context of one call of ``SinkWriter.write``.

    Attributes:
        timestamps: Event time of each element in ms since 1970; None for an element without one.
        rejected: Errors of the rejected elements, by index.
    """

    __slots__ = ("rejected", "timestamps")

    def __init__(self, timestamps: Sequence[int | None]) -> None:
        self.timestamps = timestamps
        self.rejected: dict[int, Exception] = {}

    def reject(self, index: int, error: Exception) -> None:
        """Reject an element that cannot be written, however often it is tried.

        It becomes a dead letter if the sink has a topic for them; otherwise the job fails, and the error names the
        element and its record.

        Args:
            index: Index of the element in the batch.
            error: Reason.

        Raises:
            IndexError: The batch has no such element.
        """
        if not 0 <= index < len(self.timestamps):
            raise IndexError(f"the batch has {len(self.timestamps)} elements, and no index {index}")
        self.rejected[index] = error


class SinkWriter(Generic[IN_contra], ABC):
    """Writes the elements of one subtask, on a worker.

    Differs from Flink: ``write`` takes a batch of elements.
    """

    @abstractmethod
    def write(self, elements: Sequence[IN_contra], context: WriteContext) -> None:
        """Write a batch of elements; it may be buffered until ``flush``.

        After an error that the sink's retry strategy accepts, it is called again with the same elements, including those
        that were rejected.

        Args:
            elements: Elements, in the order of the stream.
            context: Their timestamps; takes elements that cannot be written.
        """

    def flush(self) -> None:
        """Wait until all elements so far are durable; the job's progress is saved only after that."""

    def close(self) -> None:
        """Release resources, also after a failure.

        Differs from Flink: a writer that overrides it is closed after each task of a micro-batch, and the next task has a
        new one, since Spark ends workers without notice. One that does not override it stays open between micro-batches.
        """


class CommittingSinkWriter(SinkWriter[IN_contra], Generic[IN_contra, COMM_co]):
    """Writer whose output becomes visible when the committer of its sink commits it."""

    @abstractmethod
    def prepare_commit(self) -> Sequence[COMM_co]:
        """Return what the committer needs to make visible all elements since the last call; called after ``flush``.

        The values are pickled and sent to the driver, so they name the output (a path, an upload) instead of holding it.
        """


class Committer(Generic[COMM_contra], ABC):
    """Makes the output of micro-batches visible, on the driver."""

    @abstractmethod
    def commit(self, committables: Sequence[COMM_contra], checkpoint_id: int) -> None:
        """Make the output of a micro-batch visible, after all its tasks have ended and before Spark saves its progress.

        If the program dies in between, the micro-batch runs again under the same number, with new committables. For
        exactly-once, recognize the number: keep it with the output, in one transaction, or replace what was committed
        under it.

        Args:
            committables: What the writers of all subtasks have returned.
            checkpoint_id: Number of the micro-batch; it grows, also from one start of the job to the next.
        """

    def close(self) -> None:
        """Release resources, when the job ends or restarts."""


@final
@attrs.frozen
class CommitterInitContext:
    """Context of a committer.

    Args:
        sink_name: Name of the sink, for errors.
        sink_id: Identity of the sink and its job, unique, and the same as long as the job's checkpoint exists.
            ``checkpoint_id`` grows within it.
    """

    sink_name: str
    sink_id: str


class Sink(endpoints.Sink[IN_contra], ABC):
    """Base class of a sink of your own: a value that is pickled to the workers, where it creates writers.

    Elements are written at least once: after a failure, those since the last completed micro-batch are written again.
    So they are there exactly once if the target recognizes them, for example by a key; or if the sink has a committer
    (``SupportsCommitter``).

    Example:
        >>> class Printer(SinkWriter[str]):
        ...     def write(self, elements: Sequence[str], context: WriteContext) -> None:
        ...         print(*elements)
        >>> class PrinterSink(Sink[str]):
        ...     def create_writer(self, context: RuntimeContext) -> SinkWriter[str]:
        ...         return Printer()
        >>> PrinterSink().target_text
        'Printer'
    """

    __slots__ = ()

    engine_module: ClassVar[str] = "kafkastream.spark.worker.writer_operator"

    @abstractmethod
    def create_writer(self, context: RuntimeContext) -> SinkWriter[IN_contra]:
        """Return the writer of a subtask; called on a worker, so open connections here.

        Args:
            context: Subtask, job parameters and metrics.
        """

    @property
    def retry_strategy(self) -> AsyncRetryStrategy[Any]:
        """When to call a writer or committer again; by default ten times in 43 s after ``RetriableError``,
        ``ConnectionError`` or ``TimeoutError``. Only its delays and its exception predicate count.
        """
        return _RETRIES

    @property
    def dead_letters(self) -> KafkaSink[DeadLetter] | None:
        """Sink of the dead letters of elements that a writer rejects, at least once; None to fail the job instead.

        ``DeadLetterSchema`` is the record serializer for it.
        """
        return None

    @property
    def deduplicates_batches(self) -> bool:
        """True with a committer: the checkpoint keeps the sink's identity, by which it recognizes a repeated micro-batch."""
        return isinstance(self, SupportsCommitter)

    @property
    def guarantee(self) -> str:
        """``EXACTLY_ONCE`` with a committer, else ``AT_LEAST_ONCE``; from one start to the next with a checkpoint directory."""
        return "EXACTLY_ONCE" if isinstance(self, SupportsCommitter) else "AT_LEAST_ONCE"

    @property
    def commits_with_checkpoint(self) -> bool:
        """True with a committer: output becomes visible by the micro-batch."""
        return isinstance(self, SupportsCommitter)

    @property
    def keeps_records(self) -> bool:
        """True if there are dead letters."""
        return self.dead_letters is not None


class SupportsCommitter(Generic[COMM], ABC):
    """Mixin of a ``Sink`` with two-phase commit, whose ``create_writer`` returns a ``CommittingSinkWriter``.

    Output becomes visible once per checkpoint interval, if the job has one. Exactly-once needs a checkpoint directory.
    """

    __slots__ = ()

    @abstractmethod
    def create_committer(self, context: CommitterInitContext) -> Committer[COMM]:
        """Return the committer; called on the driver, once per start of the job.

        Args:
            context: Identity of the sink.
        """
