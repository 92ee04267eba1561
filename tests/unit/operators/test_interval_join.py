from __future__ import annotations

from collections.abc import Iterator

from kafkastream.model.common.watermark_strategy import MAX_WATERMARK
from kafkastream.model.functions.join_functions import ProcessJoinFunction
from kafkastream.model.functions.runtime_context import RuntimeContext
from kafkastream.model.graph.interval_join_operation import IntervalJoinOperation
from kafkastream.operators.state.key_encoding import encoded_key
from kafkastream.operators.state.state_pages import StatePages
from kafkastream.operators.stream.keyed_operators import KeyedElements
from kafkastream.operators.stream.stream_interval_join import IntervalJoinOperator
from tests.unit.operators.memory import Memory

KEY, ALONE = encoded_key("a"), encoded_key("b")


class Pair(ProcessJoinFunction[str, str, str]):
    def process_element(self, left: str, right: str, ctx: ProcessJoinFunction.Context) -> Iterator[str]:
        yield left + right


def test_nothing_is_left_of_what_can_meet_nobody_any_more() -> None:
    memory = Memory()
    operator = IntervalJoinOperator(IntervalJoinOperation(lower=-5, upper=5, function=Pair()))
    operator.open(RuntimeContext(task_name="join", cells=operator.keyed_context.cell))
    operator.keyed_context.begin(memory, b"n/")
    assert operator.elements(KeyedElements(0, [KEY, KEY, ALONE], ["l", "m", "n"], [10, 30, 11])).values == []
    assert operator.elements(KeyedElements(1, [KEY], ["r"], [12])).values == ["lr"]
    operator.keyed_context.end()
    operator.keyed_context.begin(memory, b"n/")
    operator.advance(20, 0)
    assert operator.elements(KeyedElements(1, [KEY], ["s"], [28])).values == ["ms"]
    operator.advance(MAX_WATERMARK, 0)
    operator.keyed_context.end()
    entries = StatePages(memory, b"n/k")
    assert [entries.of(key) for key in (KEY, ALONE)] == [{}, {}]
