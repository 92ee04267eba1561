"""Rows that are added to slices end in the windows that they had if each were copied into its windows."""

from __future__ import annotations

from collections.abc import Iterator

import pyarrow as pa
from hypothesis import given
from hypothesis import strategies as st

from kafkastream.spark.sql.rows.columnar_parts import BUCKET, WindowParts, of_bytes
from kafkastream.sql.plan.operations import AggregateCall, AggregateFunction, WindowAggregate
from kafkastream.sql.plan.window_slices import WindowSlices
from kafkastream.sql.types import DataType, Kind

BIG = DataType.of(Kind.BIGINT)
CALLS = (
    AggregateCall(function=AggregateFunction.COUNT, type=BIG),
    AggregateCall(function=AggregateFunction.SUM, type=BIG, argument=3, argument_type=BIG),
    AggregateCall(function=AggregateFunction.MIN, type=BIG, argument=3, argument_type=BIG),
)
OPERATION = WindowAggregate(calls=CALLS, keys=1)
STAMP = pa.timestamp("us")
Row = tuple[str, int, int]
"""Key, time in µs, value."""

ROWS = st.lists(st.tuples(st.sampled_from("ab"), st.integers(-50, 50), st.integers(-9, 9)), max_size=30)
SLICES = st.builds(
    lambda step, steps, offset, cumulates: WindowSlices(step, step * steps, offset, cumulates),
    st.integers(1, 7),
    st.integers(1, 4),
    st.integers(-9, 9),
    st.booleans(),
)


def windows_of(time: int, slices: WindowSlices) -> Iterator[tuple[int, int]]:
    """Windows that contain a time, found by trying all."""
    if slices.cumulates:
        starts = range(-100 * slices.size_us + slices.offset_us, 200, slices.size_us)
        every = [
            (one, one + end) for one in starts for end in range(slices.step_us, slices.size_us + 1, slices.step_us)
        ]
    else:
        starts = range(-100 * slices.step_us + slices.offset_us, 200, slices.step_us)
        every = [(one, one + slices.size_us) for one in starts]
    return (one for one in every if one[0] <= time < one[1])


def batch(rows: list[Row], bounds: list[tuple[int, int | None]]) -> pa.RecordBatch:
    return pa.RecordBatch.from_arrays(
        [
            pa.array([0 if row[0] == "a" else 1 for row in rows], pa.int32()),
            pa.array([row[0] for row in rows], pa.string()),
            pa.array([start for start, _ in bounds], pa.int64()).cast(STAMP),
            pa.array([end for _, end in bounds], pa.int64()).cast(STAMP),
            pa.array([row[2] for row in rows], pa.int64()),
        ],
        [BUCKET, "c0", "c1", "c2", "c3"],
    )


def parts(found: list[tuple[int, bytes]]) -> dict[int, list[str]]:
    """Parts by bucket; their columns have the order of those in state."""
    tables = {bucket: of_bytes(content) for bucket, content in found}
    assert all(one.schema.names == ["k0", "start", "end", "rows", "p0", "p1", "n1", "p2"] for one in tables.values())
    return {bucket: sorted(map(repr, one.to_pylist())) for bucket, one in tables.items()}


@given(rows=ROWS, slices=SLICES)
def test_slices_give_the_parts_of_their_windows(rows: list[Row], slices: WindowSlices) -> None:
    copies = [(row, window) for row in rows for window in windows_of(row[1], slices)]
    copied = WindowParts(OPERATION, retracts=False).of_rows(
        batch([row for row, _ in copies], [one for _, one in copies])
    )
    sliced = WindowParts(OPERATION, False, slices).of_rows(batch(rows, [(row[1], None) for row in rows]))
    assert parts(sliced) == parts(copied)
