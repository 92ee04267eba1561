"""A SQL text, with errors that show positions in it."""

from __future__ import annotations

from functools import cached_property
from typing import final

from kafkastream.errors import DefinitionError, UnsupportedFeatureError
from kafkastream.secret_masking import masked_part, secret_spans
from kafkastream.sql.table import Position

__all__ = ["SqlText"]

_BEFORE, _WIDTH = 70, 100
"""Maximum characters of a long line in an error: before the position, and in total."""


@final
class SqlText:
    r"""A text of SQL statements.

    Args:
        text: Whole text.
        of: Owner of the text, if it is not a statement.

    Example:
        >>> print(SqlText("SELECT 1;\nSELCT 2").error(10, "Unknown statement.", "Did you mean SELECT?"))
        [invalid-definition] Unknown statement.
          at line 2, column 1
              SELCT 2
              ^
          Did you mean SELECT?
    """

    def __init__(self, text: str, of: str = "") -> None:
        self.text = text
        self._of = of

    def error(self, at: int, what: str, now: str = "") -> DefinitionError:
        """Return the error about the character ``at``; its line is shown without secrets."""
        return DefinitionError(what, where=self._where(at), now=now)

    def refused(self, at: int, what: str, now: str) -> UnsupportedFeatureError:
        """Return the error about the character ``at``, for syntax that Flink has and this package lacks."""
        return UnsupportedFeatureError(what, where=self._where(at), now=now)

    def shown(self, start: int, end: int) -> str:
        """Return a part of the text without secrets."""
        return masked_part(self.text, start, end, self._secrets)

    @cached_property
    def _secrets(self) -> tuple[tuple[int, int], ...]:
        return secret_spans(self.text)

    def _where(self, at: int) -> str:
        start = self.text.rfind("\n", 0, at) + 1
        end = self.text.find("\n", at)
        position = Position(self.text.count("\n", 0, at) + 1, at - start + 1)
        line = self.shown(start, len(self.text) if end < 0 else end)
        visible = min([at, *(low for low, high in self._secrets if low <= at < high)])
        place = ", ".join(filter(None, (self._of, str(position))))
        return f"{place}\n{_pointed(line, len(self.shown(start, max(start, visible))))}"


def _pointed(line: str, column: int) -> str:
    """Return a line with a caret below; tabs count as one character."""
    first = max(0, column - _BEFORE)
    last = first + _WIDTH
    part = "".join(letter if letter.isprintable() else " " for letter in line[first:last]).rstrip()
    before, after = "…" if first else "", "…" if last < len(line) else ""
    return f"      {before}{part}{after}\n      {' ' * (column - first + len(before))}^"
