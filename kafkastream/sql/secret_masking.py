"""SQL texts without their secrets, for errors and logs."""

from __future__ import annotations

import re
from collections.abc import Iterator

from kafkastream.model.common.immutable import HIDDEN_KEYS, URL_USER

__all__ = ["masked", "secret_spans"]

_MASK = "***"
_FAR = 200
"""Most characters between a word and the beginning of the value that it is in."""
_KEY = re.compile(HIDDEN_KEYS)
# Found by characters instead of tokens, so that a mistyped quote or equals sign does not uncover what follows.
_OTHERS_VALUE = re.compile(r"=\s*'[^'\n]*\Z")
_VALUE = re.compile(
    r"""
    [\w.-]{0,99}                           # the rest of the key
    (?:
        ['"`]?\s*=\s*
        ('[^']*(?:''[^']*)*')
        (?=\s*(?:[,);]|--|/\*|\*/|\Z|'[\w.-]+'\s*=))
      |                                    # mistyped: all of the line
        (?:\W*?=\s*|[^\w\n]*?['"]\s*)
        ([^\n]*)
    )
    """,
    re.VERBOSE,
)


def secret_spans(text: str) -> tuple[tuple[int, int], ...]:
    """Spans of the values of secret options and of the users of URLs in a text, in their order."""
    return tuple(sorted([*_values(text), *((found.start(), found.end() - 1) for found in URL_USER.finditer(text))]))


def masked(text: str, start: int = 0, end: int | None = None, spans: tuple[tuple[int, int], ...] | None = None) -> str:
    """A part of a text, with ``***`` for its secrets.

    Args:
        text: The whole text, since what is a secret shows before it.
        start: Where the part begins.
        end: Where it ends; None for the text's end.
        spans: The text's :func:`secret_spans`, when they are known.

    Example:
        >>> masked("WITH ('topic' = 'orders', 'ssl.key.password' = 'pw')")
        "WITH ('topic' = 'orders', 'ssl.key.password' = ***)"
    """
    end = len(text) if end is None else end
    parts: list[str] = []
    for low, high in secret_spans(text) if spans is None else spans:
        if start < high and low < end:
            parts += text[start : max(start, low)], _MASK
            start = high
    return "".join(parts) + text[start:end]


def _values(text: str) -> Iterator[tuple[int, int]]:
    end = 0
    for key in _KEY.finditer(text):
        if key.start() < end or _OTHERS_VALUE.search(text, max(0, key.start() - _FAR), key.start()):
            continue
        if value := _VALUE.match(text, key.end()):
            start, end = value.span(value.lastindex or 0)
            yield start, end
