"""Counts by hand in plain Structured Streaming, by Spark's own aggregates: no Python sees a record."""

from __future__ import annotations

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql.functions import avg, count, window
from pyspark.sql.functions import max as max_
from pyspark.sql.functions import min as min_
from pyspark.sql.functions import sum as sum_

from benchmarks.serving import RUNNING_COUNT, SQL_HOPS, Task, serve
from benchmarks.spark_job import new_session, read, write
from benchmarks.spark_state_job import STATE_SETTINGS


def main() -> None:
    """Serve tasks with one session."""
    session = new_session(STATE_SETTINGS)
    serve(lambda task: run(session, task))


def run(session: SparkSession, task: Task) -> None:
    """Have Spark parse, count and print, all in its JVM."""
    records = read(session, task)
    customers = records.selectExpr("get_json_object(value, '$.customer') AS customer", "timestamp")
    if task.workload == SQL_HOPS:
        write(_hops(records), task)
    elif task.workload == RUNNING_COUNT:
        counts = customers.groupBy("customer").count()
        write(counts.selectExpr("concat_ws(' ', customer, count) AS value"), task, "update")
    else:
        write(_windows(customers), task)


def _windows(customers: DataFrame) -> DataFrame:
    timed = customers.withWatermark("timestamp", "0 seconds")
    counts = timed.groupBy(window("timestamp", "1 minute"), "customer").count()
    return counts.selectExpr("concat_ws(' ', customer, unix_millis(window.start), count) AS value")


def _hops(records: DataFrame) -> DataFrame:
    orders = records.selectExpr("from_json(value, 'customer STRING, price DOUBLE') AS o", "timestamp")
    timed = orders.selectExpr("o.*", "timestamp").withWatermark("timestamp", "0 seconds")
    grouped = timed.groupBy(window("timestamp", "1 minute", "20 seconds"), "customer")
    found = grouped.agg(*(by("price") for by in (sum_, avg, min_, max_)), count("*"))
    columns = ", ".join(f"`{name}`" for name in found.columns[2:])
    return found.selectExpr(f"concat_ws(' ', customer, unix_millis(window.start), {columns}) AS value")


if __name__ == "__main__":
    main()
