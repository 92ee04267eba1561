"""Checks that builders of sources and sinks share: client properties, and the topic of dead letters."""

from __future__ import annotations

from collections.abc import Collection, Iterator

from kafkastream.errors import DefinitionError

__all__ = ["dead_letter_problems", "property_text"]


def property_text(key: str, value: object) -> str:
    """Return the value of a property, which must be text.

    Raises:
        DefinitionError: It is something else; the value is not shown, since it may be a secret.
    """
    if not isinstance(value, str):
        raise DefinitionError(
            f"the value of property {key} is of type {type(value).__name__}", now="Property values are strings."
        )
    return value


def dead_letter_problems(topic: str | None, others: Collection[str | None]) -> Iterator[str]:
    """Yield what is wrong with a topic for dead letters: it has no name, or the records themselves go there or come from it."""
    if topic is not None and topic in {"", *others}:
        yield f"The dead letter topic {topic!r} must be a topic of its own"
