"""The same work by hand in plain Structured Streaming: Spark's source, a bare ``mapInArrow`` loop, Spark's sink."""

from __future__ import annotations

import os
import sys
import tempfile
from collections.abc import Iterable, Iterator, Mapping
from types import MappingProxyType

import pyarrow as pa
from pyspark.sql import DataFrame, SparkSession, functions

from benchmarks.orders import FIELDS, changed, is_dear
from benchmarks.serving import JSON_ROWS, MICRO_BATCH_RECORDS, MICRO_BATCHES, PYTHON, SINK_PROPERTIES, Task, serve
from kafkastream.spark.session.jars import connector_jars

__all__ = ["new_session", "read", "write"]


def main() -> None:
    """Serve tasks with one session."""
    session = new_session()
    serve(lambda task: run(session, task))


def new_session(settings: Mapping[str, str] = MappingProxyType({})) -> SparkSession:
    """A session on all cores, with Spark's Kafka connector."""
    os.environ["PYSPARK_PYTHON"] = sys.executable
    builder = (
        SparkSession.builder.master("local[*]")
        .config("spark.jars", ",".join(map(str, connector_jars())))
        .config("spark.ui.showConsoleProgress", "false")
    )
    for key, value in settings.items():
        builder = builder.config(key, value)
    session = builder.getOrCreate()
    session.sparkContext.setLogLevel("ERROR")
    return session


def read(session: SparkSession, task: Task) -> DataFrame:
    """All records of a task's topic: ``value`` as text, and ``timestamp``."""
    options = {"kafka.bootstrap.servers": task.bootstrap_servers, "subscribe": task.topic_in}
    if task.workload == MICRO_BATCHES:
        options["maxOffsetsPerTrigger"] = str(MICRO_BATCH_RECORDS)
    source = session.readStream.format("kafka").options(**options, startingOffsets="earliest")
    return source.load().selectExpr("CAST(value AS STRING) AS value", "timestamp")


def write(values: DataFrame, task: Task, output_mode: str = "append") -> None:
    """Take a column ``value`` to a task's topic, to the end of what there is now."""
    client = {f"kafka.{key}": value for key, value in SINK_PROPERTIES.items()}
    servers = {"kafka.bootstrap.servers": task.bootstrap_servers}
    with tempfile.TemporaryDirectory() as checkpoint:
        (
            values.writeStream.format("kafka")
            .options(**servers, **client, topic=task.topic_out, checkpointLocation=checkpoint)
            .outputMode(output_mode)
            .trigger(availableNow=True)
            .start()
            .awaitTermination()
        )


def run(session: SparkSession, task: Task) -> None:
    """Take the records of one topic to another."""
    values = read(session, task).select("value")
    if task.workload == PYTHON:
        values = values.mapInArrow(_changed_batches, "value string")
    elif task.workload == JSON_ROWS:
        values = _dear(values)
    write(values, task)


def _dear(values: DataFrame) -> DataFrame:
    """JSON to columns and back by Spark; the condition is Python."""
    schema = ", ".join(f"{name} {kind}" for name, kind in FIELDS.items())
    orders = values.select(functions.from_json("value", schema).alias("o")).select("o.*")
    return orders.mapInArrow(_dear_batches, schema).select(functions.to_json(functions.struct("*")).alias("value"))


def _dear_batches(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    for batch in batches:
        dear = [order for order in batch.to_pylist() if is_dear(order["price"])]
        yield pa.RecordBatch.from_pylist(dear, batch.schema)


def _changed_batches(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    for batch in batches:
        values = [changed(value) for value in batch.column(0).to_pylist()]
        yield pa.RecordBatch.from_arrays([pa.array(values, pa.string())], ["value"])


if __name__ == "__main__":
    main()
