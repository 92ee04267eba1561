"""Reports of a task to the driver: rows of printed lines, collected elements, metrics and failures."""

from __future__ import annotations

import enum
import pickle
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import pyarrow as pa

from kafkastream.spark.internals.pickles import dumps

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

__all__ = ["REPORT_SCHEMA", "Report", "ReportKind", "collect_reports", "report_batch", "report_batches"]

REPORT_SCHEMA: Final = "kind string, node int, payload binary"


class ReportKind(enum.Enum):
    """Kind of content that a report row carries."""

    LINES = "lines"
    ELEMENTS = "elements"
    METRICS = "metrics"
    FAILURE = "failure"
    EXCHANGE = "exchange"
    WRITE = "write"
    TIMES = "times"
    TIMERS = "timers"
    WATERMARKS = "watermarks"
    WRITER = "writer"
    SCHEMAS = "schemas"
    CHANGES = "changes"
    COMMITTABLES = "committables"


_PLAIN = frozenset({ReportKind.METRICS, ReportKind.TIMES, ReportKind.TIMERS, ReportKind.WRITER})


class Report(NamedTuple):
    """Report of a task to the driver: its kind, the node of the graph that sends it, and its content."""

    kind: ReportKind
    node: int
    content: Any

    def payload(self) -> bytes:
        """Return the content, pickled; by plain pickle if possible, which takes a third of the time of cloudpickle."""
        return pickle.dumps(self.content) if self.kind in _PLAIN else dumps(self.content)

    @staticmethod
    def of_row(row: Any) -> Report:
        """Return the report in a row that Spark has collected."""
        return Report(ReportKind(row.kind), row.node, pickle.loads(row.payload))


def report_batches(reports: Iterable[Report]) -> Iterator[pa.RecordBatch]:
    """Yield reports as Arrow batches, one each."""
    return (report_batch(report.kind.value, report.node, report.payload()) for report in reports)


def report_batch(kind: str, node: int, payload: bytes) -> pa.RecordBatch:
    """Return a report as an Arrow batch."""
    columns = [pa.array([kind]), pa.array([node], pa.int32()), pa.array([payload], pa.binary())]
    return pa.RecordBatch.from_arrays(columns, ["kind", "node", "payload"])


def collect_reports(frame: DataFrame) -> list[Report]:
    """Run the tasks of a micro-batch, and return their reports, the rows of the frame."""
    return [Report.of_row(row) for row in frame.collect()]
