from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import pyarrow as pa
import pytest
from pyspark import cloudpickle

from kafkastream.errors import DeserializationError, UserFunctionError
from kafkastream.metrics import MetricKind
from kafkastream.model.common.stream_functions import Function, MapFunction
from kafkastream.model.common.watermark_strategy import WatermarkStrategy
from kafkastream.model.connectors.record_deserialization import ValueOnlySchema
from kafkastream.model.formats import DeserializationSchema, SimpleStringSchema
from kafkastream.model.functions.process_functions import ProcessFunction
from kafkastream.model.functions.runtime_context import RuntimeContext
from kafkastream.model.graph.job_graph import (
    CollectionSource,
    CollectSink,
    JobGraph,
    OperatorKind,
    OperatorNode,
    SinkNode,
    SourceNode,
    UnionNode,
)
from kafkastream.spark.exchange.source_task import SourceTask
from kafkastream.spark.plan.chain_compiler import ChainCompiler
from kafkastream.spark.worker.batches import Batch, ElementError, each
from kafkastream.spark.worker.chain_sinks import CollectOperator
from kafkastream.spark.worker.chained_operators import Operator
from kafkastream.spark.worker.operator_chain import ChainedOperator, OperatorChain
from kafkastream.spark.worker.record_decoders import CollectionDecoder, ValueDecoder
from kafkastream.spark.worker.reports import Report, ReportKind
from kafkastream.spark.worker.user_operators import timestamp_operators, user_operator
from kafkastream.spark.worker.worker_cache import JobAttempt

BATCH = Batch(["a", "bb", "", "dddd"], [1, None, 3, 4], range(4))


def records(*values: bytes | None, partition: int = 2) -> pa.RecordBatch:
    size = len(values)
    return pa.RecordBatch.from_pydict(
        {
            "source": pa.array([1] * size, pa.int32()),
            "topic": pa.array(["t"] * size),
            "partition": pa.array([partition] * size, pa.int32()),
            "offset": pa.array(range(10, 10 + size), pa.int64()),
            "timestamp": pa.array(range(100, 100 + size), pa.int64()),
            "value": pa.array(values, pa.binary()),
        }
    )


def operator(kind: OperatorKind, function: Any, name: str = "op", parallelism: int | None = None) -> Operator:
    node = OperatorNode(id=2, name=name, input=1, kind=kind, function=function, parallelism=parallelism)
    made = user_operator(node)
    assert made is not None
    return made


def chain(*operators: Operator) -> tuple[SourceTask, CollectOperator]:
    end = CollectOperator("collect", 9)
    stage = ChainedOperator(end)
    for one in reversed(operators):
        stage = ChainedOperator(one, (stage,))
    return SourceTask(
        "source", "source", ValueDecoder(ValueOnlySchema(SimpleStringSchema())), OperatorChain((stage,))
    ), end


def run(one: SourceTask, *batches: pa.RecordBatch) -> list[Any]:
    one.open(RuntimeContext(task_name=""))
    for batch in batches:
        one.process(batch)
    return [element for report in one.finish() if report.kind is ReportKind.ELEMENTS for element in report.content]


class Stamped(ProcessFunction[str, tuple[str, int | None]]):
    def process_element(self, value: str, ctx: ProcessFunction.Context) -> Iterable[tuple[str, int | None]]:
        return [(value, ctx.timestamp())] * len(value)


class NoBlank(DeserializationSchema[str]):
    def deserialize(self, message: bytes) -> str | None:
        return message.decode() or None


class Journal(MapFunction[Any, Any]):
    def __init__(self) -> None:
        self.events: list[str] = []

    def open(self, runtime_context: RuntimeContext) -> None:
        self.events.append(f"open {runtime_context.get_task_name_with_subtasks()}")

    def map(self, value: Any) -> Any:
        self.events.append(f"map {value}")
        return value


class ClosingJournal(Journal):
    def close(self) -> None:
        self.events.append("close")


