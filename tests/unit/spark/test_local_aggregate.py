"""What is computed of batches before the shuffle gives the operator what it would compute of the rows themselves."""

from __future__ import annotations

import datetime
from decimal import Decimal
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from kafkastream.operators.table.aggregates.group_aggregate import GroupAggregateOperator
from kafkastream.spark.sql.rows.local_aggregate import pre_aggregated
from kafkastream.sql.plan.operations import (
    GroupAggregate,
    TableOperation,
    WindowAggregate,
)
from kafkastream.sql.types import DataType, Kind
from tests.unit.operators.table.rows_driving import Driven, TableRow, call, materialised

TINY = DataType.of(Kind.TINYINT)
MONEY = DataType.of(Kind.DECIMAL, 38, 2)
MEAN = DataType.of(Kind.DECIMAL, 38, 6)
DOUBLE = DataType.of(Kind.DOUBLE)
TYPES = {
    "c0": pa.string(),
    "c1": pa.int64(),
    "c2": pa.decimal128(38, 2),
    "c3": pa.float64(),
    "c4": pa.bool_(),
    "__kind": pa.int32(),
}
OF_CHANGES = (
    call("COUNT", None),
    call("COUNT", None, filter=4),
    call("COUNT", 1),
    call("SUM", 1, TINY),
    call("AVG", 1, TINY),
    call("SUM", 1, filter=4),
    call("SUM", 2, MONEY),
    call("AVG", 2, MEAN),
    call("$SUM0", 3, DOUBLE),
)
OF_ADDED = (
    *OF_CHANGES,
    *(call(one, place) for one in ("MIN", "MAX") for place in (0, 1, 2, 3, 4)),
)
VALUES = st.tuples(
    st.sampled_from(["a", "b", None]),
    st.none() | st.integers(-128, 127),
    st.none() | st.sampled_from([Decimal("9" * 36 + ".99"), Decimal("-0.01"), Decimal("2.50"), Decimal("0.00")]),
    st.none() | st.sampled_from([0.5, -2.0, 4.0]),
    st.none() | st.booleans(),
)


def as_they_are(operation: GroupAggregate, retracts: bool) -> Driven:
    """An operator which takes the rows themselves, that otherwise would come in parts."""
    driven = Driven(TableOperation(operation, retracts))
    driven.operator = GroupAggregateOperator(operation, retracts=retracts, partial=False)
    driven.operator.keyed_context.begin(driven.memory, b"n/")
    return driven


def batch(rows: list[TableRow], *, kinds: bool) -> pa.RecordBatch:
    columns = list(zip(*((*columns, kind) for kind, *columns in rows), strict=True)) or [()] * len(TYPES)
    arrays = {name: pa.array(values, type_) for (name, type_), values in zip(TYPES.items(), columns, strict=True)}
    if not kinds:
        del arrays["__kind"]
    return pa.RecordBatch.from_pydict(arrays)


@pytest.mark.parametrize("keys", [0, 1])
@pytest.mark.parametrize("retracts", [False, True])
@given(
    adds=st.lists(VALUES, max_size=12),
    takes=st.lists(st.integers(0, 100), max_size=6),
    cut=st.integers(0, 18),
)
def test_parts_make_what_the_rows_make(keys: int, retracts: bool, adds: list[Any], takes: list[int], cut: int) -> None:
    rows: list[TableRow] = [(0, *columns) for columns in adds]
    present = list(adds)
    if retracts:
        rows += [(3, *present.pop(place % len(present))) for place in takes if present]
    operation = GroupAggregate(calls=OF_CHANGES if retracts else OF_ADDED, keys=keys)
    key = (lambda one: one[1]) if keys else (lambda one: None)
    plain = as_they_are(operation, retracts)
    parted = Driven(TableOperation(operation, retracts))
    out: list[TableRow] = []
    for piece in (rows[:cut], rows[cut:]):
        parts = pre_aggregated(batch(piece, kinds=retracts), operation)
        out += parted.raw(*((key(one), one) for one in parts))
    assert materialised(out) == materialised(plain.raw(*((key(one), one) for one in rows)))


