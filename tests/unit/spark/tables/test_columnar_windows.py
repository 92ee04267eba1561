"""Windows kept as columns come out as those kept by key do."""

from __future__ import annotations

import pickle
from decimal import Decimal
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from kafkastream.metrics.values import OperatorScope
from kafkastream.model.functions.runtime_context import RuntimeContext
from kafkastream.operators.stream.keyed_operators import KeyedElements
from kafkastream.spark.exchange.shuffle_messages import OperatorInput, Watermarks
from kafkastream.spark.sql.rows.columnar_parts import BUCKET, WindowParts, of_bytes
from kafkastream.spark.sql.rows.columnar_windows import ColumnarWindows
from kafkastream.spark.worker.chained_operators import TaskScope
from kafkastream.spark.worker.reports import Report, ReportKind
from kafkastream.sql.plan.operations import AggregateCall, AggregateFunction, TableOperation, WindowAggregate
from kafkastream.sql.types import DataType, Kind
from tests.unit.operators.memory import Memory
from tests.unit.operators.table.rows_driving import Driven

BIG, DECIMAL = DataType.of(Kind.BIGINT), DataType.of(Kind.DECIMAL, 10, 2)
MINUTE_US = 60_000_000
CALLS = (
    AggregateCall(function=AggregateFunction.COUNT, type=BIG),
    AggregateCall(function=AggregateFunction.SUM, type=BIG, argument=3, argument_type=BIG),
    AggregateCall(function=AggregateFunction.AVG, type=BIG, argument=3, argument_type=BIG),
    AggregateCall(
        function=AggregateFunction.AVG, type=DataType.of(Kind.DECIMAL, 38, 6), argument=4, argument_type=DECIMAL
    ),
)
EXTREMES = (
    AggregateCall(function=AggregateFunction.MIN, type=BIG, argument=3, argument_type=BIG),
    AggregateCall(function=AggregateFunction.MAX, type=DECIMAL, argument=4, argument_type=DECIMAL),
)
STAMP = pa.timestamp("us")
OF_CALLS = [pa.int64(), pa.int64(), pa.int64(), pa.decimal128(38, 6)]
OF_EXTREMES = [pa.int64(), pa.decimal128(10, 2)]

Row = tuple[int, str | None, int, int | None]
"""Whether it is added (0) or goes away (3), the key, the minute, the value."""


class Columnar:
    """The columnar operator over a backend."""

    def __init__(self, operation: WindowAggregate, types: list[pa.DataType], retracts: bool) -> None:
        self.memory = Memory()
        self._parts = WindowParts(operation, retracts)
        self._types = [pa.string(), *types, STAMP, STAMP]
        self.begin()

    def begin(self) -> None:
        """Begin, or go on after a failure."""
        self._windows = ColumnarWindows("w", "w", 7, self._parts, self._types, OperatorScope(), (3,))
        self._windows.open(RuntimeContext(task_name="driven"))

    def micro_batch(self, rows: list[Row], watermark: int) -> list[tuple[Any, ...]]:
        """What comes out."""
        arrow = pa.RecordBatch.from_arrays(
            [
                pa.array([row[0] for row in rows], pa.int8()),
                pa.array([0] * len(rows), pa.int32()),
                pa.array([row[1] for row in rows], pa.string()),
                pa.array([row[2] * MINUTE_US for row in rows], pa.int64()).cast(STAMP),
                pa.array([(row[2] + 1) * MINUTE_US for row in rows], pa.int64()).cast(STAMP),
                pa.array([row[3] for row in rows], pa.int64()),
                pa.array([_decimal(row[3]) for row in rows], pa.decimal128(10, 2)),
            ],
            ["__kind", BUCKET, "c0", "c1", "c2", "c3", "c4"],
        )
        arrived = [KeyedElements(0, [], [table], []) for _, table in self._parts.of_rows(arrow)]
        taken = OperatorInput(arrived, Watermarks({"w": watermark}, 0), [])
        return [one for report in self._windows.run(self.memory, TaskScope(""), taken) for one in _told(report)]