def test_map_keeps_times_and_origins() -> None:
    assert operator(OperatorKind.MAP, len).apply(BATCH) == Batch([1, 2, 0, 4], [1, None, 3, 4], range(4))


def test_filter_takes_times_and_origins_along() -> None:
    assert operator(OperatorKind.FILTER, len).apply(BATCH) == Batch(["a", "bb", "dddd"], [1, None, 4], [0, 1, 3])


def test_flat_map_repeats_times_and_origins() -> None:
    assert operator(OperatorKind.FLAT_MAP, iter).apply(BATCH) == Batch(
        list("abbdddd"), [1, None, None, 4, 4, 4, 4], [0, 1, 1, 3, 3, 3, 3]
    )


def test_flat_map_takes_none_for_nothing() -> None:
    assert operator(OperatorKind.FLAT_MAP, lambda _: None).apply(BATCH) == Batch([], [], [])


def test_flat_map_that_returns_one_element_is_told() -> None:
    one, _ = chain(operator(OperatorKind.FLAT_MAP, len))
    with pytest.raises(UserFunctionError, match="its result is of type int: yield elements, or return a list of them"):
        run(one, records(b"a"))


def test_process_sees_each_elements_own_time() -> None:
    out = operator(OperatorKind.PROCESS, Stamped()).apply(BATCH)
    assert out.values == [("a", 1), ("bb", None), ("bb", None), *[("dddd", 4)] * 4]


def test_assigner_replaces_times_and_gets_flinks_mark_for_none() -> None:
    strategy = WatermarkStrategy.no_watermarks().with_timestamp_assigner(lambda value, before: before)
    (made,) = timestamp_operators("source", strategy)
    assert made is not None
    assert made.apply(BATCH) == BATCH._replace(timestamps=[1, -(2**63), 3, 4])
    assert timestamp_operators("source", WatermarkStrategy.no_watermarks()) == ()


def test_chain_of_all_kinds_stays_aligned() -> None:
    one, end = chain(
        operator(OperatorKind.FLAT_MAP, str.split),
        operator(OperatorKind.FILTER, lambda word: word != "x"),
        operator(OperatorKind.MAP, str.upper),
        operator(OperatorKind.PROCESS, Stamped()),
    )
    assert run(one, records(b"a x", b"x"), records(b"", b"x x b")) == [("A", 100), ("B", 101)]
    assert not list(end.drain())


@pytest.mark.parametrize("kind", [OperatorKind.MAP, OperatorKind.FILTER, OperatorKind.FLAT_MAP])
def test_failing_element_is_named_with_its_record(kind: OperatorKind) -> None:
    def fail(value: str) -> Any:
        if value == "bad":
            raise KeyError("no such thing")
        return value if kind is OperatorKind.MAP else [value]

    one, _ = chain(
        operator(OperatorKind.FLAT_MAP, str.split),
        operator(OperatorKind.FILTER, lambda word: word != "x"),
        operator(kind, fail, "look up"),
    )
    with pytest.raises(UserFunctionError) as raised:
        run(one, records(b"a", b"x", b"x b bad c"))
    assert raised.value.what == "the function of operator 'look up' raised KeyError: 'no such thing'"
    assert raised.value.where == "topic t, partition 2, offset 12; element 'bad'"
    assert 'raise KeyError("no such thing")' in raised.value.now


def test_generator_that_fails_late_is_named_too() -> None:
    def late(value: str) -> Any:
        yield value
        raise RuntimeError(value)

    one, _ = chain(operator(OperatorKind.FLAT_MAP, late))
    with pytest.raises(UserFunctionError, match="RuntimeError: a") as raised:
        run(one, records(b"a"))
    assert raised.value.where == "topic t, partition 2, offset 10; element 'a'"


def test_stop_iteration_is_a_failure_and_no_end() -> None:
    with pytest.raises(ElementError) as raised:
        each(lambda numbers: next(iter(numbers)), [[1], [], [2]])
    assert raised.value.index == 1
    assert "StopIteration" in str(raised.value.__cause__)


