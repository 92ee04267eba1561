"""A source of elements that a function makes of their numbers."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final, Generic, TypeVar, final

from kafkastream.errors import DefinitionError, UnsupportedFeatureError
from kafkastream.model.common.endpoints import Source
from kafkastream.model.common.types import TypeInformation
from kafkastream.model.connectors.kafka_source import Boundedness

__all__ = ["DataGeneratorSource"]

T = TypeVar("T")

_MOST: Final = 1_000_000


@final
class DataGeneratorSource(Source[T], Generic[T]):
    """A function's results for the whole numbers from 0 up to ``count``, which is not included.

    Differs from Flink: the elements are made when the source is, on the driver, so there are at most a million; there is
    no rate limit.

    Args:
        generator_function: Function, or ``MapFunction``, that makes an element of its number.
        count: Number of elements.
        type_info: Type of the elements.

    Raises:
        DefinitionError: The count is negative.
        UnsupportedFeatureError: The count is too large.

    Example:
        >>> DataGeneratorSource(lambda number: number * number, 4).elements
        (0, 1, 4, 9)
    """

    def __init__(
        self, generator_function: Callable[[int], T] | Any, count: int, type_info: TypeInformation[T] | None = None
    ) -> None:
        if count < 0:
            raise DefinitionError(f"the count of a DataGeneratorSource must not be negative, and is {count}")
        if count > _MOST:
            raise UnsupportedFeatureError(
                f"a DataGeneratorSource of {count} elements",
                now=f"Generate at most {_MOST}, or read a SQL table with the connector 'datagen', which need not end.",
            )
        make = getattr(generator_function, "map", generator_function)
        self._elements = tuple(make(number) for number in range(count))
        self._type_info = type_info

    @property
    def elements(self) -> tuple[T, ...]:
        """The elements."""
        return self._elements

    def get_boundedness(self) -> Boundedness:
        """Return BOUNDED."""
        return Boundedness.BOUNDED

    getBoundedness = get_boundedness

    def get_produced_type(self) -> TypeInformation[T] | None:
        """Return the type of the elements; None if it was not given."""
        return self._type_info

    getProducedType = get_produced_type
