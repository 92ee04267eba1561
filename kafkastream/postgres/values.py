"""Conversion of row values for PostgreSQL's columns."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any, TypeAlias

__all__ = ["Values", "refused_text", "value_converter"]

Values: TypeAlias = tuple[Any, ...]


def value_converter(bytes_places: Sequence[int], truth_places: Sequence[int]) -> Callable[[Values], Values] | None:
    r"""Return a function that converts bytes and booleans to text; None if no column needs it.

    Args:
        bytes_places: Positions of the columns with bytes that the database holds as text.
        truth_places: Positions of the columns with booleans that the database holds as text.

    Example:
        >>> value_converter([0], [1])((b"a", True))
        ('\\x61', 'true')
    """
    if not bytes_places and not truth_places:
        return None

    def convert(row: Values) -> Values:
        values = list(row)
        for place in bytes_places:
            if values[place] is not None:
                values[place] = "\\x" + values[place].hex()
        for place in truth_places:
            if values[place] is not None:
                values[place] = "true" if values[place] else "false"
        return tuple(values)

    return convert


def refused_text(rows: Iterable[Values]) -> tuple[str, int] | None:
    r"""Find a character that PostgreSQL does not accept, U+0000 or half of a surrogate pair, with its column's number.

    Example:
        >>> refused_text([(1, "fine"), (2, "a\0")])
        ('\x00', 1)
    """
    texts = ((place, value) for row in rows for place, value in enumerate(row) if isinstance(value, str))
    for place, text in texts:
        for character in text:
            if character == "\0" or "\ud800" <= character <= "\udfff":
                return character, place
    return None
