"""Whether a changed program can continue with the state in its checkpoint, as in Flink, or is refused where Spark cannot."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest

from kafkastream.common import Configuration, Time, Types
from kafkastream.datastream import DataStream, MapFunction, StreamExecutionEnvironment
from kafkastream.datastream.window import TumblingEventTimeWindows
from kafkastream.errors import DefinitionError
from kafkastream.model.functions.process_functions import TimeDomain
from kafkastream.model.graph.job_graph import JobGraph, Node
from kafkastream.operators.state.key_encoding import encoded_key
from kafkastream.operators.state.keyed_context import KeyedContext, forget
from kafkastream.spark.checkpoint.control_content import CONTROL_NAME
from kafkastream.spark.checkpoint.state_layout import Layout
from kafkastream.sql.connectors import StreamTableSource
from kafkastream.sql.plan.query_node import StreamNode
from kafkastream.sql.table_stream import TableStream
from kafkastream.table import StreamTableEnvironment
from tests.unit.operators.memory import Memory

ANEW = "tart under another job name, or with another checkpoint directory, without any state."
Stream = DataStream[Any]
Step = Callable[[Stream], Stream]


class Rich(MapFunction[Any, Any]):
    """May have state."""

    def map(self, value: Any) -> Any:
        return value


def rich(stream: Stream) -> Stream:
    return stream.key_by(str).map(Rich())


def plain(stream: Stream) -> Stream:
    return stream.key_by(str).map(len)


def window(stream: Stream) -> Stream:
    return stream.key_by(str).window(TumblingEventTimeWindows.of(Time.seconds(1))).reduce(max)


def uid(step: Step, uid: str) -> Step:
    return lambda stream: step(stream).uid(uid)


def name(step: Step, name: str) -> Step:
    return lambda stream: step(stream).name(name)


def layout(*branches: list[Step]) -> Layout:
    """Of a program with these branches, each of one keyed operator after the other."""
    env = StreamExecutionEnvironment.get_execution_environment()
    begin = env.from_collection([1])
    for branch in branches:
        stream = begin
        for step in branch:
            stream = step(stream)
        stream.print()
    return Layout.of(env._graph(), 4)


def kept(before: Layout) -> Layout:
    """As it comes back from a checkpoint."""
    found = Layout.of_offsets(
        {"records": '{"topic": {"0": 7}}', CONTROL_NAME: json.dumps({"watermarks": {}, **before.content()})}
    )
    assert found == before
    return found


def test_only_operators_that_may_have_state_are_looked_for() -> None:
    assert layout([plain], [rich, window], [uid(rich, "my map")]) == Layout(
        4, ({"Map-2": "Map", "my-map": None}, {"TumblingEventTimeWindows": "TumblingEventTimeWindows"})
    )


@pytest.mark.parametrize(
    ("before", "now"),
    [
        ([[rich]], [[rich]]),
        ([[rich]], [[rich], [window]]),
        ([[uid(rich, "a")], [uid(rich, "b")]], [[uid(rich, "b")], [uid(rich, "a")], [rich]]),
        ([[rich]], [[uid(name(rich, "renamed"), "Map")]]),
        ([[plain]], [[plain]]),
        ([[plain, rich]], [[uid(plain, "p"), uid(rich, "Map-2")]]),
    ],
    ids=["same", "one more", "other order", "name becomes uid", "no state", "no state before it"],
)
def test_state_that_is_found_again(before: list[list[Step]], now: list[list[Step]]) -> None:
    assert kept(layout(*before)).continued(layout(*now), ignores_unclaimed=False) == layout(*now)


@pytest.mark.parametrize(
    ("before", "now", "what", "what_now"),
    [
        ([[uid(rich, "a b")], [window]], [[window]], "state of operator with uid 'a-b' to the program", "uid('a-b')"),
        ([[rich], [window]], [[window]], "state of operator 'Map' to the program", "uid('Map')"),
        ([[rich], [window]], [[plain]], "operator 'Map' (and of 1 more) to", "ignore-unclaimed-state: true"),
        ([[rich]], [[rich], [rich]], "2 operators are called 'Map', and 1 in the checkpoint", "the state of uid 'Map'"),
        ([[window, rich]], [[rich, window]], "operator 'Map' was in stage 2", "give it another uid"),
        ([[rich]], [[rich, window]], "form 2 stages, and 1 in the checkpoint: Spark cannot add stages", ANEW),
        ([], [[rich]], "of a program without keyed operators, and this one has some", ANEW),
        ([[plain]], [], "of a program with keyed operators, and this one has none", ANEW),
    ],
    ids=["uid", "name", "several", "doubt", "moved", "deeper", "first", "last"],
)
def test_state_that_is_not_found_again(
    before: list[list[Step]], now: list[list[Step]], what: str, what_now: str
) -> None:
    begun = kept(layout(*before)) if before else Layout.of_offsets({"records": '{"layout": {"0": 7}}'})
    assert begun is not None
    with pytest.raises(DefinitionError) as raised:
        begun.continued(layout(*now) if now else Layout(4, ()), ignores_unclaimed=False)
    assert what in raised.value.what
    assert what_now in raised.value.now


def test_state_may_go_and_the_stages_stay() -> None:
    before, now = kept(layout([rich, window], [uid(rich, "a")])), layout([uid(rich, "a")])
    continued = before.continued(now, ignores_unclaimed=True)
    assert continued == Layout(4, ({"a": None}, {}), ("Map", "TumblingEventTimeWindows"))
    again = kept(continued.continued(now, ignores_unclaimed=True))
    assert again.gone == ()
    assert again.continued(before, ignores_unclaimed=False) == before  # they are back, without state


def test_doubt_is_no_state_that_may_go() -> None:
    with pytest.raises(DefinitionError, match="1 operators are called 'Map', and 2 in the checkpoint"):
        kept(layout([rich], [rich])).continued(layout([rich]), ignores_unclaimed=True)


def test_nothing_is_kept_before_the_first_micro_batch() -> None:
    assert Layout.of_offsets({}) is None


def test_uid_is_that_of_one_operator() -> None:
    with pytest.raises(DefinitionError, match="Hash collision on user-specified ID 'a'") as raised:
        layout([uid(rich, "a")], [uid(plain, "a")])
    assert raised.value.where == "operators 'Map', 'Map'"


def test_what_is_forgotten_leaves_nothing_behind() -> None:
    memory, scope = Memory(), KeyedContext()
    for of, times in (b"kept/", 1), (b"gone/", 2):
        for batch in range(times):
            scope.begin(memory, of)
            scope.watermark = batch
            for number in range(3000):
                scope.select(encoded_key(f"{batch} {number}"))
                scope.entry["text"] = "x" * 20
                scope.changed()
                scope.register(TimeDomain.EVENT_TIME, number * 100)
                scope.register(TimeDomain.PROCESSING_TIME, number * 100)
            scope.end()
    others = {key: value for key, value in memory.content.items() if key.startswith(b"kept/")}
    assert len(memory.content) > 3 * len(others) / 2 > 30
    forget(memory, b"gone/")
    assert memory.content == others
    memory.reads = memory.writes = 0
    forget(memory, b"gone/")
    assert memory.reads < 5


def test_flinks_keys_for_it() -> None:
    for key in ("execution.state-recovery.ignore-unclaimed-state", "execution.savepoint.ignore-unclaimed-state"):
        env = StreamExecutionEnvironment.get_execution_environment(Configuration().set_boolean(key, True))
        assert env._settings("job").ignores_unclaimed_state
    assert not StreamExecutionEnvironment.get_execution_environment()._settings("job").ignores_unclaimed_state


def read_by_a_query(*steps: Step) -> JobGraph:
    """Streams of one source whose rows a query takes, one after the other."""
    env = StreamExecutionEnvironment.get_execution_environment()
    source = env.from_collection(["a"])
    nodes: list[Node] = []
    for step in steps:
        stream = step(source)
        own = JobGraph(tuple(env._nodes.values())).reaching(stream._id).nodes
        numbers = {node.id: 100 + len(nodes) + place for place, node in enumerate(own)}
        rows = StreamTableSource(TableStream((), Types.STRING()), ())
        nodes.extend(node.renumbered(numbers) for node in own)
        nodes.append(StreamNode(id=100 + len(nodes), name="rows", input=numbers[stream._id], source=rows))
    return JobGraph(tuple(nodes)).with_distinct_uids()


def test_streams_that_a_query_reads_have_stages_of_their_own() -> None:
    one, other = uid(rich, "one"), uid(rich, "other")
    before = Layout.of(read_by_a_query(one, other), 2)
    assert list(map(list, before.levels)) == [["one"], ["other"]]
    assert before.continued(Layout.of(read_by_a_query(one, other), 2), ignores_unclaimed=False) == before
    with pytest.raises(DefinitionError, match="'other' was in stage 2"):
        before.continued(Layout.of(read_by_a_query(other, one), 2), ignores_unclaimed=False)
    assert list(map(list, Layout.of(read_by_a_query(one, one), 2).levels)) == [["one"], ["one-2"]]


def test_each_query_on_the_result_of_another_has_one_stage() -> None:
    env = StreamExecutionEnvironment.get_execution_environment()
    t_env = StreamTableEnvironment.create(env)
    pairs = Types.ROW_NAMED(["who", "n"], [Types.STRING(), Types.LONG()])
    table = t_env.from_data_stream(env.from_collection([("a", 1)], pairs))
    for _ in range(3):
        sums = t_env.sql_query(f"SELECT who, SUM(n) FROM {table} GROUP BY who")
        table = t_env.from_data_stream(t_env.to_changelog_stream(sums).map(lambda row: row, pairs))
    t_env.to_data_stream(table).print()
    levels = [list(level) for level in Layout.of(env._graph(), 2).levels]
    assert levels == [["0-group_aggregate"], ["1-group_aggregate"], ["2-group_aggregate"]]
