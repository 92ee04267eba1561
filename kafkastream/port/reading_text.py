"""Reading of Java's string literals: escapes, and text blocks."""

from __future__ import annotations

import re
from typing import Final

__all__ = ["block_text", "unescaped"]

_ESCAPE: Final = re.compile(r"\\(u+[0-9a-fA-F]{4}|[0-7]{1,3}|\n|.)")
_MEANINGS: Final = {"n": "\n", "t": "\t", "r": "\r", "b": "\b", "f": "\f", "s": " ", "\n": ""}


def unescaped(text: str) -> str:
    r"""Return the text that a literal means.

    Example:
        >>> unescaped(r"a\tb\u0041\101")
        'a\tbAA'
    """
    return _ESCAPE.sub(_meaning, text)


def _meaning(found: re.Match[str]) -> str:
    what = found[1]
    if what[0] == "u":
        return chr(int(what.lstrip("u"), 16))
    if what[0] in "01234567":
        return chr(int(what, 8))
    return _MEANINGS.get(what, what)


def block_text(literal: str) -> str:
    r'''Return the text of a text block: without the indentation that its lines share, and blanks at their ends.

    Example:
        >>> block_text('"""\n    SELECT *\n      FROM t\n    """')
        'SELECT *\n  FROM t\n'
    '''
    lines = literal[3:-3].split("\n")[1:]
    counted = [line for line in lines[:-1] if line.strip()] + lines[-1:]
    shared = min((len(line) - len(line.lstrip()) for line in counted), default=0)
    stripped = [line[shared:].rstrip() for line in lines]
    return unescaped("\n".join(stripped))
