"""Counts by hand in plain Structured Streaming: by a bare ``transformWithStateInPandas``, or by Spark's own aggregates.

Run as ``python -m benchmarks.spark_count_job bare`` or ``… native``.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable, Iterator
from typing import Any

import pandas as pd
import pyarrow as pa
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql.functions import window
from pyspark.sql.streaming.stateful_processor import StatefulProcessor, StatefulProcessorHandle

from benchmarks.orders import customer
from benchmarks.serving import RUNNING_COUNT, Task, serve
from benchmarks.spark_job import new_session, read, write

_SETTINGS = {
    "spark.sql.shuffle.partitions": str(os.cpu_count() or 1),
    "spark.sql.streaming.stateStore.providerClass": (
        "org.apache.spark.sql.execution.streaming.state.RocksDBStateStoreProvider"
    ),
}


def main() -> None:
    """Serve tasks with one session."""
    session = new_session(_SETTINGS)
    run = {"bare": run_bare, "native": run_native}[sys.argv[1]]
    serve(lambda task: run(session, task))


def run_bare(session: SparkSession, task: Task) -> None:
    """Write each customer's count whenever it grows; JSON is parsed by Python, as in the other contenders."""
    customers = read(session, task).select("value").mapInArrow(_customers, "customer string")
    counts = customers.groupBy("customer").transformWithStateInPandas(RunningCount(), "value string", "Append", "None")
    write(counts, task)


def run_native(session: SparkSession, task: Task) -> None:
    """Have Spark parse, count and print, all in its JVM."""
    customers = read(session, task).selectExpr("get_json_object(value, '$.customer') AS customer", "timestamp")
    if task.workload == RUNNING_COUNT:
        counts = customers.groupBy("customer").count()
        write(counts.selectExpr("concat_ws(' ', customer, count) AS value"), task, "update")
    else:
        write(_windows(customers), task)


def _windows(customers: DataFrame) -> DataFrame:
    timed = customers.withWatermark("timestamp", "0 seconds")
    counts = timed.groupBy(window("timestamp", "1 minute"), "customer").count()
    return counts.selectExpr("concat_ws(' ', customer, unix_millis(window.start), count) AS value")


def _customers(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    for batch in batches:
        names = [customer(value) for value in batch.column(0).to_pylist()]
        yield pa.RecordBatch.from_arrays([pa.array(names, pa.string())], ["customer"])


class RunningCount(StatefulProcessor):
    """Tells each key's count whenever it grows."""

    def init(self, handle: StatefulProcessorHandle) -> None:
        """Declare the state."""
        self._count = handle.getValueState("count", "count long")

    def handleInputRows(self, key: Any, rows: Iterator[Any], timerValues: Any) -> Iterator[pd.DataFrame]:  # noqa: N803 - Spark's names
        """Count the rows of each data frame."""
        before = self._count.get()
        count: int = before[0] if before else 0
        for frame in rows:
            counts = range(count + 1, count + len(frame) + 1)
            count = counts[-1] if counts else count
            yield pd.DataFrame({"value": [f"{key[0]} {number}" for number in counts]})
        self._count.update((count,))

    def close(self) -> None:
        """Nothing to close."""


if __name__ == "__main__":
    main()