def _decimal(value: int | None) -> Decimal | None:
    return None if value is None else Decimal(value) / 4


def _told(report: Report) -> list[tuple[Any, ...]]:
    if report.kind is not ReportKind.EXCHANGE:
        return []
    table = of_bytes(pickle.loads(report.content.payload)[0])
    starts, ends = (table.columns[at].cast(pa.int64()).to_pylist() for at in (-2, -1))
    columns = [one.to_pylist() for one in table.columns[:-2]]
    return list(zip(*columns, starts, ends, strict=True))


ROWS = st.tuples(
    st.just(0), st.sampled_from(["a", "b", None]), st.integers(0, 3), st.one_of(st.none(), st.integers(-9, 9))
)


@given(
    batches=st.lists(st.tuples(st.lists(ROWS, max_size=12), st.integers(0, 5), st.booleans()), max_size=6),
    extremes=st.booleans(),
)
def test_the_same_comes_out_as_by_key(batches: list[tuple[list[Row], int, bool]], extremes: bool) -> None:
    operation = WindowAggregate(calls=EXTREMES if extremes else CALLS, keys=1)
    columnar = Columnar(operation, OF_EXTREMES if extremes else OF_CALLS, retracts=False)
    driven = Driven(TableOperation(operation))
    for rows, minutes, restarts in [*batches, ([], 99, False)]:
        if restarts:
            columnar.begin()
            driven.checkpoint()
        bare = [(0, key, at * MINUTE_US, (at + 1) * MINUTE_US, value, _decimal(value)) for _, key, at, value in rows]
        parted = _as_parts(operation, bare)
        expected = [*driven.raw(*parted), *_raised(driven.advance(minutes * 60_000))]
        found = columnar.micro_batch(rows, minutes * 60_000)
        assert sorted(found, key=repr) == sorted(expected, key=repr)


def _as_parts(operation: WindowAggregate, rows: list[tuple[Any, ...]]) -> list[tuple[Any, tuple[Any, ...]]]:
    from kafkastream.spark.sql.rows.local_aggregate import pre_aggregated

    if not rows:
        return []
    types = [pa.int8(), pa.string(), pa.int64(), pa.int64(), pa.int64(), pa.decimal128(10, 2)]
    arrays = [pa.array(column, kind) for column, kind in zip(zip(*rows, strict=True), types, strict=True)]
    batch = pa.RecordBatch.from_arrays(arrays[1:], [f"c{at}" for at in range(5)])
    return [(part[1], part) for part in pre_aggregated(batch, operation)]


def _raised(rows: list[tuple[Any, ...]]) -> list[tuple[Any, ...]]:
    return [(0, *row[1:]) for row in rows]


def test_rows_that_go_away_count_no_more_and_late_ones_are_counted() -> None:
    columnar = Columnar(WindowAggregate(calls=CALLS[:2], keys=1), OF_CALLS[:2], retracts=True)
    assert columnar.micro_batch([(0, "a", 0, 5), (0, "a", 0, 7), (0, "b", 0, 1)], 0) == []
    assert columnar.micro_batch([(3, "a", 0, 5), (3, "b", 0, 1)], 60_000) == [(0, "a", 1, 7, 0, MINUTE_US)]
    assert columnar.micro_batch([(0, "a", 0, 5)], 60_000) == []
    assert columnar._windows._late.get_count() == 1


@pytest.mark.parametrize("batches", [40])
def test_many_small_tables_become_one(batches: int) -> None:
    columnar = Columnar(WindowAggregate(calls=CALLS[:1], keys=1), OF_CALLS[:1], retracts=False)
    for _ in range(batches):
        assert columnar.micro_batch([(0, "a", 0, 1)], 0) == []
    assert len(columnar.memory.content) < batches / 2
    assert columnar.micro_batch([], 60_000) == [(0, "a", batches, 0, MINUTE_US)]
    assert len(columnar.memory.content) == 1
