"""``Option``: key, parser, default and documentation of a setting, declared once."""

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
    """Configuration option whose value is given as text under ``key``.

    Attributes:
        key: Flink's key.
        parse: Parser of the text; raises ``ValueError`` with the reason if the text is invalid (see
            ``options.parsers``).
        default: Value if the option is not set.
        doc: Description for the reference page.
        deprecated_keys: Older keys that still work; the first one that is set counts.

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
        """All keys of the option, the current one first."""
        return (self.key, *self.deprecated_keys)

    def read(self, text: str) -> T:
        """Parse a text.

        Raises:
            DefinitionError: The text is invalid; the message has key, text and reason.
        """
        try:
            return self.parse(text)
        except ValueError as reason:
            raise DefinitionError(f"{text!r} is not a valid value for {self.key!r}: {reason}") from reason


@final
@attrs.frozen(kw_only=True)
class OptionFamily:
    """Options with a common prefix and free suffix, such as ``properties.*``; their values are text.

    Attributes:
        prefix: Prefix of the keys.
        doc: Description for the reference page.
    """

    prefix: str
    doc: str

    @property
    def key(self) -> str:
        """Pattern of the keys, for documentation."""
        return f"{self.prefix}*"
