"""Tables of rows as text, in the formats of Flink's SQL client (``TableauStyle``)."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from typing import Final

from kafkastream.model.common.row import Row
from kafkastream.printable import one_line
from kafkastream.sql.printing import shown_value
from kafkastream.sql.types import DataType, Kind

__all__ = ["cells", "static_tableau", "tableau"]

_MOST: Final = 30
_OP: Final = "op"
_NULL: Final = "<NULL>"
_WIDTHS: Final = {
    Kind.BOOLEAN: 5,
    Kind.TINYINT: 4,
    Kind.SMALLINT: 6,
    Kind.INT: 11,
    Kind.BIGINT: 20,
    Kind.DATE: 10,
}


Columns = Sequence[tuple[str, DataType]]


def tableau(columns: Columns, rows: Iterable[Row], *, for_terminal: bool = False) -> Iterator[str]:
    r"""Yield the lines of a table of streamed rows, each of which begins with its row kind.

    Args:
        columns: Names and types of the columns, which decide their widths.
        rows: Rows, printed as they arrive; the names of the columns come with the first of them, as in Flink.
        for_terminal: Whether control characters in values are shown as escapes.

    Example:
        >>> print(*tableau([("n", DataType.of(Kind.INT))], [Row(1), Row(None)]), sep="\n")
        +----+-------------+
        | op |           n |
        +----+-------------+
        | +I |           1 |
        | +I |      <NULL> |
        +----+-------------+
        2 rows in set
    """
    widths = [len(_OP), *(_width(name, kind) for name, kind in columns)]
    texts = ([str(row.get_row_kind()), *cells(columns, row, for_terminal=for_terminal)] for row in rows)
    return _lines(widths, [_OP, *(name for name, _ in columns)], texts)


def static_tableau(columns: Columns, rows: Iterable[Row], *, for_terminal: bool = False) -> Iterator[str]:
    r"""Yield the lines of a table of rows that are known at once; columns are as wide as their contents.

    Example:
        >>> print(*static_tableau([("table name", DataType.string())], [Row("orders")]), sep="\n")
        +------------+
        | table name |
        +------------+
        |     orders |
        +------------+
        1 row in set
        >>> list(static_tableau([("table name", DataType.string())], []))
        ['Empty set']
    """
    names = [name for name, _ in columns]
    texts = [cells(columns, row, for_terminal=for_terminal) for row in rows]
    widths = [max(map(_columns_of, column)) for column in zip(names, *texts, strict=True)]
    return _lines(widths, names, texts)


def _lines(widths: Sequence[int], names: Sequence[str], rows: Iterable[Sequence[str]]) -> Iterator[str]:
    rule = f"+{'+'.join('-' * (width + 2) for width in widths)}+"
    number = 0
    for number, texts in enumerate(rows, 1):
        if number == 1:
            yield from (rule, _line(widths, names), rule)
        yield _line(widths, texts)
    if number:
        yield rule
    yield f"{number} row{'' if number == 1 else 's'} in set" if number else "Empty set"


def cells(columns: Columns, row: Row, *, for_terminal: bool = False) -> list[str]:
    """Return the values of a row as text: as they are, as in Flink's client, but without control characters on a terminal."""
    texts = [
        _NULL if value is None else shown_value(value, kind) for value, (_, kind) in zip(row, columns, strict=True)
    ]
    return list(map(one_line, texts)) if for_terminal else texts


def _width(name: str, kind: DataType) -> int:
    match kind.kind:
        case Kind.DECIMAL:
            width = (kind.size or 10) + 2
        case Kind.CHAR | Kind.VARCHAR:
            width = min(kind.size or 1, _MOST)
        case Kind.TIME:
            width = 8 if not kind.size else 9 + kind.size
        case Kind.TIMESTAMP | Kind.TIMESTAMP_LTZ:
            width = 19 if not kind.size else 20 + kind.size
        case simple if simple in _WIDTHS:
            width = _WIDTHS[simple]
        case _:
            width = _MOST
    return max(width, _columns_of(name))


def _line(widths: Sequence[int], texts: Sequence[str]) -> str:
    return f"| {' | '.join(_fitted(text, width) for text, width in zip(texts, widths, strict=True))} |"


def _fitted(text: str, width: int) -> str:
    """Right-align a text in a cell, truncated with dots if it is too long."""
    room = width - _columns_of(text)
    if room >= 0:
        return " " * room + text
    kept = ""
    for character in text:
        if _columns_of(kept + character) > width - 3:
            break
        kept += character
    return " " * (width - 3 - _columns_of(kept)) + kept + "..."


def _columns_of(text: str) -> int:
    """Return the width of a text on a terminal, in columns."""
    return sum(2 if unicodedata.east_asian_width(character) in "WF" else 1 for character in text)
