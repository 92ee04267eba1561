"""What keyed streams and windowed ones have in common: aggregations of a field."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Generic, TypeVar

from kafkastream.datastream.stream import DataStream
from kafkastream.model.common.argument_checks import checked_methods
from kafkastream.model.common.stream_functions import ReduceFunction
from kafkastream.model.functions.field_aggregation import FieldAggregation, FieldChoice

__all__ = ["FieldAggregations"]

T = TypeVar("T")


@checked_methods
class FieldAggregations(ABC, Generic[T]):
    """Aggregations of a field, by its position or name: of all elements of a key so far, or of those of a window."""

    @abstractmethod
    def reduce(self, function: ReduceFunction[T], /) -> DataStream[T]:
        """What the function makes of the elements."""

    def sum(self, position_to_sum: int | str = 0) -> DataStream[T]:
        """The sum of a field; the other fields are those of the first element."""
        return self.reduce(FieldAggregation(position_to_sum, "sum"))

    def min(self, position_to_min: int | str = 0) -> DataStream[T]:
        """The least value of a field; the other fields are those of the first element."""
        return self.reduce(FieldAggregation(position_to_min, "min"))

    def max(self, position_to_max: int | str = 0) -> DataStream[T]:
        """The greatest value of a field; the other fields are those of the first element."""
        return self.reduce(FieldAggregation(position_to_max, "max"))

    def min_by(self, position_to_min_by: int | str = 0, first: bool = True) -> DataStream[T]:
        """The element with the least value of a field; of equals, the first, or with ``first=False`` the last."""
        return self.reduce(FieldChoice(position_to_min_by, "min", is_first=first))

    minBy = min_by

    def max_by(self, position_to_max_by: int | str = 0, first: bool = True) -> DataStream[T]:
        """The element with the greatest value of a field; of equals, the first, or with ``first=False`` the last."""
        return self.reduce(FieldChoice(position_to_max_by, "max", is_first=first))

    maxBy = max_by
