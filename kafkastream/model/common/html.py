"""Tables in HTML, for notebooks."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from html import escape

__all__ = ["html_table"]


def html_table(names: Sequence[str], rows: Iterable[Sequence[str]], note: str = "") -> str:
    """Return a table in HTML.

    Args:
        names: Names of the columns.
        rows: Rows, with a text for each column.
        note: Text below the table; none if empty.

    Example:
        >>> html_table(["n"], [["<1>"]], "1 row")
        '<table><thead><tr><th>n</th></tr></thead><tbody><tr><td>&lt;1&gt;</td></tr></tbody></table><p>1 row</p>'
    """
    body = "".join(_row("td", row) for row in rows)
    below = f"<p>{escape(note)}</p>" if note else ""
    return f"<table><thead>{_row('th', names)}</thead><tbody>{body}</tbody></table>{below}"


def _row(tag: str, cells: Sequence[str]) -> str:
    return f"<tr>{''.join(f'<{tag}>{escape(cell)}</{tag}>' for cell in cells)}</tr>"
