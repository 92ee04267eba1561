"""Reference tables of options, in Markdown."""

from __future__ import annotations

import enum
from collections.abc import Iterable, Sized
from typing import Any, Final

from kafkastream.options.option import Option, OptionFamily
from kafkastream.options.parsers import millis_of_duration, millis_or_never

__all__ = ["default_text", "markdown_table"]

_NONE: Final = "(none)"
_REQUIRED: Final = "(required)"
_MILLIS_PER: Final = {"d": 86_400_000, "h": 3_600_000, "min": 60_000, "s": 1_000, "ms": 1}


def markdown_table(options: Iterable[Option[Any] | OptionFamily], required: Iterable[Option[Any]] = ()) -> str:
    """Return a Markdown table with a row per option: key, default, meaning, older keys.

    Args:
        options: Options in the order of the rows.
        required: Options that must be set.

    Example:
        >>> from kafkastream.options.parsers import integer
        >>> print(markdown_table([Option(key="retries", parse=integer, default=3, doc="How often to try again.")]))
        | Option | Default | Meaning |
        |---|---|---|
        | `retries` | `3` | How often to try again. |
        <BLANKLINE>
    """
    musts = tuple(required)
    rows = (f"| `{option.key}` | {_default(option, musts)} | {_meaning(option)} |\n" for option in options)
    return "".join(("| Option | Default | Meaning |\n", "|---|---|---|\n", *rows))


def _meaning(option: Option[Any] | OptionFamily) -> str:
    doc = option.doc.replace("|", r"\|")
    older = option.deprecated_keys if isinstance(option, Option) else ()
    return f"{doc} Older: {', '.join(f'`{key}`' for key in older)}." if older else doc


def _default(option: Option[Any] | OptionFamily, required: tuple[Option[Any], ...]) -> str:
    if option in required:
        return _REQUIRED
    text = None if isinstance(option, OptionFamily) else default_text(option)
    return _NONE if text is None else f"`{text}`"


def default_text(option: Option[Any]) -> str | None:
    """Return an option's default as a user would write it; None if there is none."""
    default = option.default
    if default is None or (isinstance(default, Sized) and not default):
        return None
    return _duration(default) if option.parse in (millis_of_duration, millis_or_never) else _text(default)


def _duration(millis: int) -> str:
    """Format a duration in the largest unit that holds it as a whole number."""
    unit = next((unit for unit, size in _MILLIS_PER.items() if millis and millis % size == 0), "ms")
    return f"{millis // _MILLIS_PER[unit]} {unit}"


def _text(value: object) -> str:
    match value:
        case bool():
            return str(value).lower()
        case enum.Enum():
            return str(value.value)
        case _:
            return str(value)
