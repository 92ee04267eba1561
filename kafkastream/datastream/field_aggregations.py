"""Rolling and windowed aggregations of one field: ``sum``, ``min``, ``max``, ``min_by``, ``max_by``."""

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
    """Aggregations of a field, given by position or name: of all elements of a key so far, or of a window's."""

    @abstractmethod
    def reduce(self, function: ReduceFunction[T], /) -> DataStream[T]:
        """Reduce the elements to one with a function."""

    def sum(self, position_to_sum: int | str = 0) -> DataStream[T]:
        """Sum a field; the other fields are those of the first element.

        Args:
            position_to_sum: Position of a tuple's field, or name of a row's; the field has to be a number.
        """
        return self.reduce(FieldAggregation(position_to_sum, "sum"))

    def min(self, position_to_min: int | str = 0) -> DataStream[T]:
        """Take the minimum of a field; the other fields are those of the first element.

        Args:
            position_to_min: Position of a tuple's field, or name of a row's; its values have to be comparable.
        """
        return self.reduce(FieldAggregation(position_to_min, "min"))

    def max(self, position_to_max: int | str = 0) -> DataStream[T]:
        """Take the maximum of a field; the other fields are those of the first element.

        Args:
            position_to_max: Position of a tuple's field, or name of a row's; its values have to be comparable.
        """
        return self.reduce(FieldAggregation(position_to_max, "max"))

    def min_by(self, position_to_min_by: int | str = 0, first: bool = True) -> DataStream[T]:
        """Select the element with the minimum of a field.

        Args:
            position_to_min_by: Position of a tuple's field, or name of a row's.
            first: Select the first of several elements with the minimum; otherwise the last.
        """
        return self.reduce(FieldChoice(position_to_min_by, "min", is_first=first))

    minBy = min_by

    def max_by(self, position_to_max_by: int | str = 0, first: bool = True) -> DataStream[T]:
        """Select the element with the maximum of a field.

        Args:
            position_to_max_by: Position of a tuple's field, or name of a row's.
            first: Select the first of several elements with the maximum; otherwise the last.
        """
        return self.reduce(FieldChoice(position_to_max_by, "max", is_first=first))

    maxBy = max_by
