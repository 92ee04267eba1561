"""The SQL filter by hand in plain Structured Streaming."""

from __future__ import annotations

from pyspark.sql import SparkSession, functions

from benchmarks.orders import FIELDS
from benchmarks.serving import Task, serve
from benchmarks.spark_job import new_session, read, write


def main() -> None:
    """Serve tasks with one session."""
    session = new_session()
    serve(lambda task: run(session, task))


def run(session: SparkSession, task: Task) -> None:
    """Have Spark parse, filter and print, all in its JVM."""
    schema = ", ".join(f"{name} {kind}" for name, kind in FIELDS.items())
    orders = read(session, task).select(functions.from_json("value", schema).alias("o")).select("o.*")
    dear = orders.where("price > 25").select(
        functions.to_json(functions.struct("id", "customer", "price")).alias("value")
    )
    write(dear, task)


if __name__ == "__main__":
    main()
