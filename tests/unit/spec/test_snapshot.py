"""Functions are what they were when they were handed over."""

from __future__ import annotations

import threading
from typing import Any

import pytest

from kafkastream.datastream import StreamExecutionEnvironment
from kafkastream.datastream.functions import MapFunction
from kafkastream.spec.snapshot import snapshot
from kafkastream.spec.types import Types

STEP = 1


class Adding(MapFunction[int, int]):
    seen: list[int] = []  # noqa: RUF012 - a class attribute is what this is about

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
    class Local:
        amount = 1

    method = Adding.map
    value, kind = snapshot((Local(), Local))
    assert type(value) is kind is Local
    assert isinstance(snapshot(Adding(1)), Adding)
    assert Adding.map is method


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
