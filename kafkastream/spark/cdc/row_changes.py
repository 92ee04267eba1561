"""Decodes rows that the pipeline document itself contains, on a worker."""

from __future__ import annotations

from collections.abc import Mapping
from typing import final

import attrs
import pyarrow as pa

from kafkastream.cdc.changes import Change, Row
from kafkastream.cdc.fitting import row_fitting
from kafkastream.cdc.rows import row_class
from kafkastream.cdc.spec.values_source import RowChange, Values
from kafkastream.cdc.tables import TableId, TableSchema
from kafkastream.model.common.immutable import FrozenMap
from kafkastream.spark.worker.batches import Batch
from kafkastream.spark.worker.record_decoders import CollectionDecoder, Decoder

__all__ = ["RowChangeDecoder"]


@final
@attrs.define(eq=False)
class RowChangeDecoder(Decoder):
    """Decodes the elements of a ``values`` source to changes.

    Args:
        schemas: Schemas of its tables, as the document gives them.
        known: Schemas of the schema book, widened by ``schemas``; changes have their columns.
    """

    schemas: Mapping[TableId, TableSchema]
    known: Mapping[TableId, TableSchema] = FrozenMap()
    _elements: CollectionDecoder = attrs.field(factory=CollectionDecoder, init=False)

    def begin(self) -> None:
        """Count from the first element."""
        self._elements.begin()

    def decode(self, arrow: pa.RecordBatch) -> Batch:
        """Return a change for each element."""
        batch = self._elements.decode(arrow)
        return batch._replace(values=[self._change(one) for one in batch.values])

    def position(self, arrow: pa.RecordBatch, row: int) -> str:
        """Return the position of an element, counted from 1."""
        return self._elements.position(arrow, row)

    def _change(self, of: RowChange) -> Change:
        schema = self.schemas[of.table]
        fit = row_fitting(schema, self.known.get(of.table, schema))
        before, after = (
            row if row is None or fit is None else fit(row) for row in (_row(schema, of.before), _row(schema, of.after))
        )
        return Change(of.table, of.operation, before, after)


def _row(schema: TableSchema, values: Values | None) -> Row | None:
    return None if values is None else row_class(schema.columns)(*map(values.get, schema.names))