@pytest.mark.parametrize("values", [["a", 1], ("a", 1), range(2)])
def test_index_of_the_failure_is_found_in_any_sequence(values: Any) -> None:
    def fail(value: Any) -> None:
        if value == 1:
            raise ValueError(value)

    with pytest.raises(ElementError) as raised:
        each(fail, values)
    assert raised.value.index == 1


def test_long_elements_are_cut_in_messages() -> None:
    one, _ = chain(operator(OperatorKind.MAP, int))
    with pytest.raises(UserFunctionError) as raised:
        run(one, records(b"x" * 1000))
    assert len(raised.value.where) < 300


@pytest.mark.parametrize(("value", "reason"), [(b"\xff", "UnicodeDecodeError"), (None, "tombstone")])
def test_record_that_cannot_be_decoded_is_named(value: bytes | None, reason: str) -> None:
    one, _ = chain()
    with pytest.raises(DeserializationError, match=reason) as raised:
        run(one, records(b"a", value))
    assert raised.value.where == "topic t, partition 2, offset 11"


def test_dropped_records_leave_no_gap() -> None:
    decoder = ValueDecoder(ValueOnlySchema(NoBlank()))
    assert decoder.decode(records(b"a", b"", b"c")) == Batch(["a", "c"], [100, 102], [0, 2])


class Incomparable:
    def __eq__(self, other: object) -> bool:
        raise ValueError("the truth value of an array is ambiguous")

    __hash__ = None  # type: ignore[assignment]  # as arrays


class ToIncomparable(DeserializationSchema[Incomparable]):
    def deserialize(self, message: bytes) -> Incomparable | None:
        return Incomparable() if message else None


def test_elements_need_not_be_comparable() -> None:
    batch = ValueDecoder(ValueOnlySchema(ToIncomparable())).decode(records(b"a", b"", b"c"))
    assert list(batch.origin) == [0, 2]


def test_all_branches_get_what_came_before_them_once() -> None:
    calls: list[str] = []

    def upper(value: str) -> str:
        calls.append(value)
        return value.upper()

    left, right = CollectOperator("left", 1), CollectOperator("right", 2)
    stage = ChainedOperator(operator(OperatorKind.MAP, upper), (ChainedOperator(left), ChainedOperator(right)))
    one = SourceTask("source", "source", ValueDecoder(ValueOnlySchema(SimpleStringSchema())), OperatorChain((stage,)))
    one.open(RuntimeContext(task_name=""))
    one.process(records(b"a"))
    assert list(one.finish())[:2] == [Report(ReportKind.ELEMENTS, 1, ["A"]), Report(ReportKind.ELEMENTS, 2, ["A"])]
    assert calls == ["a"]


def told(one: SourceTask) -> dict[int, dict[str, object]]:
    """What the last task tells of each node's counters."""
    (metrics,) = [report.content for report in one.finish() if report.kind is ReportKind.METRICS]
    return {
        node: {change.name: change.value for change in changes if change.kind is MetricKind.COUNTER}
        for node, _, changes in metrics
    }


def test_each_task_tells_what_it_has_counted() -> None:
    source = SourceNode(
        id=1,
        name="s",
        source=CollectionSource(()),
        watermarks=WatermarkStrategy.no_watermarks().with_timestamp_assigner(lambda _, __: 5),
    )
    words = OperatorNode(id=2, name="words", input=1, kind=OperatorKind.FLAT_MAP, function=str.split)
    sink = SinkNode(id=3, name="sink", input=2, sink=CollectSink())
    compiled = ChainCompiler(JobGraph((source, words, sink)), JobAttempt("run"), ends=True).source_task(source)
    one = SourceTask(
        "s",
        "s",
        ValueDecoder(ValueOnlySchema(SimpleStringSchema())),
        compiled.chain,
        scope=compiled.scope,
    )
    one.open(RuntimeContext(task_name=""))
    one.process(records(b"a b c", "é".encode()))
    assert told(one) == {
        1: {"numRecordsIn": 2, "numRecordsOut": 2, "numBytesIn": 7, "numRecordsInErrors": 0},
        2: {"numRecordsIn": 2, "numRecordsOut": 4},
        3: {"numRecordsIn": 4, "numRecordsOut": 0},
    }
    one.process(records(b"d"))
    assert told(one) == {
        1: {"numRecordsIn": 1, "numRecordsOut": 1, "numBytesIn": 1},
        2: {"numRecordsIn": 1, "numRecordsOut": 1},
        3: {"numRecordsIn": 1},
    }
    assert told(one) == {1: {}, 2: {}, 3: {}}


