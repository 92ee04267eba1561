"""Jobs whose cost may grow with their state, as ``python -m benchmarks.growth_job FOLDER``.

FOLDER keeps the checkpoints: tasks with the same output topic are runs of one job, each of which continues the last.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Final

from benchmarks import topics
from benchmarks.serving import COPY, KEYS, LISTS, MAPS, SINK_PROPERTIES, Task, serve
from kafkastream.common import Configuration, SimpleStringSchema, Types, WatermarkStrategy
from kafkastream.datastream import KeyedProcessFunction, RuntimeContext, StreamExecutionEnvironment
from kafkastream.datastream.connectors.kafka import (
    KafkaOffsetsInitializer,
    KafkaRecordSerializationSchema,
    KafkaSink,
    KafkaSource,
)
from kafkastream.datastream.state import ListStateDescriptor, MapStateDescriptor, ValueStateDescriptor
from kafkastream.testing import wait_until

_RUN_S: Final = 1800.0


class Counted(KeyedProcessFunction[str, str, str]):
    """Counts the records of each key."""

    def open(self, runtime_context: RuntimeContext) -> None:
        """Open the state."""
        self._count = runtime_context.get_state(ValueStateDescriptor("count", Types.LONG()))

    def process_element(self, value: str, ctx: KeyedProcessFunction.Context) -> Iterator[str]:
        """Count a record."""
        count = (self._count.value() or 0) + 1
        self._count.update(count)
        yield f"{value} {count}"


class Listed(KeyedProcessFunction[str, str, str]):
    """Keeps all records of each key in a list."""

    def open(self, runtime_context: RuntimeContext) -> None:
        """Open the state."""
        self._seen = runtime_context.get_list_state(ListStateDescriptor("seen", Types.STRING()))

    def process_element(self, value: str, ctx: KeyedProcessFunction.Context) -> Iterator[str]:
        """Keep a record."""
        self._seen.add(value)
        yield value


class Mapped(KeyedProcessFunction[str, str, str]):
    """Keeps all records of each key as the keys of a map."""

    def open(self, runtime_context: RuntimeContext) -> None:
        """Open the state."""
        self._seen = runtime_context.get_map_state(MapStateDescriptor("seen", Types.STRING(), Types.LONG()))

    def process_element(self, value: str, ctx: KeyedProcessFunction.Context) -> Iterator[str]:
        """Keep a record."""
        self._seen.put(value, 1)
        yield value


def last_digit(value: str) -> str:
    """Return the key of a record, of which there are ten."""
    return value[-1]


def run(task: Task) -> None:
    """Process what has come to a topic since the last run."""
    configuration = Configuration().set_string("execution.checkpointing.dir", Path(sys.argv[1]).absolute().as_uri())
    env = StreamExecutionEnvironment.get_execution_environment(configuration)
    source = (
        KafkaSource.builder()
        .set_bootstrap_servers(task.bootstrap_servers)
        .set_topics(task.topic_in)
        .set_group_id("growth")
        .set_starting_offsets(KafkaOffsetsInitializer.earliest())
        .set_value_only_deserializer(SimpleStringSchema())
    )
    if task.workload == COPY:
        source.set_bounded(KafkaOffsetsInitializer.latest())
    stream = env.from_source(source.build(), WatermarkStrategy.no_watermarks(), "in")
    if task.workload == COPY:
        stream = stream.map(str.upper, Types.STRING())
    elif task.workload == KEYS:
        stream = stream.key_by(str, Types.STRING()).process(Counted(), Types.STRING())
    else:
        function = {LISTS: Listed, MAPS: Mapped}[task.workload]
        stream = stream.key_by(last_digit, Types.STRING()).process(function(), Types.STRING())
    schema = KafkaRecordSerializationSchema.builder().set_topic(task.topic_out)
    sink = KafkaSink.builder().set_bootstrap_servers(task.bootstrap_servers)
    sink.set_record_serializer(schema.set_value_serialization_schema(SimpleStringSchema()).build())
    for key, value in SINK_PROPERTIES.items():
        sink.set_property(key, value)
    stream.sink_to(sink.build())
    if task.workload == COPY:
        env.execute(task.topic_out)
    else:
        _execute_until_written(env, task)


def _execute_until_written(env: StreamExecutionEnvironment, task: Task) -> None:
    """Run a job without an end until it has written as many records as came, and stop it."""
    with closing(topics.new_consumer(task.bootstrap_servers)) as consumer:
        written = topics.count(consumer, task.topic_out) + task.records
        client = env.execute_async(task.topic_out)
        wait_until(lambda: topics.count(consumer, task.topic_out) >= written, _RUN_S, f"records in {task.topic_out}")
        client.cancel().result()


if __name__ == "__main__":
    serve(run)