def test_a_batch_gives_one_row_for_each_group_and_window() -> None:
    when = datetime.datetime(1970, 1, 1, 0, 0, 1)  # noqa: DTZ001  # a wall clock's
    columns = pa.RecordBatch.from_pydict(
        {
            "c0": pa.array([None, "b", None]),
            "c1": pa.array([when] * 3, pa.timestamp("us")),
            "c2": pa.array([when] * 3, pa.timestamp("us", "UTC")),
            "c3": pa.array([datetime.date(1970, 1, 3), None, datetime.date(1970, 1, 2)]),
        }
    )
    operation = WindowAggregate(calls=(call("MIN", 3, DataType.of(Kind.DATE)), call("COUNT", None)), keys=1)
    assert pre_aggregated(columns, operation) == [
        (2, None, 1_000_000, 1_000_000, 1, 2),
        (1, "b", 1_000_000, 1_000_000, None, 1),
    ]


def test_no_rows_give_nothing_and_no_calls_give_the_groups() -> None:
    operation = GroupAggregate(calls=(), keys=1)
    assert pre_aggregated(batch([], kinds=True), operation) == []
    rows = [(0, "a", 1, None, None, None), (3, "a", 1, None, None, None), (0, "b", 1, None, None, None)]
    assert pre_aggregated(batch(rows, kinds=True), operation) == [(0, "a"), (1, "b")]


def test_sums_that_need_more_than_64_bits_begin_anew_at_the_other_end() -> None:
    columns = pa.RecordBatch.from_pydict({"c0": pa.array([2**63 - 1, 1])})
    operation = GroupAggregate(calls=(call("SUM", 0),), keys=0)
    assert Driven(TableOperation(operation)).give(*pre_aggregated(columns, operation)) == [("+I", -(2**63))]


def test_arrays_are_keys_too() -> None:
    columns = pa.RecordBatch.from_pydict({"c0": pa.array([[1], [2], [1], None]), "c1": pa.array([1, 2, 4, 8])})
    operation = GroupAggregate(calls=(call("SUM", 1),), keys=1)
    assert pre_aggregated(columns, operation) == [(2, (1,), (5, 2)), (1, (2,), (2, 1)), (1, None, (8, 1))]


def test_floats_are_added_in_32_bits_and_in_order() -> None:
    values = [30.2, None, 3.1, 53.1, 0.1, 0.7, 20.9, -0.0]
    columns = pa.RecordBatch.from_pydict({"c0": pa.array(values, pa.float32()), "c1": pa.array([0] * 8)})
    float_ = DataType.of(Kind.FLOAT)
    operation = GroupAggregate(calls=(call("SUM", 0, float_), call("AVG", 0, float_)), keys=0)
    total = np.float32(0)
    for value in columns["c0"].drop_null().to_numpy():
        total += value
    ((_, summed, mean),) = pre_aggregated(columns, operation)
    assert summed == (float(total), 7)
    assert mean == (float(np.sum(columns["c0"].drop_null().to_numpy().astype(np.float64))), 7)
    assert total != np.float32(mean[0])


def test_floats_keep_the_sign_of_zero_and_have_no_sum_without_values() -> None:
    columns = pa.RecordBatch.from_pydict(
        {"c0": pa.array(["a", "b", "b"]), "c1": pa.array([None, -0.0, None], pa.float32())}
    )
    operation = GroupAggregate(calls=(call("SUM", 1, DataType.of(Kind.FLOAT)),), keys=1)
    (_, _, none), (_, _, zero) = pre_aggregated(columns, operation)
    assert none == (None, 0)
    assert zero == (0.0, 1)
    assert np.signbit(zero[0])
