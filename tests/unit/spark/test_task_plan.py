"""Tasks that have several source partitions, one after the other."""

from __future__ import annotations

from collections.abc import Sequence

import pyarrow as pa
import pytest

from kafkastream.model.common.stream_functions import MapFunction
from kafkastream.model.connectors.record_deserialization import ValueOnlySchema
from kafkastream.model.formats import SimpleStringSchema
from kafkastream.model.functions.runtime_context import RuntimeContext
from kafkastream.model.graph.job_graph import OperatorKind, OperatorNode
from kafkastream.spark.exchange.source_task import SourceTask
from kafkastream.spark.exchange.task_plan import TaskPlan
from kafkastream.spark.internals.pickles import dumps
from kafkastream.spark.worker.batches import by_partition, in_larger_batches
from kafkastream.spark.worker.chain_sinks import CollectOperator
from kafkastream.spark.worker.operator_chain import ChainedOperator, OperatorChain
from kafkastream.spark.worker.record_decoders import ValueDecoder, owner_subtask
from kafkastream.spark.worker.reports import Report, ReportKind
from kafkastream.spark.worker.user_operators import user_operator
from kafkastream.spark.worker.worker_cache import JobAttempt

PARALLELISM = 2


def batch(rows: Sequence[tuple[str, int, str]]) -> pa.RecordBatch:
    topics, partitions, values = zip(*rows, strict=True)
    number = len(rows)
    return pa.RecordBatch.from_pydict(
        {
            "source": pa.array([1] * number, pa.int32()),
            "topic": pa.array(topics),
            "partition": pa.array(partitions, pa.int32()),
            "offset": pa.array(range(number), pa.int64()),
            "timestamp": pa.array(range(number), pa.int64()),
            "value": pa.array([value.encode() for value in values], pa.binary()),
        }
    )


class Placed(MapFunction[str, str]):
    """Shows the subtask that an element is processed in; fails for one."""

    def open(self, runtime_context: RuntimeContext) -> None:
        self.subtask = runtime_context.get_index_of_this_subtask()

    def map(self, value: str) -> str:
        if value == "bad":
            raise ValueError("no good")
        return f"{value} in {self.subtask}"


def reports_of(run: str, *batches: pa.RecordBatch) -> list[Report]:
    node = OperatorNode(id=2, name="op", input=1, kind=OperatorKind.MAP, function=Placed())
    operator = user_operator(node)
    assert operator is not None
    stage = ChainedOperator(operator, (ChainedOperator(CollectOperator("collect", 9)),))
    decoder = ValueDecoder(ValueOnlySchema(SimpleStringSchema()))
    task = SourceTask("source", "source", decoder, OperatorChain((stage,)))
    return list(TaskPlan(JobAttempt(run), PARALLELISM, {1: dumps(task)}).reports(iter(batches)))


def collected(reports: Sequence[Report]) -> list[object]:
    return [element for report in reports if report.kind is ReportKind.ELEMENTS for element in report.content]


def subtask(topic: str, partition: int) -> int:
    return owner_subtask(topic, partition, PARALLELISM)


def test_each_partition_is_processed_in_its_own_subtask() -> None:
    first = batch([("a", 0, "x"), ("a", 0, "y"), ("a", 1, "z")])
    second = batch([("a", 1, "u"), ("b", 1, "v")])
    found = reports_of("several", first, second)
    zero, one, other = subtask("a", 0), subtask("a", 1), subtask("b", 1)
    assert collected(found) == [f"x in {zero}", f"y in {zero}", f"z in {one}", f"u in {one}", f"v in {other}"]
    assert [report.kind for report in found].count(ReportKind.METRICS) == 3


def test_a_failure_leaves_out_the_rest_of_its_partition() -> None:
    found = reports_of("failing", batch([("a", 0, "bad")]), batch([("a", 0, "x"), ("a", 1, "z")]))
    assert collected(found) == [f"z in {subtask('a', 1)}"]
    (failure,) = (report.content for report in found if report.kind is ReportKind.FAILURE)
    assert "topic a, partition 0, offset 0" in str(failure)


def test_without_rows_nothing_is_done() -> None:
    assert reports_of("empty", batch([("a", 0, "x")]).slice(0, 0)) == []


@pytest.mark.parametrize("names", [("source", "value"), ("value",)])
def test_rows_without_a_partition_are_one_stretch(names: Sequence[str]) -> None:
    arrow = batch([("a", 0, "x"), ("a", 1, "y")]).select(list(names))
    assert [[one.num_rows for one in some] for some in by_partition([arrow, arrow])] == [[2, 2]]


def test_joined_batches_have_all_rows_in_order() -> None:
    batches = [batch([("a", 0, str(number))]) for number in range(7)]
    found = list(in_larger_batches(batches, 3))
    assert [arrow.num_rows for arrow in found] == [3, 3, 1]
    assert [value for arrow in found for value in arrow["value"].to_pylist()] == [b"%d" % number for number in range(7)]
    assert [arrow.num_rows for arrow in in_larger_batches(batches, 0)] == [1] * 7
