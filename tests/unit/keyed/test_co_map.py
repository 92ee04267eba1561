from __future__ import annotations

from typing import Any

from kafkastream.datastream import CoMapFunction
from kafkastream.keyed.keys import encoded_key
from kafkastream.keyed.of_node import keyed_operator
from kafkastream.keyed.operators import KeyedElements
from kafkastream.spec.graph import KeyedInput, KeyedNode, OperatorKind
from kafkastream.spec.runtime_context import RuntimeContext
from tests.unit.keyed.memory import Memory


class Positive(CoMapFunction[int, int, int | None]):
    def map1(self, value: int) -> int | None:
        return value if value > 0 else None

    def map2(self, value: int) -> int:
        return 0


def test_none_of_a_co_map_function_is_no_element() -> None:
    inputs = tuple(KeyedInput(node=node, selector=abs) for node in (1, 2))
    operator = keyed_operator(KeyedNode(id=3, name="co", keyed=inputs, kind=OperatorKind.CO_MAP, function=Positive()))
    operator.open(RuntimeContext(task_name="co", cells=operator.scope.cell))
    operator.scope.begin(Memory(), b"n/")
    found: list[Any] = []
    for side in (0, 1):
        keys = [encoded_key(1)] * 3
        found.append(operator.elements(KeyedElements(side, keys, [1, -1, 2], [None] * 3)).values)
    assert found == [[1, 2], [0, 0, 0]]
