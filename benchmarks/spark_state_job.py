"""A running count by hand in plain Structured Streaming, in each of the ways in which Spark gives Python state.

Run as ``python -m benchmarks.spark_state_job pandas key``: ``rows``, ``pandas`` (both ``transformWithState``) or ``apply``
(``applyInPandasWithState``), each by ``key``, where every customer has a state of its own, or by ``bucket``, where a
bucket of customers has one, with their counts in pages.
"""

from __future__ import annotations

import os
import pickle
import sys
import zlib
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from typing import Any

import pandas as pd
import pyarrow as pa
from pyspark.sql import DataFrame, Row
from pyspark.sql.streaming.state import GroupState
from pyspark.sql.streaming.stateful_processor import StatefulProcessor, StatefulProcessorHandle

from benchmarks.orders import customer
from benchmarks.serving import Task, serve
from benchmarks.spark_job import new_session, read, write
from kafkastream.spark.exchange.buckets import bucket_labels

__all__ = ["STATE_SETTINGS"]

_CORES = os.cpu_count() or 1
STATE_SETTINGS = {
    "spark.sql.shuffle.partitions": str(_CORES),
    "spark.sql.streaming.stateStore.providerClass": (
        "org.apache.spark.sql.execution.streaming.state.RocksDBStateStoreProvider"
    ),
}
"""State in RocksDB, with as many partitions as there are cores."""

_LABELS = bucket_labels(_CORES)
_PAGES = 64
_SCHEMA = "group {}, customer string"
_OUT = "value string"


def main() -> None:
    """Serve tasks with one session."""
    session = new_session(STATE_SETTINGS)
    way, group = sys.argv[1:]
    count = _WAYS[way, group]
    kind = "string" if group == "key" else "int"
    batches = partial(_customers, by_key=group == "key")

    def run(task: Task) -> None:
        customers = read(session, task).select("value").mapInArrow(batches, _SCHEMA.format(kind))
        write(count(customers), task)

    serve(run)


def _customers(batches: Iterable[pa.RecordBatch], *, by_key: bool) -> Iterator[pa.RecordBatch]:
    for batch in batches:
        names = [customer(value) for value in batch.column(0).to_pylist()]
        groups = names if by_key else [_LABELS[zlib.crc32(name.encode()) % _CORES] for name in names]
        arrays = [pa.array(groups, pa.string() if by_key else pa.int32()), pa.array(names, pa.string())]
        yield pa.RecordBatch.from_arrays(arrays, ["group", "customer"])


class _RowsByKey(StatefulProcessor):
    """A state for each customer, a row at a time."""

    def init(self, handle: StatefulProcessorHandle) -> None:
        """Declare the state."""
        self._count = handle.getValueState("count", "count long")

    def handleInputRows(self, key: Any, rows: Iterator[Any], timerValues: Any) -> Iterator[Any]:  # noqa: N803 - Spark's names
        """Count."""
        before = self._count.get()
        count: int = before[0] if before else 0
        for _ in rows:
            count += 1
            yield Row(value=f"{key[0]} {count}")
        self._count.update((count,))

    def close(self) -> None:
        """Nothing to close."""


class _PandasByKey(_RowsByKey):
    """The same, a data frame at a time."""

    def handleInputRows(self, key: Any, rows: Iterator[Any], timerValues: Any) -> Iterator[Any]:  # noqa: N803 - Spark's names
        """Count."""
        before = self._count.get()
        count: int = before[0] if before else 0
        for frame in rows:
            counts = range(count + 1, count + len(frame) + 1)
            count = counts[-1] if counts else count
            yield pd.DataFrame({"value": [f"{key[0]} {number}" for number in counts]})
        self._count.update((count,))


