"""Routes changes to the tables of the sink, on a worker."""

from __future__ import annotations

from typing import Any, final

import attrs

from kafkastream.cdc.book import SchemaBook
from kafkastream.cdc.processing import ChangeProcessing, Write, writes_of
from kafkastream.cdc.tables import TableId
from kafkastream.model.functions.runtime_context import RuntimeContext
from kafkastream.spark.worker.batches import Batch
from kafkastream.spark.worker.chained_operators import Operator

__all__ = ["ChangeRouter", "FollowsSchemas"]


class FollowsSchemas:
    """Operator with the schemas of tables; it is sent to the workers again when they change.

    Attributes:
        book: Schemas of source and sink.
    """

    book: SchemaBook


@final
@attrs.define(eq=False)
class ChangeRouter(Operator, FollowsSchemas):
    """Converts changes to elements of the sink, one for each table that they are routed to.

    Args:
        processing: Rules of the pipeline, and the form of the sink's elements.
        book: Schemas of source and sink.
    """

    processing: ChangeProcessing
    book: SchemaBook
    _writes: dict[TableId, tuple[Write, ...]] = attrs.field(factory=dict, init=False)

    def open(self, context: RuntimeContext) -> None:
        """Clear the tables of an earlier book."""
        self._writes = {}

    def apply(self, batch: Batch) -> Batch:
        """Return the elements of the sink, with their source records."""
        writes = self._writes
        for table in {change[0] for change in batch.values} - writes.keys():
            writes[table] = writes_of(self.processing, self.book, table)
        if all(len(writes[table]) == 1 for table in writes):
            only = {table: of_table[0] for table, of_table in writes.items()}
            return batch._replace(values=[only[change[0]](change) for change in batch.values])
        values: list[Any] = []
        places: list[int] = []
        for place, change in enumerate(batch.values):
            for write in writes[change.table]:
                values.append(write(change))
                places.append(place)
        return Batch(values, [batch.timestamps[place] for place in places], [batch.origin[place] for place in places])
