"""Jobs of operators that are attacked: with state and windows, with a join, with two sinks.

``python operators_job.py SERVERS FROM TO CHECKPOINTS FAULTS GUARANTEE CASE``

``operators_model.py`` says what they are to write. Where there are two sinks, the second writes to ``TO-2``.
"""

from __future__ import annotations

import sys
import zlib
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any, Final

from kafkastream.common import SimpleStringSchema, Time, Types, WatermarkStrategy
from kafkastream.datastream import (
    AggregateFunction,
    DataStream,
    KeyedProcessFunction,
    ProcessJoinFunction,
    ProcessWindowFunction,
    RuntimeContext,
    StreamExecutionEnvironment,
)
from kafkastream.datastream.connectors.kafka import (
    DeliveryGuarantee,
    KafkaPartitioner,
    KafkaRecordSerializationSchema,
    KafkaSink,
)
from kafkastream.datastream.state import ValueStateDescriptor
from kafkastream.datastream.window import TumblingEventTimeWindows
from tests.faults.copy_job import INTERVAL_MS, TIMEOUT_MS, Copy, numbers
from tests.faults.operators_model import KEYS, NEAR_MS, TIMER_EVERY, TIMER_MS, WINDOW_MS, key_of, pair_key

SINKS: Final = ("first", "second")


class Sabotaged(KafkaPartitioner[Any]):
    """Chooses partitions by the value, and lets the worker that writes come by the saboteur's points."""

    def __init__(self, faults: str) -> None:
        self._faults = faults

    def open(self, parallel_instance_id: int, parallel_instances: int) -> None:
        saboteur(self._faults).install(Path(self._faults))

    def partition(
        self, record: Any, key: bytes | None, value: bytes | None, target_topic: str, partitions: list[int]
    ) -> int:
        return partitions[zlib.crc32(value or b"") % len(partitions)]


class RunningCount(KeyedProcessFunction[int, int, str]):
    """How many elements of the key there were; timers tell their time."""

    def __init__(self, faults: str) -> None:
        self._faults = faults

    def open(self, runtime_context: RuntimeContext) -> None:
        self.count = runtime_context.get_state(ValueStateDescriptor("count", Types.LONG()))
        self.saboteur = saboteur(self._faults)

    def process_element(self, value: int, ctx: KeyedProcessFunction.Context) -> Iterator[str]:
        count = (self.count.value() or 0) + 1
        self.count.update(count)
        self.saboteur.come_by(Path(self._faults), "in-operator")
        if (value // KEYS + 1) % TIMER_EVERY == 0:
            ctx.timer_service().register_event_time_timer((ctx.timestamp() or 0) + TIMER_MS)
        yield f"count {ctx.get_current_key()} {count}"

    def on_timer(self, timestamp: int, ctx: KeyedProcessFunction.OnTimerContext) -> Iterator[str]:
        yield f"timer {ctx.get_current_key()} {timestamp}"


class Length(AggregateFunction[int, int, int]):
    """How many elements there are."""

    def create_accumulator(self) -> int:
        return 0

    def add(self, value: int, accumulator: int) -> int:
        return accumulator + 1

    def get_result(self, accumulator: int) -> int:
        return accumulator

    def merge(self, acc_a: int, acc_b: int) -> int:
        return acc_a + acc_b


class Window(ProcessWindowFunction[int, str, int, Any]):
    """Tells of a window."""

    def process(self, key: int, context: Any, elements: Any) -> Iterator[str]:
        yield f"window {key} {context.window().start} {next(iter(elements))}"


class Pair(ProcessJoinFunction[int, int, str]):
    """Tells of a pair."""

    def __init__(self, faults: str) -> None:
        self._faults = faults

    def open(self, runtime_context: RuntimeContext) -> None:
        self.saboteur = saboteur(self._faults)

    def process_element(self, left: int, right: int, ctx: ProcessJoinFunction.Context) -> Iterator[str]:
        self.saboteur.come_by(Path(self._faults), "in-operator")
        yield f"pair {left} {right}"


def saboteur(faults: str) -> Any:
    """The module of this test run, which workers find in the folder alone."""
    code = str(Path(faults) / "code")
    if code not in sys.path:
        sys.path.insert(0, code)
    import saboteur  # type: ignore[import-not-found]

    return saboteur


def keyed(elements: DataStream[int], faults: str) -> list[DataStream[str]]:
    """Counts with timers, and windows, to one sink."""
    by_key = elements.key_by(key_of, Types.INT())
    windows = by_key.window(TumblingEventTimeWindows.of(Time.milliseconds(WINDOW_MS)))
    lengths = windows.aggregate(Length(), Window(), output_type=Types.STRING())
    return [by_key.process(RunningCount(faults), Types.STRING()).union(lengths)]


def joined(elements: DataStream[int], faults: str) -> list[DataStream[str]]:
    """Even numbers with odd ones."""
    even, odd = (elements.filter(on_side(side)).key_by(pair_key, Types.INT()) for side in (0, 1))
    near = even.interval_join(odd).between(Time.milliseconds(-NEAR_MS), Time.milliseconds(NEAR_MS))
    return [near.process(Pair(faults), Types.STRING())]


def two_sinks(elements: DataStream[int], faults: str) -> list[DataStream[str]]:
    """Copies, twice."""
    copies = elements.map(str, Types.STRING()).map(Copy(faults), Types.STRING())
    return [copies, copies]


def two_keyed_sinks(elements: DataStream[int], faults: str) -> list[DataStream[str]]:
    """Counts, twice."""
    counts = elements.key_by(key_of, Types.INT()).process(RunningCount(faults), Types.STRING())
    return [counts, counts]


CASES: Final[Mapping[str, Callable[[DataStream[int], str], list[DataStream[str]]]]] = {
    "keyed": keyed,
    "joined": joined,
    "two-sinks": two_sinks,
    "two-keyed-sinks": two_keyed_sinks,
}


def on_side(side: int) -> Callable[[int], bool]:
    """Whether a number is of a side."""
    return lambda number: number % 2 == side


def main(servers: str, source: str, target: str, checkpoints: str, faults: str, guarantee: str, case: str) -> None:
    """Read without an end; write what comes of it."""
    env = StreamExecutionEnvironment.get_execution_environment()
    env.enable_checkpointing(INTERVAL_MS).get_checkpoint_config().set_checkpoint_storage_dir(checkpoints)
    env.set_parallelism(2)
    in_order: WatermarkStrategy[str] = WatermarkStrategy.for_monotonous_timestamps()
    elements = numbers(env, servers, source, in_order).map(int, Types.LONG())
    for name, topic, stream in zip(SINKS, (target, f"{target}-2"), CASES[case](elements, faults), strict=False):
        stream.sink_to(sink(servers, topic, faults, guarantee)).name(name)
    env.execute("faults")


def sink(servers: str, topic: str, faults: str, guarantee: str) -> KafkaSink[str]:
    """A sink whose worker is attacked."""
    schema = KafkaRecordSerializationSchema.builder().set_topic(topic).set_partitioner(Sabotaged(faults))
    return (
        KafkaSink.builder()
        .set_bootstrap_servers(servers)
        .set_record_serializer(schema.set_value_serialization_schema(SimpleStringSchema()).build())
        .set_delivery_guarantee(DeliveryGuarantee[guarantee])
        .set_transactional_id_prefix("faults")
        .set_property("transaction.timeout.ms", str(TIMEOUT_MS))
        .build()
    )


if __name__ == "__main__":
    main(*sys.argv[1:])
