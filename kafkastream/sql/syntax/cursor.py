"""Reading tokens one after the other, and saying what was expected where they do not fit."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar, final

from kafkastream.errors import DefinitionError, UnsupportedFeatureError
from kafkastream.sql.syntax.source import SqlText
from kafkastream.sql.syntax.tokens import Token, TokenKind, tokenize
from kafkastream.sql.table_options import did_you_mean

__all__ = ["Cursor", "is_word"]

T = TypeVar("T")

_RESERVED = frozenset(
    """
    AND AS BEGIN BY CASE CAST CONSTRAINT CREATE DROP ELSE END EXECUTE EXISTS EXPLAIN FOR FROM GROUP HAVING IF IN INSERT
    INTO IS JOIN LIKE NOT NULL ON OR ORDER PARTITION PARTITIONED PRIMARY SELECT SET TABLE THEN UNION UNIQUE USING VALUES
    WATERMARK WHEN WHERE WITH
    """.split()  # noqa: SIM905 - a list would be one word a line
)
"""Words that begin or join the clauses of a statement. Flink reserves more; those are taken as names, since nothing else fits."""

_LONGEST = 40
_MOST_DIGITS = 18


@final
class Cursor:
    """A place among the tokens of a text, which moves forward.

    It notes what was looked for at the furthest place, so that an error can list what would have fit there.

    Example:
        >>> cursor = Cursor("DROP TABLE IF EXISTS `a`.b")
        >>> cursor.take("DROP", "VIEW"), cursor.take("DROP", "TABLE"), cursor.take("IF", "EXISTS"), cursor.path()
        (False, True, True, ('a', 'b'))
    """

    def __init__(self, text: str, of: str = "") -> None:
        self.source = SqlText(text, of)
        self._tokens = tokenize(self.source)
        self._at = 0
        self._furthest = 0
        self._tried: list[str] = []

    @property
    def token(self) -> Token:
        """The next token."""
        return self._tokens[self._at]

    @property
    def before(self) -> Token:
        """The token that was read last."""
        return self._tokens[self._at - 1]

    def ahead(self, count: int = 1) -> Token:
        """The token ``count`` places behind the next one."""
        return self._tokens[min(self._at + count, len(self._tokens) - 1)]

    @property
    def ended(self) -> bool:
        """Whether all is read."""
        return self.token.kind is TokenKind.END

    def advance(self) -> Token:
        """Reads any token."""
        token = self.token
        self._at = min(self._at + 1, len(self._tokens) - 1)
        return token

    def sees(self, *words: str) -> bool:
        """Whether these keywords or symbols come next."""
        for at, word in enumerate(words, self._at):
            if not is_word(self._tokens[at], word):
                self.missing(word, at - self._at)
                return False
        return True

    def take(self, *words: str) -> bool:
        """Reads these keywords or symbols, if all of them come next."""
        if not self.sees(*words):
            return False
        self._at += len(words)
        return True

    def expect(self, *words: str) -> Token:
        """Reads these keywords or symbols, and returns the first."""
        first = self.token
        for word in words:
            if not self.take(word):
                raise self.unexpected()
        return first

    def choose(self, *words: str) -> str:
        """Reads one of these words."""
        for word in words:
            if self.take(word):
                return word
        raise self.unexpected()

    def name(self) -> str:
        """Reads a name."""
        token = self.token
        if token.kind is TokenKind.NAME or (token.kind is TokenKind.WORD and token.value not in _RESERVED):
            self.advance()
            return token.text if token.kind is TokenKind.WORD else token.value
        self.missing("a name")
        raise self.unexpected()

    def path(self) -> tuple[str, ...]:
        """Reads names with dots between them."""
        names = [self.name()]
        while self.take("."):
            names.append(self.name())
        return tuple(names)

    def string(self) -> str:
        """Reads a text in single quotes."""
        if self.token.kind is TokenKind.STRING:
            return self.advance().value
        self.missing("a text in single quotes")
        raise self.unexpected()

    def integer(self) -> int:
        """Reads a number without a point; one that is longer than any limit is cut, and still above it."""
        if self.token.kind is TokenKind.NUMBER and self.token.text.isdecimal():
            return int(self.advance().text[:_MOST_DIGITS])
        self.missing("a whole number")
        raise self.unexpected()

    def listed(self, item: Callable[[], T]) -> tuple[T, ...]:
        """Reads items between parentheses, with commas between them."""
        self.expect("(")
        items = [item()]
        while self.take(","):
            items.append(item())
        self.expect(")")
        return tuple(items)

    def last(self, read: T, end: str) -> T:
        """Return what was read, if nothing stands behind it; else raise: ``end`` would fit there."""
        if not self.ended:
            self.missing(end)
            raise self.unexpected()
        return read

    def missing(self, what: str, ahead: int = 0) -> None:
        """Notes that ``what`` would fit here, or some tokens ahead, and is not there."""
        at = self._at + ahead
        if at > self._furthest:
            self._furthest, self._tried = at, []
        if at == self._furthest:
            self._tried.append(what)

    def unexpected(self) -> DefinitionError:
        """The error about the furthest token that did not fit."""
        token = self._tokens[min(self._furthest, len(self._tokens) - 1)]
        tried = list(dict.fromkeys(self._tried))
        return self.error(token, f"Expected {_either(tried)}, found {self.found(token)}.", _advice(token, tried))

    def error(self, token: Token, what: str, now: str = "") -> DefinitionError:
        """An error about a token."""
        return self.source.error(token.start, what, now)

    def refused(self, token: Token, what: str, now: str) -> UnsupportedFeatureError:
        """The error about a token that begins what cannot be had."""
        return self.source.refused(token.start, what, now)

    def found(self, token: Token) -> str:
        """A token for an error's text: short, and no secret."""
        if token.kind is TokenKind.END:
            return "the end of the text"
        shown = self.source.shown(token.start, token.end)
        short = shown if len(shown) <= _LONGEST else f"{shown[:_LONGEST]}…"
        return short if token.kind in {TokenKind.STRING, TokenKind.NAME} else f"'{short}'"


def is_word(token: Token, word: str) -> bool:
    """Whether a token is this keyword or symbol."""
    return token.value == word and (token.kind is TokenKind.WORD or token.kind is TokenKind.SYMBOL)


def _either(tried: list[str]) -> str:
    shown = [one if one[0].isalpha() else f"'{one}'" for one in tried]
    return " or ".join(filter(None, [", ".join(shown[:-1]), shown[-1]]))


def _advice(token: Token, tried: list[str]) -> str:
    if is_word(token, "..."):
        return "Documents leave something out with '...': write it here."
    if token.kind is TokenKind.WORD and token.value in _RESERVED and "a name" in tried:
        return f"{token.value} is a word of SQL; as a name it stands in backticks: `{token.text}`."
    if token.kind in {TokenKind.WORD, TokenKind.NAME, TokenKind.NUMBER} and "a text in single quotes" in tried:
        return "Put it in single quotes."
    return did_you_mean(token.value, filter(str.isupper, tried)) if token.kind is TokenKind.WORD else ""
