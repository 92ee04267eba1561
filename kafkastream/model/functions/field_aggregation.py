"""Aggregations of a field: ``sum``, ``min``, ``max``, ``min_by`` and ``max_by`` of keyed and windowed streams."""

from __future__ import annotations

import copy
import operator
from collections.abc import Callable, Mapping
from typing import Any, Final, Literal, final

import attrs

from kafkastream.errors import DefinitionError
from kafkastream.model.common.row import Row
from kafkastream.model.common.stream_functions import ReduceFunction

__all__ = ["FieldAggregation", "FieldChoice"]

Position = int | str

_COMBINED: Final[Mapping[str, Callable[[Any, Any], Any]]] = {"sum": operator.add, "min": min, "max": max}
_REPLACES: Final[Mapping[tuple[str, bool], Callable[[Any, Any], bool]]] = {
    ("min", True): operator.lt,
    ("min", False): operator.le,
    ("max", True): operator.gt,
    ("max", False): operator.ge,
}


@final
@attrs.frozen
class FieldAggregation(ReduceFunction[Any]):
    """Sum, minimum or maximum of a field; the other fields stay those of the first element.

    Example:
        >>> FieldAggregation(1, "sum").reduce(("a", 1, "first"), ("a", 2, "second"))
        ('a', 3, 'first')
    """

    position: Position
    what: Literal["sum", "min", "max"]

    def reduce(self, value1: Any, value2: Any) -> Any:
        """Return ``value1`` with the field aggregated over both."""
        combined = _COMBINED[self.what](_field(value1, self.position), _field(value2, self.position))
        return _with_field(value1, self.position, combined)


@final
@attrs.frozen
class FieldChoice(ReduceFunction[Any]):
    """Element with the minimum or maximum of a field; of equal ones, the first or the last.

    Example:
        >>> FieldChoice(1, "max").reduce(("a", 1), ("b", 2))
        ('b', 2)
    """

    position: Position
    what: Literal["min", "max"]
    is_first: bool = True

    def reduce(self, value1: Any, value2: Any) -> Any:
        """Return one of the two elements."""
        one, other = _field(value1, self.position), _field(value2, self.position)
        return value2 if _REPLACES[self.what, self.is_first](other, one) else value1


def _field(value: Any, position: Position) -> Any:
    if isinstance(value, (Row, tuple, list, dict)):
        return value[position]  # type: ignore[index]  # a dict or a Row has names
    if position in (0, "0", "*"):
        return value
    raise DefinitionError(
        f"a {type(value).__name__} has no field {position!r}", now="Only rows and tuples have fields."
    )


def _with_field(value: Any, position: Position, field: Any) -> Any:
    if isinstance(value, tuple):
        assert isinstance(position, int)
        return (*value[:position], field, *value[position + 1 :])
    if isinstance(value, (Row, list, dict)):
        copied: Any = copy.copy(value)
        copied[position] = field
        return copied
    return field
