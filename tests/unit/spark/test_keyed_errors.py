"""What users of keyed operators do wrong is told with the operator, the place, and what to do; what is only odd works."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Iterator
from typing import Any

import pytest

from kafkastream.common import Time, Types
from kafkastream.datastream import (
    AggregateFunction,
    CoMapFunction,
    DataStream,
    KeyedBroadcastProcessFunction,
    KeyedProcessFunction,
    KeyedStream,
    ReduceFunction,
    RuntimeContext,
    StreamExecutionEnvironment,
)
from kafkastream.datastream.functions import ProcessWindowFunction
from kafkastream.datastream.state import (
    AggregatingStateDescriptor,
    MapStateDescriptor,
    ReducingStateDescriptor,
    StateTtlConfig,
    ValueStateDescriptor,
)
from kafkastream.datastream.window import EventTimeSessionWindows, TimeWindow, TumblingEventTimeWindows
from kafkastream.errors import DefinitionError, KafkastreamError, UserFunctionError
from kafkastream.model.common.watermark_strategy import MAX_WATERMARK
from kafkastream.model.graph.job_graph import CollectSink, KeyedInput
from kafkastream.operators.state.key_encoding import encoded_key
from kafkastream.operators.stream.keyed_operators import KeyedElements
from kafkastream.spark.exchange.keyed_task import KeyedTask
from kafkastream.spark.exchange.shuffle_messages import ExchangeOperator, OperatorInput, Watermarks
from kafkastream.spark.plan.chain_compiler import ChainCompiler
from kafkastream.spark.worker.batches import Batch
from kafkastream.spark.worker.chained_operators import TaskScope
from kafkastream.spark.worker.operator_chain import applied
from kafkastream.spark.worker.reports import ReportKind
from kafkastream.spark.worker.worker_cache import JobAttempt
from tests.unit.operators.memory import Memory

SESSIONS = EventTimeSessionWindows.with_gap(Time.milliseconds(10))
Built = Callable[[KeyedStream[Any, Any]], DataStream[Any]]


def compiled(build: Built) -> KeyedTask:
    """The operator called "op", opened, with the calling program as its sink."""
    env = StreamExecutionEnvironment.get_execution_environment()
    stream = build(env.from_collection([]).key_by(lambda value: value[0])).name("op")
    stream._end("Collect", CollectSink())
    graph = env._graph()
    ((node,),) = graph.levels()
    chain = ChainCompiler(graph, JobAttempt("run"), ends=True, labels=(0,)).keyed_task(node)
    chain.open(JobAttempt("run").context(0, 1))
    return chain


def run(
    chain: KeyedTask,
    *elements: tuple[Any, int | None],
    watermark: int = MAX_WATERMARK,
    memory: Memory | None = None,
    side: int = 0,
) -> list[Any]:
    """What comes out of a micro-batch of pairs of value and time; the key is a value's first letter."""
    arrived = KeyedElements(
        side,
        [encoded_key(value[0]) for value, _ in elements],
        [value for value, _ in elements],
        [time for _, time in elements],
    )
    marks = Watermarks({chain.identity: watermark}, 0)
    taken = OperatorInput([arrived] if elements else [], marks, [])
    reports = chain.run(memory or Memory(), TaskScope(""), taken)
    return [element for report in reports if report.kind is ReportKind.ELEMENTS for element in report.content]


def failure(build: Built, *elements: tuple[Any, int | None]) -> KafkastreamError:
    """What the user reads."""
    with pytest.raises(KafkastreamError) as raised:
        run(compiled(build), *elements)
    assert str(raised.value).startswith(f"[{raised.value.code}]")
    return raised.value


class Timed(KeyedProcessFunction[str, str, Any]):
    """Registers a timer for each element, and tells when it fires."""

    def __init__(self, time: Any) -> None:
        self.time = time

    def process_element(self, value: str, ctx: KeyedProcessFunction.Context) -> None:
        ctx.timer_service().register_event_time_timer(self.time)

    def on_timer(self, timestamp: int, ctx: KeyedProcessFunction.OnTimerContext) -> Iterator[Any]:
        yield ctx.get_current_key(), timestamp


