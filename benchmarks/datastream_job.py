"""The DataStream job, for kafkastream and for PyFlink: one program, only its imports differ.

Run as ``python -m benchmarks.datastream_job kafkastream AT_LEAST_ONCE`` or ``… pyflink AT_LEAST_ONCE``, each by a Python
that has the package.
"""

from __future__ import annotations

import os
import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any

from benchmarks.orders import changed, is_dear
from benchmarks.serving import GUARANTEES, JSON_ROWS, PYTHON, SINK_PROPERTIES, VISIBILITY, Task, serve

if TYPE_CHECKING or sys.argv[1] == "kafkastream":
    from kafkastream.common import Configuration, SimpleStringSchema, Types, WatermarkStrategy
    from kafkastream.datastream import StreamExecutionEnvironment
    from kafkastream.datastream.connectors.base import DeliveryGuarantee
    from kafkastream.datastream.connectors.kafka import (
        KafkaOffsetsInitializer,
        KafkaRecordSerializationSchema,
        KafkaSink,
        KafkaSource,
    )
    from kafkastream.datastream.formats.json import JsonRowDeserializationSchema, JsonRowSerializationSchema
else:
    from pyflink.common import Configuration, SimpleStringSchema, Types, WatermarkStrategy
    from pyflink.datastream import StreamExecutionEnvironment
    from pyflink.datastream.connectors.base import DeliveryGuarantee
    from pyflink.datastream.connectors.kafka import (
        KafkaOffsetsInitializer,
        KafkaRecordSerializationSchema,
        KafkaSink,
        KafkaSource,
    )
    from pyflink.datastream.formats.json import JsonRowDeserializationSchema, JsonRowSerializationSchema

ORDER = Types.ROW_NAMED(
    ["id", "customer", "item", "price", "count", "paid"],
    [Types.LONG(), Types.STRING(), Types.STRING(), Types.DOUBLE(), Types.INT(), Types.BOOLEAN()],
)


def run(task: Task) -> None:
    """Take the records of one topic to another; without an end, and not waited for, when they are watched."""
    env = _environment(checkpointed=task.workload in (GUARANTEES, VISIBILITY))
    stream = env.from_source(_source(task), WatermarkStrategy.no_watermarks(), "in")
    if task.workload == PYTHON:
        stream = stream.map(changed, Types.STRING())
    elif task.workload == JSON_ROWS:
        stream = stream.filter(lambda order: is_dear(order["price"]))
    stream.sink_to(_sink(task))
    if task.workload == VISIBILITY:
        env.execute_async(task.topic_out)
    else:
        env.execute(task.topic_out)


def _environment(*, checkpointed: bool) -> StreamExecutionEnvironment:
    configuration = Configuration()
    configuration.set_string("python.execution-mode", "thread")  # PyFlink's fastest: in the JVM's own process
    configuration.set_string("python.executable", sys.executable)
    if checkpointed:
        configuration.set_string("execution.checkpointing.interval", "1 s")
        configuration.set_string("execution.checkpointing.dir", Path(tempfile.mkdtemp()).as_uri())
    env = StreamExecutionEnvironment.get_execution_environment(configuration)
    env.set_parallelism(os.cpu_count() or 1)  # as many tasks at a time as Spark's local[*]
    return env


def _source(task: Task) -> KafkaSource[Any]:
    builder = (
        KafkaSource.builder()
        .set_bootstrap_servers(task.bootstrap_servers)
        .set_topics(task.topic_in)
        .set_group_id("benchmark")
        .set_starting_offsets(KafkaOffsetsInitializer.earliest())
        .set_value_only_deserializer(_reading(task))
    )
    if task.workload != VISIBILITY:
        builder.set_bounded(KafkaOffsetsInitializer.latest())
    return builder.build()


def _reading(task: Task) -> Any:
    if task.workload == JSON_ROWS:
        return JsonRowDeserializationSchema.builder().type_info(ORDER).build()
    return SimpleStringSchema()


def _writing(task: Task) -> Any:
    if task.workload == JSON_ROWS:
        return JsonRowSerializationSchema.builder().with_type_info(ORDER).build()
    return SimpleStringSchema()


def _sink(task: Task) -> KafkaSink[Any]:
    builder = (
        KafkaSink.builder()
        .set_bootstrap_servers(task.bootstrap_servers)
        .set_record_serializer(
            KafkaRecordSerializationSchema.builder()
            .set_topic(task.topic_out)
            .set_value_serialization_schema(_writing(task))
            .build()
        )
        .set_delivery_guarantee(DeliveryGuarantee[sys.argv[2]])
        .set_transactional_id_prefix(task.topic_out)
        .set_property("transaction.timeout.ms", "600000")  # Flink's own hour is more than brokers allow
    )
    for key, value in SINK_PROPERTIES.items():
        builder.set_property(key, value)
    return builder.build()


if __name__ == "__main__":
    serve(run)
