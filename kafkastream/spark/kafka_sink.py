"""The Kafka sink on a worker: elements become records, and a producer takes them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, final

import attrs

from kafkastream.errors import JobError
from kafkastream.metrics.groups import Counter
from kafkastream.spark.batches import Batch
from kafkastream.spark.encoding import RecordEncoder
from kafkastream.spark.failures import not_encoded
from kafkastream.spark.reports import Report
from kafkastream.spark.sinks import SinkOperator
from kafkastream.spec.functions import RuntimeContext
from kafkastream.spec.values import FrozenMap

if TYPE_CHECKING:
    from kafkastream.kafka.producer import RecordProducer

__all__ = ["KafkaOperator"]


@final
@attrs.define(eq=False)
class KafkaOperator(SinkOperator):
    """Writes records to Kafka with the worker's producer."""

    node: int
    run_id: str
    encoder: RecordEncoder
    properties: FrozenMap[str, str]
    flush_each_task: bool
    _written: tuple[Counter, ...] = attrs.field(default=(), init=False)
    _producer: RecordProducer | None = attrs.field(default=None, init=False)

    def open(self, context: RuntimeContext) -> None:
        """Take the worker's producer; newer Flink counts records under both names."""
        from kafkastream.kafka.producer import shared_producer

        self.encoder.open(context)
        self._producer = shared_producer(self.run_id, self.node, self.name, self.properties)
        group = context.get_metrics_group()
        self._written = (group._own_counter("numRecordsOut"), group._own_counter("numRecordsSend"))

    def write(self, batch: Batch) -> None:
        """Encode the elements and hand them to the producer, with their event time as the record's timestamp."""
        assert self._producer is not None
        self._producer.send(self.encoder.encode(batch))
        for counter in self._written:
            counter.inc(len(batch.values))

    def finish(self) -> Iterator[Report]:
        """Make sure of what was written, as far as the guarantee asks."""
        if self.flush_each_task and self._producer is not None:
            self._producer.flush()
        yield from self.drain()

    def failure(self, element: object, position: str, error: BaseException | None) -> JobError:
        """An element could not be made a record."""
        return not_encoded(self.name, element, position, error)
