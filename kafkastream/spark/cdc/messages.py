"""Messages: changes on their way between the two chains of a micro-batch, with Spark's expressions in between."""

from __future__ import annotations

import json
import pickle
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, Final, final

import attrs
import msgspec
import pyarrow as pa

from kafkastream.cdc.changes import Change, Operation, Row
from kafkastream.cdc.errors import MisfitError
from kafkastream.cdc.rows import RowDecoder, row_class, row_encoder
from kafkastream.cdc.tables import Column, TableId, TableSchema
from kafkastream.cdc.values import Conversion
from kafkastream.errors import KafkastreamError
from kafkastream.model.functions.runtime_context import RuntimeContext
from kafkastream.spark.worker.batches import Batch
from kafkastream.spark.worker.chain_sinks import SinkOperator
from kafkastream.spark.worker.record_decoders import KafkaDecoder
from kafkastream.spark.worker.reports import Report, ReportKind
from kafkastream.sql.plan.relations import column

__all__ = [
    "MESSAGE_SCHEMA",
    "NO_TRANSFORM",
    "ChangeHandOver",
    "ChangeMessageDecoder",
    "handing_over",
    "passing_on",
    "report_of",
    "table_text",
    "taking_over",
]

MESSAGE_SCHEMA: Final = (
    "source int, topic string, partition int, offset bigint, timestamp bigint, place int, table string, "
    "operation string, before binary, after binary, report binary"
)
"""Columns of a message: its source record, the index of its table's transform, the change; or a report."""
NO_TRANSFORM: Final = -1

_TYPES: Final[Mapping[str, pa.DataType]] = {
    "source": pa.int32(),
    "topic": pa.string(),
    "partition": pa.int32(),
    "offset": pa.int64(),
    "timestamp": pa.int64(),
    "place": pa.int32(),
    "table": pa.string(),
    "operation": pa.string(),
    "before": pa.binary(),
    "after": pa.binary(),
    "report": pa.binary(),
}
_RECORD: Final = ("topic", "partition", "offset", "timestamp")
_OPERATIONS: Final = {one.value: one for one in Operation}

Encode = Callable[[Row | None], bytes | None]


def table_text(table: TableId) -> str:
    """Return the text of a table id in a message."""
    return json.dumps(table.parts)


def by_place(columns: Iterable[Column]) -> tuple[Column, ...]:
    """Return columns renamed to their positions (``c0``, ``c1`` …), as Spark expressions refer to them."""
    return tuple(attrs.evolve(one, name=column(place)) for place, one in enumerate(columns))


def _encoder(schema: TableSchema) -> Encode:
    columns = by_place(schema.columns)
    make, encode, astuple = row_class(columns), row_encoder(columns), msgspec.structs.astuple

    def encoded(row: Row | None) -> bytes | None:
        return None if row is None else encode(make(*astuple(row)))

    return encoded


@final
@attrs.define(eq=False)
class ChangeHandOver(SinkOperator):
    """Serializes changes to messages.

    Args:
        node: Number of the source.
        schemas: Schemas of the source's tables, by which rows become JSON.
        places: Index of the transform of each table that Spark transforms.
    """

    node: int
    schemas: Mapping[TableId, TableSchema]
    places: Mapping[TableId, int]
    _tables: dict[TableId, tuple[int, str, Encode]] = attrs.field(factory=dict, init=False)
    _arrow: pa.RecordBatch | None = attrs.field(default=None, init=False)
    _pending: list[pa.RecordBatch] = attrs.field(factory=list, init=False)

    def open(self, context: RuntimeContext) -> None:
        """Know the tables."""
        self._tables = {
            table: (self.places.get(table, NO_TRANSFORM), table_text(table), _encoder(schema))
            for table, schema in self.schemas.items()
        }

    def arrives(self, arrow: pa.RecordBatch) -> None:
        """Keep the source records of the next changes."""
        self._arrow = arrow

    def write(self, batch: Batch) -> None:
        """Make messages."""
        assert self._arrow is not None
        of_tables = [self._tables[change.table] for change in batch.values]
        number, names = len(of_tables), self._arrow.schema.names
        rows = pa.array(batch.origin, pa.int64())
        record = {name: self._arrow[name].take(rows) if name in names else [None] * number for name in _RECORD}
        columns = {
            "source": [self.node] * number,
            **record,
            "place": [place for place, _, _ in of_tables],
            "table": [name for _, name, _ in of_tables],
            "operation": [change.operation.value for change in batch.values],
            "before": [one[2](change.before) for one, change in zip(of_tables, batch.values, strict=True)],
            "after": [one[2](change.after) for one, change in zip(of_tables, batch.values, strict=True)],
            "report": [None] * number,
        }
        self._pending.append(_message(columns))

    def drain(self) -> Iterator[Report]:
        """Return the messages so far."""
        pending, self._pending = self._pending, []
        return (Report(ReportKind.CHANGES, self.node, one) for one in pending)


def _message(columns: Mapping[str, Any]) -> pa.RecordBatch:
    arrays = [pa.array(columns[name], type_) for name, type_ in _TYPES.items()]
    return pa.RecordBatch.from_arrays(arrays, list(_TYPES))


