"""A line of CSV to its columns and back, as Jackson reads and writes it for Flink."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Final, final

import attrs

__all__ = ["CsvDialect"]

_LINE_END: Final = "\r\n"
_UNESCAPED: Final = {"0": "\0", "n": "\n", "r": "\r", "t": "\t"}
_ALWAYS_QUOTED_ABOVE: Final = 24
_BLANKS: Final = " \t"


@final
@attrs.frozen(kw_only=True)
class CsvDialect:
    """Delimiter, quote and escape characters.

    Attributes:
        delimiter: Delimiter of columns.
        quote: Quote around a column, doubled within it; None for no quoting.
        escape: Escape character before a literal one; None for no escaping.
        comments: Whether a line that begins with ``#`` is passed over.
    """

    delimiter: str = ","
    quote: str | None = '"'
    escape: str | None = None
    comments: bool = False

    def columns(self, text: str) -> list[str]:
        """Return the columns of the first line; later lines are ignored.

        Raises:
            ValueError: There is no line, a quote is not closed, or text follows a closing quote.
        """
        return list(_Scanner(self, text).columns())

    def records(self, lines: Iterable[str]) -> Iterator[str]:
        r"""Join lines of one row, whose quoted columns have line ends.

        Args:
            lines: With their ends.

        Yields:
            Rows without their ends; comments are left out.

        Example:
            >>> list(CsvDialect().records(['1,"a\n', 'b"\r\n', "\n", "2,c"]))
            ['1,"a\nb"', '', '2,c']
        """
        begun, is_open = "", False
        for line in lines:
            if self.comments and not begun and line.startswith("#"):
                continue
            is_open = self._is_open(line, is_open)
            if is_open:
                begun += line
            else:
                yield (begun + line).removesuffix("\n").removesuffix("\r")
                begun = ""
        if begun:
            yield begun

    def _is_open(self, line: str, inside: bool) -> bool:
        """Return whether a quoted column continues after a line, which may begin inside of one."""
        if self.quote is None or self.quote not in line:
            return inside
        begins, position = not inside, 0
        while position < len(line):
            char = line[position]
            if char == self.escape:
                position += 1
            elif inside and char == self.quote:
                inside = line[position + 1 : position + 2] == self.quote
                position += inside
            elif begins and char == self.quote:
                inside = True
            begins = not inside and char == self.delimiter
            position += 1
        return inside

    def line(self, columns: list[tuple[str, bool]]) -> str:
        """Return a line without its end, of columns with whether each may need quotes."""
        return self.delimiter.join(self._quoted(text) if is_text else text for text, is_text in columns)

    def _quoted(self, text: str) -> str:
        if self.quote is None or not self._needs_quotes(text):
            return text
        if self.escape is not None:
            text = text.replace(self.escape, self.escape * 2)
        return self.quote + text.replace(self.quote, self.quote * 2) + self.quote

    def _needs_quotes(self, text: str) -> bool:
        highest = max(self.delimiter, self.quote or "", _LINE_END)
        return len(text) > _ALWAYS_QUOTED_ABOVE or any(char <= highest or char == "\\" for char in text)


@final
@attrs.define
class _Scanner:
    dialect: CsvDialect
    text: str
    position: int = 0

    def columns(self) -> Iterator[str]:
        if self.dialect.comments:
            self._pass_comments()
        if self._here() is None:
            raise ValueError("there is no line")
        while True:
            yield self._quoted() if self._here() == self.dialect.quote else self._plain()
            if self._here() != self.dialect.delimiter:
                return
            self.position += 1

    def _here(self) -> str | None:
        return self.text[self.position] if self.position < len(self.text) else None

    def _pass_comments(self) -> None:
        """Blanks and empty lines before a line go with the comments."""
        rest = self.text.lstrip(" \r\n")
        while rest.startswith("#"):
            rest = rest.partition("\n")[2].lstrip(" \r\n")
        self.position = len(self.text) - len(rest)

    def _plain(self) -> str:
        ends = {None, self.dialect.delimiter, *_LINE_END}
        found = []
        while (char := self._here()) not in ends:
            found.append(self._character(str(char)))
        return "".join(found)

    def _quoted(self) -> str:
        quote, found = self.dialect.quote, []
        self.position += 1
        while (char := self._here()) is not None:
            if char != quote:
                found.append(self._character(char))
            elif self.text[self.position + 1 : self.position + 2] == quote:
                found.append(char)
                self.position += 2
            else:
                self.position += 1
                self._pass_blanks()
                return "".join(found)
        raise ValueError("a quote is not closed")

    def _character(self, char: str) -> str:
        self.position += 1
        if char != self.dialect.escape:
            return char
        escaped = self._here()
        if escaped is None:
            raise ValueError("nothing follows an escape character")
        self.position += 1
        return _UNESCAPED.get(escaped, escaped)

    def _pass_blanks(self) -> None:
        while (char := self._here()) is not None and char in _BLANKS and char != self.dialect.delimiter:
            self.position += 1
        if char is not None and char != self.dialect.delimiter and char not in _LINE_END:
            raise ValueError(f"{char!r} is between a closing quote and the delimiter")
