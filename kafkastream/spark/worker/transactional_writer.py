"""Transactions in which a task writes to its slot: what is left of it, with markers of how far the slot has come.

A task's records are of one partition, in the order of their offsets. What they became is kept until it is worth a
transaction, or the task ends. So no transaction is open while functions run, and however much a micro-batch holds, none
stays open for long. On a replay, what has been written before is known by the offset of the record that it came from.
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
"""The worker's writers from task to task, the last used last; each has threads and connections of its own.

A slot that another worker has written since is closed to the writer that is kept here, and its next transaction would be
fenced. So a writer is used again only if it is among those that the driver knows as the last ones of their slots.
"""


class SlotCounters(NamedTuple):
    """Counters of a sink's transactions.

    Args:
        committed: Those that were committed.
        skipped: Tasks that found their slot written already, wholly or in part.
        fenced: Those that another attempt at the same slot, or another client of the same one, has ended.
    """

    committed: Counter
    skipped: Counter
    fenced: Counter

    @staticmethod
    def of(group: MetricGroup) -> SlotCounters:
        """The counters of a sink."""
        return SlotCounters(*(group._own_counter(f"transactions{what.title()}") for what in SlotCounters._fields))


@final
class TransactionalWriter:
    """Writer of a task to its transaction slot; it opens the slot when there is something to write.

    Args:
        properties: Of the sink's clients.
        slot: The slot's name.
        sink: The sink's name, for errors.
        topic: The sink's topic; None when it has several.
        batch: The micro-batch, as the slot's markers count them.
        last_writers: The tokens of the writers that were the last ones of their slots, in whatever worker.
        counters: Count what happens.
        statistics: Where the slot's producers tell of themselves, one after the other.
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
        """The elements that come next are of these source records; when enough is kept of those before, it is written.

        Rows of a table that have come of one record may come in two batches: such a record is not complete before.
        """
        offsets = arrow["offset"] if "offset" in arrow.schema.names else None
        if self._bytes >= _CHUNK_BYTES and self._offsets is not None and offsets is not None:
            last = self._offsets[-1].as_py()
            if offsets[0].as_py() > last:
                self._publish(Marker(self._batch, last + 1))
        self._offsets = offsets

    def left_of(self, batch: Batch) -> Batch:
        """The elements that have not been written by an earlier attempt.

        Raises:
            DeliveryError: The brokers do not let the sink write.
            JobError: The slot has come farther than this micro-batch.
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
        """Keep records to be written."""
        self._records.append(records)
        self._bytes += payload_bytes

    def stops(self, offset: int) -> None:
        """End before an offset; the rest of the micro-batch comes in a later task."""
        self._end = Marker(self._batch, offset)

    def finish(self) -> None:
        """Write the rest; the slot serves the next task."""
        if self._records:
            self._publish(self._end)
        if self._slot is not None:
            _kept[self._name] = self._slot
            while len(_kept) > _MOST_KEPT:
                _kept.popitem(last=False)

    def abandon(self) -> None:
        """Write no more: the next attempt asks the brokers what has been written."""
        if self._slot is not None:
            self._slot.abandon()

    @property
    def writer(self) -> tuple[str, str] | None:
        """The slot and its writer's token, for the driver; None when nothing was written."""
        return None if self._slot is None else (self._name, self._slot.token)

    def _taken(self) -> Slot:
        for name in [name for name, slot in _kept.items() if slot.token not in self._last_writers]:
            _kept.pop(name).hear()
        kept = _kept.pop(self._name, None)
        return self._opened() if kept is None else kept

    def _is_ahead(self) -> JobError:
        return JobError(
            f"sink {self._sink!r} has already written a later micro-batch than the one that is to be written now",
            where=f"transactional.id {self._name}",
            now="The checkpoint is older than what was written: restore the newest, or give this job another name. "
            "Or the job runs twice: stop one.",
        )

    def _opened(self) -> Slot:
        return Slot(self._properties, self._name, self._sink, self._topic, self._statistics)

    def _publish(self, marker: Marker) -> None:
        """Write what is kept; where the slot is lost, open it again, and write if nothing was written since."""
        assert self._slot is not None
        try:
            self._slot.publish(self._records, marker)
        except SlotTakenError:
            self._counters.fenced.inc()
            self._slot.abandon()
            if self._slot.is_mute:  # after an outage; the others that were kept would each take as long to find out
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
