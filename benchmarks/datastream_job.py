"""The DataStream job, for kafkastream and for PyFlink: one program, only its imports differ.

Run as ``python -m benchmarks.datastream_job kafkastream AT_LEAST_ONCE`` or ``… pyflink AT_LEAST_ONCE``, each by a Python
that has the package. A third argument, ``latency mode``, sets the buffer
timeout to 0; ``keyed`` counts the records of 100 keys before they are written.
"""

from __future__ import annotations

import os
import sys
import tempfile
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

from benchmarks.orders import changed, customer, is_dear
from benchmarks.serving import (
    GUARANTEES,
    JSON_ROWS,
    KEYED,
    LATENCY,
    MICRO_BATCH_RECORDS,
    MICRO_BATCHES,
    PYTHON,
    RUNNING_COUNT,
    SINK_PROPERTIES,
    VISIBILITY,
    WINDOWS,
    Task,
    serve,
)

if TYPE_CHECKING or sys.argv[1] == "kafkastream":
    from kafkastream.common import Configuration, SimpleStringSchema, Time, Types, WatermarkStrategy
    from kafkastream.datastream import (
        AggregateFunction,
        KeyedProcessFunction,
        ProcessWindowFunction,
        RuntimeContext,
        StreamExecutionEnvironment,
    )
    from kafkastream.datastream.connectors.base import DeliveryGuarantee
    from kafkastream.datastream.connectors.kafka import (
        KafkaOffsetsInitializer,
        KafkaRecordSerializationSchema,
        KafkaSink,
        KafkaSource,
    )
    from kafkastream.datastream.formats.json import JsonRowDeserializationSchema, JsonRowSerializationSchema
    from kafkastream.datastream.state import ValueStateDescriptor
    from kafkastream.datastream.window import TimeWindow, TumblingEventTimeWindows
else:
    from pyflink.common import Configuration, SimpleStringSchema, Time, Types, WatermarkStrategy
    from pyflink.datastream import (
        AggregateFunction,
        KeyedProcessFunction,
        ProcessWindowFunction,
        RuntimeContext,
        StreamExecutionEnvironment,
    )
    from pyflink.datastream.connectors.base import DeliveryGuarantee
    from pyflink.datastream.connectors.kafka import (
        KafkaOffsetsInitializer,
        KafkaRecordSerializationSchema,
        KafkaSink,
        KafkaSource,
    )
    from pyflink.datastream.formats.json import JsonRowDeserializationSchema, JsonRowSerializationSchema
    from pyflink.datastream.state import ValueStateDescriptor
    from pyflink.datastream.window import TimeWindow, TumblingEventTimeWindows

ORDER = Types.ROW_NAMED(
    ["id", "customer", "item", "price", "count", "paid"],
    [Types.LONG(), Types.STRING(), Types.STRING(), Types.DOUBLE(), Types.INT(), Types.BOOLEAN()],
)


def run(task: Task) -> None:
    """Take the records of one topic to another; without an end, and not waited for, when they are watched."""
    env = _environment(checkpointed=task.workload in (GUARANTEES, VISIBILITY))
    stream = env.from_source(_source(task), _watermarks(task), "in")
    if task.workload == PYTHON:
        stream = stream.map(changed, Types.STRING())
    elif task.workload == JSON_ROWS:
        stream = stream.filter(lambda order: is_dear(order["price"]))
    elif task.workload in (RUNNING_COUNT, MICRO_BATCHES):
        stream = stream.key_by(customer, Types.STRING()).process(RunningCount(), Types.STRING())
    elif task.workload == WINDOWS:
        windows = stream.key_by(customer, Types.STRING()).window(TumblingEventTimeWindows.of(Time.minutes(1)))
        stream = windows.aggregate(Count(), WithWindow(), accumulator_type=Types.LONG(), output_type=Types.STRING())
    elif KEYED in sys.argv:
        stream = stream.key_by(last_digits, Types.STRING()).process(Counted(), Types.STRING())
    stream.sink_to(_sink(task))
    if task.workload == VISIBILITY:
        env.execute_async(task.topic_out)
    else:
        env.execute(task.topic_out)


class RunningCount(KeyedProcessFunction):
    """Tells each key's count whenever it grows."""

    def open(self, runtime_context: RuntimeContext) -> None:
        """Declare the state."""
        self.count = runtime_context.get_state(ValueStateDescriptor("count", Types.LONG()))

    def process_element(self, value: str, ctx: KeyedProcessFunction.Context) -> Iterator[str]:
        """Count one."""
        count = (self.count.value() or 0) + 1
        self.count.update(count)
        yield f"{ctx.get_current_key()} {count}"


def last_digits(value: str) -> str:
    """One of 100 keys."""
    return value[-2:]


class Counted(RunningCount):
    """Counts the elements of each key, and passes them on."""

    def process_element(self, value: str, ctx: KeyedProcessFunction.Context) -> Iterator[str]:
        """Count one."""
        for _ in super().process_element(value, ctx):
            yield value


class Count(AggregateFunction):
    """How many elements there are."""

    def create_accumulator(self) -> int:
        """None yet."""
        return 0

    def add(self, value: str, accumulator: int) -> int:
        """One more."""
        return accumulator + 1

    def get_result(self, accumulator: int) -> int:
        """The count."""
        return accumulator

    def merge(self, acc_a: int, acc_b: int) -> int:
        """Those of both."""
        return acc_a + acc_b


class WithWindow(ProcessWindowFunction[int, str, str, TimeWindow]):
    """Tells a count with its key and its window's start."""

    def process(
        self, key: str, context: ProcessWindowFunction.Context[TimeWindow], elements: Iterable[int]
    ) -> Iterator[str]:
        """Tell the one count of a window."""
        for count in elements:
            yield f"{key} {context.window().start} {count}"


def _watermarks(task: Task) -> WatermarkStrategy[Any]:
    if task.workload == WINDOWS:
        return WatermarkStrategy.for_monotonous_timestamps()
    return WatermarkStrategy.no_watermarks()


def _environment(*, checkpointed: bool) -> StreamExecutionEnvironment:
    configuration = Configuration()
    configuration.set_string("python.execution-mode", "thread")  # PyFlink's fastest: in the JVM's own process
    configuration.set_string("python.executable", sys.executable)
    if checkpointed:
        configuration.set_string("execution.checkpointing.interval", "1 s")
        configuration.set_string("execution.checkpointing.dir", Path(tempfile.mkdtemp()).as_uri())
    env = StreamExecutionEnvironment.get_execution_environment(configuration)
    if LATENCY in sys.argv:
        env.set_buffer_timeout(0)
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
    if task.workload == MICRO_BATCHES:
        builder.set_property("spark.maxOffsetsPerTrigger", str(MICRO_BATCH_RECORDS))
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
        if task.workload != VISIBILITY or key != "linger.ms":  # where latency counts, each has its own
            builder.set_property(key, value)
    return builder.build()


if __name__ == "__main__":
    serve(run)
