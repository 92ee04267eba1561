"""Writes a task's records to its slot in transactions, each with a marker of the slot's progress.

A task's source records are of one partition, in the order of their offsets. Its output is buffered until it is worth a
transaction, or the task ends. So no transaction is open while functions run, and none stays open for long, however
large the micro-batch. On a replay, output that was written before is recognized by the offset of its source record.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Collection
from typing import NamedTuple, final

import pyarrow as pa

from kafkastream.errors import JobError
from kafkastream.kafka.producer import Records
from kafkastream.kafka.properties import TransactionProperties
from kafkastream.kafka.statistics import ProducerStatistics
from kafkastream.kafka.transactions import Marker, Slot, SlotTakenError
from kafkastream.metrics.groups import Counter, MetricGroup
from kafkastream.spark.worker.batches import Batch

__all__ = ["SlotCounters", "TransactionalWriter"]

_CHUNK_BYTES = 16 * 1024 * 1024
_MOST_KEPT = 8
_kept: OrderedDict[str, Slot] = OrderedDict()
"""Cached writers of this worker, the last used last; each has threads and connections of its own.

If another worker has written to a slot since, the writer that is cached here would be fenced. So a cached writer is
reused only if the driver has recorded it as the last writer of its slot.
"""


class SlotCounters(NamedTuple):
    """Counters of a sink's transactions.

    Args:
        committed: Committed transactions.
        skipped: Tasks whose output was already written, completely or partly.
        fenced: Transactions that another attempt at the same slot, or another client, has fenced.
    """

    committed: Counter
    skipped: Counter
    fenced: Counter

    @staticmethod
    def of(group: MetricGroup) -> SlotCounters:
        """Register the counters of a sink."""
        return SlotCounters(*(group._own_counter(f"transactions{what.title()}") for what in SlotCounters._fields))


@final
class TransactionalWriter:
    """Writer of a task to its transaction slot; opens the slot at the first write.

    Args:
        properties: Properties of the sink's clients.
        slot: Name of the slot.
        sink: Name of the sink, for errors.
        topic: Topic of the sink; None if it has several.
        batch: Number of the micro-batch in the slot's markers.
        last_writers: Tokens of the last writers of all slots, in any worker.
        counters: Counters of the sink's transactions.
        statistics: Statistics of the slot's producers, one after the other.
    """

    def __init__(
        self,
        properties: TransactionProperties,
        slot: str,
        sink: str,
        topic: str | None,
        batch: int,
        last_writers: Collection[str],
        counters: SlotCounters,
        statistics: ProducerStatistics,
    ) -> None:
        self._properties = properties
        self._name = slot
        self._sink = sink
        self._topic = topic
        self._batch = batch
        self._last_writers = last_writers
        self._counters = counters
        self._statistics = statistics
        self._slot: Slot | None = None
        self._done = Marker(batch)
        self._end = Marker(batch + 1)
        self._offsets: pa.Array | None = None
        self._records: list[Records] = []
        self._bytes = 0

    def arrives(self, arrow: pa.RecordBatch) -> None:
        """Note the source records of the next elements; write the buffered output if it is enough.

        Rows of one source record may come in two batches: the record is complete only after the second.
        """
        offsets = arrow["offset"] if "offset" in arrow.schema.names else None
        if self._bytes >= _CHUNK_BYTES and self._offsets is not None and offsets is not None:
            last = self._offsets[-1].as_py()
            if offsets[0].as_py() > last:
                self._publish(Marker(self._batch, last + 1))
        self._offsets = offsets

    def left_of(self, batch: Batch) -> Batch:
        """Return the elements that no earlier attempt has written.

        Raises:
            DeliveryError: The brokers do not let the sink write.
            JobError: The slot's marker is ahead of this micro-batch.
        """
        if self._slot is None:
            self._slot = self._taken()
            self._done = max(self._done, self._slot.marker or Marker())
            if self._done > Marker(self._batch + 1):
                raise self._is_ahead()
            self._counters.skipped.inc(int(self._done > Marker(self._batch)))
        if self._done.batch > self._batch:
            return Batch((), (), ())
        if self._offsets is None or self._offsets[0].as_py() >= self._done.offset:
            return batch
        return batch.from_offset(self._offsets.to_pylist(), self._done.offset)

    def add(self, records: Records, payload_bytes: int) -> None:
        """Buffer records."""
        self._records.append(records)
        self._bytes += payload_bytes

    def stops(self, offset: int) -> None:
        """End before an offset; a later task has the rest of the micro-batch."""
        self._end = Marker(self._batch, offset)

    def publish(self) -> None:
        """Write the buffered records, if there are any."""
        if self._records:
            self._publish(self._end)

    def finish(self) -> None:
        """Write the rest; the slot can be reused in the next task."""
        self.publish()
        if self._slot is not None:
            _kept[self._name] = self._slot
            while len(_kept) > _MOST_KEPT:
                _kept.popitem(last=False)

    def abandon(self) -> None:
        """Discard the rest; the next attempt reads the marker on the brokers."""
        if self._slot is not None:
            self._slot.abandon()

    @property
    def writer(self) -> tuple[str, str] | None:
        """Return the slot and its writer's token, for the driver; None if nothing was written."""
        return None if self._slot is None else (self._name, self._slot.token)

    def _taken(self) -> Slot:
        for name in [name for name, slot in _kept.items() if slot.token not in self._last_writers]:
            _kept.pop(name).drain_events()
        kept = _kept.pop(self._name, None)
        return self._opened() if kept is None else kept

    def _is_ahead(self) -> JobError:
        return JobError(
            f"sink {self._sink!r} has already written a later micro-batch than the one to be written now",
            where=f"transactional.id {self._name}",
            now="The checkpoint is older than the output: restore the newest, or give this job another name. "
            "Or the job runs twice: stop one.",
        )

    def _opened(self) -> Slot:
        return Slot(self._properties, self._name, self._sink, self._topic, self._statistics)

    def _publish(self, marker: Marker) -> None:
        """Write the buffered records; if the slot is fenced, open it again, and write unless another attempt has."""
        assert self._slot is not None
        try:
            self._slot.publish(self._records, marker)
        except SlotTakenError:
            self._counters.fenced.inc()
            self._slot.abandon()
            if (
                self._slot.is_unresponsive
            ):  # after an outage each of the other cached writers would take as long to fail
                _kept.clear()
            self._slot = self._opened()
            found = self._slot.marker or Marker()
            if self._done < found < marker:
                raise
            if found <= self._done:
                self._slot.publish(self._records, marker)
            marker = max(marker, found)
        self._counters.committed.inc()
        self._done = marker
        self._records, self._bytes = [], 0
