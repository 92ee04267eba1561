"""Masks secrets in SQL texts, for errors and logs."""

from __future__ import annotations

import re
from collections.abc import Iterator

from kafkastream.model.common.immutable import HIDDEN_KEYS, URL_USER

__all__ = ["masked", "secret_spans"]

_MASK = "***"
_FAR = 200
"""Maximum distance between a word and the start of the value that contains it, in characters."""
_KEY = re.compile(HIDDEN_KEYS)
# By characters instead of tokens, so that a mistyped quote or equals sign does not expose the text after it.
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
    """Return the spans of secret option values and of users in URLs, in order."""
    return tuple(sorted([*_values(text), *((found.start(), found.end() - 1) for found in URL_USER.finditer(text))]))


def masked(text: str, start: int = 0, end: int | None = None, spans: tuple[tuple[int, int], ...] | None = None) -> str:
    """Return a part of a text with secrets replaced by ``***``.

    Args:
        text: Whole text, since the key of a secret precedes it.
        start: Start of the part.
        end: End of the part; None for the end of the text.
        spans: :func:`secret_spans` of the text, if already known.

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
