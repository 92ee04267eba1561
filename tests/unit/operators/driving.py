"""An operator on one input, driven without Spark."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from kafkastream.model.functions.runtime_context import RuntimeContext
from kafkastream.operators.state.key_encoding import encoded_key
from kafkastream.operators.state.state_backend import Entry
from kafkastream.operators.state.state_pages import StatePages
from kafkastream.operators.stream.keyed_operators import ElementwiseOperator, KeyedElements
from tests.unit.operators.memory import Memory

Step = tuple[Any, ...]
"""An element: its key, its time, and its value if that is not its time; a new watermark; the end of a micro-batch."""


def driven(operator: ElementwiseOperator, memory: Memory, steps: Iterable[Step]) -> list[Any]:
    """What the operator puts out, in order; what is kept goes through ``memory`` after each micro-batch."""
    operator.open(RuntimeContext(task_name="driven", cells=operator.keyed_context.cell))
    out: list[Any] = []
    operator.keyed_context.begin(memory, b"n/")
    for step in steps:
        match step:
            case "element", key, time, *value:
                out += operator.elements(KeyedElements(0, [encoded_key(key)], value or [time], [time])).values
            case "watermark", _, time:
                out += operator.advance(time, 0).values
            case _:
                operator.keyed_context.end()
                operator.keyed_context.begin(memory, b"n/")
    operator.keyed_context.end()
    return out


def entry(memory: Memory, key: Any) -> Entry:
    """What is kept for a key."""
    return StatePages(memory, b"n/k").of(encoded_key(key))
