"""The Delta Lake sink of pipelines."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from pyspark.sql import SparkSession

from kafkastream.cdc.book import described
from kafkastream.cdc.changes import CreateTable, SchemaChange
from kafkastream.cdc.spec.simple_sinks import DeltaSink
from kafkastream.spark.cdc.delta.connection import prepared
from kafkastream.spark.cdc.delta.tables import DeltaTables, table_path
from kafkastream.spark.cdc.delta.writer import DeltaWriter
from kafkastream.spark.cdc.frame_sink import FrameSink, RowHandOver, frame_sink
from kafkastream.spark.cdc.plan import sink_steps
from kafkastream.spark.worker.chain_sinks import SinkOperator, SinkPlace, sink_operator

__all__: list[str] = []


@sink_operator.register
def _(sink: DeltaSink, place: SinkPlace) -> SinkOperator:
    return RowHandOver(place.name, place.node)


@frame_sink.register
def _(sink: DeltaSink, session: SparkSession) -> FrameSink:
    return DeltaWriter(DeltaTables(prepared(session), sink.path))


@sink_steps.register
def _(sink: DeltaSink, changes: Iterable[SchemaChange]) -> Iterator[str]:
    for change in changes:
        unless = ", unless it is there" if isinstance(change, CreateTable) else ""
        yield f"{table_path(sink.path, change.table)}: {described(change)}{unless}"
