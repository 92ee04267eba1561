"""Tables with a title, for the output of commands."""

from __future__ import annotations

from rich.box import SIMPLE_HEAD
from rich.table import Table
from rich.text import Text

from kafkastream.printable import one_line, printable

__all__ = ["cell", "titled_table"]

_WIDEST_TITLE = 80


def titled_table(title: str, *columns: str) -> Table:
    """Return a table without rows, at least as wide as its title, so that the title stays on one line."""
    heading = Text(one_line(title), style="bold")
    width = min(heading.cell_len, _WIDEST_TITLE)
    table = Table(box=SIMPLE_HEAD, pad_edge=False, title=heading, title_justify="left", min_width=width)
    for name in columns:
        table.add_column(name, overflow="fold")
    return table


def cell(text: str) -> Text:
    """Return a table cell with the text as it is: rich's markup is not interpreted, control characters are escaped."""
    return Text(printable(text))
