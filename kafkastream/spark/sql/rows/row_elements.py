"""Decodes rows of DataFrames to elements of operators and sinks."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from datetime import datetime, timedelta, timezone
from itertools import repeat
from typing import Any, Final, final

import attrs
import pyarrow as pa
from pyarrow import compute

from kafkastream.model.common.row import Row, RowKind
from kafkastream.model.common.time import Instant
from kafkastream.model.connectors.record_serialization import ProducerRecord
from kafkastream.spark.sql.functions.python_values import user_values
from kafkastream.spark.sql.rows.wire_values import column_names, kinds_of, rows_of, values_of
from kafkastream.spark.worker.batches import Batch
from kafkastream.spark.worker.chained_operators import Operator
from kafkastream.spark.worker.record_decoders import Decoder
from kafkastream.sql.plan.operations import TimeAttribute
from kafkastream.sql.plan.query_node import QueryNode
from kafkastream.sql.plan.spark_text import KEPT
from kafkastream.sql.printing import printed_row
from kafkastream.sql.types import DataType

__all__ = ["TIME", "EncodedRecords", "KeyedRows", "PrintedRows", "RowElements", "RowTimes", "elements_of"]

TIME = "__time"
"""Column with the event time that a row carries: one ms more than its watermark."""

_KINDS = tuple(RowKind)
_AGGREGATED_AT_ONCE: Final = 200_000
_OUT: Final = ("topic", "value", "key", "timestamp")
_HEADERS: Final = "out_headers"
_EPOCH: Final = datetime(1970, 1, 1, tzinfo=timezone.utc)
_MILLISECOND: Final = timedelta(milliseconds=1)


class RowsDecoder(Decoder):
    def position(self, arrow: pa.RecordBatch, row: int) -> str:
        """Return the position of a row's source record, if known."""
        if "topic" not in arrow.schema.names:
            return f"row {row + 1}"
        topic, partition, offset = (arrow[column][row].as_py() for column in ("topic", "partition", "offset"))
        return f"topic {topic}, partition {partition}, offset {offset}"


@final
@attrs.frozen
class KeyedRows(RowsDecoder):
    """Decodes rows for a keyed operator: number of the row kind, then the columns; perhaps locally aggregated.

    A batch without rows of the query gives one element, None, which carries its event time.

    Args:
        width: Number of columns.
        aggregate: Local aggregation of a batch; None for none.
    """

    width: int
    aggregate: Callable[[pa.RecordBatch], Sequence[Any]] | None = None

    @property
    def rows_at_once(self) -> int:
        """Return a number with many rows per key, for a local aggregation."""
        return 0 if self.aggregate is None else _AGGREGATED_AT_ONCE

    def decode(self, arrow: pa.RecordBatch) -> Batch:
        """Return the rows, with the latest event time of the batch."""
        latest = compute.max(arrow[TIME]).as_py() if TIME in arrow.schema.names else None
        rows = arrow.filter(arrow[KEPT]) if KEPT in arrow.schema.names else arrow
        values = rows_of(rows, self.width) if self.aggregate is None else list(self.aggregate(rows))
        if not values and latest is not None:
            return Batch([None], [latest], [0])
        return Batch(values, [latest] * len(values), range(len(values)))


@final
@attrs.frozen
class EncodedRecords(RowsDecoder):
    """Decodes rows to Kafka records, which a table's formats have encoded."""

    def decode(self, arrow: pa.RecordBatch) -> Batch:
        """Return the records."""
        topics, messages, keys, times = (arrow[f"out_{name}"].to_pylist() for name in _OUT)
        headers = map(_headers, arrow[_HEADERS].to_pylist()) if _HEADERS in arrow.schema.names else repeat(())
        values = [
            ProducerRecord(topic, value, key=key, timestamp=timestamp, headers=own)
            for topic, value, key, timestamp, own in zip(topics, messages, keys, times, headers, strict=False)
        ]
        return Batch(values, [None] * len(values), range(len(values)))


def _kinds(arrow: pa.RecordBatch) -> Iterator[RowKind]:
    return map(_KINDS.__getitem__, kinds_of(arrow))


def _headers(rows: Sequence[dict[str, Any]] | None) -> tuple[tuple[str, bytes | None], ...]:
    return tuple((row["key"], row["value"]) for row in rows or ())


@final
@attrs.frozen
class RowElements(RowsDecoder):
    """Decodes rows for the calling program, or for a stream.

    Args:
        names: Names of the columns.
        time: The column with the event time, if one has it.
        instants: Whether TIMESTAMP_LTZ values are ``Instant``, as in elements of streams.
    """

    names: tuple[str, ...]
    time: int | None = None
    instants: bool = False

    def decode(self, arrow: pa.RecordBatch) -> Batch:
        """Return the rows, each with its kind; with event time if rows carry it, and None for filtered rows."""
        columns = [user_values(arrow[name], instants=self.instants) for name in column_names(len(self.names))]
        rows: list[Row | None] = [
            Row.of_kind(kind, **dict(zip(self.names, values, strict=True)))
            for kind, *values in zip(_kinds(arrow), *columns, strict=True)
        ]
        if TIME not in arrow.schema.names:
            return Batch(rows, self._times(arrow), range(len(rows)))
        if KEPT in arrow.schema.names:
            rows = [row if is_kept else None for row, is_kept in zip(rows, arrow[KEPT].to_pylist(), strict=True)]
        return Batch(rows, arrow[TIME].to_pylist(), range(len(rows)))

    def _times(self, arrow: pa.RecordBatch) -> list[int | None]:
        """Return the event time in ms, as elements of streams have it."""
        if self.time is None:
            return [None] * arrow.num_rows
        return [None if one is None else one // 1000 for one in values_of(arrow[f"c{self.time}"])]


def elements_of(query: QueryNode) -> RowElements:
    """Return the decoder of rows to elements of a stream or of the calling program."""
    fields = query.relation.fields
    times = [place for place, field in enumerate(fields) if field.time is TimeAttribute.EVENT]
    names = tuple(field.name for field in fields)
    return RowElements(names, next(iter(times), None), instants=query.output_type is not None)


@final
@attrs.define(eq=False)
class RowTimes(Operator):
    """Assigns rows their own event time, after watermarks have been generated.

    Args:
        time: The column with the event time, if one has it.
    """

    has_metrics = False
    time: int | None

    def apply(self, batch: Batch) -> Batch:
        """Replace the timestamps."""
        if self.time is None:
            return batch._replace(timestamps=[None] * len(batch.values))
        return batch._replace(timestamps=[_milliseconds(row[self.time]) for row in batch.values])


def _milliseconds(time: datetime | Instant | None) -> int | None:
    if isinstance(time, Instant):
        return time.to_epoch_milli()
    return None if time is None else (time.replace(tzinfo=time.tzinfo or timezone.utc) - _EPOCH) // _MILLISECOND


@final
@attrs.frozen
class PrintedRows(RowsDecoder):
    """Decodes rows to lines of the print connector.

    Args:
        types: The types of the columns.
    """

    types: tuple[DataType, ...]

    def decode(self, arrow: pa.RecordBatch) -> Batch:
        """Return a line for each row."""
        columns = [arrow[name].to_pylist() for name in column_names(len(self.types))]
        lines = [printed_row(kind, values, self.types) for kind, *values in zip(_kinds(arrow), *columns, strict=True)]
        return Batch(lines, [None] * len(lines), range(len(lines)))
