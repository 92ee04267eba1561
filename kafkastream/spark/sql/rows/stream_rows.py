"""Sends the elements of a stream as rows of a table, where a SQL query reads a stream."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, final

import attrs
import pyarrow as pa

from kafkastream.errors import JobError, UserFunctionError
from kafkastream.model.common.row import Row, RowKind
from kafkastream.model.common.value_printing import shown
from kafkastream.model.functions.runtime_context import RuntimeContext
from kafkastream.spark.exchange.shuffle_messages import SendingOperator
from kafkastream.spark.internals.pickles import element_dumps
from kafkastream.spark.sql.rows.arrow_types import arrow_type
from kafkastream.spark.sql.rows.columnar_parts import as_bytes
from kafkastream.spark.sql.rows.element_values import Convert, converter, parts_of
from kafkastream.spark.sql.rows.wire_values import KIND, column_names
from kafkastream.spark.worker.batches import Batch, each
from kafkastream.spark.worker.failures import said
from kafkastream.spark.worker.reports import ReportKind
from kafkastream.sql.connectors.stream import TIMESTAMP, StreamField, StreamTableSource
from kafkastream.sql.types import DataType

__all__ = ["StreamRows", "sent_type"]


def sent_type(field: StreamField) -> DataType:
    """Return the type in which a column is sent: its own, except for an element's timestamp."""
    return TIMESTAMP if field.place is None else field.type


@final
@attrs.define(eq=False)
class StreamRows(SendingOperator):
    """Sends elements as rows; the target is the node that makes rows of them.

    Args:
        source: Table source of the stream.
        labels: Labels of all buckets; elements go by the bucket of their subtask.
    """

    kind = ReportKind.WRITE
    source: StreamTableSource
    labels: Sequence[int]
    _label: int = attrs.field(default=0, init=False)
    _kinds: Sequence[pa.DataType] = attrs.field(default=(), init=False)
    _converts: Sequence[Convert | None] = attrs.field(default=(), init=False)

    def open(self, context: RuntimeContext) -> None:
        """Determine the bucket and the columns."""
        self._label = self.labels[context.get_index_of_this_subtask() % len(self.labels)]
        self._kinds = [arrow_type(sent_type(field)) for field in self.source.fields]
        self._converts = [
            None if field.type_info is None else converter(field.type_info, field.type) for field in self.source.fields
        ]

    def write(self, batch: Batch) -> None:
        """Send a batch.

        Raises:
            ElementError: An element is not a row of the table.
        """
        try:
            table = self._table(batch.values, batch.timestamps)
        except Exception:
            each(lambda value, time: self._table([value], [time]), batch.values, batch.timestamps)
            raise
        self.send(self._label, element_dumps((as_bytes(table), None)))

    def failure(self, element: object, position: str, error: BaseException | None) -> JobError:
        """Return the error of an element that is not a row of the table."""
        types = ", ".join(f"{name} {field.type}" for name, field in zip(self._names, self.source.fields, strict=True))
        return UserFunctionError(
            f"an element of the stream is not a row of table {self.name!r}: {said(error)}",
            where=f"{position}; element {shown(element)}",
            now=f"Give the stream the output_type that its elements have; the columns are {types}.",
        )

    @property
    def _names(self) -> list[str]:
        names = self.source.names
        return ["(timestamp)" if field.place is None else names[field.place] for field in self.source.fields]

    def _table(self, values: Sequence[Any], timestamps: Sequence[int | None]) -> pa.Table:
        if self.source.is_composite and any(value is None for value in values):
            # as Flink's InputConversionOperator does
            timestamps = [time for value, time in zip(values, timestamps, strict=True) if value is not None]
            values = [value for value in values if value is not None]
        kinds = [value.get_row_kind() if isinstance(value, Row) else RowKind.INSERT for value in values]
        for kind in set(kinds) - self.source.changelog.kinds:
            raise ValueError(
                f"conversion expects {self.source.changelog} records, and this one is {kind.name}: "
                "take from_changelog_stream, with the changelog mode that the rows have"
            )
        columns: Sequence[Sequence[Any]] = [values]
        if self.source.is_composite:
            names = self.source.names
            columns = list(zip(*(parts_of(value, names) for value in values), strict=True)) or [()] * len(names)
        arrays = [
            pa.array(self._column(field, convert, columns, timestamps), kind)
            for field, convert, kind in zip(self.source.fields, self._converts, self._kinds, strict=True)
        ]
        numbers = pa.array([kind.value for kind in kinds], pa.int8())
        return pa.table([numbers, *arrays], [KIND, *column_names(len(arrays))])

    @staticmethod
    def _column(
        field: StreamField,
        convert: Convert | None,
        columns: Sequence[Sequence[Any]],
        timestamps: Sequence[int | None],
    ) -> Sequence[Any]:
        if field.place is None:
            if None in timestamps:
                raise ValueError(
                    "Rowtime timestamp is not defined. Please make sure that a proper TimestampAssigner is defined"
                )
            return [None if time is None else time * 1000 for time in timestamps]
        values = columns[field.place]
        return values if convert is None else [None if value is None else convert(value) for value in values]