@pytest.mark.parametrize("time", [1.5, None, "soon", 2**63, -(2**63) - 1], ids=repr)
def test_timer_without_a_time_is_refused(time: Any) -> None:
    error = failure(lambda keyed: keyed.process(Timed(time)), ("a1", 5))
    assert error.what == (
        "the function of operator 'op' raised DefinitionError: the time of a timer is a whole number of ms that fits "
        f"into 64 bits, not {time!r}"
    )
    assert error.where == "key 'a'; element 'a1'"
    assert "register_event_time_timer(self.time)" in error.now


@pytest.mark.parametrize("time", [-7, 3, -(2**63)], ids=["before 1970", "in the past", "least"])
def test_timer_whose_time_has_come_fires_at_once(time: int) -> None:
    chain, memory = compiled(lambda keyed: keyed.process(Timed(time))), Memory()
    assert run(chain, ("a1", 5), watermark=100, memory=memory) == [("a", time)]
    assert run(chain, watermark=200, memory=memory) == []


def test_function_that_returns_what_cannot_be_gone_through() -> None:
    class One(KeyedProcessFunction[str, str, int]):
        def process_element(self, value: str, ctx: KeyedProcessFunction.Context) -> Any:
            return 0

    error = failure(lambda keyed: keyed.process(One()), ("a1", 5))
    assert error.what == (
        "the function of operator 'op' raised TypeError: its result is of type int: yield elements, or return a list of "
        "them"
    )
    assert error.where == "key 'a'; element 'a1'"


def test_type_error_of_a_generator_is_its_own() -> None:
    class Wrong(KeyedProcessFunction[str, str, int]):
        def process_element(self, value: str, ctx: KeyedProcessFunction.Context) -> Any:
            yield len(5)  # type: ignore[arg-type]  # what this test is about

    assert "object of type 'int' has no len()" in failure(lambda keyed: keyed.process(Wrong()), ("a1", 5)).what


class Forgetful(AggregateFunction[str, list[str], str]):
    """Changes its accumulator in place and forgets to return it."""

    def __init__(self, forgets: str) -> None:
        self.forgets = forgets

    def create_accumulator(self) -> list[str]:
        return []

    def add(self, value: str, accumulator: list[str]) -> list[str]:
        accumulator.append(value)
        return self._unless_forgotten("add", accumulator)

    def get_result(self, accumulator: list[str]) -> str:
        return " ".join(accumulator)

    def merge(self, acc_a: list[str], acc_b: list[str]) -> list[str]:
        acc_a.extend(acc_b)
        return self._unless_forgotten("merge", acc_a)

    def _unless_forgotten(self, method: str, accumulator: list[str]) -> list[str]:
        return None if self.forgets == method else accumulator  # type: ignore[return-value]  # what this test is about


class ForgetfulReduction(ReduceFunction[str]):
    def reduce(self, value1: str, value2: str) -> Any:
        return None


class Stateful(KeyedProcessFunction[str, str, Any]):
    """Adds elements to a state."""

    def __init__(self, state: Callable[[RuntimeContext], Any]) -> None:
        self.make = state

    def open(self, runtime_context: RuntimeContext) -> None:
        self.state = self.make(runtime_context)

    def process_element(self, value: str, ctx: KeyedProcessFunction.Context) -> Iterator[Any]:
        self.state.add(value if len(value) > 1 else None)
        yield self.state.get()


def aggregating(context: RuntimeContext) -> Any:
    return context.get_aggregating_state(
        AggregatingStateDescriptor("all", Forgetful("add"), Types.LIST(Types.STRING()))
    )


def reducing(context: RuntimeContext) -> Any:
    return context.get_reducing_state(ReducingStateDescriptor("all", ForgetfulReduction(), Types.STRING()))


