"""The job with state that is killed: each kind of keyed operator, over the same elements.

The first element of each key is one of a collection.

``python keyed_job.py SERVERS FROM TO CHECKPOINTS FAULTS GUARANTEE``

An element is ``key number``. Even numbers are the left side of what has two sides, odd ones the right; ``rule text`` is a
rule for all, ``end 0`` moves the time. Lines begin with the kind of operator; ``keyed_model.py`` says what is expected.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator

from kafkastream.common import Duration, SimpleStringSchema, Time, Types, WatermarkStrategy
from kafkastream.datastream import (
    AggregateFunction,
    DataStream,
    KeyedBroadcastProcessFunction,
    KeyedCoProcessFunction,
    KeyedProcessFunction,
    ProcessJoinFunction,
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
from kafkastream.datastream.state import MapStateDescriptor, ValueStateDescriptor
from kafkastream.datastream.window import EventTimeSessionWindows, TumblingEventTimeWindows
from tests.faults.keyed_model import GAP_MS, GIVEN, NEAR_MS, TIMER_MS, key_of, number_of, session_time, time_of

RULES = MapStateDescriptor("rules", Types.STRING(), Types.STRING())


class RunningCount(KeyedProcessFunction[str, str, str]):
    """How many elements of the key there were; a timer a minute after the first tells once more."""

    def open(self, runtime_context: RuntimeContext) -> None:
        self.count = runtime_context.get_state(ValueStateDescriptor("count", Types.LONG()))

    def process_element(self, value: str, ctx: KeyedProcessFunction.Context) -> Iterator[str]:
        count = (self.count.value() or 0) + 1
        self.count.update(count)
        if count == 1:
            ctx.timer_service().register_event_time_timer((ctx.timestamp() or 0) + TIMER_MS)
        yield f"count {ctx.get_current_key()} {count}"

    def on_timer(self, timestamp: int, ctx: KeyedProcessFunction.OnTimerContext) -> Iterator[str]:
        yield f"timer {ctx.get_current_key()} {self.count.value()}"


class BothCounts(KeyedCoProcessFunction[str, str, str, str]):
    """How many elements of the key either side had, told by a timer; each element tells of both together."""

    def open(self, runtime_context: RuntimeContext) -> None:
        self.sides = [runtime_context.get_state(ValueStateDescriptor(name, Types.LONG())) for name in ("left", "right")]

    def process_element1(self, value: str, ctx: KeyedCoProcessFunction.Context) -> Iterator[str]:
        return self._counted(0, ctx)

    def process_element2(self, value: str, ctx: KeyedCoProcessFunction.Context) -> Iterator[str]:
        return self._counted(1, ctx)

    def on_timer(self, timestamp: int, ctx: KeyedCoProcessFunction.OnTimerContext) -> Iterator[str]:
        left, right = self._counts()
        yield f"sides {ctx.get_current_key()} {left} {right}"

    def _counted(self, side: int, ctx: KeyedCoProcessFunction.Context) -> Iterator[str]:
        self.sides[side].update(self._counts()[side] + 1)
        if sum(self._counts()) == 1:
            ctx.timer_service().register_event_time_timer((ctx.timestamp() or 0) + TIMER_MS)
        yield f"both {ctx.get_current_key()} {sum(self._counts())}"

    def _counts(self) -> list[int]:
        return [side.value() or 0 for side in self.sides]


class Near(ProcessJoinFunction[str, str, str]):
    """Tells of each pair."""

    def process_element(self, left: str, right: str, ctx: ProcessJoinFunction.Context) -> Iterator[str]:
        yield f"pair {key_of(left)} {number_of(left)} {number_of(right)}"


class Ruled(KeyedBroadcastProcessFunction[str, str, str, str]):
    """How many elements of the key there were, and the rule."""

    def open(self, runtime_context: RuntimeContext) -> None:
        self.count = runtime_context.get_state(ValueStateDescriptor("count", Types.LONG()))

    def process_element(self, value: str, ctx: KeyedBroadcastProcessFunction.ReadOnlyContext) -> Iterator[str]:
        self.count.update((self.count.value() or 0) + 1)
        yield f"{ctx.get_broadcast_state(RULES).get('rule')} ruled {ctx.get_current_key()} {self.count.value()}"

    def process_broadcast_element(self, value: str, ctx: KeyedBroadcastProcessFunction.Context) -> None:
        ctx.get_broadcast_state(RULES).put("rule", value.split()[1])


class Length(AggregateFunction[str, tuple[str, int], str]):
    """How many elements the window has."""

    def __init__(self, kind: str) -> None:
        self.kind = kind

    def create_accumulator(self) -> tuple[str, int]:
        return "", 0

    def add(self, value: str, accumulator: tuple[str, int]) -> tuple[str, int]:
        return key_of(value), accumulator[1] + 1

    def get_result(self, accumulator: tuple[str, int]) -> str:
        return f"{self.kind} {accumulator[0]} {accumulator[1]}"

    def merge(self, acc_a: tuple[str, int], acc_b: tuple[str, int]) -> tuple[str, int]:
        return acc_a[0], acc_a[1] + acc_b[1]


def outputs(elements: DataStream[str]) -> list[DataStream[str]]:
    """What comes of each kind of operator."""
    others = elements.filter(is_counted)
    keyed = others.key_by(key_of)
    left, right = (others.filter(on_side(side)).key_by(key_of) for side in (0, 1))
    rules = elements.filter(lambda value: key_of(value) == "rule").broadcast(RULES)
    sums = others.map(lambda value: (key_of(value), 1)).key_by(lambda pair: pair[0]).sum(1)
    near = left.interval_join(right).between(Time.milliseconds(-NEAR_MS), Time.milliseconds(NEAR_MS))
    disordered = WatermarkStrategy.for_bounded_out_of_orderness(Duration.of_minutes(1))
    in_disorder = elements.assign_timestamps_and_watermarks(
        disordered.with_timestamp_assigner(lambda value, _: session_time(value))
    )
    sessions = in_disorder.filter(is_counted).key_by(key_of)
    return [
        keyed.process(RunningCount()).name("counts"),
        keyed.window(TumblingEventTimeWindows.of(Time.minutes(1))).aggregate(Length("window")).name("windows"),
        sessions.window(EventTimeSessionWindows.with_gap(Time.milliseconds(GAP_MS)))
        .aggregate(Length("session"))
        .name("sessions"),
        sums.name("sums").map(lambda pair: f"reduced {pair[0]} {pair[1]}"),
        left.connect(right).process(BothCounts()).name("both"),
        near.process(Near()).name("pairs"),
        keyed.connect(rules).process(Ruled()).name("ruled"),
    ]


def is_counted(value: str) -> bool:
    """Whether it is more than a rule, or the end."""
    return key_of(value).startswith("key")


def on_side(side: int) -> Callable[[str], bool]:
    """Whether an element is of a side."""
    return lambda value: number_of(value) % 2 == side


def main(servers: str, source: str, target: str, checkpoints: str, _: str, guarantee: str) -> None:
    """Read without an end; write what comes of it."""
    env = StreamExecutionEnvironment.get_execution_environment()
    env.enable_checkpointing(300).get_checkpoint_config().set_checkpoint_storage_dir(checkpoints)
    env.set_parallelism(2)
    records = (
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
    given = env.from_collection(GIVEN, Types.STRING()).assign_timestamps_and_watermarks(
        strategy.with_timestamp_assigner(lambda value, _: time_of(value))
    )
    first, *others = outputs(env.from_source(records, strategy, "in").union(given))
    first.union(*others).sink_to(sink.build()).name("out")
    env.execute("keyed")


if __name__ == "__main__":
    main(*sys.argv[1:])
