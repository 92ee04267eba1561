"""Calls of aggregate functions in the operations of a query, as frozen values."""

from __future__ import annotations

import enum
from typing import final

import attrs

from kafkastream.sql.plan.user_aggregate import UserAggregate
from kafkastream.sql.types import DataType

__all__ = ["AggregateCall", "AggregateFunction"]


class AggregateFunction(enum.Enum):
    """Aggregate function."""

    COUNT = "COUNT"
    SUM = "SUM"
    SUM0 = "$SUM0"
    AVG = "AVG"
    MIN = "MIN"
    MAX = "MAX"
    FIRST_VALUE = "FIRST_VALUE"
    LAST_VALUE = "LAST_VALUE"
    LISTAGG = "LISTAGG"
    COLLECT = "COLLECT"
    ARRAY_AGG = "ARRAY_AGG"
    STDDEV_POP = "STDDEV_POP"
    STDDEV_SAMP = "STDDEV_SAMP"
    VAR_POP = "VAR_POP"
    VAR_SAMP = "VAR_SAMP"
    PERCENTILE = "PERCENTILE"
    JSON_ARRAYAGG = "JSON_ARRAYAGG"
    JSON_OBJECTAGG = "JSON_OBJECTAGG"
    SINGLE_VALUE = "SINGLE_VALUE"
    USER = "$USER"
    AVG_OF_SUM = "$AVG"
    """AVG of OVER, which Flink divides: the SUM, of the argument's type, by the COUNT."""
    ROW_NUMBER = "ROW_NUMBER"
    RANK = "RANK"
    DENSE_RANK = "DENSE_RANK"
    LAG = "LAG"

    @property
    def needs_order(self) -> bool:
        """True for functions that occur only with OVER and have no frame of their own."""
        return self in _IN_ORDER


_IN_ORDER = frozenset(
    {AggregateFunction.ROW_NUMBER, AggregateFunction.RANK, AggregateFunction.DENSE_RANK, AggregateFunction.LAG}
)


@final
@attrs.frozen(kw_only=True)
class AggregateCall:
    """An aggregate function with its argument.

    Args:
        function: Function.
        argument: Position of the input column; None for ``COUNT(*)``.
        type: Type of the result.
        argument_type: Type of the argument; None for ``COUNT(*)``.
        distinct: Whether DISTINCT is given.
        filter: Position of a BOOLEAN input column with the condition of FILTER; None for all rows.
        separator: Separator of LISTAGG.
        percentages: Percentages of PERCENTILE, from 0 to 1.
        user: User-defined function, and its arguments, for USER; else None.
        offset: Number of rows before the row whose value LAG takes.
    """

    function: AggregateFunction
    type: DataType
    argument: int | None = None
    argument_type: DataType | None = None
    distinct: bool = False
    filter: int | None = None
    separator: str = ","
    percentages: tuple[float, ...] = ()
    user: UserAggregate | None = None
    offset: int = 1

    @property
    def name(self) -> str:
        """Name of the function, as users write it."""
        return self.function.value if self.user is None else self.user.name
