"""Columnar window aggregates: partial aggregates are kept as they arrive, and merged when the window closes.

So Python does no work per key. The state of a window is a list of tables, one per micro-batch with input; many small
ones are concatenated.
"""

from __future__ import annotations

import pickle
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, final

import attrs
import pyarrow as pa
import pyarrow.compute as pc

from kafkastream.metrics.groups import Counter
from kafkastream.metrics.values import OperatorScope
from kafkastream.model.common.watermark_strategy import MIN_WATERMARK
from kafkastream.model.functions.runtime_context import RuntimeContext
from kafkastream.operators.state.state_backend import KeyedStateBackend
from kafkastream.operators.state.state_pickles import loads
from kafkastream.operators.stream.keyed_operators import KeyedElements
from kafkastream.operators.table.time_columns import instant_of, time_ms
from kafkastream.spark.exchange.keyed_task import state_name
from kafkastream.spark.exchange.shuffle_messages import Message, OperatorInput, SendingOperator
from kafkastream.spark.internals.pickles import element_dumps
from kafkastream.spark.sql.rows.columnar_parts import END, WindowParts, as_bytes, of_bytes
from kafkastream.spark.sql.rows.wire_values import KIND, column_names
from kafkastream.spark.worker.batches import Batch
from kafkastream.spark.worker.chained_operators import TaskScope
from kafkastream.spark.worker.reports import Report, ReportKind
from kafkastream.spark.worker.task_metrics import OperatorMetrics

__all__ = ["ColumnarExchange", "ColumnarWindows"]

_MOST_SEGMENTS = 16


@final
@attrs.define(eq=False)
class ColumnarExchange(SendingOperator):
    """Sends partial aggregates to their buckets.

    Args:
        labels: The labels of all buckets.
    """

    kind = ReportKind.EXCHANGE
    labels: Sequence[int]

    def write(self, batch: Batch) -> None:
        """Send each bucket its tables."""
        for bucket, table in batch.values:
            self.send(self.labels[bucket], element_dumps((0, [], [table], [])))


