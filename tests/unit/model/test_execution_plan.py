"""The execution plan: Flink's shape, and how watermarks are made."""

from __future__ import annotations

import json
from typing import Any

import pytest

from kafkastream.common import Duration, SimpleStringSchema, Types, WatermarkStrategy
from kafkastream.datastream import BroadcastProcessFunction, StreamExecutionEnvironment
from kafkastream.datastream.connectors.kafka import KafkaSource
from kafkastream.datastream.state import MapStateDescriptor
from kafkastream.model.common.watermark_strategy import WatermarkGenerator, WatermarkOutput

SOURCE = (
    KafkaSource.builder()
    .set_bootstrap_servers("k:9092")
    .set_topics("t")
    .set_value_only_deserializer(SimpleStringSchema())
    .build()
)
FIVE = WatermarkStrategy.for_bounded_out_of_orderness(Duration.of_seconds(5))


@pytest.fixture
def env() -> StreamExecutionEnvironment:
    return StreamExecutionEnvironment.get_execution_environment().set_parallelism(4)


def plan(env: StreamExecutionEnvironment) -> list[dict[str, Any]]:
    nodes: list[dict[str, Any]] = json.loads(env.get_execution_plan())["nodes"]
    return nodes


def ways(env: StreamExecutionEnvironment) -> dict[str, list[str]]:
    return {
        node["type"]: [taken["ship_strategy"] for taken in node["predecessors"]]
        for node in plan(env)
        if "predecessors" in node
    }


class Marks(WatermarkGenerator[str]):
    def on_event(self, event: str, event_timestamp: int, output: WatermarkOutput) -> None: ...

    def on_periodic_emit(self, output: WatermarkOutput) -> None: ...


class Both(BroadcastProcessFunction[str, str, str]):
    def process_element(self, value: str, ctx: Any) -> list[str]:
        return [value]

    def process_broadcast_element(self, value: str, ctx: Any) -> list[str]:
        return [value]


def test_the_plan_has_flinks_shape(env: StreamExecutionEnvironment) -> None:
    env.from_elements("a").map(str).set_parallelism(1).print()
    shown = {"pact": "Operator", "contents": "Map", "parallelism": 1}
    before = {"ship_strategy": "FORWARD", "side": "second"}
    name, end = "Source: Collection Source", "Sink: Print to Std. Out"
    assert plan(env) == [
        {"id": 1, "type": name, "pact": "Data Source", "contents": name, "parallelism": 4},
        {"id": 2, "type": "Map", **shown, "predecessors": [{"id": 1, **before}]},
        {
            "id": 3,
            "type": end,
            "pact": "Data Sink",
            "contents": end,
            "parallelism": 4,
            "predecessors": [{"id": 2, **before}],
        },
    ]


@pytest.mark.parametrize(
    ("strategy", "shown"),
    [
        (FIVE, {"strategy": "bounded out of orderness 5000 ms"}),
        (
            FIVE.with_idleness(Duration.of_minutes(1)),
            {"strategy": "bounded out of orderness 5000 ms", "idle_timeout": "60000 ms"},
        ),
        (
            WatermarkStrategy.for_generator(Marks).with_watermark_alignment("orders", Duration.of_seconds(2)),
            {
                "strategy": "generator Marks",
                "alignment_group": "orders",
                "max_drift": "2000 ms",
                "update_interval": "1000 ms",
            },
        ),
    ],
)
def test_a_node_that_makes_watermarks_tells_how(
    env: StreamExecutionEnvironment, strategy: WatermarkStrategy[Any], shown: dict[str, str]
) -> None:
    env.from_source(SOURCE, strategy, "texts").assign_timestamps_and_watermarks(strategy).map(str).print()
    assert [node.get("watermarks") for node in plan(env)] == [
        {**shown, "made": "per partition"},
        {**shown, "made": "per subtask"},
        None,
        None,
    ]


def test_without_watermarks_a_source_tells_nothing(env: StreamExecutionEnvironment) -> None:
    none = WatermarkStrategy.no_watermarks()
    env.from_source(SOURCE, none, "texts").assign_timestamps_and_watermarks(none).print()
    assert [node.get("watermarks") for node in plan(env)] == [
        None,
        {"strategy": "none before the end", "made": "per subtask"},  # nothing of what comes before passes it
        None,
    ]


def test_what_is_keyed_takes_its_elements_by_hash(env: StreamExecutionEnvironment) -> None:
    texts = env.from_source(SOURCE, FIVE, "texts")
    texts.key_by(len).reduce(max).name("longest").print()
    texts.connect(texts.broadcast(MapStateDescriptor("rules", Types.STRING(), Types.STRING()))).process(Both()).name(
        "ruled"
    ).print()
    assert ways(env) == {
        "longest": ["HASH"],
        "ruled": ["FORWARD", "BROADCAST"],
        "Sink: Print to Std. Out": ["FORWARD"],
    }