@pytest.mark.parametrize(
    ("build", "method"),
    [
        (lambda keyed: keyed.window(SESSIONS).aggregate(Forgetful("add")), "add"),
        (lambda keyed: keyed.window(SESSIONS).aggregate(Forgetful("merge")), "merge"),
        (lambda keyed: keyed.window(SESSIONS).reduce(ForgetfulReduction()), "reduce"),
        (lambda keyed: keyed.reduce(ForgetfulReduction()), "reduce"),
        (lambda keyed: keyed.process(Stateful(aggregating)), "add"),
        (lambda keyed: keyed.process(Stateful(reducing)), "reduce"),
    ],
    ids=["add", "merge", "reduce", "rolling", "aggregating state", "reducing state"],
)
def test_accumulator_that_is_not_returned_is_told(build: Built, method: str) -> None:
    """Flink keeps no null: the window would be empty, without a word."""
    error = failure(build, ("a1", 5), ("a2", 20), ("a3", 12))  # the third makes one session of two
    assert error.what == f"the function of operator 'op' raised DefinitionError: {method} returned None"
    assert error.where.startswith("key 'a'; element 'a")
    assert "Return what is to be kept, also if it was changed in place." in error.now


def test_merge_is_needed_for_sessions_that_merge_only() -> None:
    def sessions(keyed: KeyedStream[Any, Any]) -> DataStream[Any]:
        return keyed.window(SESSIONS).aggregate(Halves())

    class Halves(Forgetful):
        def __init__(self) -> None:
            super().__init__("nothing")

        def merge(self, acc_a: list[str], acc_b: list[str]) -> list[str]:
            raise NotImplementedError("no merge")

    assert run(compiled(sessions), ("a1", 5), ("a2", 20)) == ["a1", "a2"]
    error = failure(sessions, ("a1", 5), ("a2", 20), ("a3", 12))
    assert error.what == "the function of operator 'op' raised NotImplementedError: no merge"
    with pytest.raises(TypeError, match="abstract"):
        type("Unfinished", (AggregateFunction,), {"add": None, "create_accumulator": None, "get_result": None})()


def test_none_forgets_what_an_aggregating_state_has() -> None:
    class Kept(Forgetful):
        def __init__(self) -> None:
            super().__init__("nothing")

    function = Stateful(
        lambda context: context.get_aggregating_state(
            AggregatingStateDescriptor("all", Kept(), Types.LIST(Types.STRING()))
        )
    )
    found = run(compiled(lambda keyed: keyed.process(function)), ("a1", 1), ("a2", 2), ("a", 3), ("a4", 4))
    assert found == ["a1", "a1 a2", None, "a4"]


COUNT = ValueStateDescriptor("count", Types.LONG())
RULES = MapStateDescriptor("rules", Types.STRING(), Types.STRING())


class Counting(KeyedProcessFunction[str, str, Any]):
    """Has the states of these descriptors; the first element of a key sets the first of them."""

    def __init__(self, *descriptors: ValueStateDescriptor[Any], content: Any = 1, late: bool = False) -> None:
        self.descriptors = descriptors
        self.content = content
        self.late = late

    def open(self, runtime_context: RuntimeContext) -> None:
        self.context = runtime_context
        if not self.late:
            self.states = [runtime_context.get_state(one) for one in self.descriptors]

    def process_element(self, value: str, ctx: KeyedProcessFunction.Context) -> Iterator[Any]:
        state = self.context.get_state(self.descriptors[0])
        yield state.value()
        state.update(self.content)


class UsedInOpen(Counting):
    def open(self, runtime_context: RuntimeContext) -> None:
        super().open(runtime_context)
        self.states[0].update(0)


def test_keyed_state_has_a_key() -> None:
    with pytest.raises(DefinitionError) as raised:
        compiled(lambda keyed: keyed.process(UsedInOpen(COUNT)))
    assert raised.value.what == "state 'count' needs a current key, and there is none"
    assert raised.value.where == "open of operator 'op'"