def test_operator_reached_on_two_ways_is_one_operator() -> None:
    source = SourceNode(id=1, name="s", source=CollectionSource(()), watermarks=WatermarkStrategy.no_watermarks())

    def mapped(node_id: int, taken: int) -> OperatorNode:
        return OperatorNode(id=node_id, name=f"op {node_id}", input=taken, kind=OperatorKind.MAP, function=str)

    union = UnionNode(id=4, name="Union", merged=(2, 3))
    sink = SinkNode(id=6, name="sink", input=5, sink=CollectSink())
    graph = JobGraph((source, mapped(2, 1), mapped(3, 1), union, mapped(5, 4), sink))
    one = ChainCompiler(graph, JobAttempt("run"), ends=True).source_task(source)
    assert [each_one.name for each_one in one.chain.operators()] == ["op 2", "op 5", "sink", "op 3"]
    left, right = one.chain.stages
    assert left.next == right.next
    assert isinstance(one.decoder, CollectionDecoder)


def test_functions_are_opened_with_their_own_parallelism_also_after_pickling() -> None:
    made = operator(OperatorKind.MAP, Journal(), "look up")
    made.parallelism = 2
    one, _ = chain(made)
    sent: SourceTask = cloudpickle.loads(cloudpickle.dumps(one))
    sent.open(RuntimeContext(task_name="", subtask=5, parallelism=8))
    (function, _) = sent.chain.operators()
    assert function.function.events == ["open look up (2/2)"]  # type: ignore[attr-defined]  # a user operator


def test_chain_may_serve_again_unless_a_function_wants_to_be_closed() -> None:
    kept, closed = Journal(), ClosingJournal()
    one, _ = chain(operator(OperatorKind.MAP, kept))
    assert one.chain.reusable
    assert run(one, records(b"a")) == ["a"]
    assert kept.events == ["open op (1/1)", "map a"]
    other, _ = chain(operator(OperatorKind.MAP, closed))
    assert not other.chain.reusable
    assert run(other, records(b"a")) == ["a"]
    assert closed.events == ["open op (1/1)", "map a", "close"]


@pytest.mark.parametrize("method", ["open", "close"])
def test_open_and_close_that_raise_are_named(method: str) -> None:
    def fail(*_: object) -> None:
        raise OSError("no room")

    function = type("Failing", (ClosingJournal,), {method: fail})()
    assert isinstance(function, Function)
    one, _ = chain(operator(OperatorKind.MAP, function, "look up"))
    with pytest.raises(UserFunctionError, match=f"{method} of operator 'look up' raised OSError: no room"):
        run(one, records(b"a"))


def test_offset_is_told_once_since_the_next_task_may_run_on_another_worker() -> None:
    one, _ = chain()
    one.open(RuntimeContext(task_name=""))
    told = []
    for partition in (2, 3):
        one.process(records(b"a", b"b", partition=partition))
        (metrics,) = (report.content for report in one.finish() if report.kind is ReportKind.METRICS)
        changes = [change for operator in metrics for change in operator.changes]
        told.append([(c.groups[-1].value, c.value) for c in changes if c.name == "currentOffset"])
    assert told == [[("2", 11)], [("3", 11)]]
