"""Tokens of Flink SQL: words, names, strings, numbers, symbols and hints, without comments."""

from __future__ import annotations

import enum
import re
from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

from kafkastream.sql.syntax.source import SqlText
from kafkastream.sql.table import Position

__all__ = ["Token", "TokenKind", "tokenize"]


class TokenKind(enum.Enum):
    """Kinds of tokens."""

    WORD = "a keyword, or a name as it is"
    NAME = "a name in backticks"
    STRING = "a text in single quotes"
    NUMBER = "a number"
    SYMBOL = "punctuation, also the ends of a hint"
    END = "the end of the text"


class Token(NamedTuple):
    """A token and its position.

    Args:
        kind: Kind of the token.
        value: Normalized value: a word in upper case, a name or text without quotes.
        text: Text as written.
        start: Index of its first character.
        position: Line and column of its first character.
    """

    kind: TokenKind
    value: str
    text: str
    start: int
    position: Position

    @property
    def end(self) -> int:
        """Return the index of the first character after it."""
        return self.start + len(self.text)


_QUOTED = r"'[^']*(?:''[^']*)*'(?!')"
_TOKEN = re.compile(
    rf"""
      (?P<SPACE>(?:[\s\ufeff]|--[^\n]*|//[^\n]*|/\*(?!\+)(?s:.*?)\*/)+)
    | (?P<UNICODE>[uU]&{_QUOTED}(?:\s*(?i:UESCAPE)\s*'[^']')?)
    | (?P<WORD>[^\W\d][\w$]*|\$[\w$]*)
    | (?P<STRING>{_QUOTED})
    | (?P<NAME>`(?:[^`\n\r]|``)+`(?!`))
    | (?P<NUMBER>(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][+-]?[0-9]+)?)
    | (?P<SYMBOL>/\*\+|\*/|\.\.\.|/(?!\*)|[()\[\]{{}}<>,;.=+\-*%|&^!?:@~\#])
    """,
    re.VERBOSE,
)
# SET and RESET take keys and values without quotes, up to the next space, as Flink's SetOperationParseStrategy does:
# https://github.com/apache/flink/blob/release-2.2.1/flink-table/flink-table-planner/src/main/java/org/apache/flink/table/planner/parse/SetOperationParseStrategy.java
_WITHOUT_QUOTES = re.compile(r"""(?P<STRING>[^'"`\u2018\u2019\u201c\u201d\u00b4\s;=][^'"`\s;=]*)""")
_VALUE_WITHOUT_QUOTES = re.compile(r"""(?P<STRING>[^'"`\u2018\u2019\u201c\u201d\u00b4\s;][^'"`\s;]*)""")
_KINDS = {kind.name: kind for kind in TokenKind} | {"UNICODE": TokenKind.STRING}
_VALUE: dict[str, Callable[[str], str]] = {
    "WORD": str.upper,
    "STRING": lambda text: text[1:-1].replace("''", "'") if text.startswith("'") else text,
    "NAME": lambda text: text[1:-1].replace("``", "`"),
}
_SET_WORDS = 4
"""One more than the words of ``SET key =``."""
_UNREADABLE = {
    "'": ("This text is never closed.", "Close it with ', and write a quote inside as ''."),
    "`": ("This name is never closed.", "Close it with a backtick on the same line."),
    "/": ("This comment is never closed.", "Close it with */."),
    '"': ('The double quote " means nothing in Flink SQL.', "Write texts in 'single quotes' and names in `backticks`."),
} | dict.fromkeys(
    "\u2018\u2019\u201c\u201d\u00b4", ("This is a typographic quote.", "Write texts in straight 'single quotes'.")
)


def tokenize(source: SqlText) -> tuple[Token, ...]:
    r"""Split a text into tokens, followed by one of kind END.

    Flink's rules apply: texts are in single quotes, in which ``''`` is a quote and a backslash is literal;
    ``U&'\0041'`` is ``A``; double quotes are not allowed; keywords are case-insensitive; ``--``, ``//`` and ``/* */``
    are comments.

    Raises:
        DefinitionError: A character is not allowed, or a quote or a comment is not closed.

    Example:
        >>> [token.value for token in tokenize(SqlText("select `a b`, 'it''s' -- why"))]
        ['SELECT', 'a b', ',', "it's", '']
    """
    return tuple(_tokens(source))


def _tokens(source: SqlText) -> Iterator[Token]:
    text, at, line, line_start = source.text, 0, 1, 0
    statement: list[str] = []
    while at < len(text):
        found = _TOKEN.match(text, at)
        if (found is None or found.lastgroup != "SPACE") and (pattern := _pattern_without_quotes(statement)):
            found = pattern.match(text, at) or found
        if found is None:
            raise source.error(at, *_UNREADABLE.get(text[at], (f"The character {text[at]!r} means nothing here.", "")))
        written, kind = found.group(), str(found.lastgroup)
        if kind != "SPACE":
            value = _unicode(source, at, written) if kind == "UNICODE" else _VALUE.get(kind, str)(written)
            statement = [] if value == ";" else [*statement, value][:_SET_WORDS]
            yield Token(_KINDS[kind], value, written, at, Position(line, at - line_start + 1))
        at = found.end()
        if "\n" in written:
            line, line_start = line + written.count("\n"), text.rindex("\n", 0, at) + 1
    yield Token(TokenKind.END, "", "", at, Position(line, at - line_start + 1))


def _pattern_without_quotes(statement: Sequence[str]) -> re.Pattern[str] | None:
    """Return the pattern of the next token if it may be a key or value without quotes.

    Args:
        statement: The first words of the statement so far.
    """
    match statement:
        case ["SET" | "RESET"]:
            return _WITHOUT_QUOTES
        case ["SET", _, "="]:
            return _VALUE_WITHOUT_QUOTES
        case _:
            return None


def _unicode(source: SqlText, at: int, written: str) -> str:
    parts = re.fullmatch(rf"..({_QUOTED})(?:.*'(.)')?", written, re.DOTALL)
    assert parts is not None
    escape = parts[2] or "\\"
    if re.match(r"[0-9a-fA-F+\s\"]", escape):
        raise source.error(at, f"UESCAPE {escape!r} cannot mark code points.", "Take a character such as '#'.")
    code = re.compile(rf"{re.escape(escape)}({re.escape(escape)}|[0-9a-fA-F]{{4}}|)")
    for one in code.finditer(parts[1]):
        if not one[1]:
            what = f"{escape} is not followed by the four hexadecimal digits of a code point."
            now = f"Write {escape}0041 for an A, and {escape}{escape} for {escape} itself."
            raise source.error(at + parts.start(1) + one.start(), what, now)
    decoded = code.sub(_decoded, parts[1][1:-1].replace("''", "'"))
    return decoded.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


def _decoded(code: re.Match[str]) -> str:
    return chr(int(code[1], 16)) if len(code[1]) == 4 else code[1]
