"""Projection of tuples, ``DataStream.project``."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, final

import attrs

from kafkastream.errors import DefinitionError
from kafkastream.model.common.stream_functions import MapFunction
from kafkastream.model.common.types import TypeInformation, TypeKind, Types

__all__ = ["Projection"]


@final
@attrs.frozen
class Projection(MapFunction[Any, tuple[Any, ...]]):
    """Function that keeps some fields of tuples, in a given order.

    Example:
        >>> Projection.of(Types.TUPLE([Types.INT(), Types.STRING()]), (1,)).map((7, "apples"))
        ('apples',)
    """

    indexes: tuple[int, ...]
    output_type: TypeInformation[tuple[Any, ...]]

    @staticmethod
    def of(input_type: TypeInformation[Any] | None, indexes: Sequence[int]) -> Projection:
        """Return the projection of a stream of this type.

        Raises:
            DefinitionError: The stream is not one of tuples, or they have no such field.
        """
        if input_type is None or input_type.kind is not TypeKind.TUPLE:
            raise DefinitionError(
                f"only tuples can be projected, and the stream's type is {input_type or 'not declared'}",
                where="project",
                now="Declare the type with Types.TUPLE, or use map.",
            )
        wrong = [index for index in indexes if index not in range(len(input_type.elements))]
        if wrong or not indexes:
            raise DefinitionError(
                f"there are no such fields to project: {wrong}" if wrong else "there is no field to project",
                where=f"project of {input_type!r}",
                now="Fields are counted from 0.",
            )
        return Projection(tuple(indexes), Types.TUPLE([input_type.elements[index] for index in indexes]))

    def map(self, value: Any) -> tuple[Any, ...]:
        """Return the kept fields of a tuple."""
        return tuple(value[index] for index in self.indexes)
