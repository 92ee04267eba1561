"""Functions are what they were when they were handed over."""

from __future__ import annotations

import threading
from typing import Any, cast

import pytest

from kafkastream.common import Types, WatermarkStrategy
from kafkastream.common.watermark_strategy import TimestampAssigner
from kafkastream.datastream import StreamExecutionEnvironment
from kafkastream.datastream.connectors.kafka import KafkaRecordSerializationSchema
from kafkastream.datastream.functions import KeySelector, MapFunction
from kafkastream.model.common.snapshot import snapshot
from kafkastream.model.connectors.number_sequence import NumberSequenceSource
from kafkastream.model.connectors.record_serialization import TopicSelector
from kafkastream.sql.session_functions import SessionFunctions
from kafkastream.sql.types import DataType
from kafkastream.sql.user_functions import UserFunction


class Adding(MapFunction[int, int]):
    def __init__(self, amount: int) -> None:
        self.amount = amount
        self.log: list[int] = []

    def map(self, value: int) -> int:
        return value + self.amount


def test_later_changes_do_not_reach_a_function() -> None:
    function = Adding(1)
    copied = snapshot(function)
    function.amount = 10
    function.log.append(1)
    assert copied.map(1) == 2
    assert copied.log == []


def test_variables_of_a_closure_are_what_they_were() -> None:
    copies = [snapshot(lambda number: number + amount) for amount in (10, 20)]  # noqa: B023 - as people write it
    assert [copy(1) for copy in copies] == [11, 21]  # type: ignore[no-untyped-call]


def test_globals_of_a_script_are_what_they_were() -> None:
    script: dict[str, Any] = {"__name__": "__main__"}
    exec("step = 1\ndef add(number): return number + step", script)
    copied = snapshot(script["add"])
    script["step"] = 5
    assert copied(1) == 2
    assert script["add"](1) == 6


def test_classes_stay_what_they_are() -> None:
    class Local(MapFunction[int, int]):
        def map(self, value: int) -> int:
            return value

    method = Local.map
    value, kind = snapshot((Local(), Local))
    assert type(value) is kind is Local
    assert isinstance(snapshot(Adding(1)), Adding)
    assert Local.map is method


def test_functions_of_modules_are_themselves() -> None:
    assert snapshot(threading.current_thread) is threading.current_thread
    assert snapshot(Types.STRING()) == Types.STRING()


def test_two_operators_have_two_objects() -> None:
    env = StreamExecutionEnvironment.get_execution_environment()
    function = Adding(1)
    numbers = env.from_collection([1], Types.INT())
    first, second = (env._node(numbers.map(function)._id) for _ in range(2))
    copies = [first.function, second.function]  # type: ignore[attr-defined]
    assert len({id(one) for one in (*copies, function)}) == 3


class Everything(Adding, KeySelector[int, int], TimestampAssigner[int], TopicSelector[int]):
    """All that a function may be."""

    def get_key(self, value: int) -> int:
        return value

    def extract_timestamp(self, value: int, record_timestamp: int) -> int:
        return value

    def apply(self, data: int) -> str:
        return str(data)

    def __call__(self, value: int) -> int:
        return value


def taken(function: Everything) -> dict[str, Any]:
    """Snapshots of functions, in all methods that take one."""
    env = StreamExecutionEnvironment.get_execution_environment()
    strategy: Any = WatermarkStrategy.for_monotonous_timestamps().with_timestamp_assigner(function)
    numbers: Any = env.from_collection([1], Types.INT())
    joined = numbers.join(numbers).where(function).equal_to(function)
    connected = numbers.connect(numbers).key_by(function, function)
    timed: Any = env._node(numbers.assign_timestamps_and_watermarks(strategy)._id)
    source: Any = env._node(env.from_source(NumberSequenceSource(1, 2), strategy, "numbers")._id)
    functions = SessionFunctions()
    path = functions.system_path("add")
    functions.create(path, UserFunction(function, "add", DataType.string()), "here", temporary=True)
    named: Any = functions.find_system("add")
    topics: Any = KafkaRecordSerializationSchema.builder().set_topic_selector(function)
    return {
        "key_by": numbers.key_by(function)._selector,
        "keyed map": cast("Any", env._node(numbers.key_by(function).map(function)._id)).function,
        "connect": connected._inputs[0].selector,
        "connect, second": connected._inputs[1].selector,
        "where": joined._first_key,
        "equal_to": joined._second_key,
        "strategy": timed.function.timestamp_assigner,
        "source's strategy": source.watermarks.timestamp_assigner,
        "function of SQL": named.function.function,
        "topic selector": topics._selector,
    }


def test_whatever_takes_a_function_takes_a_copy() -> None:
    function = Everything(1)
    kept = taken(function)
    assert {name: type(one) for name, one in kept.items()} == dict.fromkeys(kept, Everything)
    assert [name for name, one in kept.items() if one is function] == []


def test_elements_are_what_they_were() -> None:
    env = StreamExecutionEnvironment.get_execution_environment()
    element = {"a": 1}
    node = env._node(env.from_collection([element])._id)
    element["a"] = 2
    assert node.source.elements == ({"a": 1},)  # type: ignore[attr-defined]


@pytest.mark.parametrize("kind", [threading.Lock, threading.RLock])
def test_what_cannot_be_pickled_is_given_back(kind: Any) -> None:
    lock = kind()

    def locked(number: int) -> int:
        with lock:
            return number

    assert snapshot(locked) is locked
