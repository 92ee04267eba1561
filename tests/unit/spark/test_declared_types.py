"""Elements become their declared type where Flink serializes them; one that cannot is named."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from kafkastream.common import Row, Types
from kafkastream.datastream import DataStream, OutputTag, ProcessFunction, StreamExecutionEnvironment
from kafkastream.errors import UserFunctionError
from kafkastream.model.graph.chaining import Serialization
from kafkastream.model.graph.job_graph import CollectSink
from kafkastream.spark.plan.chain_compiler import ChainCompiler
from kafkastream.spark.worker.batches import Batch
from kafkastream.spark.worker.chained_operators import TaskScope
from kafkastream.spark.worker.operator_chain import OperatorChain
from kafkastream.spark.worker.reports import ReportKind
from kafkastream.spark.worker.worker_cache import JobAttempt

NAMED = Types.ROW_NAMED(["w", "n"], [Types.STRING(), Types.FLOAT()])
SIDE = OutputTag("side", NAMED)


class Aside(ProcessFunction[Any, Any]):
    def process_element(self, value: Any, ctx: ProcessFunction.Context) -> Any:
        yield SIDE, value


def chain(build: Callable[[DataStream[Any]], DataStream[Any]], *, chains: bool = True) -> OperatorChain:
    """What takes the elements of a source, opened."""
    env = StreamExecutionEnvironment.get_execution_environment().set_parallelism(1)
    build(env.from_collection([0]))._end("Collect", CollectSink())
    graph = env._graph()
    serialization = Serialization.of(graph, 1, chains=chains)
    compiler = ChainCompiler(graph, JobAttempt("run"), ends=True, labels=(0,), serialization=serialization)
    made = compiler.source_task(graph.sources[0]).chain
    made.open(JobAttempt("run").context(0, 1))
    made.begin(TaskScope("here"))
    return made


def given(chain: OperatorChain, *elements: Any) -> list[Any]:
    """What the calling program gets for elements."""
    chain.push(Batch(elements, [None] * len(elements), range(len(elements))), lambda row: f"offset {row}")
    reports = chain.finish()
    return [element for report in reports if report.kind is ReportKind.ELEMENTS for element in report.content]


def test_rows_get_the_names_and_the_order_of_their_type() -> None:
    rows = given(
        chain(lambda stream: stream.map(lambda row: row, NAMED)), Row("a", 1), Row(n=1.1, w="b"), ("c", None), None
    )
    assert repr(rows) == "[Row(w='a', n=1.0), Row(w='b', n=1.100000023841858), Row(w='c', n=None), None]"


def test_side_outputs_have_the_type_of_their_tag() -> None:
    rows = given(chain(lambda stream: stream.process(Aside()).get_side_output(SIDE)), Row(n=1, w="a"))
    assert repr(rows) == "[Row(w='a', n=1.0)]"


def test_objects_pass_from_one_function_to_the_next_where_flink_chains_them() -> None:
    def added(stream: Any) -> Any:
        return stream.map(lambda number: (number, 1.1), Types.ROW([Types.INT(), Types.FLOAT()])).map(repr)

    assert given(chain(added), 1) == ["(1, 1.1)"]
    assert given(chain(added, chains=False), 1) == ["Row(f0=1, f1=1.100000023841858)"]


def test_a_filter_at_the_end_of_a_chain_gives_the_declared_type() -> None:
    assert given(chain(lambda stream: stream.map(float, Types.FLOAT()).filter(lambda one: one == 1.1)), "1.1") == [
        1.100000023841858
    ]


@pytest.mark.parametrize(
    ("build", "what"),
    [
        (lambda stream: stream.map(lambda one: one, NAMED).name("op"), "operator 'op' gave an element"),
        (
            lambda stream: stream.process(Aside()).name("op").get_side_output(SIDE),
            "operator 'op: Side output side' gave an element",
        ),
        (
            lambda stream: stream.map(lambda one: one, NAMED).name("op").key_by(lambda _: 1).map(str),
            "operator 'op' gave an element",
        ),
    ],
    ids=["map", "side output", "map before key_by"],
)
def test_an_element_of_another_type_is_named(build: Callable[[DataStream[Any]], DataStream[Any]], what: str) -> None:
    with pytest.raises(UserFunctionError) as raised:
        given(chain(build), Row("a", 1), Row("b", "x"))
    assert raised.value.what == (
        f"{what} that is not of the declared type: 'x' (a str) in field 'n' is not of type Float"
    )
    assert raised.value.where == "offset 1; element <Row('b', 'x')>"
    assert raised.value.now == (
        "Declared is RowTypeInfo(w: String, n: Float): declare the type that the function returns, or convert the "
        "result in the function."
    )
