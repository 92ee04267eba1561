"""``Expression``: a computation of the Table API, at PyFlink's path."""

from __future__ import annotations

from typing import Generic, TypeVar, final

from kafkastream.model.common.stand_ins import Refused
from kafkastream.table.api.aggregate_methods import AggregateMethods
from kafkastream.table.api.collection_methods import CollectionMethods
from kafkastream.table.api.json_clauses import (
    JsonExistsOnError,
    JsonOnNull,
    JsonQueryOnEmptyOrError,
    JsonQueryWrapper,
    JsonType,
    JsonValueOnEmptyOrError,
    TimeIntervalUnit,
    TimePointUnit,
)
from kafkastream.table.api.json_methods import JsonMethods
from kafkastream.table.api.number_methods import NumberMethods
from kafkastream.table.api.operator_methods import OperatorMethods
from kafkastream.table.api.sql_text import shown_expression
from kafkastream.table.api.text_methods import TextMethods
from kafkastream.table.api.time_methods import TimeMethods
from kafkastream.table.types import DataTypes

__all__ = [
    "DataTypes",
    "Expression",
    "JsonExistsOnError",
    "JsonOnNull",
    "JsonQueryOnEmptyOrError",
    "JsonQueryWrapper",
    "JsonType",
    "JsonValueOnEmptyOrError",
    "T",
    "TimeIntervalUnit",
    "TimePointUnit",
]

T = TypeVar("T")


@final
class Expression(
    OperatorMethods,
    AggregateMethods,
    NumberMethods,
    TextMethods,
    TimeMethods,
    CollectionMethods,
    JsonMethods,
    Generic[T],
):
    """Computation on the columns of a table, made by ``col`` and ``lit`` and by methods of other expressions.

    An expression is not bound to a table: names and types are looked up by the method of ``Table`` that it is given to.

    Example:
        >>> from kafkastream.table.expressions import col
        >>> (col("price") * 2 + 1).alias("more")
        <Expression(`price` * 2 + 1 AS `more`)>
    """

    _j_expr = Refused()

    def __str__(self) -> str:
        """Return the expression as SQL."""
        return shown_expression(self._node)

    def __repr__(self) -> str:
        return f"<Expression({self})>"
