from __future__ import annotations

from typing import Any

from kafkastream.datastream import CoMapFunction
from kafkastream.model.functions.runtime_context import RuntimeContext
from kafkastream.model.graph.job_graph import KeyedInput, KeyedNode, OperatorKind
from kafkastream.operators.operator_factory import create_operator
from kafkastream.operators.state.key_encoding import encoded_key
from kafkastream.operators.stream.keyed_operators import KeyedElements
from tests.unit.operators.memory import Memory


class Positive(CoMapFunction[int, int, int | None]):
    def map1(self, value: int) -> int | None:
        return value if value > 0 else None

    def map2(self, value: int) -> int:
        return 0


def test_none_of_a_co_map_function_is_no_element() -> None:
    inputs = tuple(KeyedInput(node=node, selector=abs) for node in (1, 2))
    operator = create_operator(KeyedNode(id=3, name="co", keyed=inputs, kind=OperatorKind.CO_MAP, function=Positive()))
    operator.open(RuntimeContext(task_name="co", cells=operator.keyed_context.cell))
    operator.keyed_context.begin(Memory(), b"n/")
    found: list[Any] = []
    for side in (0, 1):
        keys = [encoded_key(1)] * 3
        found.append(operator.elements(KeyedElements(side, keys, [1, -1, 2], [None] * 3)).values)
    assert found == [[1, 2], [0, 0, 0]]
