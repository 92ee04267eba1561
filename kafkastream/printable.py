"""Text of records and names in errors, logs and tables: it moves no cursor, and begins no line of its own."""

from __future__ import annotations

import re
from typing import Final

__all__ = ["one_line", "printable"]

_CONTROL: Final = re.compile(
    r"[\x00-\x08\x0b-\x1f\x7f-\x9f"  # control characters, such as escape, but not tab and line feed
    r"\u2028\u2029"  # separators of lines and paragraphs
    r"\u202a-\u202e\u2066-\u2069"  # reversed order: https://www.unicode.org/reports/tr36/#Bidirectional_Text_Spoofing
    r"\ud800-\udfff]"  # halves of surrogate pairs, which no terminal's encoding has
)


def printable(text: str) -> str:
    r"""Return a text whose control characters, except line feeds and tabs, are escapes of Python.

    Example:
        >>> printable("a\x1b[2Jb\nc")
        'a\\x1b[2Jb\nc'
    """
    return _CONTROL.sub(_escaped, text)


def one_line(text: str) -> str:
    r"""Return a text whose control characters, line feeds among them, are escapes of Python.

    Example:
        >>> one_line("a\x1b[2Jb\nc")
        'a\\x1b[2Jb\\nc'
    """
    return printable(text).replace("\n", "\\n")


def _escaped(found: re.Match[str]) -> str:
    return found[0].encode("unicode_escape").decode()
