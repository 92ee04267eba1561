"""What windows do is one value in the graph, whichever way a job says it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from kafkastream.common import Time, Types
from kafkastream.datastream import DataStream, JoinFunction, KeySelector, StreamExecutionEnvironment
from kafkastream.datastream.window import (
    CountEvictor,
    CountTrigger,
    EventTimeSessionWindows,
    GlobalWindows,
    TumblingEventTimeWindows,
)
from kafkastream.model.common.stream_functions import overrides_close
from kafkastream.model.functions.field_aggregation import FieldAggregation, FieldChoice
from kafkastream.model.functions.join_functions import TaggedUnion
from kafkastream.model.graph.job_graph import KeyedNode, OperatorNode
from kafkastream.model.windows.trigger_interface import Trigger
from kafkastream.model.windows.window_operation import WindowOperation

ALL = GlobalWindows.create()
PAIR = Types.TUPLE([Types.STRING(), Types.INT()])
LAST = CountEvictor.of(2)


@pytest.fixture
def pairs() -> DataStream[Any]:
    return StreamExecutionEnvironment.get_execution_environment().from_collection([("a", 1)], PAIR)


def node(stream: DataStream[Any]) -> KeyedNode:
    found = stream._env._node(stream._id)
    assert isinstance(found, KeyedNode)
    return found


@pytest.mark.parametrize(
    ("aggregated", "combine"),
    [
        (lambda windows: windows.sum(1), FieldAggregation(1, "sum")),
        (lambda windows: windows.min("amount"), FieldAggregation("amount", "min")),
        (lambda windows: windows.max(1), FieldAggregation(1, "max")),
        (lambda windows: windows.minBy(1), FieldChoice(1, "min")),
        (lambda windows: windows.max_by(1, False), FieldChoice(1, "max", is_first=False)),
    ],
    ids=["sum", "min", "max", "min_by", "max_by"],
)
def test_windows_aggregate_a_field_with_and_without_keys(
    pairs: DataStream[Any], aggregated: Callable[[Any], DataStream[Any]], combine: Any
) -> None:
    expected = WindowOperation(assigner=ALL, evictor=LAST, combine=combine)
    for windows in (pairs.key_by(lambda pair: pair[0]).window(ALL), pairs.window_all(ALL)):
        found = node(aggregated(windows.evictor(LAST)))
        assert (found.function, found.output_type) == (expected, PAIR)


def test_of_equals_the_first_is_chosen_or_the_last() -> None:
    equals = ("first", 1), ("last", 1)
    chosen = {first: FieldChoice(1, "min", is_first=first).reduce(*equals)[0] for first in (True, False)}
    assert chosen == {True: "first", False: "last"}


def test_an_evictor_has_to_be_one(pairs: DataStream[Any]) -> None:
    with pytest.raises(TypeError, match="must be an Evictor, not 5"):
        pairs.window_all(ALL).evictor(5)  # type: ignore[arg-type]  # what this test is about


class Closing(KeySelector[Any, str]):
    def get_key(self, value: Any) -> str:
        return str(value[0])

    def close(self) -> None:
        pass


class ClosingJoin(JoinFunction[Any, Any, str]):
    def join(self, first: Any, second: Any) -> str:
        return f"{first}{second}"

    def close(self) -> None:
        pass


def key(pair: Any) -> str:
    return str(pair[0])


@pytest.mark.parametrize("selector", [key, Closing()], ids=["open", "closing"])
@pytest.mark.parametrize("function", [max, ClosingJoin()], ids=["open", "closing"])
def test_a_join_is_closed_if_one_of_its_functions_wants_to_be(
    pairs: DataStream[Any], selector: Any, function: Any
) -> None:
    joined = node(pairs.join(pairs).where(key).equal_to(selector).window(ALL).apply(function))
    assert overrides_close(joined.keyed[0].selector) == isinstance(selector, Closing)
    operation = joined.function
    assert isinstance(operation, WindowOperation)
    assert overrides_close(operation.function) == isinstance(function, ClosingJoin)


@pytest.mark.parametrize(
    ("assigner", "trigger", "kind"),
    [
        (TumblingEventTimeWindows.of(Time.seconds(1)), None, tuple),
        (TumblingEventTimeWindows.of(Time.seconds(1)), CountTrigger.of(1), TaggedUnion),
        (EventTimeSessionWindows.with_gap(Time.seconds(1)), None, TaggedUnion),
    ],
    ids=["nobody looks", "trigger", "assigner"],
)
def test_who_looks_at_the_elements_of_a_join_sees_from_which_stream_they_are(
    pairs: DataStream[Any], assigner: Any, trigger: Trigger[Any, Any] | None, kind: type
) -> None:
    windows = pairs.co_group(pairs).where(key).equal_to(key).window(assigner)
    tagged = (windows if trigger is None else windows.trigger(trigger))._tagged()
    union = tagged._env._node(tagged._id)
    first, second = (tagged._env._node(one) for one in union.inputs)
    assert isinstance(first, OperatorNode)
    assert isinstance(second, OperatorNode)
    tags: list[Any] = [one.function("x") for one in (first, second)]  # type: ignore[operator]  # plain functions
    assert tags == [(0, "x"), (1, "x")]
    assert {type(tag) for tag in tags} == {kind}
