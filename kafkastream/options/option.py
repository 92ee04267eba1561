"""A setting, declared once: its key, how its text is read, its default and its meaning."""

from __future__ import annotations

from collections.abc import Callable
from typing import Generic, TypeVar, final

import attrs

from kafkastream.errors import DefinitionError

__all__ = ["Option", "OptionFamily"]

T = TypeVar("T")


@final
@attrs.frozen(kw_only=True)
class Option(Generic[T]):
    """A setting that jobs give as text under ``key``.

    Attributes:
        key: Flink's name of the setting.
        parse: Reads the text; raises ``ValueError`` with the reason when it cannot (see ``options.parsers``).
        default: The value when the setting is not given.
        doc: What the setting does, for the reference page.
        deprecated_keys: Older names that still work; the first one given counts.

    Example:
        >>> retries = Option(key="retries", parse=int, default=3, doc="How often to try again.")
        >>> retries.read("5")
        5
    """

    key: str
    parse: Callable[[str], T]
    default: T
    doc: str
    deprecated_keys: tuple[str, ...] = ()

    @property
    def keys(self) -> tuple[str, ...]:
        """All names of the setting, the current one first."""
        return (self.key, *self.deprecated_keys)

    def read(self, text: str) -> T:
        """The value that ``text`` stands for.

        Raises:
            DefinitionError: The text does not fit the option; key, text and reason are in the message.
        """
        try:
            return self.parse(text)
        except ValueError as reason:
            raise DefinitionError(f"{text!r} is no value for {self.key!r}: {reason}") from reason


@final
@attrs.frozen(kw_only=True)
class OptionFamily:
    """Settings whose keys begin alike and end as the user likes, such as ``properties.*``; their values are text.

    Attributes:
        prefix: How the keys begin.
        doc: What the settings do, for the reference page.
    """

    prefix: str
    doc: str

    @property
    def key(self) -> str:
        """All keys, as the documentation writes them."""
        return f"{self.prefix}*"