class Broadcasting(KeyedBroadcastProcessFunction[str, str, str, Any]):
    """Uses its keyed state, or its broadcast state, for the elements that every subtask gets."""

    def __init__(self, *, keyed: bool, rules: MapStateDescriptor[Any, Any] = RULES) -> None:
        self.keyed = keyed
        self.rules = rules

    def open(self, runtime_context: RuntimeContext) -> None:
        self.count = runtime_context.get_state(COUNT)

    def process_element(self, value: str, ctx: KeyedBroadcastProcessFunction.ReadOnlyContext) -> Iterable[Any]:
        self.count.update(5)
        return [ctx.get_broadcast_state(self.rules).get("b")]

    def process_broadcast_element(self, value: str, ctx: KeyedBroadcastProcessFunction.Context) -> None:
        if self.keyed:
            self.count.update(1)
        ctx.get_broadcast_state(self.rules).put(value[0], value)


def broadcasting(function: Broadcasting) -> KeyedTask:
    return compiled(lambda keyed: keyed.connect(keyed._stream.broadcast(RULES)).process(function))


def test_broadcast_element_has_no_key_either() -> None:
    memory, chain = Memory(), broadcasting(Broadcasting(keyed=False))
    run(chain, ("b1", 1), side=1, memory=memory)
    assert run(chain, ("a1", 1), memory=memory) == ["b1"]
    chain = broadcasting(Broadcasting(keyed=True))
    with pytest.raises(UserFunctionError, match="state 'count' needs a current key, and there is none"):
        run(chain, ("b1", 1), side=1, memory=memory)


def test_two_states_of_one_name() -> None:
    with pytest.raises(DefinitionError) as raised:
        compiled(lambda keyed: keyed.process(Counting(COUNT, ValueStateDescriptor("count", Types.STRING()))))
    assert raised.value.what == (
        "state 'count' is declared twice in this operator: as a ValueStateDescriptor of Long, and as a "
        "ValueStateDescriptor of String"
    )
    assert raised.value.where == "open of operator 'op'"


class WithoutKeys(CoMapFunction[Any, Any, Any]):
    def open(self, runtime_context: RuntimeContext) -> None:
        runtime_context.get_state(COUNT)

    def map1(self, value: Any) -> None: ...

    def map2(self, value: Any) -> None: ...


def test_state_without_keys_is_told_with_the_operator() -> None:
    with pytest.raises(DefinitionError, match="state 'count' is used on a stream without keys") as raised:
        compiled(lambda keyed: keyed._stream.connect(keyed._stream).map(WithoutKeys()))
    assert raised.value.where == "open of operator 'op'"


def _living() -> ValueStateDescriptor[int]:
    descriptor = ValueStateDescriptor("count", Types.LONG())
    descriptor.enable_time_to_live(StateTtlConfig.new_builder(Time.days(1)).build())
    return descriptor


@pytest.mark.parametrize(
    ("descriptor", "now"),
    [
        (ValueStateDescriptor("count", Types.STRING()), "a ValueStateDescriptor of String"),
        (_living(), "a ValueStateDescriptor of Long with a time to live"),
    ],
    ids=["type", "time to live"],
)
@pytest.mark.parametrize("late", [False, True], ids=["in open", "when it is needed"])
def test_state_that_is_another_than_in_an_earlier_run(
    descriptor: ValueStateDescriptor[Any], now: str, *, late: bool
) -> None:
    memory = Memory()
    assert run(compiled(lambda keyed: keyed.process(Counting(COUNT))), ("a1", 1), memory=memory) == [None]
    before = dict(memory.content)
    with pytest.raises(
        KafkastreamError, match=f"state 'count' was a ValueStateDescriptor of Long .* now {now}"
    ) as raised:
        run(compiled(lambda keyed: keyed.process(Counting(descriptor, late=late))), ("a1", 1), memory=memory)
    assert "op" in str(raised.value)
    assert memory.content == before


