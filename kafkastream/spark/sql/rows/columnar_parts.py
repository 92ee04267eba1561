"""Partial window aggregates as Arrow columns: computed from rows, merged, and finished."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final, final

import attrs
import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from pyarrow import ipc

from kafkastream.operators.table.aggregates.accumulator_factory import accumulator
from kafkastream.spark.sql.rows.local_aggregate import PAIRS, batch_groups, groups_of, sum_of
from kafkastream.spark.sql.rows.wire_values import numbers_of, typed
from kafkastream.sql.plan.operations import AggregateCall, AggregateFunction, WindowAggregate
from kafkastream.sql.plan.relations import column
from kafkastream.sql.plan.window_slices import WindowSlices

__all__ = ["BUCKET", "END", "START", "WindowParts", "as_bytes", "in_windows", "of_bytes", "slice_starts"]

BUCKET: Final = "__bucket"
"""Column with the bucket of a row's key, computed by Spark."""
START: Final = "start"
END: Final = "end"
_ROWS: Final = "rows"
_COMPRESSED: Final = ipc.IpcWriteOptions(compression="lz4")
_OF_VALUES: Final = frozenset({AggregateFunction.MIN, AggregateFunction.MAX})


@final
@attrs.frozen
class WindowParts:
    """Partial window aggregates as Arrow tables: key, window bounds in µs, number of rows, parts of each call.

    Args:
        operation: Window aggregate of the plan.
        retracts: Whether the input has retractions.
        slices: Slices of the windows, if rows have their time in the column of window_start; None if they have bounds.
    """

    operation: WindowAggregate
    retracts: bool
    slices: WindowSlices | None = None

    def of_rows(self, columns: pa.RecordBatch) -> list[tuple[int, bytes]]:
        """Return the partial aggregates of a batch, by bucket."""
        if not columns.num_rows:
            return []
        names = [*self._keys, START, END]
        keys = {name: numbers_of(columns.column(column(place))) for place, name in enumerate(names)}
        if self.slices is not None:
            keys[START] = slice_starts(keys[START], self.slices)
            del keys[END]
        found = batch_groups(columns, {BUCKET: columns.column(BUCKET), **keys}, self.operation.calls)
        table = found.rename_columns([BUCKET, *keys, _ROWS, *self._parts])
        if self.slices is not None:
            table = self._in_windows(table, [BUCKET, *names], self.slices)
        buckets = pc.unique(table[BUCKET]).to_pylist()
        return [
            (bucket, as_bytes(table.filter(pc.equal(table[BUCKET], bucket)).drop_columns([BUCKET])))
            for bucket in buckets
        ]

    def merged(self, tables: Sequence[pa.Table]) -> pa.Table:
        """Merge tables into one, with one row per key and window."""
        return self._merged(pa.concat_tables(tables), [*self._keys, START, END])

    def _in_windows(self, table: pa.Table, names: Sequence[str], slices: WindowSlices) -> pa.Table:
        bound = in_windows(table, slices)
        if slices.step_us < slices.size_us:
            return self._merged(bound, names)
        return pa.table({name: bound[name] for name in (*names, _ROWS, *self._parts)})

    def _merged(self, table: pa.Table, names: Sequence[str]) -> pa.Table:
        how = [(_ROWS, "sum"), *self._parts.items()]
        return groups_of(table, names, how).rename_columns([*names, _ROWS, *self._parts])

    def results(self, table: pa.Table, types: Sequence[pa.DataType]) -> list[pa.Array]:
        """Return the output columns: key, result of each call, window bounds.

        Args:
            table: Merged partial aggregates of closed windows.
            types: Types of the output columns.
        """
        table = table.filter(pc.greater(table[_ROWS], 0)) if self.retracts else table
        parts = iter(table[name] for name in self._parts)
        results = [self._result(call, parts) for call in self.operation.calls]
        columns = [*(table[name] for name in self._keys), *results, table[START], table[END]]
        return [typed(_whole(one), kind) for one, kind in zip(columns, types, strict=True)]

    @property
    def _keys(self) -> list[str]:
        return [f"k{place}" for place in range(self.operation.keys)]

    @property
    def _parts(self) -> dict[str, str]:
        """Return the columns of the calls, each with its merge function."""
        parts: dict[str, str] = {}
        for place, call in enumerate(self.operation.calls):
            parts[f"p{place}"] = call.function.value.lower() if call.function in _OF_VALUES else sum_of(call)
            if call.function in PAIRS:
                parts[f"n{place}"] = "sum"
        return parts

    def _result(self, call: AggregateCall, parts: Any) -> Any:
        part = next(parts)
        if call.function not in PAIRS:
            return part
        count = next(parts)
        if call.function is AggregateFunction.SUM and pa.types.is_integer(part.type):
            return pc.if_else(pc.greater(count, 0), part, pa.scalar(None, part.type))
        one = accumulator(call, self.retracts)
        return pa.array([one.result(kept) for kept in zip(part.to_pylist(), count.to_pylist(), strict=True)])


def slice_starts(times: pa.Array, slices: WindowSlices) -> pa.Array:
    """Return the starts of the slices that times belong to, all in µs.

    Example:
        >>> slice_starts(pa.array([59, 60, -1]), WindowSlices(60, 60, 0)).to_pylist()
        [0, 60, -60]
    """
    micros = times.to_numpy()
    return pa.array(micros - np.mod(micros - slices.offset_us, slices.step_us))


def in_windows(table: pa.Table, slices: WindowSlices) -> pa.Table:
    """Return the parts of slices once for each window of their slice, with its bounds.

    Args:
        table: Parts, with the starts of their slices in the column ``start``.
        slices: Slices.

    Example:
        >>> parts = pa.table({"start": [60], "rows": [1]})
        >>> in_windows(parts, WindowSlices(60, 120, 0)).to_pydict()
        {'start': [60, 0], 'rows': [1, 1], 'end': [180, 120]}
    """
    if slices.cumulates or slices.step_us < slices.slide_us:
        table = table.sort_by(START)  # a window's slices are added from the first to the last
    begins = table[START].to_numpy()
    length = slices.size_us if slices.cumulates else slices.slide_us
    first = begins - np.mod(begins - slices.offset_us, length)
    columns = {name: table[name] for name in table.schema.names}
    found = []
    for shift in range(0, slices.size_us, slices.slide_us):
        starts = first if slices.cumulates else first - shift
        ends = starts + (shift + slices.slide_us if slices.cumulates else slices.size_us)
        bound = pa.table({**columns, START: pa.array(starts), END: pa.array(ends)})
        found.append(bound.filter(pa.array(ends > begins)))
    return pa.concat_tables(found)


def _whole(values: Any) -> pa.Array:
    """Return a column as one chunk."""
    return values.combine_chunks() if isinstance(values, pa.ChunkedArray) else values


def as_bytes(table: pa.Table) -> bytes:
    """Serialize a table, for messages and state."""
    sink = pa.BufferOutputStream()
    with ipc.new_stream(sink, table.schema, options=_COMPRESSED) as stream:
        stream.write_table(table)
    return sink.getvalue().to_pybytes()


def of_bytes(content: bytes) -> pa.Table:
    """Deserialize a table."""
    return ipc.open_stream(content).read_all()
