"""Checks that values written to state are of the declared type."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from kafkastream.model.common.coercion import MistypedError, coercion_of
from kafkastream.model.functions.state_descriptors import StateDescriptor

__all__ = ["state_check"]


def state_check(descriptor: StateDescriptor) -> Callable[[Any], object] | None:
    """Return a function that raises for a value of another type, or None where any value will do.

    Values themselves are kept unchanged, as in PyFlink while the state is in its cache; a value that Flink's serializer
    would
    refuse fails the job there, too, at the end of the bundle.

    Example:
        >>> from kafkastream.model.functions.state_descriptors import ValueStateDescriptor
        >>> from kafkastream.model.common.types import Types
        >>> state_check(ValueStateDescriptor("count", Types.LONG()))("one")
        Traceback (most recent call last):
        ...
        TypeError: state 'count' is declared as Long: 'one' (a str) is no Long
    """
    coercion = coercion_of(descriptor.type_info)
    if coercion is None:
        return None
    coerce, name, type_info = coercion.all, descriptor.name, descriptor.type_info

    def check(value: Any) -> None:
        try:
            coerce((value,))
        except MistypedError as error:
            raise TypeError(f"state {name!r} is declared as {type_info!r}: {error}") from None

    return check
