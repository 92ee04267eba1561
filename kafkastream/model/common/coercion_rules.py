"""Rules of coercion, for single values and whole columns, and the error for a value of another type."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from types import NoneType
from typing import Any, Final, final

import attrs

from kafkastream.model.common.types import TypeInformation
from kafkastream.model.common.value_printing import shown

__all__ = ["KEY", "Coercion", "MistypedError", "of_types"]

KEY: Final = "a key"
"""The place of a value that is a key of a map."""


@final
class MistypedError(TypeError):
    """Value that is not of the type declared for it.

    Attributes:
        value: The value, or the part of it that does not fit.
        type_info: The declared type.
        reason: Reason, if it is not the type.
        path: Place inside the whole value.
    """

    def __init__(
        self, value: object, type_info: TypeInformation[Any], reason: str = "", path: tuple[object, ...] = ()
    ) -> None:
        super().__init__(value, type_info, reason, path)
        self.value = value
        self.type_info = type_info
        self.reason = reason
        self.path = path

    def at(self, place: object) -> MistypedError:
        """Return the error of the value that holds this one in a field or at an index."""
        return MistypedError(self.value, self.type_info, self.reason, (place, *self.path))

    def __str__(self) -> str:
        what = f"{shown(self.value)} (a {type(self.value).__name__})"
        place = f" in {' of '.join(map(_place, reversed(self.path)))}" if self.path else ""
        verdict = (
            f"{self.reason}, so it is not of type {self.type_info!r}"
            if self.reason
            else f"is not of type {self.type_info!r}"
        )
        return f"{what}{place} {verdict}"


def _place(place: object) -> str:
    return KEY if place == KEY else f"field {place!r}"


@final
@attrs.frozen
class Coercion:
    """Conversion of Python values to a declared type.

    Args:
        one: Converts a value that is not None; raises ``MistypedError``.
        column: Converts a sequence that may contain None, if that can be done at once: returns the given sequence
            itself where all values are as declared, and None where they have to be converted one by one.
    """

    one: Callable[[Any], Any]
    column: Callable[[Sequence[Any]], Sequence[Any] | None]

    @staticmethod
    def of_kinds(one: Callable[[Any], Any], *kinds: type) -> Coercion:
        """Return a coercion that leaves values of these types as they are."""
        fits = of_types(*kinds)
        return Coercion(one, lambda values: values if fits(values) else None)

    def one_or_none(self, value: Any) -> Any:
        """Coerce a value; None stays None.

        Raises:
            MistypedError: The value is of another type.
        """
        return None if value is None else self.one(value)

    def all(self, values: Sequence[Any]) -> Sequence[Any]:
        """Coerce values, at once if possible; errors as with ``one_or_none``."""
        done = self.column(values)
        return list(map(self.one_or_none, values)) if done is None else done


def of_types(*kinds: type) -> Callable[[Sequence[Any]], bool]:
    """Return a function that checks whether all values are of exactly these types, or None."""
    allowed = frozenset({*kinds, NoneType})
    return lambda values: allowed.issuperset(map(type, values))
