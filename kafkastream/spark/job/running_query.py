"""A started Spark query."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from threading import Event
from typing import TYPE_CHECKING, final

from pyspark.errors import StreamingQueryException
from pyspark.sql.streaming.query import StreamingQuery

from kafkastream.metrics.history import PartitionStanding
from kafkastream.metrics.standing import Standing
from kafkastream.spark.checkpoint.folder import OffsetRange
from kafkastream.spark.internals import texts
from kafkastream.spark.internals.conditions import error_conditions, exception_of
from kafkastream.spark.job.query_progress import QueryProgress
from kafkastream.spark.plan.source_frames import SourceInput

if TYPE_CHECKING:
    from kafkastream.spark.job.epochs import Epochs

__all__ = ["RunningQuery"]

Resolve = Callable[[Mapping[str, OffsetRange]], Sequence[SourceInput]]
Begin = Callable[[Sequence[SourceInput], Event], StreamingQuery]

_BEGINNINGS = 10
_PARTITIONS_CHANGED = "KAFKA_START_OFFSET_DOES_NOT_MATCH_ASSIGNED"


@final
class RunningQuery:
    """A query that reads from Kafka, from its start until it ends or fails.

    Args:
        inputs: Kafka sources, in the order of the plan.
        resolve: Resolves the sources again, given the offset ranges that they began with.
        begin: Starts the Spark query; micro-batches that fail after the event is set were stopped.
        progress: Follows the query's offsets.
        epochs: Returns the epochs of the query, once it has begun; None if it has none.
        slots: Returns the number of partitions that it can read in Spark's real-time mode; 0 if it does not run in it.
    """

    def __init__(
        self,
        inputs: Sequence[SourceInput],
        resolve: Resolve,
        begin: Begin,
        progress: QueryProgress,
        epochs: Callable[[], Epochs | None] = lambda: None,
        slots: Callable[[], int] = lambda: 0,
    ) -> None:
        self._inputs = inputs
        self._resolve = resolve
        self._begin = begin
        self._progress = progress
        self._epochs = epochs
        self._slots = slots
        self._begun_again = 0
        self._batch_at_stop: int | None = None
        self._over = Event()
        self._query = self._begun()

    def _begun(self) -> StreamingQuery:
        self._progress.begin(self._inputs)
        return self._begin(self._inputs, self._over)

    @property
    def is_active(self) -> bool:
        """True while the query is active."""
        return self._query.isActive

    def pauses(self) -> bool:
        """Return whether a stop interrupts no micro-batch or epoch: the query waits for data or for the brokers.

        In real-time mode a micro-batch always runs: then, whether one has ended since the first call.
        """
        epochs = self._epochs()
        if epochs is not None:
            return epochs.has_ended
        if self._slots():
            last = self._query.lastProgress
            batch = -1 if last is None else last["batchId"]
            self._batch_at_stop = batch if self._batch_at_stop is None else self._batch_at_stop
            return batch != self._batch_at_stop
        status = self._query.status
        return not status["isTriggerActive"] or str(status["message"]).startswith(texts.GETTING_OFFSETS)

    @property
    def error(self) -> Exception | None:
        """Return the error by which Spark has ended it, if any."""
        return exception_of(self._query)

    @property
    def has_progressed(self) -> bool:
        """True if the query has completed a micro-batch."""
        return self._query.lastProgress is not None

    @property
    def lost_a_race(self) -> bool:
        """True if the query can begin again: partitions were added meanwhile, and Spark wants an offset for each."""
        if self.is_active or self._begun_again == _BEGINNINGS:
            return False
        error = self.error
        if error is None:
            return False
        return _PARTITIONS_CHANGED in error_conditions(error) or texts.ALL_PARTITIONS in str(error)

    @property
    def has_outgrown_slots(self) -> bool:
        """True if partitions were added, and the query runs in real-time mode with too few slots for them."""
        return 0 < self._slots() < self._progress.partitions_read

    @property
    def was_stopped_by_others(self) -> bool:
        """True if the query has ended without an error, but neither by itself nor by the job."""
        if self.is_active or self._over.is_set() or self.error is not None:
            return False
        self.look()
        return not self.has_stopped and not self._progress.had_nothing_to_read

    def begin_again(self) -> None:
        """Begin again, with the partitions that exist now."""
        if self.is_active:
            self._query.stop()
        self._begun_again += 1
        self._inputs = self._resolve({one.key: one.offset_range for one in self._inputs})
        self._query = self._begun()

    def wait(self, timeout_s: float) -> None:
        """Wait until it ends, at most ``timeout_s`` seconds."""
        with suppress(StreamingQueryException):  # ``failure`` returns the error
            self._query.awaitTermination(timeout_s)  # type: ignore[arg-type]  # it takes parts of a second, too

    def stop(self) -> None:
        """End the query; a running micro-batch is abandoned."""
        epochs = self._epochs()
        if epochs is not None:
            epochs.stop()
        self._over.set()
        if self.is_active:
            self._query.stop()

    @property
    def has_stopped(self) -> bool:
        """True if nothing is left to read, even if the query has not ended."""
        epochs = self._epochs()
        return self._progress.has_stopped if epochs is None else epochs.has_ended and epochs.has_read_all

    def look(self) -> None:
        """Process the progress since the last call, and commit offsets if due."""
        self._progress.look(self._query)

    def standing(self) -> Standing:
        """Return the progress of its sources."""
        return self._progress.standing(self._query)

    def partitions(self) -> tuple[PartitionStanding, ...]:
        """Return the progress in each partition of its sources."""
        return self._progress.partitions()

    def watermarks(self) -> Mapping[int, int]:
        """Return the last watermark after each node that has one."""
        return self._progress.watermarks()

    @property
    def activity(self) -> str:
        """Description of what the query is doing, in Spark's words; empty if it has ended."""
        return str(self._query.status["message"]) if self.is_active else ""

    def end(self, *, completed: bool) -> None:
        """Make the last commits; after a bounded run, or epochs that ended well, save the end for the next run."""
        epochs = self._epochs()
        if epochs is not None and epochs.is_clean:
            self._progress.end_at(self._query, epochs.reached(), completed=completed)
        else:
            self._progress.end(self._query, completed=completed)