@final
@attrs.define(eq=False)
class ColumnarWindows:
    """Windows of one subtask's keys; replaces a ``KeyedTask``.

    In event time, rows of a closed window are late: counted and dropped.

    Args:
        name: The operator's name.
        identity: Stable identity, which names its state.
        node: Its node.
        parts: Partial aggregates.
        types: Types of the output columns.
        scope: Scope of its metrics.
        labels: The labels of all buckets.
    """

    name: str
    identity: str
    node: int
    parts: WindowParts
    types: Sequence[pa.DataType]
    scope: OperatorScope
    labels: Sequence[int]
    reusable: bool = attrs.field(default=True, init=False)
    _metrics: OperatorMetrics | None = attrs.field(default=None, init=False)
    _late: Counter = attrs.field(factory=Counter, init=False)
    _watermark: int = attrs.field(default=MIN_WATERMARK, init=False)
    _subtask: int = attrs.field(default=0, init=False)

    def open(self, context: RuntimeContext) -> None:
        """Note the subtask."""
        self._subtask = context.subtask
        self._metrics = OperatorMetrics(self.scope, context.subtask)
        for name in ("currentInputWatermark", "currentOutputWatermark"):
            self._metrics.group.gauge(name, lambda: self._watermark)
        self._late = self._metrics.group.counter("numLateRecordsDropped")

    def run(self, backend: KeyedStateBackend, task: TaskScope, arrived: OperatorInput) -> Iterator[Report]:
        """Process a micro-batch: emit windows that the earlier ones' watermark closes, then add the new rows."""
        assert self._metrics is not None
        kept = _Kept.of(backend, state_name(self.identity))
        self._watermark = kept.watermark
        self._take(kept, arrived.before)
        if arrived.marks is not None:
            yield from self._advance(kept, arrived.marks.event_times, behind=False)
        self._take(kept, arrived.behind)
        if arrived.marks is not None:
            yield from self._advance(kept, arrived.marks.last, behind=True)
        kept.watermark = self._watermark
        kept.write()
        yield Report(ReportKind.TIMERS, self.scope.node, (self._subtask, None))
        yield Report(ReportKind.METRICS, self.scope.node, [self._metrics.changes()])

    def abandon(self) -> None:
        """End a task that has failed."""

    def _last_ms(self, end: int) -> int:
        """Return the last ms of a window, by its end in µs."""
        return instant_of(self.parts.operation.zone)(time_ms(end) - 1)

    def _take(self, kept: _Kept, arrived: Iterable[KeyedElements]) -> None:
        tables = [of_bytes(table) for elements in arrived for table in elements.values]
        if tables:
            self._keep(kept, self.parts.merged(tables))

    def _advance(self, kept: _Kept, watermarks: Mapping[str, int], *, behind: bool) -> Iterator[Report]:
        self._watermark = max(self._watermark, watermarks.get(self.identity, MIN_WATERMARK))
        over = [kept.taken(end) for end in kept.ends() if self._last_ms(end) <= self._watermark]
        for number, segments in enumerate(over):
            yield self._told(self.parts.merged(segments), number, behind=behind)

    def _keep(self, kept: _Kept, table: pa.Table) -> None:
        assert self._metrics is not None
        self._metrics.records_in.inc(pc.sum(table["rows"]).as_py())
        for end in pc.unique(table[END]).to_pylist():
            own = table.filter(pc.equal(table[END], end))
            if self._last_ms(end) <= self._watermark:
                self._late.inc(pc.sum(own["rows"]).as_py())
            else:
                kept.add(end, own, self.parts)

    def _told(self, table: pa.Table, number: int, *, behind: bool) -> Report:
        assert self._metrics is not None
        columns = self.parts.results(table, self.types)
        self._metrics.records_out.inc(len(columns[0]))
        kinds = pa.array([0] * len(columns[0]), pa.int8())
        rows = pa.table([kinds, *columns], [KIND, *column_names(len(columns))])
        label = self.labels[self._subtask]
        payload = element_dumps((as_bytes(rows), None))
        origin = f"windows-{self._subtask}"
        message = Message(label, ReportKind.WRITE.value, self.node, origin, number, behind, payload)
        return Report(ReportKind.EXCHANGE, self.node, message)


@final
class _Kept:
    """Open windows of a bucket, as lists of tables in state."""

    def __init__(self, backend: KeyedStateBackend, name: bytes, watermark: int, segments: dict[int, int]) -> None:
        self.watermark = watermark
        self._backend = backend
        self._name = name
        self._segments = segments
        self._before = (watermark, dict(segments))

    @staticmethod
    def of(backend: KeyedStateBackend, name: bytes) -> _Kept:
        found = backend.get(name + b"windows")
        watermark, segments = (MIN_WATERMARK, {}) if found is None else loads(found)
        return _Kept(backend, name, watermark, segments)

    def ends(self) -> list[int]:
        """Return the ends of the windows, in µs."""
        return sorted(self._segments)

    def add(self, end: int, table: pa.Table, parts: WindowParts) -> None:
        """Add a table to a window."""
        number = self._segments.get(end, 0)
        if number >= _MOST_SEGMENTS:
            table, number = parts.merged([*self.taken(end), table]), 0
        self._backend.put(self._segment(end, number), as_bytes(table))
        self._segments[end] = number + 1

    def taken(self, end: int) -> list[pa.Table]:
        """Remove and return all tables of a window."""
        names = [self._segment(end, number) for number in range(self._segments.pop(end))]
        found: list[Any] = list(self._backend.get_all(names))
        for name in names:
            self._backend.remove(name)
        return [of_bytes(content) for content in found]

    def write(self) -> None:
        """Write the list of windows to state."""
        if self._before != (self.watermark, self._segments):
            self._backend.put(self._name + b"windows", pickle.dumps((self.watermark, self._segments)))

    def _segment(self, end: int, number: int) -> bytes:
        return self._name + f"{end}/{number}".encode()
