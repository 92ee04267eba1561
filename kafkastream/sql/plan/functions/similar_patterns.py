"""Patterns of ``SIMILAR TO`` as regular expressions."""

from __future__ import annotations

import re
from typing import Final

__all__ = ["similar_regex"]

_SPECIAL: Final = frozenset("_%|*+?{}()[]^-")
_CLASSES: Final = {
    "alpha": r"\p{Alpha}",
    "upper": r"\p{Upper}",
    "lower": r"\p{Lower}",
    "digit": r"\d",
    "alnum": r"\p{Alnum}",
}
_ENUMERATION: Final = re.compile(r"\[\^?(?:[A-Za-z0-9 ](?:-[A-Za-z0-9])?)+\]|\[\^?\[:(\w+):\]\]")


def similar_regex(pattern: str, escape: str = "") -> str | None:
    r"""Return the regular expression of a pattern, in which a point and ``^`` have their meaning there, as in Flink.

    None for a pattern with other syntax than that of which the meaning is sure.

    Args:
        pattern: Pattern with %, _, |, *, +, ?, (), {} and [].
        escape: Character that makes the next one plain; empty for none.

    Example:
        >>> similar_regex("[a-c]%!_", "!")
        '[a-c](?s:.*)_'
    """
    found, at = "", 0
    while at < len(pattern):
        length, regex = _part(pattern, at, escape)
        if regex is None:
            return None
        found, at = found + regex, at + length
    return found


def _part(pattern: str, at: int, escape: str) -> tuple[int, str | None]:
    """Return the length of a part of a pattern, and its regular expression."""
    letter = pattern[at]
    if escape and letter == escape:
        escaped = pattern[at + 1 : at + 2]
        return 2, re.escape(escaped) if escaped in _SPECIAL or escaped == escape else None
    if letter == "[":
        return _enumerated(pattern, at)
    if letter == "]":
        return 1, None
    return 1, {"%": "(?s:.*)", "_": ".", "\\": r"\\", "$": r"\$"}.get(letter, letter)


def _enumerated(pattern: str, at: int) -> tuple[int, str | None]:
    place = _ENUMERATION.match(pattern, at)
    if place is None:
        return 1, None
    name = place[1]
    if name is None:
        return len(place[0]), place[0]
    inside = _CLASSES.get(name.lower()) if name.islower() or name.isupper() else None
    return len(place[0]), inside and place[0].replace(f"[:{name}:]", inside)
