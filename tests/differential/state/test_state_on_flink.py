"""Keyed state gives what real PyFlink gives, wherever micro-batches end, but for what stands below, with the reasons."""

from __future__ import annotations

import ast
import copy
import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, Final

import pytest

from kafkastream.common import WatermarkStrategy
from kafkastream.datastream import StreamExecutionEnvironment
from kafkastream.errors import DefinitionError
from kafkastream.model.common.watermark_strategy import MAX_WATERMARK
from kafkastream.model.functions.runtime_context import RuntimeContext
from kafkastream.operators.operator_factory import create_operator
from kafkastream.operators.state.key_encoding import encoded_key
from kafkastream.operators.stream.keyed_operators import CallError, KeyedElements, KeyedOperator
from tests.differential.state.cases import LIVES, LIVING, PLAIN, Step
from tests.differential.state.operations import Operations
from tests.differential.state.otherwise import OTHERWISE, WINDOWED_OTHERWISE
from tests.differential.state.windowed import ELEMENTS, WINDOWED
from tests.unit.operators.memory import Memory

GOLDEN: Final = json.loads(Path(__file__).with_name("golden.json").read_text())
Rows = list[tuple[bytes, Any, int | None]]


class Clock:
    """Stands still but for what a case sleeps; one for all, since functions are copied when they are handed over."""

    now = 0

    @classmethod
    def read(cls) -> int:
        return cls.now

    @classmethod
    def wait(cls, seconds: float) -> None:
        cls.now += round(seconds * 1000)


def operated(operator: KeyedOperator, micro_batches: list[Rows]) -> list[Any]:
    """What comes out, each micro-batch with what the one before has kept; at last event time ends."""
    memory, out = Memory(), list[Any]()
    operator.open(RuntimeContext(task_name="operated", cells=operator.keyed_context.cell))
    for rows in [*copy.deepcopy(micro_batches), []]:
        operator.keyed_context.begin(memory, b"n/")
        out += operator.elements(KeyedElements(0, *map(list, zip(*rows, strict=True)))).values if rows else []
        out += [] if rows else operator.advance(MAX_WATERMARK, 0).values
        operator.keyed_context.end()
    return out


def keyed_node(build: Callable[[Any], Any]) -> Any:
    env = StreamExecutionEnvironment.get_execution_environment()
    source = env.from_collection([("a", 1)]).assign_timestamps_and_watermarks(WatermarkStrategy.no_watermarks())
    stream = build(source.key_by(lambda element: element[0]))
    return env._node(stream._id)


def ours(case: str, steps: list[Step], life: str | None, *, apart: bool) -> list[list[str]]:
    """The answers of each step; each step is a micro-batch of its own, or all are in one."""
    operator = create_operator(keyed_node(lambda keyed: keyed.process(Operations(life, Clock.wait))))
    operator.keyed_context.clock, Clock.now = Clock.read, 0
    rows: Rows = [(encoded_key(case), (case, number, step), None) for number, step in enumerate(steps)]
    lines = operated(operator, [[row] for row in rows] if apart else [rows])
    return [answers for _, _, answers in map(ast.literal_eval, lines)]


CASES: Final = {
    **{("for ever", case): (steps, None) for case, steps in PLAIN.items()},
    **{(label, case): (steps, life) for label, life in LIVES.items() for case, steps in LIVING.items()},
}
"""Of each way of living and case, its steps and how it lives."""


def test_all_cases_are_recorded() -> None:
    recorded = {(label, case) for label, cases in GOLDEN["cases"].items() for case in cases}
    assert (recorded, set(GOLDEN["windows"])) == (set(CASES), set(WINDOWED))


@pytest.mark.parametrize(("label", "case"), CASES)
@pytest.mark.parametrize("apart", [True, False], ids=["apart", "in one"])
def test_state_is_as_in_flink(label: str, case: str, apart: bool) -> None:
    steps, life = CASES[label, case]
    found = ours(case, steps, life, apart=apart)
    recorded = recorded_of(label, case)
    if (label, case) in OTHERWISE:
        assert found != recorded
    assert found == OTHERWISE.get((label, case), recorded)


def recorded_of(label: str, case: str) -> list[list[str]]:
    """What PyFlink gives: where something expires that of thread mode, since the cache of process mode hands it out."""
    runs: dict[str, list[list[str]]] = GOLDEN["cases"][label][case]
    in_thread = runs.get("thread")
    return runs["process"] if label == "for ever" or in_thread is None or ["RuntimeError"] in in_thread else in_thread


def windowed(name: str, *, apart: bool) -> Iterator[str]:
    """The lines of a program, sorted: in Flink keys fire in another order."""
    rows: Rows = [(encoded_key(element[0]), element, element[1]) for element in ELEMENTS]
    operator = create_operator(keyed_node(WINDOWED[name]))
    yield from sorted(operated(operator, [[row] for row in rows] if apart else [rows]))


@pytest.mark.parametrize("name", WINDOWED)
@pytest.mark.parametrize("apart", [True, False], ids=["apart", "in one"])
def test_state_in_windows_is_as_in_flink(name: str, apart: bool) -> None:
    recorded = GOLDEN["windows"][name]
    if "error" in recorded:
        with pytest.raises(CallError) as refused:
            list(windowed(name, apart=apart))
        assert isinstance(refused.value.__cause__, DefinitionError)
    else:
        assert list(windowed(name, apart=apart)) == WINDOWED_OTHERWISE.get(name, sorted(recorded))
