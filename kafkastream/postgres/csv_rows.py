"""Rows as COPY reads them: CSV, in which an empty field is NULL and a quoted one text."""

from __future__ import annotations

import csv
import io
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import islice
from typing import Any, TypeAlias, final

__all__ = ["TextRefusedError", "Values", "csv_blocks", "value_converter"]

Values: TypeAlias = tuple[Any, ...]

_BLOCK_ROWS = 2000


class TextRefusedError(ValueError):
    """A text has a character that PostgreSQL does not take: U+0000, or half of a surrogate pair.

    Args:
        character: The character.
        column: The number of the column.
    """

    def __init__(self, character: str, column: int) -> None:
        super().__init__(character, column)
        self.character = character
        self.column = column


@final
class _Null:
    """A number to Python's CSV writer, so that its empty text stays without quotes."""

    __slots__ = ()

    def __float__(self) -> float:
        raise AssertionError

    def __str__(self) -> str:
        return ""


_NULL = _Null()


def csv_blocks(rows: Iterable[Values]) -> Iterator[bytes]:
    r"""Yield rows as blocks of CSV.

    Args:
        rows: Values in the order of the columns: None, bool, int, float, Decimal or str.

    Raises:
        TextRefusedError: A text has a character that PostgreSQL does not take.

    Example:
        >>> next(csv_blocks([(1, "one"), (2, None)]))
        b'1,"one"\n2,\n'
    """
    remaining = iter(rows)
    while block := list(islice(remaining, _BLOCK_ROWS)):
        text = io.StringIO()
        writer = csv.writer(text, quoting=csv.QUOTE_NONNUMERIC, lineterminator="\n")
        if len(block[0]) > 1:
            writer.writerows([_marked(row) if None in row else row for row in block])
        else:  # Python's writer quotes an empty field that is alone
            for row in block:
                text.write("\n") if row == (None,) else writer.writerow(row)
        written = text.getvalue()
        try:
            encoded = written.encode()
        except UnicodeEncodeError as error:
            raise _refused(written[error.start], block) from None
        if b"\0" in encoded:
            raise _refused("\0", block)
        yield encoded


def value_converter(bytes_places: Sequence[int], truth_places: Sequence[int]) -> Callable[[Values], Values] | None:
    """Return how rows with bytes, or with truth values for text columns, become rows of texts; None if it is not needed.

    Args:
        bytes_places: The numbers of the columns with bytes.
        truth_places: The numbers of the columns with truth values that the database holds as text.
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


def _marked(row: Values) -> Sequence[Any]:
    return [_NULL if value is None else value for value in row]


def _refused(character: str, block: Sequence[Values]) -> TextRefusedError:
    places = (
        place for row in block for place, value in enumerate(row) if isinstance(value, str) and character in value
    )
    return TextRefusedError(character, next(places))
