"""Metrics of a chain's operators, counted on the worker by batch and reported at the end of each task."""

from __future__ import annotations

from functools import partial
from typing import final

import pyarrow as pa
from pyarrow import compute

from kafkastream.metrics.groups import MetricGroup
from kafkastream.metrics.values import OperatorChanges, OperatorScope
from kafkastream.model.common.time import wall_clock_ms
from kafkastream.spark.worker.batches import Batch

__all__ = ["CONSUMER_GROUP", "READER_GROUP", "OperatorMetrics", "SourceMetrics"]

READER_GROUP = "KafkaSourceReader"
CONSUMER_GROUP = "KafkaConsumer"


class OperatorMetrics:
    """Metrics of an operator in one subtask: Flink's own, and those that its function registers in ``group``."""

    def __init__(self, scope: OperatorScope, subtask: int) -> None:
        self.group = MetricGroup(scope.components(subtask))
        self.records_in = self.group._own_counter("numRecordsIn")
        self.records_out = self.group._own_counter("numRecordsOut")
        self._place = (scope.node, subtask)

    def changes(self) -> OperatorChanges:
        """Changes since the last call."""
        return OperatorChanges(*self._place, tuple(self.group._take()))


@final
class SourceMetrics(OperatorMetrics):
    """Metrics of a source in one subtask.

    Args:
        scope: Metric scope of the source.
        subtask: Index of the subtask.
        consumer_metrics: Whether to register metrics of a Kafka consumer.
    """

    def __init__(self, scope: OperatorScope, subtask: int, *, consumer_metrics: bool) -> None:
        super().__init__(scope, subtask)
        self._consumer_metrics = consumer_metrics
        self._reader: _ReaderMetrics | None = None

    def emitted(self, arrow: pa.RecordBatch, batch: Batch, fetched_at: int) -> None:
        """Count records, fetched at a time in ms, and their elements."""
        self.records_in.inc(len(batch.values))
        self.records_out.inc(len(batch.values))
        if "topic" in arrow.schema.names:
            self._reader_of(arrow).took(arrow, batch, fetched_at)

    def failed(self, arrow: pa.RecordBatch, number: int) -> None:
        """Count records that failed to be decoded."""
        self._reader_of(arrow).errors.inc(number)

    def _reader_of(self, arrow: pa.RecordBatch) -> _ReaderMetrics:
        self._reader = self._reader or _ReaderMetrics(self.group, arrow, consumer_metrics=self._consumer_metrics)
        return self._reader

    def changes(self) -> OperatorChanges:
        """Changes since the last call."""
        if self._reader is not None:
            self._reader.register_offsets()
        return super().changes()


class _ReaderMetrics:
    """Metrics of a source's Kafka records."""

    def __init__(self, group: MetricGroup, arrow: pa.RecordBatch, *, consumer_metrics: bool) -> None:
        self._last = arrow
        self._lasts = {_partition_of(arrow): arrow}
        self._fetched_at = 0
        self._emit_lag: int | None = None
        self._bytes = group.counter("numBytesIn")
        self.errors = group.counter("numRecordsInErrors")
        group.gauge("currentEmitEventTimeLag", lambda: self._emit_lag)
        group.gauge("currentFetchEventTimeLag", lambda: self._fetch_lag)
        self._group = group.add_group(READER_GROUP)
        consumer = self._group.add_group(CONSUMER_GROUP) if consumer_metrics else MetricGroup()
        self._consumed = consumer.counter("records-consumed-total")
        self._offsets: dict[tuple[str, int], int] = {}

    def took(self, arrow: pa.RecordBatch, batch: Batch, fetched_at: int) -> None:
        self._last, self._fetched_at = arrow, fetched_at
        self._lasts[_partition_of(arrow)] = arrow
        self._bytes.inc(_payload_bytes(arrow))
        self._consumed.inc(arrow.num_rows)
        if batch.timestamps:
            event_time = batch.timestamps[-1]
            self._emit_lag = None if event_time is None else wall_clock_ms() - event_time

    def register_offsets(self) -> None:
        """Report the offset of each partition's last record once: its next task may run on another worker."""
        for (topic, partition), arrow in self._lasts.items():
            self._offsets[topic, partition] = arrow["offset"][-1].as_py()
            place = self._group.add_group("topic", topic).add_group("partition", str(partition))
            place.gauge("currentOffset", partial(self._offsets.pop, (topic, partition), None))
        self._lasts.clear()

    @property
    def _fetch_lag(self) -> int | None:
        written_at = self._last["timestamp"][-1].as_py()
        return None if written_at is None else self._fetched_at - int(written_at)


def _partition_of(arrow: pa.RecordBatch) -> tuple[str, int]:
    return arrow["topic"][0].as_py(), arrow["partition"][0].as_py()


def _payload_bytes(arrow: pa.RecordBatch) -> int:
    """Return the size of keys and values in bytes; keys only if the schema reads them."""
    payload = (name for name in ("key", "value") if name in arrow.schema.names)
    return sum(compute.sum(compute.binary_length(arrow[name])).as_py() or 0 for name in payload)
