"""Rows that are added to slices end in the windows that they had if each were copied into its windows."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
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
SLICES = st.one_of(
    st.builds(
        lambda step, steps, offset: WindowSlices(step, step * steps, offset, cumulates=True),
        st.integers(1, 7),
        st.integers(1, 4),
        st.integers(-9, 9),
    ),
    st.builds(WindowSlices, st.integers(1, 7), st.integers(1, 20), st.integers(-9, 9)),
)


def windows_of(time: int, slices: WindowSlices) -> Iterator[tuple[int, int]]:
    """Windows that contain a time, found by trying all."""
    if slices.cumulates:
        starts = range(-100 * slices.size_us + slices.offset_us, 200, slices.size_us)
        every = [
            (one, one + end) for one in starts for end in range(slices.slide_us, slices.size_us + 1, slices.slide_us)
        ]
    else:
        starts = range(-100 * slices.slide_us + slices.offset_us, 200, slices.slide_us)
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


def test_floats_of_a_window_are_added_slice_by_slice() -> None:
    float_ = DataType.of(Kind.FLOAT)
    total = AggregateCall(function=AggregateFunction.SUM, type=float_, argument=3, argument_type=float_)
    rows = [(4, 30.2), (2, 53.1), (3, 3.1)]
    columns = pa.RecordBatch.from_pydict(
        {
            BUCKET: pa.array([0] * 3, pa.int32()),
            "c0": ["bob"] * 3,
            "c1": pa.array([time for time, _ in rows], pa.int64()).cast(STAMP),
            "c2": pa.array([None] * 3, STAMP),
            "c3": pa.array([price for _, price in rows], pa.float32()),
        }
    )
    parts_of = WindowParts(
        WindowAggregate(calls=(total,), keys=1), False, WindowSlices(slide_us=2, size_us=5, offset_us=0)
    )
    ((_, content),) = parts_of.of_rows(columns)
    table = of_bytes(content)
    sums = dict(zip(table["start"].to_pylist(), map(np.float32, table["p0"].to_pylist()), strict=True))
    assert sums[0] == np.float32(86.399994)  # (53.1 + 3.1) + 30.2, as PyFlink's sliding_window.py prints