def handing_over(
    reports: Callable[[Iterator[pa.RecordBatch]], Iterator[Report]],
) -> Callable[[Iterable[pa.RecordBatch]], Iterator[pa.RecordBatch]]:
    """Return the function of the first ``mapInArrow``: yields changes as messages, then the task's other reports."""

    def task(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        last: list[pa.RecordBatch] = []

        def watched() -> Iterator[pa.RecordBatch]:
            for arrow in batches:
                if arrow.num_rows:
                    last[:] = [arrow]
                yield arrow

        others: list[Report] = []
        for report in reports(watched()):
            if report.kind is ReportKind.CHANGES:
                yield report.content
            else:
                others.append(report)
        yield from (_of_report(report, last[0]) for report in others)

    return task


def _of_report(report: Report, arrow: pa.RecordBatch) -> pa.RecordBatch:
    """Return a report as a message with the position of the task's last record."""
    end, names = arrow.num_rows - 1, arrow.schema.names
    columns: dict[str, list[Any]] = {name: [None] for name in _TYPES}
    columns |= {name: [arrow[name][end].as_py()] for name in _RECORD if name in names}
    content = pickle.dumps((report.kind.value, report.node, report.payload()))
    return _message({**columns, "source": [arrow["source"][end].as_py()], "place": [NO_TRANSFORM], "report": [content]})


def taking_over(
    reports: Callable[[Iterator[pa.RecordBatch]], Iterator[Report]],
    batches_of: Callable[[Iterable[Report]], Iterator[pa.RecordBatch]],
) -> Callable[[Iterable[pa.RecordBatch]], Iterator[pa.RecordBatch]]:
    """Return the function of the last ``mapInArrow``: deserializes messages to changes and reports."""

    def task(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        return batches_of(reports(map(_of_record, batches)))

    return task


def passing_on(
    reports: Callable[[Iterator[pa.RecordBatch]], Iterator[Report]],
) -> Callable[[Iterable[pa.RecordBatch]], Iterator[pa.RecordBatch]]:
    """Return the function of a ``mapInArrow`` in between: from messages to changes and back to messages."""
    return handing_over(lambda batches: reports(map(_of_record, batches)))


def report_of(content: bytes) -> Report:
    """Return the report in a message."""
    kind, node, payload = pickle.loads(content)
    return Report(ReportKind(kind), node, pickle.loads(payload))


def _of_record(arrow: pa.RecordBatch) -> pa.RecordBatch:
    """Return messages, without the columns of a source record if there is none."""
    if arrow.num_rows and arrow["topic"].null_count:
        return arrow.select([name for name in arrow.schema.names if name not in _RECORD])
    return arrow


@final
@attrs.define(eq=False)
class ChangeMessageDecoder(KafkaDecoder):
    """Deserializes messages to changes.

    Args:
        schemas: Schemas of the rows after their transforms.
    """

    columns = ("source",)
    schemas: Mapping[TableId, TableSchema]
    _rows: dict[str, tuple[TableId, RowDecoder]] = attrs.field(factory=dict, init=False)
    _reports: list[Report] = attrs.field(factory=list, init=False)
    _stopped: int | None = attrs.field(default=None, init=False)

    @property
    def stopped_at(self) -> int | None:
        """Offset of the first record that did not fit; None if all do."""
        return self._stopped

    def open(self, context: RuntimeContext) -> None:
        """Know the tables."""
        self._rows = {table_text(table): (table, _decoder(schema)) for table, schema in self.schemas.items()}

    def begin(self) -> None:
        """Begin a task."""
        self._reports, self._stopped = [], None

    def position(self, arrow: pa.RecordBatch, row: int) -> str:
        """Return the position of a message's source record."""
        return super().position(arrow, row) if "topic" in arrow.schema.names else f"change {row + 1} of the document"

    def decode(self, arrow: pa.RecordBatch) -> Batch:
        """Return the changes, and keep the reports for ``finish``.

        Raises:
            KafkastreamError: The first chain has failed.
        """
        changes: list[Change] = []
        origin: list[int] = []
        names = ("table", "operation", "before", "after", "keeps_before", "keeps_after", "report")
        for row, message in enumerate(zip(*(arrow[name].to_pylist() for name in names), strict=True)):
            if message[-1] is not None:
                self._take(message[-1])
            else:
                change = self._change(*message[:-1])
                if change is not None:
                    changes.append(change)
                    origin.append(row)
        timestamps = arrow["timestamp"].to_pylist() if "timestamp" in arrow.schema.names else [None] * arrow.num_rows
        return Batch(changes, [timestamps[row] for row in origin], origin)

    def _take(self, content: bytes) -> None:
        report = report_of(content)
        if report.kind is ReportKind.FAILURE and isinstance(report.content, KafkastreamError):
            raise report.content
        if report.kind is ReportKind.SCHEMAS:
            self._stopped = report.content.reached
        self._reports.append(report)

    def _change(
        self,
        name: str,
        operation: str,
        before: bytes | None,
        after: bytes | None,
        keeps_before: bool,
        keeps_after: bool,
    ) -> Change | None:
        """Return a change as the filter leaves it: an update that only one image passes is an insert or a delete."""
        table, decode = self._rows[name]
        try:
            old = None if before is None else decode(before)
            new = None if after is None else decode(after)
        except MisfitError as error:
            raise AssertionError(f"table {table}: {error}") from error
        match _OPERATIONS[operation]:
            case Operation.INSERT:
                return Change(table, Operation.INSERT, None, new) if keeps_after else None
            case Operation.DELETE:
                return Change(table, Operation.DELETE, old, None) if keeps_before else None
            case Operation.UPDATE if keeps_after:
                kept = old is None or keeps_before  # without the before image it is unknown whether the filter kept it
                return Change(table, Operation.UPDATE if kept else Operation.INSERT, old if kept else None, new)
            case _:
                return (
                    Change(table, Operation.DELETE, new if old is None else old, None)
                    if keeps_before or old is None
                    else None
                )

    def finish(self) -> Iterator[Report]:
        """Return the reports of the first chain."""
        reports, self._reports = self._reports, []
        return iter(reports)


def _decoder(schema: TableSchema) -> RowDecoder:
    names = [column(place) for place in range(len(schema.columns))]
    return RowDecoder(schema.columns, names, Conversion(reads_texts=True), forbids_unknown=True)
