"""The job with state that is killed: it counts the elements of each key, by itself and in windows.

The first element of each key is one of a collection.

``python keyed_job.py SERVERS FROM TO CHECKPOINTS FAULTS GUARANTEE``
"""

from __future__ import annotations

import sys
from collections.abc import Iterator

from kafkastream.common import SimpleStringSchema, Time, Types, WatermarkStrategy
from kafkastream.datastream import (
    AggregateFunction,
    KeyedProcessFunction,
    RuntimeContext,
    StreamExecutionEnvironment,
)
from kafkastream.datastream.connectors.kafka import (
    DeliveryGuarantee,
    KafkaOffsetsInitializer,
    KafkaRecordSerializationSchema,
    KafkaSink,
    KafkaSource,
)
from kafkastream.datastream.state import ValueStateDescriptor
from kafkastream.datastream.window import TumblingEventTimeWindows

T0 = 1_794_999_960_000  # a full minute, so that one window has all
KEYS = [f"key-{number}" for number in range(7)]


class RunningCount(KeyedProcessFunction[str, str, str]):
    """How many elements of the key there were; a timer a minute after the first tells once more."""

    def open(self, runtime_context: RuntimeContext) -> None:
        self.count = runtime_context.get_state(ValueStateDescriptor("count", Types.LONG()))

    def process_element(self, value: str, ctx: KeyedProcessFunction.Context) -> Iterator[str]:
        count = (self.count.value() or 0) + 1
        self.count.update(count)
        if count == 1:
            ctx.timer_service().register_event_time_timer((ctx.timestamp() or 0) + 60_000)
        yield f"count {value} {count}"

    def on_timer(self, timestamp: int, ctx: KeyedProcessFunction.OnTimerContext) -> Iterator[str]:
        yield f"timer {ctx.get_current_key()} {self.count.value()}"


class Length(AggregateFunction[str, tuple[str, int], str]):
    """How many elements the window has."""

    def create_accumulator(self) -> tuple[str, int]:
        return "", 0

    def add(self, value: str, accumulator: tuple[str, int]) -> tuple[str, int]:
        return value, accumulator[1] + 1

    def get_result(self, accumulator: tuple[str, int]) -> str:
        return f"window {accumulator[0]} {accumulator[1]}"

    def merge(self, acc_a: tuple[str, int], acc_b: tuple[str, int]) -> tuple[str, int]:
        return acc_a[0], acc_a[1] + acc_b[1]


def main(servers: str, source: str, target: str, checkpoints: str, _: str, guarantee: str) -> None:
    """Read without an end; write what comes of it."""
    env = StreamExecutionEnvironment.get_execution_environment()
    env.enable_checkpointing(300).get_checkpoint_config().set_checkpoint_storage_dir(checkpoints)
    env.set_parallelism(2)
    elements = (
        KafkaSource.builder()
        .set_bootstrap_servers(servers)
        .set_topics(source)
        .set_group_id("faults")
        .set_starting_offsets(KafkaOffsetsInitializer.earliest())
        .set_value_only_deserializer(SimpleStringSchema())
        .build()
    )
    schema = KafkaRecordSerializationSchema.builder().set_topic(target)
    sink = KafkaSink.builder().set_bootstrap_servers(servers)
    sink.set_record_serializer(schema.set_value_serialization_schema(SimpleStringSchema()).build())
    sink.set_delivery_guarantee(DeliveryGuarantee[guarantee]).set_transactional_id_prefix("keyed")
    strategy: WatermarkStrategy[str] = WatermarkStrategy.for_monotonous_timestamps()
    given = env.from_collection(KEYS, Types.STRING()).assign_timestamps_and_watermarks(
        strategy.with_timestamp_assigner(lambda _, __: T0)
    )
    keyed = env.from_source(elements, strategy, "in").union(given).key_by(str)
    counts = keyed.process(RunningCount(), Types.STRING()).name("counts")
    windows = keyed.window(TumblingEventTimeWindows.of(Time.minutes(1))).aggregate(Length(), output_type=Types.STRING())
    counts.union(windows.name("windows")).sink_to(sink.build()).name("out")
    env.execute("keyed")


if __name__ == "__main__":
    main(*sys.argv[1:])
