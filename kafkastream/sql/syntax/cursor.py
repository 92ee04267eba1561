"""Cursor over tokens, which collects the expected alternatives for error messages."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar, final

from kafkastream.errors import DefinitionError, UnsupportedFeatureError
from kafkastream.sql.syntax.reserved_words import RESERVED, in_backticks
from kafkastream.sql.syntax.source import SqlText
from kafkastream.sql.syntax.tokens import Token, TokenKind, tokenize
from kafkastream.sql.table_options import did_you_mean

__all__ = ["Cursor", "is_word"]

T = TypeVar("T")

_LONGEST = 40
_MOST_DIGITS = 18


@final
class Cursor:
    """Position among the tokens of a text, which moves forward.

    It records the alternatives at the furthest position, for error messages.

    Args:
        text: Text.
        of: Owner of the text, for errors.
        reserved: Words that are names in backticks alone.

    Attributes:
        source: Text with the positions of errors.
        tokens: All tokens, the last of which is the end.

    Raises:
        DefinitionError: A character is not allowed, or a quote or a comment is not closed.

    Example:
        >>> cursor = Cursor("DROP TABLE IF EXISTS `a`.b")
        >>> cursor.take("DROP", "VIEW"), cursor.take("DROP", "TABLE"), cursor.take("IF", "EXISTS"), cursor.path()
        (False, True, True, ('a', 'b'))
    """

    def __init__(self, text: str, of: str = "", reserved: frozenset[str] = RESERVED) -> None:
        self.source = SqlText(text, of)
        self.tokens = tokenize(self.source)
        self._reserved = reserved
        self._at = 0
        self._furthest = 0
        self._tried: list[str] = []

    @property
    def token(self) -> Token:
        """Return the next token."""
        return self.tokens[self._at]

    @property
    def before(self) -> Token:
        """Return the token that was read last."""
        return self.tokens[self._at - 1]

    def ahead(self, count: int = 1) -> Token:
        """Return the token ``count`` positions after the next one."""
        return self.tokens[min(self._at + count, len(self.tokens) - 1)]

    @property
    def ended(self) -> bool:
        """True once all tokens have been read."""
        return self.token.kind is TokenKind.END

    def advance(self) -> Token:
        """Read any token."""
        token = self.token
        self._at = min(self._at + 1, len(self.tokens) - 1)
        return token

    def sees(self, *words: str) -> bool:
        """Return whether the given keywords or symbols come next."""
        for at, word in enumerate(words, self._at):
            if not is_word(self.tokens[at], word):
                self.missing(word, at - self._at)
                return False
        return True

    def take(self, *words: str) -> bool:
        """Read these keywords or symbols, if all of them come next; return whether they did."""
        if not self.sees(*words):
            return False
        self._at += len(words)
        return True

    def expect(self, *words: str) -> Token:
        """Read these keywords or symbols, and return the first."""
        first = self.token
        for word in words:
            if not self.take(word):
                raise self.unexpected()
        return first

    def choose(self, *words: str) -> str:
        """Read one of these words."""
        for word in words:
            if self.take(word):
                return word
        raise self.unexpected()

    def name(self) -> str:
        """Read a name."""
        token = self.token
        if token.kind is TokenKind.NAME or (token.kind is TokenKind.WORD and token.value not in self._reserved):
            self.advance()
            return token.text if token.kind is TokenKind.WORD else token.value
        self.missing("a name")
        raise self.unexpected()

    def path(self) -> tuple[str, ...]:
        """Read names separated by dots."""
        names = [self.name()]
        while self.take("."):
            names.append(self.name())
        return tuple(names)

    def string(self) -> str:
        """Read a text in single quotes."""
        if self.token.kind is TokenKind.STRING:
            return self.advance().value
        self.missing("a text in single quotes")
        raise self.unexpected()

    def integer(self) -> int:
        """Read an integer; one that is longer than any limit is truncated, but stays above the limit."""
        if self.token.kind is TokenKind.NUMBER and self.token.text.isdecimal():
            return int(self.advance().text[:_MOST_DIGITS])
        self.missing("a whole number")
        raise self.unexpected()

    def listed(self, item: Callable[[], T]) -> tuple[T, ...]:
        """Read items in parentheses, separated by commas."""
        self.expect("(")
        items = [item()]
        while self.take(","):
            items.append(item())
        self.expect(")")
        return tuple(items)

    def last(self, read: T, end: str) -> T:
        """Return a value that was read, if the text ends here; otherwise fail, with ``end`` among the expected."""
        if not self.ended:
            self.missing(end)
            raise self.unexpected()
        return read

    def missing(self, what: str, ahead: int = 0) -> None:
        """Record that ``what`` was expected here, or some tokens ahead."""
        at = self._at + ahead
        if at > self._furthest:
            self._furthest, self._tried = at, []
        if at == self._furthest:
            self._tried.append(what)

    def unexpected(self) -> DefinitionError:
        """Return the error about the furthest token that did not fit."""
        token = self.tokens[min(self._furthest, len(self.tokens) - 1)]
        tried = list(dict.fromkeys(self._tried))
        return self.error(token, f"Expected {_either(tried)}, found {self.found(token)}.", self._advice(token, tried))

    def _advice(self, token: Token, tried: list[str]) -> str:
        if is_word(token, "..."):
            return "Documents leave something out with '...': write it here."
        if token.kind is TokenKind.WORD and token.value in self._reserved and "a name" in tried:
            return in_backticks(token.text)
        if token.kind in {TokenKind.WORD, TokenKind.NAME, TokenKind.NUMBER} and "a text in single quotes" in tried:
            return "Put it in single quotes."
        return did_you_mean(token.value, filter(str.isupper, tried)) if token.kind is TokenKind.WORD else ""

    def error(self, token: Token, what: str, now: str = "") -> DefinitionError:
        """Return an error about a token."""
        return self.source.error(token.start, what, now)

    def refused(self, token: Token, what: str, now: str) -> UnsupportedFeatureError:
        """Return the error about a token that begins an unsupported clause."""
        return self.source.refused(token.start, what, now)

    def found(self, token: Token) -> str:
        """Return a token for an error text, shortened and without secrets."""
        if token.kind is TokenKind.END:
            return "the end of the text"
        shown = self.source.shown(token.start, token.end)
        short = shown if len(shown) <= _LONGEST else f"{shown[:_LONGEST]}…"
        return short if token.kind in {TokenKind.STRING, TokenKind.NAME} else f"'{short}'"


def is_word(token: Token, word: str) -> bool:
    """Return whether a token is this keyword or symbol."""
    return token.value == word and (token.kind is TokenKind.WORD or token.kind is TokenKind.SYMBOL)


def _either(tried: list[str]) -> str:
    shown = [one if one[0].isalpha() else f"'{one}'" for one in tried]
    return " or ".join(filter(None, [", ".join(shown[:-1]), shown[-1]]))
