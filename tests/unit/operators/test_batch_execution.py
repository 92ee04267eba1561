"""Expected values are those of Flink's BATCH mode, by ``process`` and ``connect`` of PyFlink 2.2 on the same elements."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pytest

from kafkastream.common import SimpleStringSchema, Time, Types, WatermarkStrategy
from kafkastream.datastream import (
    DataStream,
    KeyedCoProcessFunction,
    KeyedProcessFunction,
    ProcessWindowFunction,
    RuntimeContext,
    RuntimeExecutionMode,
    StreamExecutionEnvironment,
)
from kafkastream.datastream.connectors.kafka import KafkaSource
from kafkastream.datastream.state import ValueStateDescriptor
from kafkastream.datastream.window import ContinuousEventTimeTrigger, TimeWindow, TumblingEventTimeWindows
from kafkastream.errors import DefinitionError
from kafkastream.model.common.watermark_strategy import MAX_WATERMARK
from kafkastream.operators.operator_factory import create_operator
from kafkastream.operators.state.key_encoding import encoded_key
from kafkastream.operators.stream.keyed_operators import KeyedElements
from tests.unit.operators.memory import Memory

ELEMENTS = [("a", 50), ("b", 3), ("a", 10), ("b", 40), ("a", 30), ("c", 5), ("a", 5), ("b", 1)]

Built = Callable[[DataStream[Any], DataStream[Any]], DataStream[Any]]


def key_of(value: tuple[str, int]) -> str:
    return value[0]


def results(build: Built, *others: tuple[str, int]) -> list[Any]:
    """What comes out for the elements, one per micro-batch, and the watermark of each; the other input comes last."""
    env = StreamExecutionEnvironment.get_execution_environment().set_runtime_mode(RuntimeExecutionMode.AUTOMATIC)
    build(env.from_collection([]), env.from_collection([])).print()
    ((node,),) = env._graph().levels()
    operator, memory = create_operator(node), Memory()
    operator.open(RuntimeContext(task_name="driven", cells=operator.keyed_context.cell))
    out: list[Any] = []
    for side, some in enumerate((ELEMENTS, others)):
        for element in some:
            operator.keyed_context.begin(memory, b"n/")
            key, time = element
            emitted = operator.elements(KeyedElements(side, [encoded_key(key)], [element], [time]))
            out += [*emitted.values, *operator.advance(time, 0).values]
            operator.keyed_context.end()
    assert out == []
    operator.keyed_context.begin(memory, b"n/")
    return operator.advance(MAX_WATERMARK, 0).values


class Told(KeyedProcessFunction[str, tuple[str, int], str]):
    def open(self, runtime_context: RuntimeContext) -> None:
        self._seen = runtime_context.get_state(ValueStateDescriptor("n", Types.LONG()))

    def process_element(self, value: tuple[str, int], ctx: KeyedProcessFunction.Context) -> Iterator[str]:
        seen = (self._seen.value() or 0) + 1
        self._seen.update(seen)
        service = ctx.timer_service()
        service.register_event_time_timer(value[1] + 100)
        service.register_processing_time_timer(value[1] + 7)
        yield f"{value} {seen} {ctx.timestamp()} {service.current_watermark() == -(2**63)}"

    def on_timer(self, timestamp: int, ctx: KeyedProcessFunction.OnTimerContext) -> Iterator[str]:
        is_end = ctx.timer_service().current_watermark() == MAX_WATERMARK
        yield f"{ctx.time_domain().name} {timestamp} {ctx.get_current_key()} {self._seen.value()} {is_end}"


def test_elements_of_a_key_come_in_order_then_its_timers() -> None:
    found = results(lambda stream, _: stream.key_by(key_of).process(Told()))
    of_b = [one for one in found if "b" in one]
    assert of_b == [
        "('b', 1) 1 1 True",
        "('b', 3) 2 3 True",
        "('b', 40) 3 40 True",
        "EVENT_TIME 101 b 3 True",
        "EVENT_TIME 103 b 3 True",
        "EVENT_TIME 140 b 3 True",
        "PROCESSING_TIME 8 b 3 True",
        "PROCESSING_TIME 10 b 3 True",
        "PROCESSING_TIME 47 b 3 True",
    ]
    assert len(found) == 3 * len(ELEMENTS)


def test_rolling_aggregations_come_out_once() -> None:
    assert sorted(results(lambda stream, _: stream.key_by(key_of).reduce(lambda a, b: (a[0], a[1] + b[1])))) == [
        ("a", 95),
        ("b", 44),
        ("c", 5),
    ]
    assert sorted(results(lambda stream, _: stream.key_by(key_of).min_by(1))) == [("a", 5), ("b", 1), ("c", 5)]


class Elements(ProcessWindowFunction[tuple[str, int], str, str, TimeWindow]):
    def process(self, key: str, context: Any, elements: Any) -> Iterator[str]:
        yield f"{key} {context.window().start}: {[value for _, value in elements]}"


def test_windows_fire_once_and_nothing_is_late() -> None:
    """PyFlink 2.2 loses most of these windows, and an element of one; Java's Flink has them."""
    windows = TumblingEventTimeWindows.of(Time.milliseconds(20))
    assert sorted(results(lambda stream, _: stream.key_by(key_of).window(windows).process(Elements()))) == [
        "a 0: [5, 10]",
        "a 20: [30]",
        "a 40: [50]",
        "b 0: [1, 3]",
        "b 40: [40]",
        "c 0: [5]",
    ]
    hundred = TumblingEventTimeWindows.of(Time.milliseconds(100))
    early = ContinuousEventTimeTrigger.of(Time.milliseconds(25))
    fired = results(lambda stream, _: stream.key_by(key_of).window(hundred).trigger(early).process(Elements()))
    assert fired.count("b 0: [1, 3, 40]") == 4  # at 25, 50, 75 and its end
    assert set(fired) == {"a 0: [5, 10, 30, 50]", "b 0: [1, 3, 40]", "c 0: [5]"}


class Both(KeyedCoProcessFunction[str, tuple[str, int], tuple[str, int], str]):
    def process_element1(self, value: tuple[str, int], ctx: Any) -> Iterator[str]:
        yield f"1 {value}"

    def process_element2(self, value: tuple[str, int], ctx: Any) -> Iterator[str]:
        yield f"2 {value}"


def test_two_inputs_are_one_in_time() -> None:
    found = results(
        lambda one, other: one.key_by(key_of).connect(other.key_by(key_of)).process(Both()), ("a", 29), ("a", 100)
    )
    assert [one for one in found if "a" in one] == [
        "1 ('a', 5)",
        "1 ('a', 10)",
        "2 ('a', 29)",
        "1 ('a', 30)",
        "1 ('a', 50)",
        "2 ('a', 100)",
    ]


@pytest.mark.parametrize("mode", list(RuntimeExecutionMode))
def test_only_bounded_input_is_a_batch(mode: RuntimeExecutionMode) -> None:
    env = StreamExecutionEnvironment.get_execution_environment().set_runtime_mode(mode)
    builder = KafkaSource.builder().set_bootstrap_servers("localhost:1").set_topics("t")
    source = builder.set_value_only_deserializer(SimpleStringSchema()).build()
    env.from_source(source, WatermarkStrategy.no_watermarks(), "endless").key_by(len).map(len).print()
    if mode is RuntimeExecutionMode.BATCH:
        with pytest.raises(DefinitionError, match="unbounded source cannot run in BATCH mode"):
            env._graph()
    else:
        ((node,),) = env._graph().levels()
        assert not node.in_batch