class _Pages:
    """The counts of a bucket's customers."""

    def __init__(self, read_page: Callable[[int], bytes | None]) -> None:
        self._read = read_page
        self.pages: dict[int, defaultdict[str, int]] = {}

    def one_more(self, name: str) -> str:
        """Count a customer."""
        number = zlib.crc32(name.encode()) // _CORES % _PAGES
        page = self.pages.get(number)
        if page is None:
            kept = self._read(number)
            page = self.pages[number] = defaultdict(int, {} if kept is None else pickle.loads(kept))
        page[name] += 1
        return f"{name} {page[name]}"


class _RowsByBucket(StatefulProcessor):
    """Pages of counts for each bucket, a row at a time."""

    def init(self, handle: StatefulProcessorHandle) -> None:
        """Declare the state."""
        self._kept = handle.getMapState("counts", "page int", "counts binary")

    def handleInputRows(self, key: Any, rows: Iterator[Any], timerValues: Any) -> Iterator[Any]:  # noqa: N803 - Spark's names
        """Count."""
        pages = _Pages(self._page)
        for row in rows:
            yield Row(value=pages.one_more(row.customer))
        self._keep(pages)

    def close(self) -> None:
        """Nothing to close."""

    def _page(self, number: int) -> bytes | None:
        found = self._kept.getValue((number,))
        return None if found is None else bytes(found[0])

    def _keep(self, pages: _Pages) -> None:
        for number, page in pages.pages.items():
            self._kept.updateValue((number,), (pickle.dumps(dict(page)),))


class _PandasByBucket(_RowsByBucket):
    """The same, a data frame at a time."""

    def handleInputRows(self, key: Any, rows: Iterator[Any], timerValues: Any) -> Iterator[Any]:  # noqa: N803 - Spark's names
        """Count."""
        pages = _Pages(self._page)
        for frame in rows:
            yield pd.DataFrame({"value": [pages.one_more(name) for name in frame["customer"]]})
        self._keep(pages)


def _apply_by_key(key: Any, frames: Iterable[pd.DataFrame], state: GroupState) -> Iterator[pd.DataFrame]:
    count: int = state.get[0] if state.exists else 0
    for frame in frames:
        yield pd.DataFrame({"value": [f"{key[0]} {number}" for number in range(count + 1, count + len(frame) + 1)]})
        count += len(frame)
    state.update((count,))


def _apply_by_bucket(key: Any, frames: Iterable[pd.DataFrame], state: GroupState) -> Iterator[pd.DataFrame]:
    kept: dict[int, bytes] = pickle.loads(state.get[0]) if state.exists else {}
    pages = _Pages(kept.get)
    for frame in frames:
        yield pd.DataFrame({"value": [pages.one_more(name) for name in frame["customer"]]})
    written = {number: pickle.dumps(dict(page)) for number, page in pages.pages.items()}
    state.update((pickle.dumps({**kept, **written}),))


def _rows(processor: StatefulProcessor) -> Callable[[DataFrame], DataFrame]:
    return lambda frame: frame.groupBy("group").transformWithState(processor, _OUT, "Append", "None")


def _pandas(processor: StatefulProcessor) -> Callable[[DataFrame], DataFrame]:
    return lambda frame: frame.groupBy("group").transformWithStateInPandas(processor, _OUT, "Append", "None")


def _apply(function: Any, state: str) -> Callable[[DataFrame], DataFrame]:
    return lambda frame: frame.groupBy("group").applyInPandasWithState(function, _OUT, state, "append", "NoTimeout")


_WAYS: dict[tuple[str, str], Callable[[DataFrame], DataFrame]] = {
    ("rows", "key"): _rows(_RowsByKey()),
    ("rows", "bucket"): _rows(_RowsByBucket()),
    ("pandas", "key"): _pandas(_PandasByKey()),
    ("pandas", "bucket"): _pandas(_PandasByBucket()),
    ("apply", "key"): _apply(_apply_by_key, "count long"),
    ("apply", "bucket"): _apply(_apply_by_bucket, "counts binary"),
}

if __name__ == "__main__":
    main()
