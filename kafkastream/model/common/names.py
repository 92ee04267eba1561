"""Names of jobs and operators: any text that can be written as UTF-8."""

from __future__ import annotations

from typing import Any

import attrs

from kafkastream.errors import DefinitionError

__all__ = ["check_name"]


def check_name(instance: object, attribute: attrs.Attribute[Any], name: str | None) -> None:
    r"""Refuse a name with half of a surrogate pair, as a validator of attrs: neither Java nor a file could have it.

    Raises:
        DefinitionError: The name cannot be written as UTF-8.

    Example:
        >>> @attrs.frozen
        ... class Job:
        ...     name: str = attrs.field(validator=check_name)
        >>> Job("\ud800")
        Traceback (most recent call last):
        kafkastream.errors.DefinitionError: [invalid-definition] the name '\ud800' has half of a surrogate pair
          Remove it; other characters may be used.
    """
    if name is not None and any("\ud800" <= character <= "\udfff" for character in name):
        raise DefinitionError(
            f"the {attribute.name} {name!r} has half of a surrogate pair",
            now="Remove it; other characters may be used.",
        )
