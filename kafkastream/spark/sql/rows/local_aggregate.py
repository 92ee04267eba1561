"""Local aggregation of each batch before the shuffle, so that Python processes one row per group of a batch."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from kafkastream.operators.table.table_rows import INSERT, UPDATE_AFTER, TableRow
from kafkastream.spark.sql.rows.wire_values import KIND, numbers_of, values_of
from kafkastream.sql.plan.operations import AggregateCall, AggregateFunction, GroupAggregate, WindowAggregate
from kafkastream.sql.plan.relations import column
from kafkastream.sql.types import Kind

__all__ = ["PAIRS", "Aggregation", "batch_groups", "groups_of", "pre_aggregated", "sum_of"]

_BOUNDS: Final = 2
_SIGN: Final = "sign"
_FLOAT_SUM: Final = "float_sum"
_LIST: Final = "list"
_ALL: Final = "all"
PAIRS: Final = frozenset({AggregateFunction.SUM, AggregateFunction.SUM0, AggregateFunction.AVG})

Aggregation = tuple[str | list[str], str]
"""A column of the grouped table, and its aggregation."""


def pre_aggregated(columns: pa.RecordBatch, operation: GroupAggregate | WindowAggregate) -> list[TableRow]:
    """Return the partial aggregates of a batch, as ``TableOperation.takes_parts`` describes them.

    Sums of a batch are those of Flink: of integers in 64 bits, with overflow as in Java; of DECIMAL with 38 digits; of
    FLOAT and DOUBLE in the order of the rows, FLOAT in 32 bits. Of several batches, sums of FLOAT and DOUBLE may differ
    from Flink's in the last digits, since each batch is summed first.

    Args:
        columns: Batch with ``c0``, ``c1`` and so on; with row kinds in ``__kind`` if it has retractions.
        operation: Operation that takes the rows; its calls can be computed from partial aggregates.

    Example:
        >>> from kafkastream.sql.types import DataType, Kind
        >>> big = DataType.of(Kind.BIGINT)
        >>> total = AggregateCall(function=AggregateFunction.SUM, type=big, argument=1, argument_type=big)
        >>> batch = pa.RecordBatch.from_pydict({"c0": ["a", "b", "a"], "c1": [1, 2, 3]})
        >>> pre_aggregated(batch, GroupAggregate(calls=(total,), keys=1))
        [(2, 'a', (4, 2)), (1, 'b', (2, 1))]
    """
    if not columns.num_rows:
        return []
    width = operation.keys + (_BOUNDS if isinstance(operation, WindowAggregate) else 0)
    keys = [column(index) for index in range(width)]
    numbered = {key: _numbered(columns.column(key)) for key in keys if pa.types.is_nested(columns.column(key).type)}
    prepared = {key: numbered[key][0] if key in numbered else numbers_of(columns.column(key)) for key in keys}
    found = [one.to_pylist() for one in batch_groups(columns, prepared, operation.calls).columns]
    for place, key in enumerate(keys):
        if key in numbered:
            found[place] = [numbered[key][1][number] for number in found[place]]
    results = iter(found[width:])
    rows = next(results)
    partials = [
        zip(next(results), next(results), strict=True) if call.function in PAIRS else next(results)
        for call in operation.calls
    ]
    return list(zip(rows, *found[:width], *partials, strict=True))


def batch_groups(columns: pa.RecordBatch, keys: Mapping[str, pa.Array], calls: Sequence[AggregateCall]) -> pa.Table:
    """Return the groups of a batch: keys, net number of rows, and the part of each call (a pair as two columns).

    Args:
        columns: The batch.
        keys: Names of the grouping columns.
        calls: Aggregate calls.
    """
    prepared, sign = dict(keys), _sign(columns)
    aggregations: list[Aggregation] = [([], "count_all")]
    if sign is not None:
        prepared[_SIGN] = sign
        aggregations = [(_SIGN, "sum")]
    for place, call in enumerate(calls):
        aggregations += _aggregations(f"a{place}", call, columns, sign, prepared)
    prepared = prepared or {_SIGN: columns.column(0)}  # counting needs rows
    return groups_of(pa.table(prepared), list(keys), aggregations)


def sum_of(call: AggregateCall) -> str:
    """Return the aggregation that sums the values or the sums of a call.

    Args:
        call: Call of ``PAIRS``; AVG sums FLOAT as DOUBLE, as Flink's does.
    """
    is_float = call.argument_type is not None and call.argument_type.kind is Kind.FLOAT
    return _FLOAT_SUM if is_float and call.function is not AggregateFunction.AVG else "sum"


def groups_of(table: pa.Table, keys: Sequence[str], aggregations: Sequence[Aggregation]) -> pa.Table:
    """Return the groups of a table: keys, then the aggregations.

    Args:
        table: The table.
        keys: Names of the grouping columns; without any, the table must have rows.
        aggregations: Aggregations of Arrow, or those of ``sum_of``.
    """
    if not keys:
        table = table.append_column(_ALL, pa.repeat(True, table.num_rows))  # Arrow has lists of groups only
        return groups_of(table, [_ALL], aggregations).drop_columns([_ALL])
    # Arrow sums FLOAT as DOUBLE: https://arrow.apache.org/docs/cpp/compute.html#grouped-aggregations
    known = [(name, _LIST if how == _FLOAT_SUM else how) for name, how in aggregations]
    found = table.group_by(list(keys), use_threads=False).aggregate(known)
    for place, (name, how) in enumerate(aggregations, len(keys)):
        if how == _FLOAT_SUM:
            found = found.set_column(place, f"{name}_sum", _float_sums(found[place].combine_chunks()))
    return found


def _float_sums(lists: pa.Array) -> pa.Array:
    """Return the sum of each list in 32 bits, as DOUBLE; NULL if a list has no value."""
    values = pc.list_flatten(lists)
    places = pc.list_parent_indices(lists).filter(pc.is_valid(values)).to_numpy()
    sums = np.full(len(lists), -0.0, np.float32)  # -0.0 plus any number is that number
    np.add.at(sums, places, values.drop_null().to_numpy().astype(np.float32))
    return pa.array(sums.astype(np.float64), mask=np.bincount(places, minlength=len(lists)) == 0)


def _aggregations(
    name: str, call: AggregateCall, columns: pa.RecordBatch, sign: pa.Array | None, prepared: dict[str, pa.Array]
) -> list[Aggregation]:
    """Return the aggregations of a call; adds the columns that they need to ``prepared``."""
    values = _values(call, columns)
    if call.filter is not None:
        is_counted = pc.fill_null(columns.column(column(call.filter)), False)
        values = pc.if_else(is_counted, values, pa.scalar(None, values.type))
    if sign is not None:
        prepared[f"{name}_{_SIGN}"] = pc.if_else(pc.is_valid(values), sign, 0)
        if call.function in PAIRS:
            prepared[name] = pc.if_else(pc.greater(sign, 0), values, pc.negate(values))
            return [(name, sum_of(call)), (f"{name}_{_SIGN}", "sum")]
        assert call.function is AggregateFunction.COUNT
        return [(f"{name}_{_SIGN}", "sum")]
    prepared[name] = values
    if call.function in PAIRS:
        return [(name, sum_of(call)), (name, "count")]
    return [(name, call.function.value.lower())]


def _values(call: AggregateCall, columns: pa.RecordBatch) -> pa.Array:
    """Return a call's argument as numbers; for a call without one, any column without NULL."""
    if call.argument is None:
        return pa.repeat(True, columns.num_rows)
    values = numbers_of(columns.column(column(call.argument)))
    if call.function in PAIRS and pa.types.is_integer(values.type):
        return values.cast(pa.int64())
    if call.function in PAIRS and pa.types.is_decimal(values.type):
        digits = values.type.precision + len(str(columns.num_rows))
        wide = pa.decimal128(38, values.type.scale) if digits <= 38 else pa.decimal256(76, values.type.scale)
        return values.cast(wide)
    return values


def _sign(columns: pa.RecordBatch) -> pa.Array | None:
    """Return 1 for each added row and -1 for each retraction; None if all are added."""
    if KIND not in columns.schema.names:
        return None
    kinds = columns.column(KIND)
    is_added = pc.is_in(kinds, value_set=pa.array([INSERT, UPDATE_AFTER], kinds.type))
    if pc.all(is_added).as_py():
        return None
    return pc.if_else(is_added, pa.scalar(1, pa.int64()), pa.scalar(-1, pa.int64()))


def _numbered(values: pa.Array) -> tuple[pa.Array, list[Any]]:
    """Replace arrays, maps and rows, which Arrow cannot group by, with numbers of distinct values."""
    numbers: dict[Any, int] = {}
    of_rows = [numbers.setdefault(value, len(numbers)) for value in values_of(values)]
    return pa.array(of_rows, pa.int64()), list(numbers)
