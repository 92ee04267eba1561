"""A line of CSV to its columns and back, as Jackson reads and writes it for Flink."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from functools import lru_cache
from typing import Final, final

import attrs

__all__ = ["CsvDialect"]

_LINE_ENDS: Final = "\r\n"
_LINE_END: Final = re.compile("[\r\n]")
_BLANK_LINES: Final = re.compile("[ \r\n]*")
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
        if self.comments:
            text = _without_comments(text)
        if not text:
            raise ValueError("there is no line")
        is_plain = (self.quote is None or self.quote not in text) and (self.escape is None or self.escape not in text)
        if is_plain:
            return _LINE_END.split(text, maxsplit=1)[0].split(self.delimiter)
        return _scanner(self.delimiter, self.quote, self.escape).columns(text)

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
        row, is_open = list[str](), False
        for line in lines:
            if self.comments and not row and line.startswith("#"):
                continue
            if self.quote is not None and self.quote in line:
                is_open = _scanner(self.delimiter, self.quote, self.escape).is_open(line, is_open)
            row.append(line)
            if not is_open:
                yield "".join(row).removesuffix("\n").removesuffix("\r")
                row.clear()
        if row:
            yield "".join(row)

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
        highest = max(self.delimiter, self.quote or "", _LINE_ENDS)
        return len(text) > _ALWAYS_QUOTED_ABOVE or any(char <= highest or char == "\\" for char in text)


@final
class _Scanner:
    """Scanner of lines with quotes or escapes, whose regular expressions pass each character once.

    Args:
        delimiter: Delimiter of columns.
        quote: Quote around a column; None for no quoting.
        escape: Escape character; None for no escaping.
    """

    def __init__(self, delimiter: str, quote: str | None, escape: str | None) -> None:
        self._delimiter, self._quote, self._escape = delimiter, quote, escape
        escaped = [] if escape is None else [f"{re.escape(escape)}(.)"]
        doubled = [] if quote is None else [re.escape(quote * 2)]
        opening = f"{re.escape(delimiter)}(?P<quote>{re.escape(quote or '')})"
        self._plain = re.compile(f"[^{re.escape(delimiter + (escape or ''))}\r\n]*")
        self._blanks = re.compile(f"[{_BLANKS.replace(delimiter, '')}]*")
        self._special = re.compile(f"[{re.escape((quote or '') + (escape or ''))}]")
        self._opening = re.compile("|".join([*escaped, opening]), re.DOTALL)
        self._escaped = re.compile("".join(escaped), re.DOTALL)
        self._replaced = re.compile("|".join(doubled + escaped), re.DOTALL)

    def columns(self, text: str) -> list[str]:
        """Return the columns of the first line of a text."""
        columns = []
        position, length = 0, len(text)
        while True:
            if self._quote is not None and text.startswith(self._quote, position):
                end = self._closing_quote(text, position + 1)
                if end is None:
                    raise ValueError("a quote is not closed")
                columns.append(self._unquoted(text[position + 1 : end]))
                position = self._end_of_blanks(text, end + 1)
            else:
                end = self._end_of_plain(text, position)
                columns.append(self._unescaped(text[position:end]))
                position = end
            if position == length or text[position] != self._delimiter:
                return columns
            position += 1

    def is_open(self, line: str, inside: bool) -> bool:
        """Return whether a quoted column continues after a line, which may begin inside of one."""
        position = 0
        if not inside and self._quote is not None and line.startswith(self._quote):
            inside, position = True, 1
        while True:
            if inside:
                end = self._closing_quote(line, position)
                if end is None:
                    return True
                position = end + 1
            openings = (match for match in self._opening.finditer(line, position) if match["quote"])
            opening = next(openings, None)
            if opening is None:
                return False
            inside, position = True, opening.end()

    def _closing_quote(self, text: str, position: int) -> int | None:
        """Return the position of the quote that closes a column, for a position inside of it."""
        assert self._quote is not None
        while (special := self._special.search(text, position)) is not None:
            position = special.end()
            if special[0] == self._quote and not text.startswith(self._quote, position):
                return special.start()
            position += 1
        return None

    def _end_of_plain(self, text: str, position: int) -> int:
        match = self._plain.match(text, position)
        while match is not None and self._escape is not None and text.startswith(self._escape, match.end()):
            if match.end() + 1 == len(text):
                raise ValueError("nothing follows an escape character")
            match = self._plain.match(text, match.end() + 2)
        assert match is not None
        return match.end()

    def _end_of_blanks(self, text: str, position: int) -> int:
        """Return the end of blanks after a closing quote, where the column has to end as well."""
        match = self._blanks.match(text, position)
        assert match is not None
        if match.end() < len(text) and text[match.end()] not in self._delimiter + _LINE_ENDS:
            raise ValueError(f"{text[match.end()]!r} is between a closing quote and the delimiter")
        return match.end()

    def _unquoted(self, text: str) -> str:
        assert self._quote is not None
        if self._escape is None or self._escape not in text:
            return text.replace(self._quote * 2, self._quote)
        return self._replaced.sub(self._literal, text)

    def _unescaped(self, text: str) -> str:
        if self._escape is None or self._escape not in text:
            return text
        return self._escaped.sub(self._literal, text)

    def _literal(self, match: re.Match[str]) -> str:
        character = match[1]
        return str(self._quote) if character is None else _UNESCAPED.get(character, character)


@lru_cache(maxsize=16)
def _scanner(delimiter: str, quote: str | None, escape: str | None) -> _Scanner:
    return _Scanner(delimiter, quote, escape)


def _without_comments(text: str) -> str:
    """Blanks and empty lines before a line go with the comments."""
    position = _end_of_blank_lines(text, 0)
    while text.startswith("#", position):
        end = text.find("\n", position)
        position = len(text) if end < 0 else _end_of_blank_lines(text, end)
    return text[position:]


def _end_of_blank_lines(text: str, position: int) -> int:
    match = _BLANK_LINES.match(text, position)
    assert match is not None
    return match.end()
