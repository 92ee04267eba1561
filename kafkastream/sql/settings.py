"""Frozen values whose fields are options: said once, in the option's declaration."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final, TypeVar

import attrs

from kafkastream.model.common.immutable import FrozenMap, is_secret, redacted
from kafkastream.options.option import Option, OptionFamily

__all__ = ["OPTION", "options_of", "read_settings", "setting", "settings_under"]

T = TypeVar("T")

OPTION: Final = "option"
"""Key of a field's metadata under which its option is, for fields that ``setting`` cannot make."""


def setting(option: Option[T]) -> T:
    """A field with an option's default, to be read by it; ``repr`` hides it where it is a secret.

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
    """A field with all options whose keys begin alike, by the ends of their keys."""
    none: FrozenMap[str, str] = FrozenMap()
    return attrs.field(
        default=none, converter=FrozenMap[str, str], repr=redacted, kw_only=True, metadata={OPTION: family}
    )


def options_of(settings: type) -> tuple[Option[Any] | OptionFamily, ...]:
    """The options that the fields of a class are."""
    return tuple(field.metadata[OPTION] for field in attrs.fields(settings) if OPTION in field.metadata)


def read_settings(settings: type, read: Callable[[Any], Any]) -> dict[str, Any]:
    """The fields of a class that are options, each as ``read`` gives it."""
    fields = attrs.fields(settings)
    return {field.name: read(field.metadata[OPTION]) for field in fields if OPTION in field.metadata}


def _hidden(value: object) -> str:
    return repr(value if value is None else "***")
