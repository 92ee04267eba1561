"""Takes changes to the tables of the sink, on a worker."""

from __future__ import annotations

from typing import Any, final

import attrs

from kafkastream.cdc.book import SchemaBook
from kafkastream.cdc.processing import ChangeProcessing, Write, writes_of
from kafkastream.cdc.tables import TableId
from kafkastream.spark.batches import Batch
from kafkastream.spark.operators import Operator
from kafkastream.spec.runtime_context import RuntimeContext

__all__ = ["ChangeRouter", "FollowsSchemas"]


class FollowsSchemas:
    """Operator that knows the schemas of tables; it is sent to the workers anew when these change.

    Attributes:
        book: Schemas of source and sink.
    """

    book: SchemaBook


@final
@attrs.define(eq=False)
class ChangeRouter(Operator, FollowsSchemas):
    """Makes what the sink takes of changes, once for each table that they are routed to.

    Args:
        processing: Rules and form.
        book: Schemas of source and sink.
    """

    processing: ChangeProcessing
    book: SchemaBook
    _writes: dict[TableId, tuple[Write, ...]] = attrs.field(factory=dict, init=False)

    def open(self, context: RuntimeContext) -> None:
        """Forget the tables of an earlier book."""
        self._writes = {}

    def apply(self, batch: Batch) -> Batch:
        """Return what the sink takes, with the source records that it has come of."""
        values: list[Any] = []
        origin: list[int] = []
        writes = self._writes
        for change, row in zip(batch.values, batch.origin, strict=True):
            known = writes.get(change.table)
            if known is None:
                known = writes[change.table] = writes_of(self.processing, self.book, change.table)
            for write in known:
                values.append(write(change))
                origin.append(row)
        if origin == batch.origin:
            return Batch(values, batch.timestamps, batch.origin)
        times = dict(zip(batch.origin, batch.timestamps, strict=True))
        return Batch(values, [times[row] for row in origin], origin)
