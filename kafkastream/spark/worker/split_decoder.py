"""Reads the elements of users' sources, in the task that processes them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from typing import Any, Final, final

import attrs
import pyarrow as pa

from kafkastream.errors import UserFunctionError
from kafkastream.model.common.call_errors import own_traceback, said
from kafkastream.model.connectors.split_source import Source, SourceElement, SourceReader, SourceSplit
from kafkastream.model.functions.runtime_context import RuntimeContext
from kafkastream.spark.worker.batches import Batch
from kafkastream.spark.worker.record_decoders import Decoder

__all__ = ["SplitDecoder"]

_AT_ONCE: Final = 2_000
_COLUMNS: Final = ("source", "topic", "partition", "offset", "timestamp")


@final
@attrs.define(eq=False)
class SplitDecoder(Decoder):
    """Reads ranges of splits, and gives their elements.

    Args:
        name: Name of the source, for errors.
        source: The source.
    """

    name: str
    source: Source[Any]
    _reader: SourceReader[Any] | None = attrs.field(default=None, init=False)
    _values: Sequence[Any] = attrs.field(default=(), init=False)

    def open(self, context: RuntimeContext) -> None:
        """Create the reader."""
        self._reader = self.source.create_reader(context)

    def batches(self, arrived: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        """Yield the positions of the elements in the ranges that have arrived; ``decode`` returns the elements of the last."""
        for ranges in arrived:
            for row in ranges.to_pylist():
                split = SourceSplit(row["topic"], row["offset"], row["timestamp"])  # the range's end has this column
                for elements in self._read(split):
                    self._values = [element.value for element in elements]
                    yield _positions(row["source"], split.split_id, elements)

    def decode(self, arrow: pa.RecordBatch) -> Batch:
        """Return the elements whose positions ``batches`` has yielded."""
        return Batch(self._values, arrow["timestamp"].to_pylist(), range(len(self._values)))

    def position(self, arrow: pa.RecordBatch, row: int) -> str:
        """Return the element's split and offset."""
        return f"split {arrow['topic'][row].as_py()}, offset {arrow['offset'][row].as_py()}"

    def _read(self, split: SourceSplit) -> Iterator[list[SourceElement[Any]]]:
        """Yield the elements of a range in lists.

        Raises:
            UserFunctionError: The reader raised, or its offsets do not ascend within the range.
        """
        assert self._reader is not None
        following = split.start
        try:
            elements = iter(self._reader.read(split))
            while some := list(islice(elements, _AT_ONCE)):
                following = _following_offset(some, following, split.stop)
                yield some
        except GeneratorExit:
            raise
        except BaseException as error:  # also sys.exit, which would end the worker
            raise UserFunctionError(
                f"read of source {self.name!r} raised {said(error)}",
                where=f"split {split.split_id}, offsets {following} to {split.stop - 1}",
                now=own_traceback(error),
            ) from error


def _following_offset(elements: Sequence[SourceElement[Any]], start: int, stop: int) -> int:
    """Return the offset after elements, all of which are to lie from one offset up to another, in order."""
    for element in elements:
        if not start <= element.offset < stop:
            raise ValueError(f"an element has offset {element.offset}, expected {start} to {stop - 1}")
        start = element.offset + 1
    return start


def _positions(node: int, split: str, elements: Sequence[SourceElement[Any]]) -> pa.RecordBatch:
    number = len(elements)
    columns = [
        pa.repeat(pa.scalar(node, pa.int32()), number),
        pa.repeat(pa.scalar(split, pa.string()), number),
        pa.repeat(pa.scalar(0, pa.int32()), number),
        pa.array([element.offset for element in elements], pa.int64()),
        pa.array([element.timestamp for element in elements], pa.int64()),
    ]
    return pa.RecordBatch.from_arrays(columns, _COLUMNS)
