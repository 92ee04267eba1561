"""The work of the pipeline by hand in plain Structured Streaming: one table and one format, whose schema is known."""

from __future__ import annotations

import sys

from pyspark.sql import SparkSession, functions

from benchmarks.change_events import SCHEMA
from benchmarks.serving import Task, serve
from benchmarks.spark_job import new_session, read, write

_EVENT = f"before struct<{SCHEMA}>, after struct<{SCHEMA}>, op string, source struct<db string, `table` string>"


def run(session: SparkSession, task: Task, topic: str) -> None:
    """Have Spark parse and print events, all in its JVM."""
    events = read(session, task._replace(topic_in=topic))
    parsed = events.select(functions.from_json("value", _EVENT).alias("event")).select("event.*")
    key = functions.struct(
        functions.lit("shop.orders_0").alias("TableId"), functions.expr("coalesce(after, before).id")
    )
    whole = {"ignoreNullFields": "false"}
    write(
        parsed.select(
            functions.to_json(key).alias("key"), functions.to_json(functions.struct("*"), whole).alias("value")
        ),
        task,
    )


if __name__ == "__main__":
    spark = new_session()
    serve(lambda task: run(spark, task, sys.argv[1]))
