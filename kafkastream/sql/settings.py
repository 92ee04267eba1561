"""Frozen classes whose fields are declared by options."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final, TypeVar

import attrs

from kafkastream.model.common.immutable import FrozenMap
from kafkastream.options.option import Option, OptionFamily
from kafkastream.secret_masking import is_secret, redacted

__all__ = ["OPTION", "options_of", "read_settings", "setting", "settings_under"]

T = TypeVar("T")

OPTION: Final = "option"
"""Key of the option in a field's metadata, for fields that ``setting`` cannot make."""


def setting(option: Option[T]) -> T:
    """Return a field for an option, with the option's default; ``repr`` hides secrets.

    Example:
        >>> RETRIES = Option(key="retries", parse=int, default=3, doc="How often to try again.")
        >>> @attrs.frozen
        ... class Client:
        ...     retries: int = setting(RETRIES)
        >>> Client(), Client(**read_settings(Client, lambda option: option.parse("5")))
        (Client(retries=3), Client(retries=5))
    """
    shown = _hidden if is_secret(option.key) else redacted
    return attrs.field(default=option.default, repr=shown, kw_only=True, metadata={OPTION: option})


def settings_under(family: OptionFamily) -> FrozenMap[str, str]:
    """Return a field for a family of options with a common prefix, by the rest of their keys."""
    none: FrozenMap[str, str] = FrozenMap()
    return attrs.field(
        default=none, converter=FrozenMap[str, str], repr=redacted, kw_only=True, metadata={OPTION: family}
    )


def options_of(settings: type) -> tuple[Option[Any] | OptionFamily, ...]:
    """Return the options of a class's fields."""
    return tuple(field.metadata[OPTION] for field in attrs.fields(settings) if OPTION in field.metadata)


def read_settings(settings: type, read: Callable[[Any], Any]) -> dict[str, Any]:
    """Return the values of a class's option fields, read by ``read``."""
    fields = attrs.fields(settings)
    return {field.name: read(field.metadata[OPTION]) for field in fields if OPTION in field.metadata}


def _hidden(value: object) -> str:
    return repr(value if value is None else "***")
