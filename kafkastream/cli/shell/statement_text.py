"""Text that a user is typing: whether it is complete, and its last statement."""

from __future__ import annotations

from typing import Final

from kafkastream.errors import DefinitionError
from kafkastream.sql.syntax.source import SqlText
from kafkastream.sql.syntax.tokens import Token, TokenKind, tokenize

__all__ = ["COMMANDS", "command_of", "identifier_of", "is_complete", "last_statement", "open_quote", "tokens_of"]

COMMANDS: Final = ("CLEAR", "EXIT", "HELP", "QUIT")
"""Commands of the shell, which need no semicolon."""
_CLOSERS: Final = ("'", "`", "*/")
_SHORTEST_SET: Final = 3


def command_of(text: str) -> str | None:
    """Return the shell command in a text, in upper case; None if the text is SQL.

    Example:
        >>> command_of(" quit; "), command_of("SELECT 1")
        ('QUIT', None)
    """
    word = text.strip().rstrip(";").strip().upper()
    return word if word in COMMANDS else None


def is_complete(text: str) -> bool:
    """Return whether Enter executes a text: it ends with a semicolon outside of quotes, comments and statement sets.

    Example:
        >>> [is_complete(text) for text in ("SELECT 1;", "SELECT 1", "SELECT ';", "help")]
        [True, False, False, True]
    """
    if command_of(text) or not text.strip():
        return True
    tokens = tokens_of(text)
    if tokens is None:
        return open_quote(text) is None
    return bool(tokens) and tokens[-1].value == ";" and not _is_in_statement_set(tokens)


def open_quote(text: str) -> str | None:
    """Return what closes the quote or comment in which a text ends; None outside of them.

    Example:
        >>> open_quote("SET 'table.local"), open_quote("SELECT `a"), open_quote("SELECT 1")
        ("'", '`', None)
    """
    if tokens_of(text) is not None:
        return None
    return next((closer for closer in _CLOSERS if tokens_of(text + closer) is not None), None)


def last_statement(tokens: tuple[Token, ...]) -> tuple[Token, ...]:
    """Return the tokens after the last semicolon."""
    ends = [index for index, token in enumerate(tokens) if token.value == ";" and token.kind is TokenKind.SYMBOL]
    return tokens[ends[-1] + 1 :] if ends else tokens


def identifier_of(token: Token) -> str:
    """Return the identifier of a token as it was typed, without quotes."""
    return token.value if token.kind is TokenKind.NAME else token.text


def tokens_of(text: str) -> tuple[Token, ...] | None:
    """Return the tokens of a text; None if it cannot be split into tokens."""
    try:
        return tokenize(SqlText(text))[:-1]
    except DefinitionError:
        return None


def _is_in_statement_set(tokens: tuple[Token, ...]) -> bool:
    """Return whether the text is within a statement set, before its ``END``."""
    words = [token.value for token in tokens]
    begins = any(
        word == "BEGIN" and ("SET" in words[max(index - 1, 0) : index] or words[index + 1 : index + 2] == ["STATEMENT"])
        for index, word in enumerate(words)
    )
    return begins and not (len(words) >= _SHORTEST_SET and words[-3:-1] == [";", "END"])
