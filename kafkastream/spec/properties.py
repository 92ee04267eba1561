"""Kafka client properties as builders take them."""

from __future__ import annotations

from kafkastream.errors import DefinitionError

__all__ = ["property_text"]


def property_text(key: str, value: object) -> str:
    """The value of a property, which must be text.

    Raises:
        DefinitionError: It is something else; the value is not shown, since it may be a secret.
    """
    if not isinstance(value, str):
        raise DefinitionError(
            f"the value of property {key} is of type {type(value).__name__}", now="Property values are strings."
        )
    return value
