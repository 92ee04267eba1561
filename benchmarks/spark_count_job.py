"""Counts by hand in plain Structured Streaming, by Spark's own aggregates: no Python sees a record."""

from __future__ import annotations

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql.functions import window

from benchmarks.serving import RUNNING_COUNT, Task, serve
from benchmarks.spark_job import new_session, read, write
from benchmarks.spark_state_job import STATE_SETTINGS


def main() -> None:
    """Serve tasks with one session."""
    session = new_session(STATE_SETTINGS)
    serve(lambda task: run(session, task))


def run(session: SparkSession, task: Task) -> None:
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


if __name__ == "__main__":
    main()
