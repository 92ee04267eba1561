"""Side outputs of functions."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, Generic, TypeAlias, TypeVar, final

import attrs

from kafkastream.errors import DefinitionError
from kafkastream.model.common.argument_checks import checked_methods
from kafkastream.model.common.mutable_values import FIXED, detached
from kafkastream.model.common.stand_ins import Refused
from kafkastream.model.common.types import TypeInformation, Types

__all__ = ["OutputTag", "Outputs", "SideOutputs", "detached_element", "is_tagged"]

T = TypeVar("T")


def _type_of(
    given: TypeInformation[Any] | Sequence[TypeInformation[Any]] | None,
) -> TypeInformation[Any]:
    if given is None:
        return Types.PICKLED_BYTE_ARRAY()
    if isinstance(given, TypeInformation):
        return given
    return Types.ROW(given)


@final
@checked_methods
@attrs.frozen(init=False)
class OutputTag(Generic[T]):
    """Name and element type of a side output; two tags with one name are the same output.

    Example:
        >>> late = OutputTag("late", Types.STRING())
        >>> late.tag_id, late == OutputTag("late")
        ('late', True)
    """

    _j_output_tag = Refused()
    get_java_output_tag = Refused()

    tag_id: str
    type_info: TypeInformation[Any] = attrs.field(eq=False)

    def __init__(
        self, tag_id: str, type_info: TypeInformation[T] | Sequence[TypeInformation[Any]] | None = None
    ) -> None:
        if not tag_id:
            raise DefinitionError("tag_id cannot be None or empty")
        self.__attrs_init__(tag_id, _type_of(type_info))

    def get_id(self) -> str:
        """Return the name."""
        return self.tag_id

    getId = get_id

    def get_type_info(self) -> TypeInformation[Any]:
        """Return the type of the elements."""
        return self.type_info

    getTypeInfo = get_type_info


Outputs: TypeAlias = Iterable[T | tuple[OutputTag[Any], Any]] | None
"""Elements that a function yields or returns; a tuple of an ``OutputTag`` and an element goes to the side output."""


class SideOutputs:
    """Collector of elements that a call writes to side outputs."""

    __slots__ = ("_aside",)

    def __init__(self) -> None:
        self._aside: list[tuple[OutputTag[Any], Any]] = []

    def output(self, output_tag: OutputTag[T], value: T) -> None:
        """Write an element to a side output. ``yield output_tag, value`` does the same.

        Args:
            output_tag: Side output, which ``get_side_output`` reads.
            value: The element, of the type of the tag.
        """
        self._aside.append((output_tag, detached(value)))

    def _taken_aside(self) -> list[tuple[OutputTag[Any], Any]]:
        """Return, and clear, the elements written to side outputs since the last call."""
        taken, self._aside = self._aside, []
        return taken


def is_tagged(value: tuple[object, ...]) -> bool:
    """Return whether a tuple is an element of a side output, with its tag."""
    return len(value) == 2 and isinstance(value[0], OutputTag)


def detached_element(value: Any) -> Any:
    """Return an element that later changes do not reach; one of a side output is a pair with its tag."""
    if type(value) is not tuple:
        return detached(value)
    if FIXED.issuperset(map(type, value)):  # most tuples are flat
        return value
    return (value[0], detached(value[1])) if is_tagged(value) else detached(value)