def test_broadcast_state_that_is_another_than_in_an_earlier_run() -> None:
    memory = Memory()
    run(broadcasting(Broadcasting(keyed=False)), ("b1", 1), side=1, memory=memory)
    other = Broadcasting(keyed=False, rules=MapStateDescriptor("rules", Types.STRING(), Types.INT()))
    with pytest.raises(UserFunctionError, match="broadcast state 'rules' was a MapStateDescriptor of"):
        run(broadcasting(other), ("b1", 1), side=1, memory=memory)


def test_state_that_cannot_be_pickled() -> None:
    anything = ValueStateDescriptor("count", Types.PICKLED_BYTE_ARRAY())
    error = failure(lambda keyed: keyed.process(Counting(anything, content=threading.Lock())), ("a1", 1))
    assert error.what == "the content of 'count' cannot be pickled: TypeError: cannot pickle '_thread.lock' object"
    assert error.where == "operator 'op', key 'a'"


@pytest.mark.parametrize(
    ("descriptor", "content", "reason"),
    [
        (COUNT, "one", "state 'count' is declared as Long: 'one' (a str) is not of type Long"),
        (
            ValueStateDescriptor("pair", Types.TUPLE([Types.INT(), Types.INT()])),
            (1, 2**31),
            "2147483648 (a int) in field 1 ",
        ),
    ],
    ids=["scalar", "tuple"],
)
def test_state_of_another_type_is_refused(descriptor: ValueStateDescriptor[Any], content: Any, reason: str) -> None:
    error = failure(lambda keyed: keyed.process(Counting(descriptor, content=content)), ("a1", 1))
    assert reason in error.what


def test_state_keeps_what_was_given_if_flink_would_take_it() -> None:
    assert run(compiled(lambda keyed: keyed.process(Counting(COUNT, content=1.5))), ("a1", 1), ("a2", 2))


def test_element_that_cannot_be_pickled() -> None:
    exchange = ExchangeOperator("op", 2, 0, KeyedInput(node=1, selector=lambda _: "key"), (0,))
    with pytest.raises(UserFunctionError) as raised:
        applied(exchange, Batch(["a", threading.Lock()], [1, 2], range(2)), lambda row: f"offset {row}")
    assert raised.value.what.startswith(
        "an element cannot be sent to operator 'op', since it cannot be pickled: TypeError"
    )
    assert raised.value.where.startswith("offset 1; element <unlocked _thread.lock")


class Bounds(ProcessWindowFunction[str, Any, str, TimeWindow]):
    def process(
        self, key: str, context: ProcessWindowFunction.Context[TimeWindow], elements: Iterable[str]
    ) -> Iterable[Any]:
        return [(context.window().start, context.window().end, *elements)]


def windows(keyed: KeyedStream[Any, Any]) -> DataStream[Any]:
    return keyed.window(TumblingEventTimeWindows.of(Time.milliseconds(10), Time.milliseconds(3))).process(Bounds())


YEAR_10000 = 253_402_300_800_000


@pytest.mark.parametrize(
    ("time", "expected"),
    [(-1, (-7, 3)), (-7, (-7, 3)), (-8, (-17, -7)), (YEAR_10000, (YEAR_10000 - 7, YEAR_10000 + 3))],
    ids=["-1", "-7", "-8", "year 10000"],
)
def test_windows_before_1970_and_in_the_far_future(time: int, expected: tuple[int, int]) -> None:
    assert run(compiled(windows), ("a1", time)) == [(*expected, "a1")]


@pytest.mark.parametrize("time", [None, -(2**63)], ids=["none", "Flink's mark for none"])
def test_window_of_an_element_without_a_time(time: int | None) -> None:
    error = failure(windows, ("a1", time))
    assert "Record has Java Long.MIN_VALUE timestamp (= no timestamp marker)" in error.what
    assert error.where == "key 'a'; element 'a1'"
    assert "give the source a WatermarkStrategy with a timestamp assigner" in error.now
