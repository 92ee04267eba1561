"""Result types of aggregates, by Flink's rules."""

from __future__ import annotations

from typing import Final

from kafkastream.sql.plan.functions.built_in import CallError
from kafkastream.sql.plan.operations import AggregateFunction
from kafkastream.sql.type_families import CONSTRUCTED, NUMERIC, TEXT
from kafkastream.sql.types import DataType, Kind

__all__ = ["aggregate_type"]

_MEANS: Final = frozenset(
    {
        AggregateFunction.AVG,
        AggregateFunction.STDDEV_POP,
        AggregateFunction.STDDEV_SAMP,
        AggregateFunction.VAR_POP,
        AggregateFunction.VAR_SAMP,
    }
)
_NUMERIC: Final = _MEANS | {AggregateFunction.SUM}
_SORTED: Final = frozenset({AggregateFunction.MIN, AggregateFunction.MAX})


def aggregate_type(function: AggregateFunction, source: DataType, name: str = "") -> DataType:
    """Return the type of an aggregate: sums and averages of integers are integers, sums of DECIMAL have 38 digits.

    Args:
        function: Aggregate function.
        source: Type of its argument.
        name: Name in the query, for errors; default: its usual name.

    Raises:
        CallError: The argument does not fit.

    Example:
        >>> str(aggregate_type(AggregateFunction.SUM, DataType.of(Kind.DECIMAL, 10, 2)))
        'DECIMAL(38, 2)'
    """
    if (
        (function in _NUMERIC and source.kind not in NUMERIC)
        or (function is AggregateFunction.LISTAGG and source.kind not in TEXT)
        or (function in _SORTED and source.kind in CONSTRUCTED)
    ):
        shown = name or function.value
        raise CallError(f"Cannot apply '{shown}' to arguments of type '{shown}(<{source}>)'", "CAST the argument.")
    return _result(function, source)


def _result(function: AggregateFunction, source: DataType) -> DataType:
    match function:
        case AggregateFunction.COUNT:
            return DataType.of(Kind.BIGINT).not_null()
        case AggregateFunction.SUM if source.kind is Kind.DECIMAL:
            return DataType.of(Kind.DECIMAL, 38, source.scale)
        case mean if mean in _MEANS and source.kind is Kind.DECIMAL:
            return DataType.of(Kind.DECIMAL, 38, max(6, source.scale or 0))
        case AggregateFunction.LISTAGG:
            return DataType.string()
        case AggregateFunction.COLLECT:
            return DataType.of(Kind.MULTISET, parts=(source.not_null(),)).not_null()
        case AggregateFunction.ARRAY_AGG:
            return DataType.of(Kind.ARRAY, parts=(source,))
        case _:
            return source.nullable()
