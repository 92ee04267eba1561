"""A table on a page of the docs, below a comment that says what makes it."""

from __future__ import annotations

import re
from pathlib import Path
from typing import final

import attrs

__all__ = ["DOCS", "PlacedTable"]

DOCS = Path(__file__).parents[2] / "docs"


@final
@attrs.frozen
class PlacedTable:
    """A Markdown table, found by the comment before it.

    Args:
        page: The page that it stands on.
        mark: The comment before it.
    """

    page: Path
    mark: str

    @property
    def written(self) -> str:
        """The table as it stands on the page."""
        return self._parts()[1]

    def write(self, table: str) -> None:
        """Write it anew."""
        before, _, after = self._parts()
        self.page.write_text(before + table + after, encoding="utf-8")

    def _parts(self) -> tuple[str, str, str]:
        before, mark, rest = self.page.read_text(encoding="utf-8").partition(f"{self.mark}\n\n")
        assert mark, self.mark
        table = re.match(r"(\|.*\n)*", rest)
        assert table
        return before + mark, table[0], rest[table.end() :]
