"""Parts of jobs whose output Spark's own sink writes: copies of values, and queries of SQL."""

from __future__ import annotations

from typing import Any, final

import attrs
from pyspark.sql import DataFrame
from pyspark.sql.streaming.readwriter import DataStreamWriter

from kafkastream.kafka.admin import Cluster
from kafkastream.model.connectors.kafka_sink import DeliveryGuarantee, KafkaSink
from kafkastream.model.connectors.kafka_source import KafkaSource
from kafkastream.model.connectors.record_builders import BuiltRecordSerializationSchema
from kafkastream.model.connectors.record_deserialization import ValueOnlySchema
from kafkastream.model.formats import ByteArraySchema, SimpleStringSchema
from kafkastream.model.graph.job_graph import JobGraph, OperatorNode, SinkNode, SourceNode
from kafkastream.spark.session.key_stores import with_pem_stores
from kafkastream.spark.session.translate_errors import BAD_RECORD
from kafkastream.spark.sql.formats.message_format import message_format
from kafkastream.spark.sql.formats.python_formats import PythonFormat
from kafkastream.spark.worker.user_operators import user_operator
from kafkastream.sql.connectors import KafkaTableSink, KafkaTableSource
from kafkastream.sql.connectors.records import RecordsAsEncoded
from kafkastream.sql.plan.query_node import Target

__all__ = ["PassThrough", "native_refusal", "needs_python", "pass_through", "written_by_spark"]

# Spark writes the bytes, as the Python path does.
_NOT_FOR_SPARK = frozenset({"key.serializer", "value.serializer"})

# A value that the schema cannot decode fails the job, as it does in Python.
_CHECKED_TEXT = f"""
CASE
  WHEN value IS NOT NULL AND is_valid_utf8(CAST(value AS STRING)) THEN value
  ELSE CAST(raise_error(concat(
    '{BAD_RECORD} [topic ', topic, ', partition ', partition, ', offset ', offset, '] ',
    CASE WHEN value IS NULL THEN 'the value is null (a tombstone)' ELSE 'the value is not UTF-8' END, ' [end]'
  )) AS BINARY)
END AS value
"""


@final
@attrs.frozen
class PassThrough:
    """Topic and values that Spark's own Kafka sink writes.

    Args:
        sink: The sink.
        topic: The topic.
        value: SQL expression of the value.
        drops_tombstones: Whether records without a value are left out; the expression fails on them otherwise.
    """

    sink: KafkaSink[Any]
    topic: str
    value: str
    drops_tombstones: bool

    def writer(self, records: DataFrame) -> DataStreamWriter:
        """Return the writer of the records' values."""
        copied = records.where("value IS NOT NULL") if self.drops_tombstones else records
        return written_by_spark(copied.selectExpr(self.value), self.sink).option("topic", self.topic)


def written_by_spark(records: DataFrame, sink: KafkaSink[Any]) -> DataStreamWriter:
    """Return Spark's own Kafka sink, with our client properties."""
    client = {f"kafka.{key}": value for key, value in sink.properties.items() if key not in _NOT_FOR_SPARK}
    return records.writeStream.format("kafka").options(**client)


def native_refusal(target: Target) -> str | None:
    """Return why Spark's own sink would not give the same result; None if it does.

    Spark's sink supports neither timestamps, partitioners nor transactions.
    """
    sink = target.sink
    if not isinstance(sink, KafkaTableSink):
        return f"table {target.name!r} is not a topic"
    serializer = sink.sink.record_serializer
    assert isinstance(serializer, RecordsAsEncoded)
    if sink.sink.delivery_guarantee is DeliveryGuarantee.EXACTLY_ONCE:
        return f"table {target.name!r} is written exactly once"
    if any(field.column.key == "timestamp" for field in sink.metadata):
        return f"table {target.name!r} has timestamps of its own"
    return None if serializer.partitioner is None else f"table {target.name!r} has a partitioner"


def needs_python(table: KafkaTableSource | KafkaTableSink) -> bool:
    """Return whether messages of a table are read or written in Python."""
    parts = [part for part in (table.key, table.value) if part is not None]
    return any(isinstance(message_format(part.format), PythonFormat) for part in parts)


def pass_through(graph: JobGraph) -> PassThrough | None:
    """Return the plan by which Spark alone runs a graph; None if its result would differ.

    Spark's sink cannot set the timestamp of a record, which in Flink is that of the source record. So the broker must
    replace the topic's timestamps anyway (``message.timestamp.type=LogAppendTime``).
    """
    if len(graph.sources) != 1 or len(graph.sinks) != 1 or not all(map(_changes_nothing, graph.nodes)):
        return None
    source, sink = graph.sources[0].source, graph.sinks[0].sink
    if not isinstance(source, KafkaSource) or not isinstance(sink, KafkaSink):
        return None
    value, records = _copied_value(source, sink), sink.record_serializer
    topic = None if records is None else records.topic
    if value is None or topic is None or sink.delivery_guarantee is DeliveryGuarantee.EXACTLY_ONCE:
        return None
    if graph.sources[0].keeps_records:  # only Python writes dead letters
        return None
    if not Cluster(with_pem_stores(sink.properties)).log_append_time(topic):
        return None
    return PassThrough(sink, topic, value, drops_tombstones=value != _CHECKED_TEXT)


def _changes_nothing(node: object) -> bool:
    if isinstance(node, OperatorNode):
        return user_operator(node) is None
    return isinstance(node, (SourceNode, SinkNode))


def _copied_value(source: KafkaSource[Any], sink: KafkaSink[Any]) -> str | None:
    """Return the SQL expression of the value, if source and sink have the same format and only the value matters."""
    reads, writes = source.deserializer, sink.record_serializer
    if not isinstance(reads, ValueOnlySchema) or not isinstance(writes, BuiltRecordSerializationSchema):
        return None
    if any(part is not None for part in (writes.key_schema, writes.header_provider, writes.partitioner)):
        return None
    match reads.schema, writes.value_schema:
        case SimpleStringSchema(is_utf8=True), SimpleStringSchema(is_utf8=True):
            return _CHECKED_TEXT
        case ByteArraySchema(), ByteArraySchema():
            return "value"
        case _:
            return None
