"""Classes of the main script as keys and in state: each run of the program finds its own class in them."""

from __future__ import annotations

import runpy
import sys
from collections.abc import Iterable
from pathlib import Path

import pytest

from kafkastream.testing import KafkaBroker, wait_until
from kafkastream.testing.pytest_plugin import NewTopic

PROGRAM = """
import sys
from collections import namedtuple
from dataclasses import dataclass
from enum import Enum, IntEnum
from typing import NamedTuple

import shipped
from kafkastream.common import SimpleStringSchema, Types, WatermarkStrategy
from kafkastream.common.watermark_strategy import TimestampAssigner
from kafkastream.datastream import KeyedProcessFunction, StreamExecutionEnvironment
from kafkastream.datastream.connectors.kafka import (
    KafkaOffsetsInitializer, KafkaRecordSerializationSchema, KafkaSink, KafkaSource
)
from kafkastream.datastream.state import ListStateDescriptor, ValueStateDescriptor


class Color(Enum):
    RED = 1
    CRIMSON = 1
    BLUE = 2


class Level(IntEnum):
    LOW = 1


class Outer:
    class Inner(Enum):
        X = 1


class Named(NamedTuple):
    color: Color


Pair = namedtuple("Pair", "a b")


@dataclass
class Point:
    x: int


@dataclass(frozen=True)
class Item:
    color: Color
    point: Point


KEYS = {
    "enum": Color.CRIMSON,
    "int enum": Level.LOW,
    "int": 1,
    "nested": Outer.Inner.X,
    "named": Named(Color.BLUE),
    "pair": Pair("x", 1),
    "tuple": ("x", 1),
    "point": Point(1),
    "item": Item(Color.RED, Point(1)),
    "in a tuple": (Color.RED, 1),
    "list": [1],
    "shipped": shipped.Size.L,
    "unchanged": Color.BLUE,
}


def is_own(name, value):
    key = KEYS[name]
    return (value is key if isinstance(key, Enum) else value == key) and type(value) is type(key)


class Written(TimestampAssigner):
    def extract_timestamp(self, value, record_timestamp):
        return int(value.split("@")[1])


class Count(KeyedProcessFunction):
    def open(self, context):
        self.name = context.get_state(ValueStateDescriptor("name", Types.STRING()))
        self.keys = context.get_list_state(ListStateDescriptor("keys", Types.PICKLED_BYTE_ARRAY()))

    def process_element(self, name, ctx):
        self.name.update(name)
        self.keys.add(ctx.get_current_key())
        keys = list(self.keys.get())
        ctx.timer_service().register_event_time_timer(ctx.timestamp() + 1 if len(keys) > 1 else 50_000)
        yield f"{name} {len(keys)} {all(is_own(name, key) for key in keys)}"

    def on_timer(self, timestamp, ctx):
        name = self.name.value()
        yield f"{name} timer {is_own(name, ctx.get_current_key())}"


servers, topic, target, checkpoints, module = sys.argv[1:]
env = StreamExecutionEnvironment.get_execution_environment()
env.set_parallelism(2).enable_checkpointing(1000)
env.add_python_file(module)
env.get_checkpoint_config().set_checkpoint_storage_dir(checkpoints)
source = KafkaSource.builder().set_bootstrap_servers(servers).set_topics(topic)
source = source.set_value_only_deserializer(SimpleStringSchema()).build()
serializer = KafkaRecordSerializationSchema.builder().set_topic(target)
serializer = serializer.set_value_serialization_schema(SimpleStringSchema()).build()
sink = KafkaSink.builder().set_bootstrap_servers(servers).set_record_serializer(serializer).build()
strategy = WatermarkStrategy.for_monotonous_timestamps().with_timestamp_assigner(Written())
names = env.from_source(source, strategy, "names").map(lambda value: value.split("@")[0], Types.STRING())
names.key_by(lambda name: KEYS[name]).process(Count(), Types.STRING()).sink_to(sink)
client = env.execute_async("classes")
"""
SHIPPED = """
from enum import Enum


class Size(Enum):
    L = 1
"""


@pytest.mark.usefixtures("spark")
def test_each_run_finds_its_own_classes(
    kafka: KafkaBroker, topic: str, new_topic: NewTopic, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    program, target = tmp_path / "program.py", new_topic()
    program.write_text(PROGRAM)
    (tmp_path / "shipped.py").write_text(SHIPPED)
    monkeypatch.syspath_prepend(tmp_path)
    arguments = [topic, target, (tmp_path / "checkpoints").as_uri(), str(tmp_path / "shipped.py")]
    monkeypatch.setattr(sys, "argv", ["program.py", kafka.bootstrap_servers, *arguments])
    names = [line.split('"')[1] for line in PROGRAM.partition("KEYS = {")[2].partition("\n}")[0].splitlines()[1:]]
    changed = names[:-1]

    def results() -> set[str]:
        return {(record.value or b"").decode() for record in kafka.consume(target)}

    def run(values: Iterable[str], expected: set[str]) -> None:
        client = runpy.run_path(str(program), run_name="__main__")["client"]
        kafka.produce(topic, values)
        wait_until(lambda: results() >= expected, 90, "the results")
        client.cancel().result(60)
        assert results() == expected

    first = {f"{name} 1 True" for name in names}
    run([f"{name}@{number}" for number, name in enumerate(names, 1)], first)
    again = {f"{name} 2 True" for name in changed} | {"int 3 True"} | {f"{name} timer True" for name in names}
    run([*(f"{name}@{100 + number}" for number, name in enumerate(changed)), "int@60000"], first | again)
